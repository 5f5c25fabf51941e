//! A run as the outside sees it.

use countersign_domain::delegation::Frame;
use countersign_runtime::ports::RunSummary;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A run.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunBody {
    id: String,
    /// `agent`: an agent works here. `call`: one call that a program outside makes itself.
    kind: &'static str,
    agent: String,
    user_id: Option<String>,
    session_id: Option<String>,
    /// `queued`, `running`, `waiting`, `completed`, `failed`, `cancelled` or `set_aside`.
    status: &'static str,
    input: String,
    /// What the agent said last, once it is done.
    output: Option<String>,
    error: Option<ErrorBody>,
    parent_run_id: Option<String>,
    org_id: Option<String>,
    project_id: Option<String>,
    group: Option<String>,
    role: Option<String>,
    cwd: Option<String>,
    delegated_permissions: Vec<FrameBody>,
    /// The questions it waits for.
    waiting_on: Vec<String>,
    usage: UsageBody,
    /// How many events it has.
    seq: u64,
    created_at: String,
    updated_at: String,
}

/// Why a run failed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// A stable word for programs.
    code: String,
    message: String,
}

/// Tokens used.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageBody {
    input_tokens: u64,
    output_tokens: u64,
}

/// One limit on tools. No list is no limit, an empty list is nothing at all.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameBody {
    /// Only these tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    allowed_tools: Option<Vec<String>>,
    /// Never these tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    denied_tools: Option<Vec<String>>,
}

impl From<FrameBody> for Frame {
    fn from(FrameBody { allowed_tools, denied_tools }: FrameBody) -> Self {
        Self { allowed_tools, denied_tools }
    }
}

impl From<Frame> for FrameBody {
    fn from(Frame { allowed_tools, denied_tools }: Frame) -> Self {
        Self { allowed_tools, denied_tools }
    }
}

impl From<RunSummary> for RunBody {
    fn from(run: RunSummary) -> Self {
        let frames = run.delegated_permissions.frames().iter().cloned();
        Self {
            id: run.id.to_string(),
            kind: run.kind.word(),
            agent: run.agent,
            user_id: run.user_id,
            session_id: run.session_id,
            status: run.status.word(),
            input: run.input,
            output: run.output,
            error: run.error.map(|error| ErrorBody { code: error.code, message: error.message }),
            parent_run_id: run.parent_run_id.map(|parent| parent.to_string()),
            org_id: run.org_id,
            project_id: run.project_id,
            group: None,
            role: None,
            cwd: run.cwd,
            delegated_permissions: frames.map(Into::into).collect(),
            waiting_on: run.waiting_on.iter().map(ToString::to_string).collect(),
            usage: UsageBody { input_tokens: run.usage.input_tokens, output_tokens: run.usage.output_tokens },
            seq: run.seq,
            created_at: run.created_at.to_string(),
            updated_at: run.updated_at.to_string(),
        }
    }
}
