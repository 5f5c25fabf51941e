//! What the runtime remembers, and the promises every database must keep: a step is saved whole or not at all, of two
//! racing steps one loses, and a worker that lost its lease writes nothing.

use super::{
    Log, Masks, NewToken, Once, PastChange, PolicyChange, PolicyItem, Receipt, RunSummary, SessionSummary, TokenEntry,
};
use async_trait::async_trait;
use countersign_domain::interaction::{Advice, Interaction, Status};
use countersign_domain::run::{Draft, Event, Recorded, Run, RunKind};
use countersign_domain::{CallId, Digest, InteractionId, Principal, RunId};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// A database.
#[async_trait]
pub trait Store: Log {
    /// The time, by the database's clock.
    async fn now(&self) -> Result<Timestamp, StoreError>;

    /// Writes something that changes nothing, to see whether writing works.
    async fn check_writable(&self) -> Result<(), StoreError>;

    /// How much there is to do and to answer. Found by what is open, and not by looking at all there ever was.
    async fn standing(&self) -> Result<Counts, StoreError>;

    /// What other processes on the same database tell from now on; `None` where there are none. Hints may be lost: whoever
    /// listens also looks without one.
    fn hints(&self) -> Option<broadcast::Receiver<Hint>> {
        None
    }

    /// A mark that is another one once anybody, in whichever process, has written anything. `None` where that cannot be told
    /// without waiting.
    fn mark(&self) -> Option<Mark> {
        None
    }

    /// How it masks secrets.
    fn masks(&self) -> &Masks;

    /// Saves the events of a step with their read models and whatever else it brings, in one transaction.
    ///
    /// Secrets are masked before anything is written; what stood in their place is sealed, and gone when the run has ended.
    ///
    /// A run that waits or has ended is nobody's afterwards: its lease is gone. Where the saver wants to `take` the run
    /// and it has something to do and is nobody's, it is claimed in the same transaction. Where they count on the number of
    /// that claim, and it is somebody's or was claimed since, nothing is saved: [`StoreError::Conflict`].
    ///
    /// Where something was made before under the key of its receipt, nothing is saved: [`StoreError::Made`] says what.
    async fn save(&self, save: Save) -> Result<Option<Claim>, StoreError>;

    /// The run, folded from its events, with its secrets unless it has ended: for whoever works on it, and for nobody's eyes.
    async fn load(&self, run: RunId) -> Result<Option<Run>, StoreError>;

    /// The run, folded from its events, as anybody may see it: with its secrets masked.
    async fn shown(&self, run: RunId) -> Result<Option<Run>, StoreError>;

    /// The run that asks this question, as [`Store::load`] gives it, and how often it has been claimed.
    async fn asking(&self, id: InteractionId) -> Result<Option<Asking>, StoreError>;

    /// The same as it was when it was last saved here, if that is at hand. It may have moved on since: a step that does not follow
    /// from what is saved is refused, and whatever else is said of it is to be looked at again. Told once.
    fn asking_lately(&self, id: InteractionId) -> Option<Asking>;

    /// The run that is this call of a program outside.
    async fn calling(&self, call: CallId) -> Result<Option<RunId>, StoreError>;

    /// What was made under this key, whatever the request was.
    async fn receipt(&self, once: &Once) -> Result<Option<Receipt>, StoreError>;

