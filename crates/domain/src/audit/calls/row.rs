//! One call, as the audit view shows it.

use crate::interaction::{Decision, Purpose, Reason};
use crate::principal::Door;
use crate::run::EndStatus;
use crate::{CallId, Digest, Principal, RunId};
use jiff::Timestamp;

/// What happened to one call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRow {
    /// The run.
    pub run: RunId,
    /// The call.
    pub call: CallId,
    /// The step in which it was proposed.
    pub step: Option<u32>,
    /// `server/tool`, or `tool` alone.
    pub tool_name: String,
    /// The arguments, a JSON text.
    pub input_json: String,
    /// What the tool gave or the agent was told instead, a JSON text.
    pub output_json: Option<String>,
    /// Where it stands.
    pub status: Status,
    /// When the model proposed it.
    pub proposed_at: Timestamp,
    /// When it was first executed.
    pub started_at: Option<Timestamp>,
    /// When it ended, one way or another.
    pub completed_at: Option<Timestamp>,
    /// How long the tool worked, as it was measured.
    pub latency_ms: Option<u64>,
    /// The user on whose behalf.
    pub user: Option<String>,
    /// The agent that proposed it.
    pub agent: String,
    /// Through which door it came.
    pub door: Door,
    /// Whoever started the run.
    pub started_by: Principal,
    /// The digest of the call, as it was judged last.
    pub digest: Option<Digest>,
    /// The version of the policy that judged it last.
    pub policy: Option<Digest>,
    /// Why.
    pub reasons: Vec<Reason>,
    /// Who answered what about it, in order.
    pub answers: Vec<Answered>,
}

/// An answer to a question about a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// What was asked for.
    pub purpose: Purpose,
    /// What was decided.
    pub decision: Decision,
    /// By whom.
    pub by: Principal,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: Option<String>,
}

/// Where a call stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It has not been executed.
    Pending,
    /// It was executed and has not ended.
    Running,
    /// The tool did what it does.
    Completed,
    /// The tool failed, or the call could not be read.
    Error,
    /// The policy refused it.
    Denied,
    /// A person refused it.
    Rejected,
    /// Nobody answered in time.
    Expired,
    /// The run was stopped before it was made.
    Cancelled,
    /// It was executed, and nobody knows what came of it.
    Unknown,
}

impl Status {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
        }
    }
}

impl From<EndStatus> for Status {
    fn from(status: EndStatus) -> Self {
        match status {
            EndStatus::Completed => Self::Completed,
            EndStatus::Error => Self::Error,
            EndStatus::Denied => Self::Denied,
            EndStatus::Rejected => Self::Rejected,
            EndStatus::Expired => Self::Expired,
            EndStatus::Cancelled => Self::Cancelled,
            EndStatus::Unknown => Self::Unknown,
        }
    }
}

impl CallRow {
    /// The columns of a table of rows.
    pub const COLUMNS: [&str; 19] = [
        "tool_name",
        "input_json",
        "output_json",
        "status",
        "started_at",
        "completed_at",
        "latency_ms",
        "run",
        "step",
        "call",
        "proposed_at",
        "user",
        "agent",
        "door",
        "started_by",
        "digest",
        "policy",
        "reasons",
        "answers",
    ];

    /// What stands in them, in words.
    pub fn fields(&self) -> [String; 19] {
        fn text(thing: Option<&impl ToString>) -> String {
            thing.map(ToString::to_string).unwrap_or_default()
        }
        let reasons = self.reasons.iter().map(|reason| format!("{} {}: {}", reason.layer, reason.said, reason.text));
        let answers = self.answers.iter().map(|answer| format!("{} {}", answer.by.name, answer.decision.word()));
        [
            self.tool_name.clone(),
            self.input_json.clone(),
            text(self.output_json.as_ref()),
            self.status.word().to_owned(),
            text(self.started_at.as_ref()),
            text(self.completed_at.as_ref()),
            text(self.latency_ms.as_ref()),
            self.run.to_string(),
            text(self.step.as_ref()),
            self.call.to_string(),
            self.proposed_at.to_string(),
            text(self.user.as_ref()),
            self.agent.clone(),
            self.door.word().to_owned(),
            format!("{} {}", self.started_by.kind.word(), self.started_by.name),
            text(self.digest.as_ref()),
            text(self.policy.as_ref()),
            reasons.collect::<Vec<_>>().join("; "),
            answers.collect::<Vec<_>>().join("; "),
        ]
    }
}
