//! `POST /api/tool-calls/{id}/result`: what came of a call.

use super::body::{ToolCallBody, asked_by, seen, wait};
use crate::body::{Body, Named};
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use countersign_domain::principal::Role;
use countersign_domain::{CallId, RunId};
use countersign_runtime::{CallReport, ReportError};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What came of a call.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportBody {
    /// What the tool gave: a text, or any JSON, which is kept as its text.
    output: Value,
    /// Whether it failed.
    #[serde(default)]
    failed: bool,
    /// How long the tool worked, in milliseconds.
    #[serde(default)]
    latency_ms: Option<u64>,
    /// How long to hold the request while somebody looks at the result: `30s`, at most a minute.
    #[serde(default)]
    wait: Option<String>,
}

/// Reports what came of a call that was allowed. The same report again changes nothing.
#[utoipa::path(
    post, operation_id = "report_tool_call", path = "/tool-calls/{id}/result", tag = "tool-calls", request_body = ReportBody,
    params(("id" = String, Path, description = "`call_…`")),
    responses(
        (status = 200, body = ToolCallBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)
    )
)]
pub async fn report(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<CallId>,
    Body(body): Body<ReportBody>,
) -> Result<Json<ToolCallBody>, Problem> {
    let wait = wait(body.wait.as_deref())?;
    let run = seen(&api, &who, id).await?;
    may_report(&api, &who, run).await?;
    let output = match body.output {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let report = CallReport { output, failed: body.failed, latency_ms: body.latency_ms };
    let mut run = api.runtime.report(run, report).await?.run;
    let is_pending = run.outside().is_some_and(|call| call.is_pending());
    if is_pending && !wait.is_zero() {
        run = api.runtime.decided(run.id, wait).await?.unwrap_or(run);
    }
    Ok(Json(ToolCallBody::of(&api, &who, &run).await?))
}

/// Refuses everybody but whoever asked, their user, and operators.
async fn may_report(api: &Api, who: &SignedIn, run: RunId) -> Result<(), Problem> {
    who.may_start()?;
    let user = api.runtime.store().run(run).await?.and_then(|run| run.user_id);
    let is_own = user.is_some() && who.0.user() == user.as_deref();
    if is_own || who.0.role >= Role::Operator || asked_by(api, who, run).await? {
        return Ok(());
    }
    Err(Problem::denied("only whoever asked for a call, its user or an operator reports what came of it"))
}

impl From<ReportError> for Problem {
    fn from(error: ReportError) -> Self {
        match error {
            error @ ReportError::NoRun(_) => Self::not_found(error.to_string()),
            error @ ReportError::NotAllowed => Self::new(StatusCode::CONFLICT, "NOT_ALLOWED", error.to_string()),
            error @ ReportError::Settled(_) => Self::new(StatusCode::CONFLICT, "ALREADY_REPORTED", error.to_string()),
            error @ ReportError::TooLong => Self::invalid(error.to_string()),
            ReportError::Store(error) => error.into(),
            error @ ReportError::Refused(_) => Self::internal(&error),
        }
    }
}
