//! What happened to a run: its events. They are only ever added to; every shape that was released still decodes.

use super::judgement::Judgement;
use super::turn::Turn;
use crate::delegation::Chain;
use crate::interaction::{Answer, Interaction};
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
    InteractionRequest {
        /// The question.
        interaction_request: Box<Interaction>,
    },
    /// The run can do nothing more until somebody answers.
    ExecutionSuspended {
        /// The question it waits for.
        interaction_request_id: InteractionId,
        /// What kind of thing it waits for.
        wait_type: WaitType,
        /// The key by which a signal answers it.
        correlation_key: String,
        /// When the wait ends by itself.
        expires_at: Timestamp,
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
    /// A wait has ended.
    WaitCompleted {
        /// The question.
        interaction_request_id: InteractionId,
        /// Its key.
        correlation_key: String,
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
    /// A call has ended, one way or another.
    ToolFinished {
        /// The call.
        call_id: CallId,
        /// How.
        #[serde(flatten)]
        end: End,
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
}

/// What a run starts with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// The agent.
    pub agent: String,
    /// What it was asked.
    pub input: String,
    /// The user the run belongs to.
    pub user_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The organisation.
    #[serde(default)]
    pub org_id: Option<String>,
    /// The project.
    #[serde(default)]
    pub project_id: Option<String>,
    /// The working folder of its tools.
    pub cwd: Option<String>,
    /// What it was handed, frame by frame.
    pub delegated_permissions: Chain,
    /// Whoever asked for it.
    pub started_by: Principal,
    /// What becomes of it when a call is rejected.
    pub on_reject: OnReject,
}

/// What becomes of a run whose call was rejected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    /// The agent is told and goes on.
    #[default]
    Continue,
    /// The run fails.
    Stop,
}

/// What a run waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitType {
    /// A person's answer, on a page, in a terminal or by a signal.
    Human,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitOutcome {
    /// Somebody answered.
    Answered,
    /// Nobody did in time.
    Expired,
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
    /// It was started and never reported: nobody knows. It is not run again.
    Unknown,
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
    /// The word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::RunStarted(_) => "run_started",
            Self::StepCompleted(_) => "step_completed",
            Self::ToolJudged { .. } => "tool_judged",
            Self::InteractionRequest { .. } => "interaction_request",
            Self::ExecutionSuspended { .. } => "execution_suspended",
            Self::InteractionResponse { .. } => "interaction_response",
            Self::WaitCompleted { .. } => "wait_completed",
            Self::ExecutionResumed {} => "execution_resumed",
            Self::ToolStarted { .. } => "tool_started",
            Self::ToolFinished { .. } => "tool_finished",
            Self::RunCompleted { .. } => "run_completed",
            Self::RunFailed { .. } => "run_failed",
        }
    }

    /// Whether nothing comes after it.
    pub const fn is_last(&self) -> bool {
        matches!(self, Self::RunCompleted { .. } | Self::RunFailed { .. })
    }
}
