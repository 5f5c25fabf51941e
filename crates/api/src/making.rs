//! Requests that make something, once under each key: whoever did not hear the answer sends the same again.

use crate::body::{bytes_of, object, typed};
use crate::{Api, Problem};
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, Method, StatusCode};
use countersign_domain::Principal;
use countersign_domain::canonical::canonical;
use countersign_runtime::OtherRequest;
use countersign_runtime::ports::Once;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The header with the key.
const HEADER: &str = "idempotency-key";
/// The longest key, in bytes.
const LONGEST_KEY: usize = 200;
/// What may differ from one time to the next.
const LEFT_OUT: [&str; 2] = ["idempotency_key", "wait"];

/// A JSON body that makes something, and the key under which it does so once.
pub struct Making<T> {
    /// The body.
    pub body: T,
    key: Option<String>,
    request: Sent,
}

/// A request as it was sent.
struct Sent {
    method: Method,
    path: String,
    body: Bytes,
}

impl<T: DeserializeOwned> FromRequest<Api> for Making<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let key = key_of(request.headers())?;
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let body = bytes_of(request, api).await?;
        Ok(Self { body: typed(&body)?, key, request: Sent { method, path, body } })
    }
}

impl<T> Making<T> {
    /// The body, and what it makes once, if it has a key: in the header, or `named` in the body.
    pub fn once(
        self,
        api: &Api,
        by: &Principal,
        named: impl FnOnce(&T) -> Option<String>,
    ) -> Result<(T, Option<Once>), Problem> {
        let named = named(&self.body).map(checked).transpose()?;
        if let (Some(header), Some(named)) = (&self.key, &named)
            && header != named
        {
            return Err(Problem::invalid("`Idempotency-Key` and `idempotency_key` differ: give one of them"));
        }
        let Some(key) = self.key.or(named) else { return Ok((self.body, None)) };
        let digest = api.runtime.store().masks().key().request(&self.request.text()?);
        Ok((self.body, Some(Once::new(by, key, digest))))
    }
}

impl Sent {
    /// What tells it from other requests. Only whoever has a key pays for it.
    fn text(&self) -> Result<String, Problem> {
        let Self { method, path, body } = self;
        let mut same = object(body)?;
        if let Value::Object(same) = &mut same {
            same.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
        }
        Ok(canonical(&json!({"body": same, "method": method.as_str(), "path": path})))
    }
}

fn key_of(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get(HEADER) else { return Ok(None) };
    checked(key.to_str().unwrap_or_default().to_owned()).map(Some)
}

fn checked(key: String) -> Result<String, Problem> {
    let is_key = !key.is_empty() && key.len() <= LONGEST_KEY && key.bytes().all(|byte| byte.is_ascii_graphic());
    if is_key {
        return Ok(key);
    }
    Err(Problem::invalid(format!("an idempotency key has 1 to {LONGEST_KEY} visible ASCII characters and no space")))
}

/// Of a request that made something, and of one that found it made.
pub const fn status(repeated: Repeated) -> StatusCode {
    match repeated {
        Repeated::No => StatusCode::CREATED,
        Repeated::Yes => StatusCode::OK,
    }
}

/// Whether the same had been asked for before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// It is new.
    No,
    /// It was there.
    Yes,
}

impl From<bool> for Repeated {
    fn from(repeated: bool) -> Self {
        if repeated { Self::Yes } else { Self::No }
    }
}

impl From<OtherRequest> for Problem {
    fn from(error: OtherRequest) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "IDEMPOTENCY_MISMATCH", error.to_string())
    }
}
