//! What happened to a run: its events. They are only ever added to; every shape that was released still decodes.

use super::awaited::Awaited;
use super::judgement::Judgement;
use super::started::Started;
use super::turn::Turn;
use crate::delegation::Frame;
use crate::interaction::form::LONGEST_TEXT;
use crate::interaction::{Answer, BadForm, Form, Preview, Purpose, Reply};
use crate::{CallId, InteractionId, Principal, RunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Event {
    /// The run was asked for.
    RunStarted(Box<Started>),
    /// The model has spoken.
    StepCompleted(Turn),
    /// The policy has judged a call.
    ToolJudged {
        /// The call.
        call_id: CallId,
        /// What it said.
        #[serde(flatten)]
        judgement: Box<Judgement>,
    },
    /// A question was put to a person.
    InteractionRequest(Box<Asked>),
    /// The run can do nothing more until somebody answers.
    ExecutionSuspended {
        /// The question it waits for.
        interaction_request_id: InteractionId,
        /// What kind of thing it waits for.
        wait_type: WaitType,
    },
    /// Somebody answered.
    InteractionResponse {
        /// The question.
        interaction_request_id: InteractionId,
        /// The answer.
        response: Answer,
        /// Whether that settles it, or more approvals are needed.
        settled: bool,
    },
    /// Half of the time for an answer is over, and nobody has given one. Once for each question.
    Reminder {
        /// The question.
        interaction_request_id: InteractionId,
    },
    /// A wait has ended.
    WaitCompleted {
        /// The question.
        interaction_request_id: InteractionId,
        /// How it ended.
        outcome: WaitOutcome,
    },
    /// A worker has taken the run up again.
    ExecutionResumed {},
    /// A tool is about to be executed. Durable before it is.
    ToolStarted {
        /// The call.
        call_id: CallId,
        /// The fencing number of the worker that executes it.
        fence: u64,
    },
    /// The tool asks somebody something in the middle of its work, and has stopped meanwhile.
    ToolPaused {
        /// The call.
        call_id: CallId,
    },
    /// The tool has reported, and somebody looks at the result before the agent does.
    ToolHeld {
        /// The call.
        call_id: CallId,
        /// What it gave.
        #[serde(flatten)]
        end: End,
    },
    /// A call was started, and whoever executed it is gone without a report.
    ToolLost {
        /// The call.
        call_id: CallId,
        /// Whether it may simply be made again, under the same key.
        again: bool,
    },
    /// A call has ended, one way or another.
    ToolFinished {
        /// The call.
        call_id: CallId,
        /// How.
        #[serde(flatten)]
        end: End,
    },
    /// Somebody wrote to the agent.
    MessageReceived(Letter),
    /// Somebody took tools away from the run.
    PermissionsNarrowed {
        /// What is left.
        frame: Frame,
        /// Who did.
        by: Principal,
    },
    /// The agent is done.
    RunCompleted {
        /// What it said last.
        output: String,
    },
    /// The run ended before the agent was done.
    RunFailed {
        /// Why.
        error: Failure,
    },
    /// Somebody stopped it.
    RunCancelled {
        /// Who.
        by: Principal,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Whoever took it up ended without a word, again and again. Nobody takes it up any more.
    RunSetAside {
        /// Why.
        error: Failure,
    },
}

/// A question that was put to a person. The rest of it follows from the call it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Its id.
    pub id: InteractionId,
    /// The call it is about.
    pub call_id: CallId,
    /// What is asked for.
    #[serde(default, skip_serializing_if = "is_approval")]
    pub purpose: Purpose,
    /// When it ends unanswered.
    pub expires_at: Timestamp,
    /// What a tool wants to know, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// What a tool waits for, if it is no person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Awaited>,
    /// What the call would do, where its tool can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_approval(purpose: &Purpose) -> bool {
    *purpose == Purpose::Approval
}

/// What a tool wants to know of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// In a line.
    pub title: String,
    /// In a sentence or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be filled in.
    #[serde(default = "required")]
    pub required: bool,
    /// What counts as the answer if nobody answers in time and the run says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Reply>,
    /// What is to be filled in.
    #[serde(flatten)]
    pub form: Form,
}

impl Question {
    /// Whether it can be put to somebody, and be answered.
    pub fn check(&self) -> Result<(), BadForm> {
        let texts = [Some(self.title.as_str()), self.description.as_deref()];
        if self.title.trim().is_empty() || texts.into_iter().flatten().any(|text| text.len() > LONGEST_TEXT) {
            let why =
                format!("the title and the description have {LONGEST_TEXT} bytes at the most, the title at least one");
            return Err(BadForm { place: "question".into(), why });
        }
        self.form.check()?;
        let Some(default) = &self.default else { return Ok(()) };
        default
            .fits(&self.form, self.required)
            .map_err(|misfit| BadForm { place: "default".into(), why: misfit.to_string() })
    }
}