    /// Removes the receipts from before then. Gives how many.
    async fn forget_receipts(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Takes at most so many runs that have something to do and are nobody's, or whose lease has run out. Those that have
    /// been ready longest go first. Each claim has a higher fencing number than all before it of that run. A worker never
    /// claims what it holds itself (`except`), whatever the clock says of the lease.
    async fn claim(&self, lease: Duration, except: &[RunId], most: u32) -> Result<Vec<Claim>, StoreError>;

    /// Keeps a claim for another `lease`. Fails with [`StoreError::Fenced`] if somebody else has it.
    async fn renew(&self, claim: Claim, lease: Duration) -> Result<(), StoreError>;

    /// Gives a claim back, so that somebody else may take the run at once. One that is lost already is no error.
    async fn release(&self, claim: Claim) -> Result<(), StoreError>;

    /// Lets go of all leases. Only for the one server of an embedded database, before it begins to work.
    async fn release_all(&self) -> Result<u64, StoreError>;

    /// Open questions whose time is over, with their runs.
    async fn overdue(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError>;

    /// Open questions of which half the time is over, and nobody was reminded, with their runs.
    async fn unreminded(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError>;

    /// How many questions people have open of this asker (see [`Run::asker`]), or `most` where there are more: no more are
    /// counted.
    async fn open_questions_of(&self, asker: Digest, most: u32) -> Result<u64, StoreError>;

    /// What a run is and where it stands.
    async fn run(&self, run: RunId) -> Result<Option<RunSummary>, StoreError>;

    /// Questions of the newest runs about this very call that somebody answered, the latest answer first.
    async fn decided(&self, call: Digest, limit: u32) -> Result<Vec<Interaction>, StoreError>;

    /// Runs, newest first.
    async fn runs(&self, filter: RunFilter) -> Result<Page<RunSummary>, StoreError>;

    /// Sessions, the one with the newest run first.
    async fn sessions(&self, filter: SessionFilter) -> Result<Page<SessionSummary>, StoreError>;

    /// Events of a run after `after`, at most `limit`.
    async fn events(&self, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError>;

    /// A question as it stands.
    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>, StoreError>;

    /// Questions, the one that ends first first.
    async fn interactions(&self, filter: InteractionFilter) -> Result<Page<Interaction>, StoreError>;

    /// Keeps what a model said beside an open question, its secrets masked. Once it has said something, that stays.
    async fn advise(&self, id: InteractionId, advice: Advice) -> Result<(), StoreError>;

    /// What models said beside these questions.
    async fn advice(&self, of: &[InteractionId]) -> Result<BTreeMap<InteractionId, Advice>, StoreError>;

    /// Open questions beside which no model has been heard, in the order of their ids, with their runs.
    async fn unadvised(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<(RunId, InteractionId)>, StoreError>;

    /// The newest answer to this very call of the same user in the same session, if it was given since then.
    async fn remembered(&self, what: &SameCall, since: Timestamp) -> Result<Option<Remembered>, StoreError>;

    /// Changes the policy. Each change is a version of its own; the newest is returned.
    async fn change_policy(&self, changes: Vec<PolicyChange>) -> Result<u64, StoreError>;

    /// The same, if the policy is still that of the version `seen`; [`StoreError::PolicyMoved`] if it is not.
    ///
    /// Where something was made before under the key of the receipt, nothing is changed: [`StoreError::Made`] says what.
    async fn change_policy_of(
        &self,
        seen: u64,
        changes: Vec<PolicyChange>,
        receipt: Option<Receipt>,
    ) -> Result<u64, StoreError>;

    /// How often the policy has been changed.
    async fn policy_version(&self) -> Result<u64, StoreError>;

    /// What the changes so far have made of the policy, and the version they have led to.
    async fn policy_items(&self) -> Result<(u64, Vec<PolicyItem>), StoreError>;

    /// The changes after a version, the oldest first.
    async fn policy_changes(&self, after: u64, limit: u32) -> Result<Vec<(u64, PolicyChange)>, StoreError>;

    /// The changes before a version, or all, the newest first, each with what stood before it.
    async fn policy_history(&self, before: Option<u64>, limit: u32) -> Result<Page<PastChange>, StoreError>;

    /// Keeps a new token. Only its hash is known here. Where something was made before under the key of its receipt, nothing is
    /// kept: [`StoreError::Made`] says what.
    async fn add_token(&self, token: NewToken) -> Result<(), StoreError>;

    /// Whose token, session or sign-in link has this hash, if it still holds at `now`. A sign-in link holds once: whoever
    /// asks for one uses it up.
    async fn principal(&self, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError>;

    /// All tokens that were made for programs and people, also revoked ones; no sessions, no links.
    async fn tokens(&self) -> Result<Vec<TokenEntry>, StoreError>;

    /// Ends a token or session, and the sessions that were opened with it. `false` if there is none.
    async fn revoke(&self, id: &str, by: Option<&Principal>, now: Timestamp) -> Result<bool, StoreError>;

    /// Whether nobody has ever been given a token, or used a link.
    async fn is_fresh(&self) -> Result<bool, StoreError>;
}

/// How much there is to do and to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Questions and waits that are open.
    pub open_questions: u64,
    /// Runs that have something to do.
    pub ready_runs: u64,
    /// Runs that wait for an answer and have nothing else to do.
    pub waiting_runs: u64,
    /// Events that have no place in the log yet.
    pub unplaced: u64,
}

/// By which one sees that nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Which file it is.
    pub file: u64,
    /// How long it is.
    pub bytes: u64,
    /// When it was last written to.
    pub written: Timestamp,
}

/// That another process did something worth a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// There is a run with something to do.
    Work,
    /// The policy was changed.
    Policy,
    /// These runs have new events.
    Runs(Vec<RunId>),
    /// Anything may have happened.
    Look,
}

/// A step to save.
#[derive(Debug, Clone)]
pub struct Save {
    /// The run as it is after the step. Shared: whoever saves it goes on with it.
    pub run: Arc<Run>,
    /// The sequence the run had before it; 0 for a new run.
    pub seen: u64,
    /// What happened.
    pub events: Vec<Event>,
    /// When.
    pub at: Timestamp,
    /// The claim under which a worker writes; `None` for an answer from outside.
    pub claim: Option<Claim>,
    /// How the saver takes the run, if it is nobody's: it saves a claim of its own.
    pub take: Option<Take>,
    /// An answer that short memory keeps.
    pub remember: Option<(SameCall, Remembered)>,
    /// What changes in the policy with it.
    pub policy: Vec<PolicyChange>,
    /// The key under which it is done once.
    pub receipt: Option<Receipt>,
}

impl Save {
    /// What `draft` would make of its run.
    pub fn of(draft: Draft, at: Timestamp) -> Self {
        let Draft { run, seen, events } = draft;
        Self {
            run: Arc::new(run),
            seen,
            events,
            at,
            claim: None,
            take: None,
            remember: None,
            policy: vec![],
            receipt: None,
        }
    }
}

/// How a run is taken by whoever saves a step of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Take {
    /// For how long.
    pub lease: Duration,
    /// The fencing number that the claim will have, where the saver counts on it: calls may start under it in the same step.
    pub fence: Option<u64>,
}

/// A run that asks something.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    /// The run.
    pub run: Run,
    /// The fencing number of its last claim; 0 if there was none.
    pub fence: u64,
}

/// A run that a worker holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The run.
    pub run: RunId,
    /// The fencing number.
    pub fence: u64,
    /// The how many-th claim it is since the run last came further.
    pub attempts: u32,
}

