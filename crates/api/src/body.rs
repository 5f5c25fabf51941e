//! Reading bodies and addresses, strictly: what two readers could read in two ways is refused.

use crate::{Api, Problem};
use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use countersign_domain::canonical::{Limits, Wrong, read};
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;

/// How deep arrays and objects of a body may be nested: the arguments of a call, and what stands around them.
const DEEPEST_BODY: usize = Limits::DOCUMENT.depth;

/// A JSON body, read by the same strict reader as every call.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Api> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        typed(&bytes_of(request, api).await?).map(Self)
    }
}

/// The body of a request.
pub async fn bytes_of(request: Request, api: &Api) -> Result<Bytes, Problem> {
    let within = api.site.connections.body_within;
    // All of it, however many pieces it comes in.
    let arrived = timeout(within, to_bytes(request.into_body(), crate::LARGEST_BODY)).await;
    let late = || {
        let detail = format!("the body did not arrive within {} seconds", within.as_secs_f32());
        Problem::new(StatusCode::REQUEST_TIMEOUT, "TOO_SLOW", detail)
    };
    arrived.map_err(|_| late())?.map_err(|error| {
        if error.into_inner().is::<LengthLimitError>() {
            return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE", "the body is larger than 1 MiB");
        }
        Problem::invalid("the body could not be read")
    })
}

/// The JSON object that these bytes are.
pub fn object(bytes: &[u8]) -> Result<Value, Problem> {
    let limits = Limits { bytes: crate::LARGEST_BODY, depth: DEEPEST_BODY };
    let value = read(bytes, limits).map_err(|wrong| match wrong.wrong {
        Wrong::TooDeep(deepest) => {
            let detail = format!("the body's arrays and objects are nested more than {deepest} deep: send it flatter");
            Problem::new(StatusCode::BAD_REQUEST, "TOO_DEEP", detail)
        }
        _ => Problem::invalid(format!("the body is not JSON with one meaning: {wrong}")),
    })?;
    if !value.is_object() {
        return Err(Problem::invalid("the body must be a JSON object"));
    }
    Ok(value)
}

/// What such an object says.
pub fn typed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if let Ok(typed) = T::deserialize(object(bytes)?) {
        return Ok(typed);
    }
    // Only whoever is told where it is wrong pays for the place.
    serde_path_to_error::deserialize(object(bytes)?).map_err(|wrong| {
        let place = wrong.path().to_string();
        let wrong = wrong.into_inner();
        Problem::invalid(if place == "." { wrong.to_string() } else { format!("`{place}`: {wrong}") })
    })
}

/// The part of an address that names something.
pub struct Named<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        // An id that cannot be one names nothing.
        axum::extract::Path::from_request_parts(parts, state)
            .await
            .map(|axum::extract::Path(named)| Self(named))
            .map_err(|_| Problem::not_found("there is nothing with that id"))
    }
}

/// What stands behind the `?`.
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        axum::extract::Query::from_request_parts(parts, state)
            .await
            .map(|axum::extract::Query(asked)| Self(asked))
            .map_err(|rejection| Problem::invalid(rejection.body_text()))
    }
}
