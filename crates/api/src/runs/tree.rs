//! `GET /api/runs/{id}/tree`: a run and the runs that belong to it.

use super::body::RunBody;
use crate::body::Named;
use crate::interactions::list::LONGEST_PAGE;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::RunId;
use countersign_domain::run::RunKind;
use countersign_runtime::ports::RunFilter;
use serde::Serialize;
use utoipa::ToSchema;

/// A run, and below it the runs that belong to it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TreeBody {
    run: RunBody,
    /// The calls of programs outside that were made within it, the newest first. They start none themselves.
    children: Vec<RunBody>,
    /// Whether those are all. So many runs may have been started since that not all of them were looked at.
    complete: bool,
}

/// Pages of later runs that are looked through for those that belong to it.
const MOST_PAGES: usize = 50;

/// A run and the runs that belong to it.
#[utoipa::path(
    get, operation_id = "run_tree", path = "/runs/{id}/tree", tag = "runs", params(("id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = TreeBody), (status = 401, body = Problem), (status = 404, body = Problem))
)]
pub async fn tree(State(api): State<Api>, who: SignedIn, Named(id): Named<RunId>) -> Result<Json<TreeBody>, Problem> {
    let run = who.seen(api.runtime.store().run(id).await?)?;
    let kind = Some(RunKind::Call);
    let mut filter = RunFilter { user: who.only_of(), session: None, kind, after: None, limit: LONGEST_PAGE };
    let (mut children, mut complete) = (vec![], false);
    for _ in 0..MOST_PAGES {
        let page = api.runtime.store().runs(filter.clone()).await?;
        filter.after = page.items.last().map(|last| last.id);
        // Newest first: what was started before it does not belong to it.
        let is_past = page.items.iter().any(|other| other.created_at < run.created_at);
        children.extend(page.items.into_iter().filter(|other| other.parent_run_id == Some(id)).map(RunBody::from));
        complete = is_past || page.next.is_none();
        if complete {
            break;
        }
    }
    Ok(Json(TreeBody { run: run.into(), children, complete }))
}