const fn required() -> bool {
    true
}

/// What somebody wrote to the agent of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// What it says.
    pub text: String,
    /// By which way it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Who wrote it.
    pub by: Principal,
}

/// What a run waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitType {
    /// A person's answer, on a page, in a terminal or by a signal.
    Human,
    /// A signal.
    Signal,
    /// A letter to the agent.
    Message,
    /// A time.
    Timer,
    /// The report of a program outside.
    Report,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitOutcome {
    /// Somebody answered.
    Answered,
    /// Nobody did in time.
    Expired,
    /// Nobody did in time, and the tool that asked goes on with its default.
    Defaulted,
    /// What was waited for has come: a letter, its time, or a report.
    Came,
    /// It was withdrawn.
    Cancelled,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// In a word.
    pub status: EndStatus,
    /// What the tool gave, or what the agent is told instead.
    pub output: String,
    /// How long the tool worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
}

/// How a call ended, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndStatus {
    /// The tool did what it does.
    Completed,
    /// The tool failed, or the call could not even be read.
    Error,
    /// The policy refused it.
    Denied,
    /// A person refused it.
    Rejected,
    /// Nobody answered in time.
    Expired,
    /// The run was stopped before it was made.
    Cancelled,
    /// It was started and never reported: nobody knows. It is not run again.
    Unknown,
}

impl EndStatus {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Completed, Self::Error, Self::Denied, Self::Rejected, Self::Expired, Self::Cancelled, Self::Unknown];
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A stable word for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

/// An event with its place in the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The run.
    pub run: RunId,
    /// Its place, counted from 1 without gaps.
    pub seq: u64,
    /// When it was saved.
    pub at: Timestamp,
    /// The step it belongs to.
    pub step: Option<u32>,
    /// What happened.
    pub event: Event,
}

impl Event {
    /// The words for all of them, in the order in which a run may meet them.
    pub const WORDS: [&str; 20] = [
        "run_started",
        "step_completed",
        "tool_judged",
        "interaction_request",
        "execution_suspended",
        "reminder",
        "interaction_response",
        "wait_completed",
        "execution_resumed",
        "tool_started",
        "tool_paused",
        "tool_held",
        "tool_lost",
        "tool_finished",
        "message_received",
        "permissions_narrowed",
        "run_completed",
        "run_failed",
        "run_cancelled",
        "run_set_aside",
    ];

    /// The word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::RunStarted(_) => "run_started",
            Self::StepCompleted(_) => "step_completed",
            Self::ToolJudged { .. } => "tool_judged",
            Self::InteractionRequest(_) => "interaction_request",
            Self::ExecutionSuspended { .. } => "execution_suspended",
            Self::Reminder { .. } => "reminder",
            Self::InteractionResponse { .. } => "interaction_response",
            Self::WaitCompleted { .. } => "wait_completed",
            Self::ExecutionResumed {} => "execution_resumed",
            Self::ToolStarted { .. } => "tool_started",
            Self::ToolFinished { .. } => "tool_finished",
            Self::ToolPaused { .. } => "tool_paused",
            Self::ToolHeld { .. } => "tool_held",
            Self::ToolLost { .. } => "tool_lost",
            Self::MessageReceived(_) => "message_received",
            Self::PermissionsNarrowed { .. } => "permissions_narrowed",
            Self::RunCompleted { .. } => "run_completed",
            Self::RunFailed { .. } => "run_failed",
            Self::RunCancelled { .. } => "run_cancelled",
            Self::RunSetAside { .. } => "run_set_aside",
        }
    }

    /// Whether nothing comes after it.
    pub const fn is_last(&self) -> bool {
        matches!(
            self,
            Self::RunCompleted { .. } | Self::RunFailed { .. } | Self::RunCancelled { .. } | Self::RunSetAside { .. }
        )
    }

    /// Whether the run has come further with it. To be taken up, judged and started is not enough: that may end in a
    /// crash each time.
    pub const fn is_progress(&self) -> bool {
        !matches!(
            self,
            Self::ExecutionResumed {}
                | Self::ToolJudged { .. }
                | Self::ToolStarted { .. }
                | Self::ToolLost { .. }
                | Self::Reminder { .. }
        )
    }
}
