//! `POST /api/audit/erase`: what was written in a run is erased, and the record holds.

use crate::body::Body;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use countersign_domain::RunId;
use countersign_runtime::audit::{EraseError, erase as erase_texts};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What to erase.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Erase)]
pub struct EraseBody {
    /// The run.
    run_id: String,
    /// Why. It stays in the record, with who erased.
    why: String,
}

/// What was erased.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Erased)]
pub struct ErasedBody {
    /// In how many events there was something.
    events: u64,
}

/// Erases what people, models and tools wrote in a run that has ended. What happened, when and by whom stays, and the record
/// verifies as before. For operators.
#[utoipa::path(
    post, operation_id = "erase_texts", path = "/audit/erase", tag = "audit", request_body = EraseBody,
    responses(
        (status = 200, body = ErasedBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)
    )
)]
pub async fn erase(
    State(api): State<Api>,
    SignedIn(who): SignedIn,
    Body(body): Body<EraseBody>,
) -> Result<Json<ErasedBody>, Problem> {
    let run: RunId = body.run_id.parse().map_err(|_| Problem::not_found("there is no such run"))?;
    match erase_texts(api.runtime.store(), run, who, &body.why).await {
        Ok(events) => {
            api.inbox.forget_all();
            Ok(Json(ErasedBody { events }))
        }
        Err(EraseError::Store(error)) => Err(error.into()),
        Err(error @ EraseError::NoRun(_)) => Err(Problem::not_found(error.to_string())),
        Err(error @ EraseError::NotEnded(_)) => Err(Problem::new(StatusCode::CONFLICT, "NOT_ENDED", error.to_string())),
        Err(error @ EraseError::NoReason) => Err(Problem::invalid(error.to_string())),
        Err(error @ EraseError::Denied) => Err(Problem::denied(error.to_string())),
    }
}