/// The same call: the same user, session and digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameCall {
    /// The user.
    pub user: String,
    /// The session.
    pub session: String,
    /// The digest.
    pub digest: Digest,
}

/// An answer that short memory keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remembered {
    /// Whether the call was approved.
    pub approved: bool,
    /// When.
    pub at: Timestamp,
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
    /// Something was made under the same key before. Look at that.
    #[error("something was made under the key `{}` before", .0.once.key)]
    Made(Box<Receipt>),
    /// The policy was changed since it was looked at. Look again.
    #[error("the policy has been changed meanwhile")]
    PolicyMoved,
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
    /// What the run needs is sealed under a key that is not there.
    #[error(
        "the secrets of run `{0}` are sealed under another key: start with the key it was begun with, or cancel it"
    )]
    Sealed(RunId),
    /// The database did not answer. Safe to retry.
    #[error("the database is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// There is no room for it. Safe to retry: it works again as soon as there is.
    #[error("the disk of the database is full; make room on it, and work goes on by itself")]
    Full(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The database can be read, and not written. Safe to retry: it works again as soon as it can be.
    #[error("the database can only be read; make it writable, and work goes on by itself")]
    ReadOnly(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// Whether the same may succeed later, with nothing changed but the state of the database's machine.
    pub const fn passes(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Full(_) | Self::ReadOnly(_))
    }
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
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those of this kind.
    pub kind: Option<RunKind>,
    /// After the last run of an earlier page.
    pub after: Option<RunId>,
    /// At most so many.
    pub limit: u32,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    /// Only those with runs of this user, and of those only these runs.
    pub user: Option<String>,
    /// After the newest run of the last session of an earlier page.
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
    /// Only those that a person is asked. What was waited for before that was told apart counts as asked.
    pub of_people: bool,
    /// Only open ones in which all of these occur: in what is asked, the tool, how dangerous it is, or who asks. Upper and
    /// lower case are the same.
    pub words: Vec<String>,
    /// After the cursor of an earlier page.
    pub after: Option<String>,
    /// At most so many.
    pub limit: u32,
}
