//! Interactions: one question put to a person, drawn from the stored call, and the life of it.

mod answer;

pub use answer::{Answer, AnswerError, Decision, LongReason, Outcome, Response, Settled, advance};

use crate::{CallId, Digest, InteractionId, RunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One question, as it is stored, shown and answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    /// Its id.
    pub id: InteractionId,
    /// What kind of form it is.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What it is about, in a line.
    pub title: String,
    /// What will happen, in a sentence or more.
    pub description: String,
    /// Whether it must be answered for the call to go on.
    pub required: bool,
    /// The word on the button that approves.
    pub confirm_text: String,
    /// The word on the button that rejects.
    pub cancel_text: String,
    /// The run that waits.
    pub run_id: RunId,
    /// The step of the run.
    pub step_id: String,
    /// The call that waits.
    pub tool_call_id: CallId,
    /// The tool it calls.
    pub tool_name: String,
    /// Anything else.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When it ends unanswered.
    pub expires_at: Timestamp,
    /// Where it stands.
    pub status: Status,
    /// What is asked for.
    pub purpose: Purpose,
    /// The key by which a signal answers it.
    pub correlation_key: String,
    /// The call, exactly as it will be executed.
    pub call: ShownCall,
    /// Why the policy asks.
    pub reasons: Vec<Reason>,
    /// On whose behalf.
    pub asked_by: AskedBy,
    /// Who may answer.
    pub answerable_by: AnswerableBy,
    /// How many different principals must approve.
    pub approvals_needed: u32,
    /// Sets of groups: whoever answers must be in one of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<Vec<String>>,
    /// The answers it takes.
    pub allowed_decisions: Vec<Decision>,
    /// Approvals so far, where several are needed.
    #[serde(default)]
    pub approvals: Vec<Answer>,
    /// The answer that settled it.
    #[serde(default)]
    pub answer: Option<Answer>,
}

/// The kinds of forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Yes or no.
    Confirm,
}

/// Where an interaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It waits.
    Open,
    /// It was answered.
    Answered,
    /// Nobody answered in time.
    Expired,
    /// It was withdrawn.
    Cancelled,
}

impl Status {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// May this call be made?
    Approval,
}

/// Who may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerableBy {
    /// A person, or a service that may approve.
    Anyone,
    /// A person.
    Human,
    /// A person other than the run's own user.
    SecondPerson,
}

/// A call as people see it: drawn from what is stored, never from what the agent says about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownCall {
    /// The server whose tool it is.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: Map<String, Value>,
    /// The working folder.
    pub cwd: Option<String>,
    /// The digest that an approval is bound to.
    pub digest: Digest,
    /// What it touches, as a pattern that covers exactly this call.
    pub resource: Option<String>,
    /// What the tool is able to do.
    pub capabilities: Vec<String>,
    /// How dangerous it is.
    pub risk: String,
}

/// One layer of the policy and what it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The layer.
    pub layer: String,
    /// `allow`, `ask`, `deny` or `silent`.
    pub said: String,
    /// The rule, grant, capability, role or frame that said it.
    pub name: Option<String>,
    /// Why, for people.
    pub text: String,
}

/// On whose behalf a question is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedBy {
    /// The user the run belongs to.
    pub user_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The role it acts in.
    pub role: Option<String>,
    /// The runs from the root to this one.
    pub run_path: Vec<RunId>,
}

impl AnswerableBy {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Human => "human",
            Self::SecondPerson => "second_person",
        }
    }
}
