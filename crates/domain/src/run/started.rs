//! What a run starts with, and keeps to its end.

use super::limits::Limits;
use crate::delegation::Chain;
use crate::principal::Door;
use crate::{Principal, RunId};
use serde::{Deserialize, Serialize};

/// What a run starts with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// The agent.
    pub agent: String,
    /// What it was asked.
    pub input: String,
    /// The user the run belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The organisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org_id: Option<String>,
    /// The project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<String>,
    /// The working folder of its tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What it was handed, frame by frame.
    #[serde(default, skip_serializing_if = "Chain::is_empty")]
    pub delegated_permissions: Chain,
    /// Whoever asked for it.
    pub started_by: Principal,
    /// What becomes of it when a call is rejected.
    #[serde(default)]
    pub on_reject: OnReject,
    /// What becomes of it when nobody answers in time.
    #[serde(default, skip_serializing_if = "OnTimeout::is_usual")]
    pub on_timeout: OnTimeout,
    /// How far it may go.
    #[serde(default, skip_serializing_if = "Limits::is_usual")]
    pub limits: Limits,
    /// The runs that it goes on from, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<RunId>,
    /// What kind of run it is.
    #[serde(default, skip_serializing_if = "RunKind::is_agent")]
    pub kind: RunKind,
    /// The run within which it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<RunId>,
    /// Whoever told the agent of that run what to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<Principal>,
}

impl Started {
    /// Through which door its calls come.
    pub fn door(&self) -> Door {
        match self.kind {
            RunKind::Agent => Door::Runtime,
            RunKind::Call => self.started_by.door,
        }
    }
}

/// What kind of run it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// An agent works here, step by step.
    #[default]
    Agent,
    /// One call that a program outside makes itself, once it may.
    Call,
}

impl RunKind {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Call => "call",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
    fn is_agent(&self) -> bool {
        *self == Self::Agent
    }
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

/// What becomes of a run when nobody answers in time. Nothing is ever allowed by it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// The call ends, the agent is told and goes on.
    #[default]
    Deny,
    /// The run is stopped.
    Cancel,
    /// A tool's question that has a default is answered with it. All else ends as with `deny`.
    Default,
}

impl OnTimeout {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
    fn is_usual(&self) -> bool {
        *self == Self::Deny
    }
}
