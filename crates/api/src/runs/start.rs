//! `POST /api/runs`

use super::body::{FrameBody, RunBody};
use super::events::{follow, wants_stream};
use crate::making::{Making, status};
use crate::sign_in::{Pass, SignedIn};
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use countersign_domain::delegation::Chain;
use countersign_runtime::{RunRequest, StartError, StartedRun};
use serde::Deserialize;
use utoipa::ToSchema;

/// What an agent is asked to do.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartBody {
    /// The agent, by its name in the configuration.
    agent: String,
    /// What it is asked.
    input: String,
    /// The session; a new one if there is none.
    #[serde(default)]
    session_id: Option<String>,
    /// The user the run belongs to. Only an operator may name another than themselves.
    #[serde(default)]
    user_id: Option<String>,
    #[serde(default)]
    org_id: Option<String>,
    #[serde(default)]
    project_id: Option<String>,
    /// The working folder of its tools: an absolute path.
    #[serde(default)]
    cwd: Option<String>,
    /// What it is handed, frame by frame. A frame can only narrow.
    #[serde(default)]
    delegated_permissions: Vec<FrameBody>,
}

/// Starts a run. With `Accept: text/event-stream` its events follow.
#[utoipa::path(
    post, operation_id = "start_run", path = "/runs", tag = "runs", request_body = StartBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "The same request under the same key makes nothing new")),
    responses(
        (status = 201, body = RunBody),
        (status = 200, description = "The same was started before, under the same key; or the run's events, as they happen",
            content((RunBody = "application/json"), (String = "text/event-stream"))),
        (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)
    )
)]
pub async fn start(
    State(api): State<Api>,
    who: SignedIn,
    pass: Pass,
    headers: HeaderMap,
    making: Making<StartBody>,
) -> Result<Response, Problem> {
    who.may_start()?;
    // Whoever may not follow the run is told before there is one.
    let open = if wants_stream(&headers) { Some(api.streams.open(&who.0)?) } else { None };
    let (body, once) = making.once(&api, &who.0, |_| None)?;
    let request = RunRequest {
        agent: body.agent,
        input: body.input,
        user_id: who.on_behalf_of(body.user_id)?,
        session_id: body.session_id,
        org_id: body.org_id,
        project_id: body.project_id,
        cwd: body.cwd,
        delegated_permissions: Chain::new(body.delegated_permissions.into_iter().map(Into::into).collect()),
        started_by: who.0.clone(),
        once,
    };
    let StartedRun { run, repeated } = api.runtime.start(request).await?;
    if let Some(open) = open {
        return Ok(follow(&api, &who, pass, open, run.id, 0).into_response());
    }
    let place = [(header::LOCATION, format!("/api/runs/{}", run.id))];
    Ok((status(repeated.into()), place, Json(RunBody::from(run))).into_response())
}

impl From<StartError> for Problem {
    fn from(error: StartError) -> Self {
        match error {
            StartError::UnknownAgent { .. } => Self::new(StatusCode::NOT_FOUND, "UNKNOWN_AGENT", error.to_string()),
            StartError::Invalid(detail) => Self::invalid(detail),
            StartError::OtherRequest(error) => error.into(),
            StartError::Store(error) => error.into(),
            error @ StartError::Refused(_) => Self::internal(&error),
        }
    }
}
