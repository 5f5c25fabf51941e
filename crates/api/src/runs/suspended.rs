//! `GET /api/runs/{id}/suspended`: what the run waits for.

use crate::body::Named;
use crate::interactions::advice::reviewed;
use crate::interactions::read::SuspendedBody;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::RunId;
use countersign_domain::interaction::{Interaction, Status};
use countersign_runtime::ports::InteractionFilter;
use serde::Serialize;
use utoipa::ToSchema;

/// What a run waits for.
#[derive(Debug, Serialize, ToSchema)]
pub struct WaitsBody {
    /// The question that ends first.
    #[serde(flatten)]
    first: SuspendedBody,
    /// All of them, where several calls wait.
    all: Vec<SuspendedBody>,
}

/// What the run waits for.
#[utoipa::path(
    get, operation_id = "run_suspended", path = "/runs/{id}/suspended", tag = "runs", params(("id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = WaitsBody), (status = 401, body = Problem), (status = 404, body = Problem))
)]
pub async fn suspended(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<RunId>,
) -> Result<Json<WaitsBody>, Problem> {
    let store = api.runtime.store();
    who.seen(store.run(id).await?)?;
    let filter = InteractionFilter { status: Some(Status::Open), run: Some(id), limit: 200, ..Default::default() };
    let waits = store.interactions(filter).await?.items;
    let reviewed = reviewed(&api, &who, &waits).await?;
    let now = store.now().await?;
    let body =
        |asked: &Interaction| SuspendedBody::new(who.sight().of(asked.clone()), reviewed.get(&asked.id).cloned(), now);
    let first = waits.first().map(body).ok_or_else(|| Problem::not_found("the run waits for nothing"))?;
    Ok(Json(WaitsBody { first, all: waits.iter().map(body).collect() }))
}
