//! `POST /api/runs/{id}/message`, and the same as `/api/jobs/{id}/message`.

use super::body::RunBody;
use super::signal::{PayloadBody, SignalledBody};
use crate::body::{Body, Named};
use crate::interactions::respond::{DecisionBody, never_an_agent};
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::RunId;
use countersign_domain::run::Letter;
use countersign_runtime::Signal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A message: an answer to the question with the key, or without one a letter to the agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageBody {
    /// The key of a question that it answers.
    #[serde(default)]
    correlation_key: Option<String>,
    /// By which way it came, for the record: `mail`, `chat`.
    #[serde(default)]
    channel: Option<String>,
    /// What it says.
    #[serde(default)]
    text: Option<String>,
    /// With a key: one of the question's `allowed_decisions`; required where it is an approval.
    #[serde(default)]
    decision: Option<DecisionBody>,
    /// With a key: the rest of the answer.
    #[serde(default)]
    payload: Option<PayloadBody>,
}

/// What a message did.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveredBody {
    /// The question that it answered.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    answered: Option<SignalledBody>,
    /// The run that it was delivered to.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunBody>,
}

/// Writes to the agent of a run, or answers the question with the key.
#[utoipa::path(
    post, operation_id = "message_run", path = "/runs/{id}/message", tag = "runs", request_body = MessageBody,
    params(("id" = String, Path, description = "`run_…`")),
    responses(
        (status = 200, body = DeliveredBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 410, body = Problem)
    )
)]
pub async fn message(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<RunId>,
    Body(body): Body<MessageBody>,
) -> Result<Json<DeliveredBody>, Problem> {
    who.may_reach()?;
    who.seen(api.runtime.store().run(id).await?)?;
    let mut payload = body.payload.unwrap_or_default();
    payload.text = body.text.or(payload.text);
    if let Some(key) = body.correlation_key {
        never_an_agent(&who)?;
        let (reason, reply) = payload.parts();
        let brought = reply.text.clone().map(Value::String);
        let signal = Signal { key, decision: body.decision.map(Into::into), reason, reply, payload: brought };
        let answered = api.runtime.signal(id, signal, &who.0).await?;
        return Ok(Json(DeliveredBody { answered: Some(answered.into()), run: None }));
    }
    if body.decision.is_some() {
        return Err(Problem::invalid("`decision` answers a question: `correlation_key` says which"));
    }
    let text = payload.text.ok_or_else(|| Problem::invalid("`text` is missing"))?;
    if body.channel.as_ref().is_some_and(|channel| channel.len() > 200) {
        return Err(Problem::invalid("`channel` is longer than 200 bytes"));
    }
    let run = api.runtime.write(id, Letter { text, channel: body.channel, by: who.0 }).await?;
    Ok(Json(DeliveredBody { answered: None, run: Some(run.into()) }))
}

/// The same, by the older name of a run.
#[utoipa::path(
    post, operation_id = "message_job", path = "/jobs/{id}/message", tag = "runs", request_body = MessageBody,
    params(("id" = String, Path, description = "`run_…`")),
    responses(
        (status = 200, body = DeliveredBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 410, body = Problem)
    )
)]
pub async fn message_job(
    state: State<Api>,
    who: SignedIn,
    id: Named<RunId>,
    body: Body<MessageBody>,
) -> Result<Json<DeliveredBody>, Problem> {
    message(state, who, id, body).await
}
