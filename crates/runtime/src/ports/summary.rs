//! A run as people see it in lists.

use countersign_domain::delegation::Chain;
use countersign_domain::run::{Failure, Phase, Run, RunKind, Usage};
use countersign_domain::secret::Masker;
use countersign_domain::{InteractionId, Principal, RunId};
use jiff::Timestamp;

/// A run as people see it in lists.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// Its id.
    pub id: RunId,
    /// What kind of run it is.
    pub kind: RunKind,
    /// The run within which it was asked for.
    pub parent_run_id: Option<RunId>,
    /// The agent.
    pub agent: String,
    /// The user it belongs to.
    pub user_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The organisation.
    pub org_id: Option<String>,
    /// The project.
    pub project_id: Option<String>,
    /// The working folder.
    pub cwd: Option<String>,
    /// What it was handed.
    pub delegated_permissions: Chain,
    /// Where it stands.
    pub status: RunStatus,
    /// What was asked.
    pub input: String,
    /// What the agent said last.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// The questions it waits for.
    pub waiting_on: Vec<InteractionId>,
    /// Tokens used.
    pub usage: Usage,
    /// How many events it has.
    pub seq: u64,
    /// When it started.
    pub created_at: Timestamp,
    /// When something last happened.
    pub updated_at: Timestamp,
}

/// A session as people see it in lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its id.
    pub id: String,
    /// How many runs it has.
    pub runs: u64,
    /// Its newest run.
    pub newest: RunId,
    /// When its first run started.
    pub created_at: Timestamp,
    /// When something last happened in one of its runs.
    pub updated_at: Timestamp,
}

/// Where a run stands, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// There is something to do, and nobody does it yet.
    Queued,
    /// A worker is at it.
    Running,
    /// It waits for an answer.
    Waiting,
    /// The agent is done.
    Completed,
    /// It ended before.
    Failed,
    /// Somebody stopped it.
    Cancelled,
    /// Nobody takes it up any more.
    SetAside,
}

impl RunStatus {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Queued, Self::Running, Self::Waiting, Self::Completed, Self::Failed, Self::Cancelled, Self::SetAside];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::SetAside => "set_aside",
        }
    }

    /// Whether nothing more will happen.
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::SetAside)
    }
}

impl RunSummary {
    /// The summary of `run`. Whether an active one is queued or running only its lease tells: it counts as queued here.
    pub fn of(run: &Run) -> Self {
        let status = match &run.phase {
            Phase::Active | Phase::Woken => RunStatus::Queued,
            Phase::Waiting => RunStatus::Waiting,
            Phase::Completed { .. } => RunStatus::Completed,
            Phase::Failed(_) => RunStatus::Failed,
            Phase::Cancelled { .. } => RunStatus::Cancelled,
            Phase::SetAside(_) => RunStatus::SetAside,
        };
        let (output, error) = Self::ending(&run.phase);
        Self {
            id: run.id,
            kind: run.started.kind,
            parent_run_id: run.started.parent_run_id,
            agent: run.started.agent.clone(),
            user_id: run.started.user_id.clone(),
            session_id: run.started.session_id.clone(),
            org_id: run.started.org_id.clone(),
            project_id: run.started.project_id.clone(),
            cwd: run.started.cwd.clone(),
            delegated_permissions: run.delegated(),
            status,
            input: run.started.input.clone(),
            output,
            error,
            waiting_on: run.open_interactions().iter().map(|open| open.id).collect(),
            usage: run.usage,
            seq: run.seq,
            created_at: run.created_at,
            updated_at: run.updated_at,
        }
    }
}

impl RunSummary {
    /// What the agent said last, and why it failed.
    pub fn ending(phase: &Phase) -> (Option<String>, Option<Failure>) {
        match phase {
            Phase::Active | Phase::Woken | Phase::Waiting => (None, None),
            Phase::Completed { output } => (Some(output.clone()), None),
            Phase::Failed(error) | Phase::SetAside(error) => (None, Some(error.clone())),
            Phase::Cancelled { by, reason } => (None, Some(cancelled(by, reason.as_deref()))),
        }
    }

    /// The same, as anybody may see it.
    #[must_use]
    pub fn masked(mut self, masker: &mut Masker) -> Self {
        let texts = [Some(&mut self.input), self.cwd.as_mut(), self.output.as_mut()].into_iter().flatten();
        texts.chain(self.error.as_mut().map(|error| &mut error.message)).for_each(|text| masker.mask_words(text));
        self
    }
}

fn cancelled(by: &Principal, reason: Option<&str>) -> Failure {
    let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    Failure { code: "CANCELLED".into(), message: format!("`{}` stopped the run{why}", by.name) }
}
