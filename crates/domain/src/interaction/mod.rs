//! Interactions: one question put to a person, drawn from the stored call, and the life of it.

mod advice;
mod answer;
mod edit;
pub mod form;
mod preview;
mod reply;
mod response;

pub use advice::Advice;
pub use answer::{Answer, AnswerError, Decision, Given, Outcome, Settled, advance, given};
pub use edit::Edited;
pub use form::{BadForm, Choice, Field, Form};
pub use preview::{Change, ChangeKind, Preview};
pub use reply::{Misfit, Part, Reply};
pub use response::{LongReason, Remember, Response, Scope};

use crate::run::{Awaited, End};
use crate::{CallId, Digest, InteractionId, RunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One question, as it is shown and answered. It is rebuilt from the events of its run.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// Its id.
    pub id: InteractionId,
    /// The how many-th question about its call it is: clocks may go back, this does not.
    pub ordinal: u32,
    /// What is to be filled in.
    pub form: Form,
    /// What it is about, in a line.
    pub title: String,
    /// What will happen, in a sentence or more.
    pub description: String,
    /// Whether it must be answered for the call to go on.
    pub required: bool,
    /// What counts as the answer to a tool's question that nobody answers, where the run says so.
    pub default: Option<Reply>,
    /// What a tool waits for, if it is no person.
    pub awaited: Option<Awaited>,
    /// The run that waits.
    pub run_id: RunId,
    /// The step of the run.
    pub step_id: String,
    /// The call that waits.
    pub tool_call_id: CallId,
    /// The tool it calls.
    pub tool_name: String,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When it ends unanswered.
    pub expires_at: Timestamp,
    /// Whether half of its time has passed, and that was told.
    pub reminded: bool,
    /// Where it stands.
    pub status: Status,
    /// What is asked for.
    pub purpose: Purpose,
    /// The key by which a signal answers it.
    pub correlation_key: String,
    /// The call, exactly as it will be executed.
    pub call: ShownCall,
    /// What the call would do, where its tool can tell.
    pub preview: Option<Preview>,
    /// What the tool gave, where its result is reviewed.
    pub result: Option<End>,
    /// Why the policy asks.
    pub reasons: Vec<Reason>,
    /// Whether the call's resource is a pattern that covers this call and can be remembered.
    pub can_be_remembered: bool,
    /// On whose behalf.
    pub asked_by: AskedBy,
    /// Who may answer.
    pub answerable_by: AnswerableBy,
    /// How many different principals must approve.
    pub approvals_needed: u32,
    /// Sets of groups: whoever answers must be in one of each.
    pub approvers: Vec<Vec<String>>,
    /// Approvals so far, where several are needed.
    pub approvals: Vec<Answer>,
    /// The answer that settled it.
    pub answer: Option<Answer>,
}

impl Interaction {
    /// The answers it takes.
    pub const fn allowed_decisions(&self) -> &'static [Decision] {
        match self.purpose {
            // Several approve one and the same call: who edits it would have to ask them all anew.
            Purpose::Approval if self.approvals_needed > 1 => &[Decision::Approve, Decision::Reject, Decision::Answer],
            Purpose::Approval => &[Decision::Approve, Decision::Edit, Decision::Reject, Decision::Answer],
            Purpose::ResultReview => &[Decision::Release, Decision::Replace, Decision::Reject],
            Purpose::Question => &[Decision::Answer, Decision::Reject],
            Purpose::UncertainOutcome => &[Decision::Happened, Decision::RunAgain, Decision::GiveUp],
            Purpose::Signal => &[Decision::Answer],
            Purpose::Message | Purpose::Timer | Purpose::Report => &[],
        }
    }

    /// When people are reminded of it: at half of its time. `None` where they are not, or not any more.
    pub fn remind_at(&self) -> Option<Timestamp> {
        let waits = self.status == Status::Open && !self.reminded && self.purpose.is_for_people();
        // As far off as time goes means never.
        if !waits || self.expires_at == Timestamp::MAX {
            return None;
        }
        let life = self.expires_at.duration_since(self.created_at);
        self.created_at.checked_add(life / 2).ok().filter(|half| life.is_positive() && *half < self.expires_at)
    }

    /// The pattern that an approval may have remembered: exactly this call.
    pub fn remember_option(&self) -> Option<&str> {
        self.call.resource.as_deref().filter(|_| self.can_be_remembered && self.purpose == Purpose::Approval)
    }
}

/// Where an interaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// May this call be made?
    #[default]
    Approval,
    /// May the agent see this result?
    ResultReview,
    /// The tool, or the agent through it, wants to know something.
    Question,
    /// A call was started and never reported. What became of it?
    UncertainOutcome,
    /// The tool waits for a signal.
    Signal,
    /// The tool waits for a letter to the agent.
    Message,
    /// The tool waits for a time.
    Timer,
    /// A program outside makes the call: it is waited for its report.
    Report,
}

impl Purpose {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::ResultReview => "result_review",
            Self::Question => "question",
            Self::UncertainOutcome => "uncertain_outcome",
            Self::Signal => "signal",
            Self::Message => "message",
            Self::Timer => "timer",
            Self::Report => "report",
        }
    }

    /// Whether the tool itself wants it, in the middle of its work.
    pub const fn is_of_tool(self) -> bool {
        matches!(self, Self::Question | Self::Signal | Self::Message | Self::Timer)
    }

    /// Whether a person is asked. Others wait in no inbox.
    pub const fn is_for_people(self) -> bool {
        !matches!(self, Self::Signal | Self::Message | Self::Timer | Self::Report)
    }
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
#[derive(Debug, Clone, PartialEq)]
pub struct ShownCall {
    /// The server whose tool it is.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: Map<String, Value>,
    /// The working folder.
    pub cwd: Option<String>,
    /// The digest of the tool's definition.
    pub definition: Option<Digest>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why, for people.
    pub text: String,
}

/// On whose behalf a question is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
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
