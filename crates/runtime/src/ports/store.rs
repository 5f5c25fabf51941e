//! What the runtime remembers, and the promises every database must keep: a step is saved whole or not at all, of two
//! racing steps one loses, and a worker that lost its lease writes nothing.

use async_trait::async_trait;
use countersign_domain::Principal;
use countersign_domain::delegation::Chain;
use countersign_domain::interaction::{Interaction, Status};
use countersign_domain::run::{Event, Failure, Phase, Recorded, Run, Usage};
use countersign_domain::{Digest, InteractionId, RunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::sync::broadcast;

/// A database.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// The time, by the database's clock.
    async fn now(&self) -> Result<Timestamp, StoreError>;

    /// What other processes on the same database tell from now on; `None` where there are none. Hints may be lost: whoever
    /// listens also looks without one.
    fn hints(&self) -> Option<broadcast::Receiver<Hint>> {
        None
    }

    /// Saves the events of a step with their read models, in one transaction.
    ///
    /// A run that waits or has ended is nobody's afterwards: its lease is gone. Questions of a run that has ended are
    /// withdrawn.
    async fn save(&self, save: Save) -> Result<(), StoreError>;

    /// The run, folded from its events.
    async fn load(&self, run: RunId) -> Result<Option<Run>, StoreError>;

    /// Takes one run that has something to do and is nobody's, or whose lease has run out. The one that has been ready
    /// longest goes first. Each claim has a higher fencing number than all before it of that run. A worker never claims
    /// what it holds itself (`except`), whatever the clock says of the lease.
    async fn claim(&self, lease: Duration, except: &[RunId]) -> Result<Option<Claim>, StoreError>;

    /// Keeps a claim for another `lease`. Fails with [`StoreError::Fenced`] if somebody else has it.
    async fn renew(&self, claim: Claim, lease: Duration) -> Result<(), StoreError>;

    /// Gives a claim back, so that somebody else may take the run at once. One that is lost already is no error.
    async fn release(&self, claim: Claim) -> Result<(), StoreError>;

    /// Lets go of all leases. Only for the one server of an embedded database, before it begins to work.
    async fn release_all(&self) -> Result<u64, StoreError>;

    /// Open questions whose time is over, with their runs.
    async fn overdue(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError>;

    /// What a run is and where it stands.
    async fn run(&self, run: RunId) -> Result<Option<RunSummary>, StoreError>;

    /// Runs, newest first.
    async fn runs(&self, filter: RunFilter) -> Result<Page<RunSummary>, StoreError>;

    /// Events of a run after `after`, at most `limit`.
    async fn events(&self, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError>;

    /// A question as it stands.
    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>, StoreError>;

    /// Questions, the one that ends first first.
    async fn interactions(&self, filter: InteractionFilter) -> Result<Page<Interaction>, StoreError>;

    /// Keeps a new token. Only its hash is known here.
    async fn add_token(&self, token: NewToken) -> Result<(), StoreError>;

    /// Whose token, session or sign-in link has this hash, if it still holds at `now`. A sign-in link holds once: whoever
    /// asks for one uses it up.
    async fn principal(&self, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError>;

    /// All tokens that were made for programs and people, also revoked ones; no sessions, no links.
    async fn tokens(&self) -> Result<Vec<TokenEntry>, StoreError>;

    /// Ends a token or session, and the sessions that were opened with it. `false` if there is none.
    async fn revoke(&self, id: &str, now: Timestamp) -> Result<bool, StoreError>;

    /// Whether nobody has ever been given a token, or used a link.
    async fn is_fresh(&self) -> Result<bool, StoreError>;
}

/// That another process did something worth a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// There is a run with something to do.
    Work,
    /// These runs have new events.
    Runs(Vec<RunId>),
    /// Anything may have happened.
    Look,
}

/// A step to save.
#[derive(Debug, Clone)]
pub struct Save {
    /// The run as it is after the step.
    pub run: Run,
    /// The sequence the run had before it; 0 for a new run.
    pub seen: u64,
    /// What happened.
    pub events: Vec<Event>,
    /// When.
    pub at: Timestamp,
    /// The claim under which a worker writes; `None` for an answer from outside.
    pub claim: Option<Claim>,
}

/// A run that a worker holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The run.
    pub run: RunId,
    /// The fencing number.
    pub fence: u64,
}

/// Why the store did not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else was first. Load again and look.
    #[error("run `{0}` has moved on")]
    Conflict(RunId),
    /// Another worker holds the run by now. Stop working on it.
    #[error("run `{0}` is held by another worker")]
    Fenced(RunId),
    /// A row does not mean what our code says rows mean. Never retried.
    #[error("`{table}` row `{row}` is inconsistent: {detail}")]
    Inconsistent {
        /// The table.
        table: &'static str,
        /// The row.
        row: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The database did not answer. Safe to retry.
    #[error("the database is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next one starts.
    pub next: Option<String>,
}

/// Which runs to list.
#[derive(Debug, Clone, Default)]
pub struct RunFilter {
    /// Only those of this user.
    pub user: Option<String>,
    /// After the last run of an earlier page.
    pub after: Option<RunId>,
    /// At most so many.
    pub limit: u32,
}

/// Which questions to list.
#[derive(Debug, Clone, Default)]
pub struct InteractionFilter {
    /// Only those that stand so.
    pub status: Option<Status>,
    /// Only those of this run.
    pub run: Option<RunId>,
    /// Only those of runs of this user.
    pub user: Option<String>,
    /// After the cursor of an earlier page.
    pub after: Option<String>,
    /// At most so many.
    pub limit: u32,
}

/// A run as people see it in lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Its id.
    pub id: RunId,
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

/// Where a run stands, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
}

impl RunSummary {
    /// The summary of `run`. Whether an active one is queued or running only its lease tells: it counts as queued here.
    pub fn of(run: &Run) -> Self {
        let (status, output, error) = match &run.phase {
            Phase::Active | Phase::Woken => (RunStatus::Queued, None, None),
            Phase::Waiting => (RunStatus::Waiting, None, None),
            Phase::Completed { output } => (RunStatus::Completed, Some(output.clone()), None),
            Phase::Failed(error) => (RunStatus::Failed, None, Some(error.clone())),
        };
        Self {
            id: run.id,
            agent: run.started.agent.clone(),
            user_id: run.started.user_id.clone(),
            session_id: run.started.session_id.clone(),
            org_id: run.started.org_id.clone(),
            project_id: run.started.project_id.clone(),
            cwd: run.started.cwd.clone(),
            delegated_permissions: run.started.delegated_permissions.clone(),
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

/// A token, session or sign-in link to keep.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// What is told of it.
    pub entry: TokenEntry,
    /// The hash of it.
    pub hash: Digest,
}

/// What is told of a token, session or sign-in link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenEntry {
    /// Its id: no secret.
    pub id: String,
    /// What it is.
    pub form: TokenForm,
    /// Whose it is.
    pub principal: Principal,
    /// For a session: the token it was opened with.
    pub parent: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked or used up.
    pub ended_at: Option<Timestamp>,
}

/// What proves who somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenForm {
    /// A token that a program or person keeps.
    Token,
    /// A browser's session.
    Session,
    /// A link that signs in once.
    Link,
}

impl TokenForm {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Session => "session",
            Self::Link => "link",
        }
    }
}
