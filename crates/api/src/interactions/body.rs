//! An interaction as the outside sees it.

use super::advice::AdviceBody;
use countersign_domain::interaction::{Answer, Choice, Field, Form, Interaction, Preview, Reason, Reply, Status};
use countersign_domain::run::EndStatus;
use countersign_runtime::Reviewed;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// One question put to a person.
#[derive(Debug, Serialize, ToSchema)]
pub struct InteractionBody {
    id: String,
    /// What is to be filled in.
    #[serde(flatten)]
    form: FormBody,
    title: String,
    description: String,
    required: bool,
    /// What counts as the answer to a `question` if nobody answers in time and `hitl.on_timeout` is `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<ReplyBody>,
    run_id: String,
    step_id: String,
    tool_call_id: String,
    tool_name: String,
    #[schema(value_type = Object)]
    metadata: Map<String, Value>,
    created_at: String,
    expires_at: String,
    /// Of an open one: how many seconds are left, by the server's clock, when it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_in_seconds: Option<i64>,
    /// `open`, `answered`, `expired` or `cancelled`.
    status: &'static str,
    /// What is asked for: `approval`, `result_review`, `question` or `uncertain_outcome`; or what a tool waits for that no person
    /// is asked about: `signal`, `message` or `timer`.
    purpose: &'static str,
    /// The key by which a signal answers it.
    correlation_key: String,
    call: CallBody,
    /// What the call would do, where its tool can tell: drawn when it was asked, from the stored call and the file as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<PreviewBody>,
    /// For a `result_review`: what the tool gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ResultBody>,
    /// Why the policy asks.
    reasons: Vec<ReasonBody>,
    asked_by: AskedByBody,
    /// `anyone`, `human` or `second_person`.
    answerable_by: &'static str,
    /// How many different principals must approve.
    approvals_needed: u32,
    /// Approvals so far.
    approvals: Vec<AnswerBody>,
    /// The answers it takes.
    allowed_decisions: Vec<&'static str>,
    /// What an approval may have remembered.
    remember_options: Vec<RememberOptionBody>,
    /// The answer that settled it.
    answer: Option<AnswerBody>,
    /// What a model says of a dangerous call, where `hitl.review` names one. It is advice, and decides nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<AdviceBody>,
}

/// What a call would do. An approval is bound to it: a file that has changed since is not touched.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewBody {
    /// `place` (only where the path leads), `diff` or `note`.
    kind: &'static str,
    /// Where the path of the call leads, links followed.
    path: String,
    /// A unified diff, or a note in words. What is left out of it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The digest of the file that it was drawn from. None: there was no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

/// Something that an approval may have remembered.
#[derive(Debug, Serialize, ToSchema)]
pub struct RememberOptionBody {
    /// The pattern, exactly as it will match.
    pattern: String,
    /// What that is, for people.
    label: String,
}

/// What is to be filled in, by `type`.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct FormBody {
    /// `input`, `select`, `confirm` or `combined`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Of an `input`: what stands in the empty field.
    #[serde(skip_serializing_if = "Option::is_none")]
    placeholder: Option<String>,
    /// Of an `input`: whether several lines are expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    multiline: Option<bool>,
    /// Of a `select`: what there is to choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<ChoiceBody>>,
    /// Of a `select`: whether more than one may be chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    multiple: Option<bool>,
    /// Of a `confirm`: the word for yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_text: Option<String>,
    /// Of a `confirm`: the word for no.
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_text: Option<String>,
    /// Of a `combined` form: its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(no_recursion)]
    interactions: Option<Vec<FieldBody>>,
}

/// One part of a combined form.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldBody {
    /// By which its response names it.
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    required: bool,
    /// What is to be filled in.
    #[serde(flatten)]
    form: FormBody,
}

/// One thing to choose.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChoiceBody {
    value: String,
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// What a tool gave.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResultBody {
    output: String,
    /// Whether the tool failed.
    failed: bool,
}

/// A call exactly as it will be executed.
#[derive(Debug, Serialize, ToSchema)]
pub struct CallBody {
    server: Option<String>,
    tool: String,
    #[schema(value_type = Object)]
    args: Map<String, Value>,
    cwd: Option<String>,
    /// The digest that an approval is bound to.
    digest: String,
    /// What it touches.
    resource: Option<String>,
    /// What the tool is able to do.
    capabilities: Vec<String>,
    /// `low`, `medium`, `high`, `critical` or `unknown`.
    risk: String,
}

/// One layer of the policy and what it said.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReasonBody {
    layer: String,
    /// `allow`, `ask`, `deny` or `silent`.
    said: String,
    /// The rule, grant, capability, role or frame that said it.
    name: Option<String>,
    /// Why, for people.
    text: String,
}

/// On whose behalf a question is asked.
#[derive(Debug, Serialize, ToSchema)]
pub struct AskedByBody {
    user_id: Option<String>,
    agent: String,
    role: Option<String>,
    group: Option<String>,
    /// The runs from the root to this one.
    run_path: Vec<String>,
}

/// An answer that was given.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnswerBody {
    /// What was decided.
    decision: &'static str,
    reason: Option<String>,
    /// What was filled in.
    #[serde(flatten)]
    reply: ReplyBody,
    /// What the agent was told in place of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<String>,
    /// The arguments that were put in place of those that the agent proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    edited_args: Option<Map<String, Value>>,
    /// The digest of the call that they make.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_digest: Option<String>,
    /// Who answered.
    user_id: String,
    /// `user` or `service`.
    kind: &'static str,
    responded_at: String,
}

