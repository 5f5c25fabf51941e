//! `POST /api/runs/{id}/signal`, and the same as `/api/jobs/{id}/signal`.

use crate::body::{Body, Named};
use crate::interactions::body::InteractionBody;
use crate::interactions::respond::{DecisionBody, PartBody, never_an_agent};
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::RunId;
use countersign_domain::interaction::Reply;
use countersign_runtime::{Answered, Signal};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A signal. Its decision is part of it, so that a reject can never be read as an approve.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignalBody {
    /// The key of the question: `cap-approval-…`.
    correlation_key: String,
    /// One of the question's `allowed_decisions`; required where it is an approval.
    #[serde(default)]
    decision: Option<DecisionBody>,
    /// The rest of the answer to a question; to a tool that waits for the signal, anything.
    #[serde(default)]
    #[schema(value_type = Option<PayloadBody>)]
    payload: Option<Value>,
}

/// The rest of an answer.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PayloadBody {
    /// Why. The agent is told.
    #[serde(default)]
    pub reason: Option<String>,
    /// To an `input`: the words.
    #[serde(default)]
    pub text: Option<String>,
    /// To a `select`: the values that were chosen.
    #[serde(default)]
    selected_values: Option<Vec<String>>,
    /// To a `confirm`: yes or no.
    #[serde(default)]
    confirmed: Option<bool>,
    /// To a `combined` form: a response to each part.
    #[serde(default)]
    responses: Option<Vec<PartBody>>,
}

impl PayloadBody {
    /// The reason, and what was filled in.
    pub fn parts(self) -> (Option<String>, Reply) {
        let Self { reason, text, selected_values, confirmed, responses } = self;
        let responses = responses.map(|parts| parts.into_iter().map(Into::into).collect());
        (reason, Reply { text, selected_values, confirmed, responses })
    }
}

/// What a signal did.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignalledBody {
    /// The question as it stands now.
    interaction_request: InteractionBody,
    /// Whether the same signal had been sent before.
    repeated: bool,
}

impl From<Answered> for SignalledBody {
    fn from(answered: Answered) -> Self {
        Self { interaction_request: answered.interaction.into(), repeated: answered.repeated }
    }
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
    let signal = signal_of(body.correlation_key, body.decision, body.payload)?;
    let answered = api.runtime.signal(id, signal, &who.0).await?;
    Ok(Json(answered.into()))
}

/// What is in it besides what a question takes only a tool that waits for it hears of.
pub fn signal_of(key: String, decision: Option<DecisionBody>, payload: Option<Value>) -> Result<Signal, Problem> {
    let read = payload.clone().map(serde_json::from_value::<PayloadBody>).transpose();
    let read = match (read, decision) {
        (Ok(read), _) => read,
        // Nobody decides with half of what they said.
        (Err(wrong), Some(_)) => return Err(Problem::invalid(format!("`payload`: {wrong}"))),
        (Err(_), None) => None,
    };
    let (reason, reply) = read.unwrap_or_default().parts();
    Ok(Signal { key, decision: decision.map(Into::into), reason, reply, payload })
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
