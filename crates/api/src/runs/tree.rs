//! `GET /api/runs/{id}/tree`: a run and the runs that it started.

use super::body::RunBody;
use crate::body::Named;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::RunId;
use serde::Serialize;
use utoipa::ToSchema;

/// A run, and below it those that it started.
#[derive(Debug, Serialize, ToSchema)]
pub struct TreeBody {
    run: RunBody,
    /// The runs that it started. No agent can start one yet.
    #[schema(no_recursion)]
    children: Vec<TreeBody>,
}

/// A run and the runs that it started.
#[utoipa::path(
    get, operation_id = "run_tree", path = "/runs/{id}/tree", tag = "runs", params(("id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = TreeBody), (status = 401, body = Problem), (status = 404, body = Problem))
)]
pub async fn tree(State(api): State<Api>, who: SignedIn, Named(id): Named<RunId>) -> Result<Json<TreeBody>, Problem> {
    let run = who.seen(api.runtime.store().run(id).await?)?;
    Ok(Json(TreeBody { run: run.into(), children: vec![] }))
}
