//! `GET /api/audit`: what happened to each call, the newest runs first.

use super::body::CallBody;
use super::filter::Filter;
use crate::body::Asked;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::RunId;
use countersign_runtime::audit::calls_of;
use countersign_runtime::ports::RunFilter;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Runs that are looked at for one page, so that a filter that lets little through does not look at all of them.
const MOST_RUNS: usize = 500;

/// Which calls.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// `next` of an earlier page.
    after: Option<String>,
    /// At most so many calls, up to 200, and those that were made in the same run. Default: 50.
    limit: Option<usize>,
    /// Only calls on behalf of this user.
    user_id: Option<String>,
    /// Only calls of this agent.
    agent: Option<String>,
    /// Only calls of this tool: `server/tool`, or `tool` alone.
    tool: Option<String>,
    /// Only calls that stand so.
    status: Option<String>,
    /// Only calls proposed since then.
    #[param(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// Only calls proposed before then.
    #[param(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
}

/// A page of calls.
#[derive(Debug, Serialize, ToSchema)]
pub struct CallPage {
    items: Vec<CallBody>,
    /// Where the next page starts; null on the last one. A page may be short, or empty, and not the last.
    next: Option<String>,
}

/// What happened to each call, the newest runs first.
#[utoipa::path(
    get, operation_id = "list_audit", path = "/audit", tag = "audit", params(Which),
    responses(
        (status = 200, body = CallPage), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)
    )
)]
pub async fn list(
    State(api): State<Api>,
    who: SignedIn,
    Asked(which): Asked<Which>,
) -> Result<Json<CallPage>, Problem> {
    who.is_no_agent()?;
    let Which { after, limit, user_id, agent, tool, status, since, until } = which;
    let user = who.only_of().or(user_id);
    let filter = Filter { run: None, user: user.clone(), agent, tool, status, since, until };
    let limit = limit.unwrap_or(50).clamp(1, 200);
    let mut after: Option<RunId> =
        after.map(|id| id.parse()).transpose().map_err(|_| Problem::invalid("`after` is no cursor"))?;
    let store = api.runtime.store();
    let (mut items, mut looked) = (vec![], 0);
    loop {
        let page = store.runs(RunFilter { user: user.clone(), after, limit: 50, ..RunFilter::default() }).await?;
        for run in &page.items {
            // What was proposed in a run was proposed after it began.
            let is_too_new = filter.until.is_some_and(|until| run.created_at >= until);
            if !is_too_new {
                let rows = calls_of(store, run.id).await?;
                items.extend(rows.into_iter().rev().filter(|row| filter.lets(row)).map(CallBody::from));
            }
            looked += 1;
            after = Some(run.id);
            if items.len() >= limit || looked >= MOST_RUNS {
                return Ok(Json(CallPage { items, next: after.map(|run| run.to_string()) }));
            }
        }
        if page.next.is_none() {
            return Ok(Json(CallPage { items, next: None }));
        }
    }
}
