//! `GET /api/sessions`: the one with the newest run first.

use crate::body::Asked;
use crate::interactions::list::LONGEST_PAGE;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_runtime::ports::{SessionFilter, SessionSummary};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which ones.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// `next` of an earlier page.
    after: Option<String>,
    /// At most so many, up to 200. Default: 50.
    limit: Option<u32>,
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionBody {
    id: String,
    /// How many runs it has.
    runs: u64,
    /// Its newest run.
    newest_run_id: String,
    created_at: String,
    updated_at: String,
}

/// A page of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionPage {
    items: Vec<SessionBody>,
    /// Where the next page starts; null on the last one.
    next: Option<String>,
}

/// Sessions, the one with the newest run first.
#[utoipa::path(
    get, operation_id = "list_sessions", path = "/sessions", tag = "sessions", params(Which),
    responses((status = 200, body = SessionPage), (status = 400, body = Problem), (status = 401, body = Problem))
)]
pub async fn list(
    State(api): State<Api>,
    who: SignedIn,
    Asked(which): Asked<Which>,
) -> Result<Json<SessionPage>, Problem> {
    let after = which.after.map(|id| id.parse()).transpose().map_err(|_| Problem::invalid("`after` is no cursor"))?;
    let limit = which.limit.unwrap_or(50).clamp(1, LONGEST_PAGE);
    let page = api.runtime.store().sessions(SessionFilter { user: who.only_of(), after, limit }).await?;
    Ok(Json(SessionPage { items: page.items.into_iter().map(Into::into).collect(), next: page.next }))
}

impl From<SessionSummary> for SessionBody {
    fn from(session: SessionSummary) -> Self {
        Self {
            id: session.id,
            runs: session.runs,
            newest_run_id: session.newest.to_string(),
            created_at: session.created_at.to_string(),
            updated_at: session.updated_at.to_string(),
        }
    }
}
