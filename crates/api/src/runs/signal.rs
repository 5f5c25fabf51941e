//! `POST /api/runs/{id}/signal`, and the same as `/api/jobs/{id}/signal`.

use crate::body::{Body, Named};
use crate::interactions::body::InteractionBody;
use crate::interactions::respond::{DecisionBody, never_an_agent};
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use countersign_domain::RunId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A signal. Its decision is part of it, so that a reject can never be read as an approve.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignalBody {
    /// The key of the question: `cap-approval-…`.
    correlation_key: String,
    /// `approve` or `reject`.
    #[serde(default)]
    decision: Option<DecisionBody>,
    /// `reason` in it, a text, is told to the agent.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    payload: Option<Value>,
}

/// What a signal did.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignalledBody {
    /// The question as it stands now.
    interaction_request: InteractionBody,
    /// Whether the same signal had been sent before.
    repeated: bool,
}

/// Answers the question of a run that has this key.
#[utoipa::path(
    post, path = "/runs/{id}/signal", tag = "runs", request_body = SignalBody,
    params(("id" = String, Path, description = "`run_…`")),
    responses(
        (status = 200, body = SignalledBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 410, body = Problem)
    )
)]
pub async fn signal(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<RunId>,
    Body(body): Body<SignalBody>,
) -> Result<Json<SignalledBody>, Problem> {
    never_an_agent(&who)?;
    let decision = body.decision.ok_or_else(|| {
        Problem::new(StatusCode::BAD_REQUEST, "INVALID", "`decision` is missing: `approve` or `reject`")
    })?;
    let reason = match body.payload.as_ref().map(|payload| (payload, payload.get("reason"))) {
        None | Some((Value::Null, _) | (Value::Object(_), None | Some(Value::Null))) => None,
        Some((_, Some(Value::String(reason)))) => Some(reason.clone()),
        Some(_) => return Err(Problem::invalid("`payload` must be an object, and `reason` in it a text")),
    };
    let answered = api.runtime.signal(id, &body.correlation_key, decision.into(), reason, &who.0).await?;
    Ok(Json(SignalledBody { interaction_request: answered.interaction.into(), repeated: answered.repeated }))
}

/// The same, by the older name of a run.
#[utoipa::path(
    post, path = "/jobs/{id}/signal", tag = "runs", request_body = SignalBody,
    params(("id" = String, Path, description = "`run_…`")),
    responses(
        (status = 200, body = SignalledBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 410, body = Problem)
    )
)]
pub async fn signal_job(
    state: State<Api>,
    who: SignedIn,
    id: Named<RunId>,
    body: Body<SignalBody>,
) -> Result<Json<SignalledBody>, Problem> {
    signal(state, who, id, body).await
}
