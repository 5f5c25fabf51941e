//! `POST /api/runs/{id}/cancel`: stops a run.

use super::body::RunBody;
use crate::body::{Body, Named};
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use countersign_domain::RunId;
use countersign_runtime::ReachError;
use serde::Deserialize;
use utoipa::ToSchema;

/// Why a run is stopped.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelBody {
    /// Why, for the record.
    #[serde(default)]
    reason: Option<String>,
}

/// Stops a run: what waits is withdrawn, what is at work is stopped.
#[utoipa::path(
    post, operation_id = "cancel_run", path = "/runs/{id}/cancel", tag = "runs", request_body = CancelBody,
    params(("id" = String, Path, description = "`run_…`")),
    responses(
        (status = 200, body = RunBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)
    )
)]
pub async fn cancel(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<RunId>,
    Body(body): Body<CancelBody>,
) -> Result<Json<RunBody>, Problem> {
    who.may_reach()?;
    who.seen(api.runtime.store().run(id).await?)?;
    Ok(Json(api.runtime.cancel(id, &who.0, body.reason).await?.into()))
}

impl From<ReachError> for Problem {
    fn from(error: ReachError) -> Self {
        let detail = error.to_string();
        match error {
            ReachError::NoRun(_) => Self::not_found(detail),
            ReachError::Ended(_) => Self::new(StatusCode::CONFLICT, "RUN_ENDED", detail),
            ReachError::Invalid(_) => Self::invalid(detail),
            ReachError::OtherRequest(error) => error.into(),
            ReachError::Store(error) => error.into(),
        }
    }
}
