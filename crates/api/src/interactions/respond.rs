//! `POST /api/interactions/{id}/respond`

use super::body::{AnswerBody, InteractionBody};
use crate::body::{Body, Named};
use crate::runs::events::{follow, wants_stream};
use crate::sign_in::{Pass, SignedIn};
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response as HttpResponse};
use countersign_domain::InteractionId;
use countersign_domain::interaction::{AnswerError, Decision, Part, Remember, Reply, Response, Scope};
use countersign_domain::principal::Kind;
use countersign_runtime::AnswerFailure;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// An answer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RespondBody {
    /// The request it answers; must be the one in the address.
    #[serde(default)]
    request_id: Option<String>,
    /// The kind of the form, as in the request.
    #[serde(rename = "type", default)]
    kind: Option<String>,
    /// One of the request's `allowed_decisions`. Without it, what is filled in decides.
    #[serde(default)]
    decision: Option<DecisionBody>,
    /// To a `confirm`: yes or no.
    #[serde(default)]
    confirmed: Option<bool>,
    /// Why. The agent is told.
    #[serde(default)]
    reason: Option<String>,
    /// Whoever is signed in; another one is refused.
    #[serde(default)]
    user_id: Option<String>,
    /// With `approve`: what is allowed from now on.
    #[serde(default)]
    remember: Option<RememberBody>,
    /// With `edit`, or with `approve`: the arguments to make the call with in place of those that were proposed.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    edited_args: Option<Value>,
    /// With `replace`: what the agent is told in place of the result. With `answer` to an approval: what it is told in place
    /// of using the tool.
    #[serde(default)]
    replacement: Option<String>,
    /// To an `input`: the words. With `answer` to an approval: the same as `replacement`.
    #[serde(default)]
    text: Option<String>,
    /// To a `select`: the values that were chosen.
    #[serde(default)]
    selected_values: Option<Vec<String>>,
    /// To a `combined` form: a response to each part.
    #[serde(default)]
    responses: Option<Vec<PartBody>>,
    /// When it was given, in the answerer's eyes; the server's time counts.
    #[serde(default, rename = "responded_at")]
    _responded_at: Option<String>,
}

/// What is allowed from now on.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberBody {
    /// One of the request's `remember_options`.
    pattern: String,
    /// `user`, the default: for the run's user. `everyone`: for everybody, by a rule directly before the one that asked;
    /// needs an operator.
    #[serde(default)]
    scope: Option<ScopeBody>,
    /// When that ends.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    expires_at: Option<Timestamp>,
}

/// For whom something is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScopeBody {
    /// The run's user.
    User,
    /// Everybody.
    Everyone,
}

/// A response to one part of a combined form.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PartBody {
    /// The part's id.
    request_id: String,
    /// The kind of the part; the request says it.
    #[serde(rename = "type", default)]
    _kind: Option<String>,
    /// To an `input`: the words.
    #[serde(default)]
    text: Option<String>,
    /// To a `select`: the values that were chosen.
    #[serde(default)]
    selected_values: Option<Vec<String>>,
    /// To a `confirm`: yes or no.
    #[serde(default)]
    confirmed: Option<bool>,
    /// To a `combined` form: a response to each part.
    #[serde(default)]
    #[schema(no_recursion)]
    responses: Option<Vec<PartBody>>,
}

impl From<PartBody> for Part {
    fn from(body: PartBody) -> Self {
        let PartBody { request_id, text, selected_values, confirmed, responses, .. } = body;
        let responses = responses.map(|parts| parts.into_iter().map(Self::from).collect());
        Self { request_id, text, selected_values, confirmed, responses }
    }
}

/// What can be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionBody {
    /// The call may be made.
    Approve,
    /// It may be made with `edited_args`.
    Edit,
    /// It may not; or the question will not be answered, the result not be seen.
    Reject,
    /// Here is what was asked for; to an approval: here is what the tool would have given.
    Answer,
    /// The agent may see the result.
    Release,
    /// The agent is told `replacement` in its place.
    Replace,
    /// What was started has happened.
    Happened,
    /// It is made once more.
    RunAgain,
    /// Nobody will ever know.
    GiveUp,
}

impl From<DecisionBody> for Decision {
    fn from(body: DecisionBody) -> Self {
        match body {
            DecisionBody::Approve => Self::Approve,
            DecisionBody::Edit => Self::Edit,
            DecisionBody::Reject => Self::Reject,
            DecisionBody::Answer => Self::Answer,
            DecisionBody::Release => Self::Release,
            DecisionBody::Replace => Self::Replace,
            DecisionBody::Happened => Self::Happened,
            DecisionBody::RunAgain => Self::RunAgain,
            DecisionBody::GiveUp => Self::GiveUp,
        }
    }
}

