//! `GET /api/runs/{id}`

use super::body::RunBody;
use crate::body::Named;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::RunId;

/// One run.
#[utoipa::path(
    get, operation_id = "read_run", path = "/runs/{id}", tag = "runs", params(("id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = RunBody), (status = 401, body = Problem), (status = 404, body = Problem))
)]
pub async fn read(State(api): State<Api>, who: SignedIn, Named(id): Named<RunId>) -> Result<Json<RunBody>, Problem> {
    Ok(Json(who.seen(api.runtime.store().run(id).await?)?.into()))
}
