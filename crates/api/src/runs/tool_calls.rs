//! `POST /api/runs/{id}/tool-calls/{tool_call_id}/approve|decline`: the answer to a question, by its run and its call.

use super::signal::SignalledBody;
use crate::body::{Body, Named};
use crate::interactions::respond::never_an_agent;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::interaction::{Decision, Purpose, Response, Status};
use countersign_domain::{CallId, RunId};
use serde::Deserialize;
use utoipa::ToSchema;

/// Why.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WhyBody {
    /// Why. The agent is told.
    #[serde(default)]
    reason: Option<String>,
}

/// Approves the call that waits.
#[utoipa::path(
    post, operation_id = "approve_tool_call", path = "/runs/{id}/tool-calls/{tool_call_id}/approve", tag = "runs",
    request_body = WhyBody,
    params(("id" = String, Path, description = "`run_…`"), ("tool_call_id" = String, Path, description = "`call_…`")),
    responses(
        (status = 200, body = SignalledBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 410, body = Problem)
    )
)]
pub async fn approve(
    State(api): State<Api>,
    who: SignedIn,
    Named(named): Named<(RunId, CallId)>,
    Body(body): Body<WhyBody>,
) -> Result<Json<SignalledBody>, Problem> {
    decided(&api, &who, named, Decision::Approve, body.reason).await
}

/// Declines the call that waits.
#[utoipa::path(
    post, operation_id = "decline_tool_call", path = "/runs/{id}/tool-calls/{tool_call_id}/decline", tag = "runs",
    request_body = WhyBody,
    params(("id" = String, Path, description = "`run_…`"), ("tool_call_id" = String, Path, description = "`call_…`")),
    responses(
        (status = 200, body = SignalledBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 410, body = Problem)
    )
)]
pub async fn decline(
    State(api): State<Api>,
    who: SignedIn,
    Named(named): Named<(RunId, CallId)>,
    Body(body): Body<WhyBody>,
) -> Result<Json<SignalledBody>, Problem> {
    decided(&api, &who, named, Decision::Reject, body.reason).await
}

/// Answers the newest question whether the call may be made: the one that stands, or the last one that did.
async fn decided(
    api: &Api,
    who: &SignedIn,
    (run, call): (RunId, CallId),
    decision: Decision,
    reason: Option<String>,
) -> Result<Json<SignalledBody>, Problem> {
    never_an_agent(who)?;
    let store = api.runtime.store();
    who.seen(store.run(run).await?)?;
    let run = store.shown(run).await?.ok_or_else(|| Problem::not_found("there is no such run"))?;
    let about = run.asked_about(call).filter(|asked| asked.purpose == Purpose::Approval);
    let asked = about.max_by_key(|asked| (asked.status == Status::Open, asked.ordinal));
    let id = asked.map(|asked| asked.id);
    let id = id.ok_or_else(|| Problem::not_found("nobody was asked whether that call may be made"))?;
    let response = Response::new(id, Some(decision), reason).map_err(|wrong| Problem::invalid(wrong.to_string()))?;
    Ok(Json(api.runtime.answer(id, response, &who.0).await?.into()))
}