/// What was filled in.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ReplyBody {
    /// Into an `input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Into a `select`.
    #[serde(skip_serializing_if = "Option::is_none")]
    selected_values: Option<Vec<String>>,
    /// Into a `confirm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<bool>,
    /// Into a `combined` form: each part with its `request_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    responses: Option<Value>,
}

impl InteractionBody {
    /// The question as it was when it was asked.
    pub fn as_asked(mut asked: Interaction) -> Self {
        asked.status = Status::Open;
        asked.approvals.clear();
        asked.answer = None;
        asked.into()
    }

    /// The question, with the time that is left at `now` if it is open.
    pub fn at(asked: Interaction, now: Timestamp) -> Self {
        let left = asked.expires_at.duration_since(now).as_secs().max(0);
        let expires_in_seconds = (asked.status == Status::Open).then_some(left);
        Self { expires_in_seconds, ..asked.into() }
    }

    /// The question with what a model says beside it.
    #[must_use]
    pub fn advised(self, reviewed: Option<Reviewed>) -> Self {
        Self { advice: reviewed.map(Into::into), ..self }
    }
}

impl From<Interaction> for InteractionBody {
    fn from(asked: Interaction) -> Self {
        Self {
            id: asked.id.to_string(),
            allowed_decisions: asked.allowed_decisions().iter().map(|decision| decision.word()).collect(),
            remember_options: asked.remember_option().map(option).into_iter().collect(),
            form: asked.form.into(),
            title: asked.title,
            description: asked.description,
            required: asked.required,
            default: asked.default.map(Into::into),
            run_id: asked.run_id.to_string(),
            step_id: asked.step_id,
            tool_call_id: asked.tool_call_id.to_string(),
            tool_name: asked.tool_name,
            metadata: Map::new(),
            created_at: asked.created_at.to_string(),
            expires_at: asked.expires_at.to_string(),
            expires_in_seconds: None,
            status: asked.status.word(),
            purpose: asked.purpose.word(),
            correlation_key: asked.correlation_key,
            call: CallBody {
                server: asked.call.server,
                tool: asked.call.tool,
                args: asked.call.args,
                cwd: asked.call.cwd,
                digest: asked.call.digest.to_string(),
                resource: asked.call.resource,
                capabilities: asked.call.capabilities,
                risk: asked.call.risk,
            },
            preview: asked.preview.map(Into::into),
            result: asked
                .result
                .map(|end| ResultBody { failed: end.status != EndStatus::Completed, output: end.output }),
            reasons: asked.reasons.into_iter().map(Into::into).collect(),
            asked_by: AskedByBody {
                user_id: asked.asked_by.user_id,
                agent: asked.asked_by.agent,
                role: asked.asked_by.role,
                group: None,
                run_path: asked.asked_by.run_path.iter().map(ToString::to_string).collect(),
            },
            answerable_by: asked.answerable_by.word(),
            approvals_needed: asked.approvals_needed,
            approvals: asked.approvals.into_iter().map(Into::into).collect(),
            answer: asked.answer.map(Into::into),
            advice: None,
        }
    }
}

fn option(pattern: &str) -> RememberOptionBody {
    RememberOptionBody { pattern: pattern.to_owned(), label: "exactly this call".into() }
}

impl From<Preview> for PreviewBody {
    fn from(preview: Preview) -> Self {
        let kind = preview.word();
        let (text, digest) = preview.change.map(|change| (change.text, change.digest)).unzip();
        Self { kind, path: preview.path, text, digest: digest.flatten().map(|digest| digest.to_string()) }
    }
}

impl From<Reason> for ReasonBody {
    fn from(reason: Reason) -> Self {
        let Reason { layer, said, name, text } = reason;
        Self { layer, said, name, text }
    }
}

impl From<Answer> for AnswerBody {
    fn from(answer: Answer) -> Self {
        Self {
            decision: answer.decision.word(),
            reason: answer.reason,
            reply: answer.reply.map(Into::into).unwrap_or_default(),
            replacement: answer.replacement,
            edited_digest: answer.edited.as_ref().map(|edited| edited.digest.to_string()),
            edited_args: answer.edited.map(|edited| edited.args),
            user_id: answer.by.name,
            kind: answer.by.kind.word(),
            responded_at: answer.responded_at.to_string(),
        }
    }
}

impl From<Reply> for ReplyBody {
    fn from(reply: Reply) -> Self {
        let Reply { text, selected_values, confirmed, responses } = reply;
        let responses = responses.map(|parts| serde_json::to_value(parts).unwrap_or_default());
        Self { text, selected_values, confirmed, responses }
    }
}

impl From<Form> for FormBody {
    fn from(form: Form) -> Self {
        let body = Self { kind: form.word(), ..Self::default() };
        match form {
            Form::Input { placeholder, multiline } => Self { placeholder, multiline: Some(multiline), ..body },
            Form::Select { options, multiple } => {
                let choice = |choice: Choice| ChoiceBody {
                    value: choice.value,
                    label: choice.label,
                    description: choice.description,
                };
                Self { options: Some(options.into_iter().map(choice).collect()), multiple: Some(multiple), ..body }
            }
            Form::Confirm { confirm_text, cancel_text } => {
                Self { confirm_text: Some(confirm_text), cancel_text: Some(cancel_text), ..body }
            }
            Form::Combined { interactions } => {
                Self { interactions: Some(interactions.into_iter().map(Into::into).collect()), ..body }
            }
        }
    }
}

impl From<Field> for FieldBody {
    fn from(field: Field) -> Self {
        let Field { id, title, description, required, form } = field;
        Self { id, title, description, required, form: form.into() }
    }
}