/// What an answer did.
#[derive(Debug, Serialize, ToSchema)]
pub struct RespondedBody {
    /// The question as it stands now.
    interaction_request: InteractionBody,
    /// Whether the same answer had been given before.
    repeated: bool,
}

/// Answers a question. With `Accept: text/event-stream` the events of the resumed run follow.
#[utoipa::path(
    post, operation_id = "respond", path = "/interactions/{id}/respond", tag = "interactions", request_body = RespondBody,
    params(("id" = String, Path, description = "`int_…`")),
    responses(
        (status = 200, content((RespondedBody = "application/json"), (String = "text/event-stream"))), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 410, body = Problem)
    )
)]
pub async fn respond(
    State(api): State<Api>,
    who: SignedIn,
    pass: Pass,
    Named(id): Named<InteractionId>,
    headers: HeaderMap,
    Body(body): Body<RespondBody>,
) -> Result<HttpResponse, Problem> {
    never_an_agent(&who)?;
    let response = body.response(id, &who)?;
    let open = if wants_stream(&headers) { Some(api.streams.open(&who.0)?) } else { None };
    let before =
        if open.is_some() { api.runtime.store().asking(id).await?.map_or(0, |asking| asking.run.seq) } else { 0 };
    let answered = api.runtime.answer(id, response, &who.0).await?;
    if let Some(open) = open {
        return Ok(follow(&api, &who, pass, open, answered.interaction.run_id, before).into_response());
    }
    Ok(Json(RespondedBody { interaction_request: answered.interaction.into(), repeated: answered.repeated })
        .into_response())
}

/// Whatever it names, an agent is told no: it does not even learn what there is.
pub fn never_an_agent(who: &SignedIn) -> Result<(), Problem> {
    if who.0.kind == Kind::Agent {
        return Err(Problem::denied("an agent can ask and wait; it can never answer"));
    }
    Ok(())
}

impl RespondBody {
    fn response(self, id: InteractionId, who: &SignedIn) -> Result<Response, Problem> {
        let request_id = match &self.request_id {
            None => id,
            Some(given) => given.parse().map_err(|_| Problem::invalid(format!("`request_id` must be `{id}`")))?,
        };
        if self.user_id.as_ref().is_some_and(|user| Some(user.as_str()) != who.0.user()) {
            return Err(Problem::invalid("`user_id` is whoever is signed in; leave it out"));
        }
        let edited_args = match self.edited_args {
            None | Some(Value::Null) => None,
            Some(Value::Object(args)) => Some(args),
            Some(_) => return Err(Problem::invalid("`edited_args` must be an object")),
        };
        let remember = self.remember.map(|body| Remember {
            pattern: body.pattern,
            scope: if body.scope == Some(ScopeBody::Everyone) { Scope::Everyone } else { Scope::User },
            expires_at: body.expires_at,
        });
        let responses = self.responses.map(|parts| parts.into_iter().map(Part::from).collect());
        let reply =
            Reply { text: self.text, selected_values: self.selected_values, confirmed: self.confirmed, responses };
        let response = Response::new(request_id, self.decision.map(Decision::from), self.reason)
            .map_err(|wrong| Problem::invalid(wrong.to_string()))?;
        let response = response.of_kind(self.kind).filled_in(reply).replacing(self.replacement);
        Ok(response.editing(edited_args).remembering(remember))
    }
}

impl From<AnswerFailure> for Problem {
    fn from(error: AnswerFailure) -> Self {
        let detail = error.to_string();
        match error {
            AnswerFailure::NotFound(_) | AnswerFailure::NoRun(_) => Self::not_found(detail),
            AnswerFailure::Reason(_)
            | AnswerFailure::NoDecision
            | AnswerFailure::Unfitting(_)
            | AnswerFailure::NotForEveryone(_)
            | AnswerFailure::NoTool(_) => Self::invalid(detail),
            AnswerFailure::UnknownKey { .. } => Self::new(StatusCode::BAD_REQUEST, "UNKNOWN_KEY", detail),
            AnswerFailure::Answer(error) => match error {
                AnswerError::OtherRequest { .. } | AnswerError::NotAllowed { .. } | AnswerError::Unfit(_) => {
                    Self::invalid(detail)
                }
                AnswerError::NotYours(_) => Self::new(StatusCode::FORBIDDEN, "NOT_YOURS_TO_ANSWER", detail),
                AnswerError::AlreadyAnswered { answer, .. } => {
                    Self::new(StatusCode::CONFLICT, "ALREADY_ANSWERED", detail)
                        .with("answer", AnswerBody::from(*answer))
                }
                AnswerError::Expired(_) => Self::new(StatusCode::GONE, "EXPIRED", detail),
                AnswerError::Cancelled(_) => Self::new(StatusCode::GONE, "CANCELLED", detail),
            },
            AnswerFailure::Store(error) => error.into(),
            error @ AnswerFailure::Misplaced(_) => Self::internal(&error),
        }
    }
}
