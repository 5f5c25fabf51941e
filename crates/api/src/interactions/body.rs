//! An interaction as the outside sees it.

use countersign_domain::interaction::{Answer, Interaction, Kind, Purpose, Reason};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// One question put to a person.
#[derive(Debug, Serialize, ToSchema)]
pub struct InteractionBody {
    id: String,
    /// What kind of form it is: `confirm`.
    #[serde(rename = "type")]
    kind: &'static str,
    title: String,
    description: String,
    required: bool,
    confirm_text: String,
    cancel_text: String,
    run_id: String,
    step_id: String,
    tool_call_id: String,
    tool_name: String,
    #[schema(value_type = Object)]
    metadata: Map<String, Value>,
    created_at: String,
    expires_at: String,
    /// `open`, `answered`, `expired` or `cancelled`.
    status: &'static str,
    /// What is asked for: `approval`.
    purpose: &'static str,
    /// The key by which a signal answers it.
    correlation_key: String,
    call: CallBody,
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
    /// The answer that settled it.
    answer: Option<AnswerBody>,
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
    /// `approve` or `reject`.
    decision: &'static str,
    reason: Option<String>,
    /// Who answered.
    user_id: String,
    /// `user` or `service`.
    kind: &'static str,
    responded_at: String,
}

impl From<Interaction> for InteractionBody {
    fn from(asked: Interaction) -> Self {
        Self {
            id: asked.id.to_string(),
            kind: match asked.kind {
                Kind::Confirm => "confirm",
            },
            title: asked.title,
            description: asked.description,
            required: asked.required,
            confirm_text: asked.confirm_text,
            cancel_text: asked.cancel_text,
            run_id: asked.run_id.to_string(),
            step_id: asked.step_id,
            tool_call_id: asked.tool_call_id.to_string(),
            tool_name: asked.tool_name,
            metadata: asked.metadata,
            created_at: asked.created_at.to_string(),
            expires_at: asked.expires_at.to_string(),
            status: asked.status.word(),
            purpose: match asked.purpose {
                Purpose::Approval => "approval",
            },
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
            allowed_decisions: asked.allowed_decisions.iter().map(|decision| decision.word()).collect(),
            answer: asked.answer.map(Into::into),
        }
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
            user_id: answer.by.name,
            kind: answer.by.kind.word(),
            responded_at: answer.responded_at.to_string(),
        }
    }
}
