//! `GET /api/runs`: the newest first.

use super::body::RunBody;
use crate::body::Asked;
use crate::interactions::list::LONGEST_PAGE;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::run::RunKind;
use countersign_runtime::ports::{RunFilter, RunStatus};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which ones.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// Only those of this kind: `agent` or `call`.
    kind: Option<String>,
    /// Only those of this session.
    session_id: Option<String>,
    /// Only those that stand so: `queued`, `running`, `waiting`, `completed`, `failed`, `cancelled` or `set_aside`. A page may then
    /// hold fewer than asked for, and `next` goes on.
    status: Option<String>,
    /// `next` of an earlier page.
    after: Option<String>,
    /// At most so many, up to 200. Default: 50.
    limit: Option<u32>,
}

/// A page of runs.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunPage {
    items: Vec<RunBody>,
    /// Where the next page starts; null on the last one.
    next: Option<String>,
}

/// Pages that are looked through for one of runs that stand so.
const MOST_PAGES: usize = 10;

/// Runs, the newest first.
#[utoipa::path(
    get, operation_id = "list_runs", path = "/runs", tag = "runs", params(Which),
    responses((status = 200, body = RunPage), (status = 400, body = Problem), (status = 401, body = Problem))
)]
pub async fn list(State(api): State<Api>, who: SignedIn, Asked(which): Asked<Which>) -> Result<Json<RunPage>, Problem> {
    let after = which.after.map(|id| id.parse()).transpose().map_err(|_| Problem::invalid("`after` is no cursor"))?;
    let kind = match which.kind.as_deref() {
        None => None,
        Some("agent") => Some(RunKind::Agent),
        Some("call") => Some(RunKind::Call),
        Some(_) => return Err(Problem::invalid("`kind` is one of `agent`, `call`")),
    };
    let limit = which.limit.unwrap_or(50).clamp(1, LONGEST_PAGE);
    let mut filter = RunFilter { user: who.only_of(), session: which.session_id, kind, after, limit };
    let Some(status) = which.status else {
        let page = api.runtime.store().runs(filter).await?;
        return Ok(Json(RunPage { items: page.items.into_iter().map(Into::into).collect(), next: page.next }));
    };
    if !RunStatus::ALL.iter().any(|known| known.word() == status) {
        let words: Vec<_> = RunStatus::ALL.iter().map(|status| format!("`{}`", status.word())).collect();
        return Err(Problem::invalid(format!("`status` is one of {}", words.join(", "))));
    }
    let mut items = vec![];
    for _ in 0..MOST_PAGES {
        filter.limit = LONGEST_PAGE;
        let page = api.runtime.store().runs(filter.clone()).await?;
        for run in page.items {
            filter.after = Some(run.id);
            if run.status.word() == status {
                items.push(RunBody::from(run));
            }
            if items.len() == limit as usize {
                return Ok(Json(RunPage { items, next: filter.after.map(|last| last.to_string()) }));
            }
        }
        if page.next.is_none() {
            return Ok(Json(RunPage { items, next: None }));
        }
    }
    Ok(Json(RunPage { items, next: filter.after.map(|last| last.to_string()) }))
}
