//! `GET, POST /api/runs/{id}/delegated-permissions`: what a run was handed, and taking tools away from it.

use super::body::FrameBody;
use crate::body::Named;
use crate::making::Making;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::RunId;
use countersign_runtime::ports::RunSummary;
use serde::Serialize;
use utoipa::ToSchema;

/// The frames of a run, the first one first. A call must pass all of them.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChainBody {
    items: Vec<FrameBody>,
    /// Always null: all are on one page.
    next: Option<String>,
}

impl From<RunSummary> for ChainBody {
    fn from(run: RunSummary) -> Self {
        let frames = run.delegated_permissions.frames().iter().cloned();
        Self { items: frames.map(Into::into).collect(), next: None }
    }
}

/// What the run was handed, frame by frame.
#[utoipa::path(
    get, operation_id = "read_delegated_permissions", path = "/runs/{id}/delegated-permissions", tag = "runs",
    params(("id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = ChainBody), (status = 401, body = Problem), (status = 404, body = Problem))
)]
pub async fn read(State(api): State<Api>, who: SignedIn, Named(id): Named<RunId>) -> Result<Json<ChainBody>, Problem> {
    Ok(Json(who.seen(api.runtime.store().run(id).await?)?.into()))
}

/// Adds a frame: it narrows the run from its next call on, and nothing widens it again.
#[utoipa::path(
    post, operation_id = "narrow_run", path = "/runs/{id}/delegated-permissions", tag = "runs", request_body = FrameBody,
    params(
        ("id" = String, Path, description = "`run_…`"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same request under the same key makes nothing new")
    ),
    responses(
        (status = 200, body = ChainBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn narrow(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<RunId>,
    making: Making<FrameBody>,
) -> Result<Json<ChainBody>, Problem> {
    who.may_reach()?;
    let (frame, once) = making.once(&api, &who.0, |_| None)?;
    who.seen(api.runtime.store().run(id).await?)?;
    Ok(Json(api.runtime.narrow(id, frame.into(), &who.0, once).await?.into()))
}
