//! `POST /api/tool-calls`: a program asks before it acts.

use super::body::{ToolCallBody, wait};
use crate::making::{Making, status};
use crate::runs::body::FrameBody;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use countersign_domain::RunId;
use countersign_domain::delegation::Chain;
use countersign_domain::principal::Kind;
use countersign_runtime::{AskedCall, CallError, CallRequest};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A call that a program would like to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AskBody {
    /// The server whose tool it is.
    #[serde(default)]
    server: Option<String>,
    /// The tool.
    tool: String,
    /// The arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    args: Map<String, Value>,
    /// The agent that makes it. Default: the name of the token, and an agent's token names no other.
    #[serde(default)]
    agent: Option<String>,
    /// The run within which it is made: a run of the same user that goes on. Its session, folder and delegated permissions
    /// hold for the call too.
    #[serde(default)]
    run_id: Option<String>,
    /// The user it is made for. Only an operator may name another than themselves.
    #[serde(default)]
    user_id: Option<String>,
    /// The session. Without one no answer is remembered for the rest of it.
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    org_id: Option<String>,
    #[serde(default)]
    project_id: Option<String>,
    /// The working folder: an absolute path.
    #[serde(default)]
    cwd: Option<String>,
    /// What it is handed, frame by frame. A frame can only narrow.
    #[serde(default)]
    delegated_permissions: Vec<FrameBody>,
    /// The same as the header `Idempotency-Key`: the same request under the same key is the same call.
    #[serde(default)]
    idempotency_key: Option<String>,
    /// How long to hold the request while somebody is asked: `30s`, at most a minute.
    #[serde(default)]
    wait: Option<String>,
}

/// Asks whether a call may be made. The caller makes it itself, once it may, and reports what came of it.
#[utoipa::path(
    post, operation_id = "ask_tool_call", path = "/tool-calls", tag = "tool-calls", request_body = AskBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "The same request under the same key makes nothing new")),
    responses(
        (status = 201, body = ToolCallBody),
        (status = 200, body = ToolCallBody, description = "The same was asked before, under the same key"),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)
    )
)]
pub async fn ask(State(api): State<Api>, who: SignedIn, making: Making<AskBody>) -> Result<Response, Problem> {
    who.may_start()?;
    let (body, once) = making.once(&api, &who.0, |body| body.idempotency_key.clone())?;
    // What an agent may do goes by its name.
    if who.0.kind == Kind::Agent && body.agent.as_ref().is_some_and(|agent| *agent != who.0.name) {
        return Err(Problem::denied("an agent's token names no other agent than its own"));
    }
    let wait = wait(body.wait.as_deref())?;
    let parent = body.run_id.map(|id| id.parse::<RunId>()).transpose();
    let parent = parent.map_err(|_| Problem::invalid("`run_id` is no id of a run"))?;
    let user_id = match parent {
        Some(parent) => within(&api, &who, parent, body.user_id).await?,
        None => who.on_behalf_of(body.user_id)?,
    };
    let request = CallRequest {
        server: body.server,
        tool: body.tool,
        args: body.args,
        agent: body.agent,
        user_id,
        session_id: body.session_id,
        org_id: body.org_id,
        project_id: body.project_id,
        cwd: body.cwd,
        delegated_permissions: Chain::new(body.delegated_permissions.into_iter().map(Into::into).collect()),
        parent,
        started_by: who.0.clone(),
        once,
    };
    let AskedCall { run, repeated } = api.runtime.ask(request).await?;
    let is_pending = run.outside().is_some_and(|call| call.is_pending());
    let run = if is_pending && !wait.is_zero() { api.runtime.decided(run.id, wait).await?.unwrap_or(run) } else { run };
    let body = ToolCallBody::of(&api, &who, &run).await?;
    let place = run.outside().map(|call| format!("/api/tool-calls/{}", call.call.proposal.call_id));
    let place = [(header::LOCATION, place.unwrap_or_default())];
    Ok((status(repeated.into()), place, Json(body)).into_response())
}

/// The user of the run within which a call is made. Whoever acts in it acts for that user, and must be one who may.
async fn within(api: &Api, who: &SignedIn, parent: RunId, named: Option<String>) -> Result<Option<String>, Problem> {
    let parent = who.seen(api.runtime.store().run(parent).await?)?;
    if named.is_some() && named != parent.user_id {
        return Err(Problem::denied("`user_id` is another than that of the run"));
    }
    match parent.user_id {
        None => Ok(None),
        user => who.on_behalf_of(user),
    }
}

impl From<CallError> for Problem {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Bad(wrong) => Self::invalid(wrong.to_string()),
            CallError::Start(error) => error.into(),
            CallError::OtherRequest(error) => error.into(),
            error @ CallError::NoRun(_) => Self::not_found(error.to_string()),
            error @ CallError::Ended(_) => Self::new(StatusCode::CONFLICT, "ENDED", error.to_string()),
            error @ CallError::OtherUser(_) => Self::denied(error.to_string()),
            CallError::Store(error) => error.into(),
            error @ CallError::Refused(_) => Self::internal(&error),
        }
    }
}
