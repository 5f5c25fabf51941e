//! `GET /api/tool-calls/{id}`: what was decided, now or as soon as it is.

use super::body::{ToolCallBody, no_call, seen, wait};
use crate::body::{Asked, Named};
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::CallId;
use serde::Deserialize;
use utoipa::IntoParams;

/// How.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct How {
    /// How long to hold the request while something is left to decide: `30s`, at most a minute.
    wait: Option<String>,
}

/// A call that was asked about. With `wait` the answer comes as soon as somebody has decided, about the call or about its
/// result.
#[utoipa::path(
    get, operation_id = "read_tool_call", path = "/tool-calls/{id}", tag = "tool-calls",
    params(("id" = String, Path, description = "`call_…`"), How),
    responses(
        (status = 200, body = ToolCallBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)
    )
)]
pub async fn read(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<CallId>,
    Asked(how): Asked<How>,
) -> Result<Json<ToolCallBody>, Problem> {
    let wait = wait(how.wait.as_deref())?;
    let run = seen(&api, &who, id).await?;
    let run = api.runtime.decided(run, wait).await?.ok_or_else(no_call)?;
    Ok(Json(ToolCallBody::of(&api, &who, &run).await?))
}
