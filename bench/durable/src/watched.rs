//! A store that says when a run comes to rest: it passes everything on, and looks at what is saved.

use async_trait::async_trait;
use countersign_domain::audit::tree::Subtree;
use countersign_domain::audit::{Frontier, Hash, Leaf};
use countersign_domain::interaction::{Advice, Interaction};
use countersign_domain::run::{Phase, Recorded, Run};
use countersign_domain::{CallId, Digest, InteractionId, Principal, RunId};
use countersign_runtime::ports::{
    Asking, Claim, Counts, Erasure, Hint, InteractionFilter, Log, Logged, Masks, NewToken, Once, Page, PastChange,
    PolicyChange, PolicyItem, Receipt, Remembered, RunFilter, RunSummary, SameCall, Save, SessionFilter,
    SessionSummary, SignedTree, Store, StoreError, TokenEntry,
};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, oneshot};

/// A step that was saved, as far as somebody who writes the same rows must know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The events that it added: those after the first and up to the second.
    pub events: (i64, i64),
    pub waits: bool,
    pub ends: bool,
    /// Whether it wakes the run, which its saver then takes.
    pub taken: bool,
}

/// Where a run has come to rest.
#[derive(Debug, Clone, Copy)]
pub enum Rest {
    Waits(InteractionId),
    Ended,
}

pub struct Watched {
    inner: Arc<dyn Store>,
    places: Mutex<HashMap<RunId, Place>>,
    /// The steps of all runs, while somebody wants to know them.
    steps: Mutex<Option<Vec<Step>>>,
}

enum Place {
    /// It has come to rest, and nobody has asked yet.
    Rests(Rest),
    /// Somebody waits for it.
    Awaited(oneshot::Sender<Rest>),
}

impl Watched {
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self { inner, places: Mutex::default(), steps: Mutex::default() }
    }

    /// The rest to which `run` comes next, or has just come.
    pub async fn rest(&self, run: RunId) -> Option<Rest> {
        let rest = {
            let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Place::Rests(rest)) = places.remove(&run) {
                return Some(rest);
            }
            let (tell, rest) = oneshot::channel();
            places.insert(run, Place::Awaited(tell));
            rest
        };
        rest.await.ok()
    }

    /// Forgets where `run` has come to rest.
    pub fn forget(&self, run: RunId) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
    }

    /// The steps that are saved while `work` goes on.
    pub async fn steps<T>(&self, work: impl Future<Output = T>) -> (T, Vec<Step>) {
        let steps = || self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        *steps() = Some(vec![]);
        let done = work.await;
        let seen = steps().take().unwrap_or_default();
        (done, seen)
    }

    fn saved(&self, run: RunId, rest: Option<Rest>, step: Step) {
        if let Some(steps) = &mut *self.steps.lock().unwrap_or_else(PoisonError::into_inner) {
            steps.push(step);
        }
        let Some(rest) = rest else { return };
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        match places.remove(&run) {
            Some(Place::Awaited(tell)) => drop(tell.send(rest)),
            _ => drop(places.insert(run, Place::Rests(rest))),
        }
    }
}

/// Where `run` rests, if it does.
fn rest_of(run: &Run) -> Option<Rest> {
    match run.phase {
        Phase::Waiting => run.open_interactions().first().map(|open| Rest::Waits(open.id)),
        _ if run.has_ended() => Some(Rest::Ended),
        _ => None,
    }
}

#[async_trait]
impl Store for Watched {
    async fn save(&self, save: Save) -> Result<Option<Claim>, StoreError> {
        let (run, rest) = (save.run.id, rest_of(&save.run));
        let step = Step {
            events: (column(save.seen), column(save.run.seq)),
            waits: matches!(rest, Some(Rest::Waits(_))),
            ends: matches!(rest, Some(Rest::Ended)),
            taken: save.take.is_some(),
        };
        let saved = self.inner.save(save).await?;
        self.saved(run, rest, step);
        Ok(saved)
    }

    fn hints(&self) -> Option<broadcast::Receiver<Hint>> {
        self.inner.hints()
    }
    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.inner.now().await
    }
    fn masks(&self) -> &Masks {
        self.inner.masks()
    }
    async fn load(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        self.inner.load(run).await
    }
    async fn shown(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        self.inner.shown(run).await
    }
    async fn asking(&self, id: InteractionId) -> Result<Option<Asking>, StoreError> {
        self.inner.asking(id).await
    }
    fn asking_lately(&self, id: InteractionId) -> Option<Asking> {
        self.inner.asking_lately(id)
    }

    async fn calling(&self, call: CallId) -> Result<Option<RunId>, StoreError> {
        self.inner.calling(call).await
    }
    async fn receipt(&self, once: &Once) -> Result<Option<Receipt>, StoreError> {
        self.inner.receipt(once).await
    }
    async fn forget_receipts(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.inner.forget_receipts(before).await
    }
    async fn claim(&self, lease: Duration, except: &[RunId], most: u32) -> Result<Vec<Claim>, StoreError> {
        self.inner.claim(lease, except, most).await
    }
    async fn renew(&self, claim: Claim, lease: Duration) -> Result<(), StoreError> {
        self.inner.renew(claim, lease).await
    }
    async fn release(&self, claim: Claim) -> Result<(), StoreError> {
        self.inner.release(claim).await
    }
    async fn release_all(&self) -> Result<u64, StoreError> {
        self.inner.release_all().await
    }
    async fn overdue(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        self.inner.overdue(now, limit).await
    }
    async fn unreminded(&self, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        self.inner.unreminded(now, limit).await
    }
    async fn open_questions_of(&self, asker: Digest, most: u32) -> Result<u64, StoreError> {
        self.inner.open_questions_of(asker, most).await
    }
    async fn decided(&self, call: Digest, limit: u32) -> Result<Vec<Interaction>, StoreError> {
        self.inner.decided(call, limit).await
    }
    async fn run(&self, run: RunId) -> Result<Option<RunSummary>, StoreError> {
        self.inner.run(run).await
    }
    async fn runs(&self, filter: RunFilter) -> Result<Page<RunSummary>, StoreError> {
        self.inner.runs(filter).await
    }
    async fn sessions(&self, filter: SessionFilter) -> Result<Page<SessionSummary>, StoreError> {
        self.inner.sessions(filter).await
    }
    async fn events(&self, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError> {
        self.inner.events(run, after, limit).await
    }
    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>, StoreError> {
        self.inner.interaction(id).await
    }
    async fn interactions(&self, filter: InteractionFilter) -> Result<Page<Interaction>, StoreError> {
        self.inner.interactions(filter).await
    }
    async fn advise(&self, id: InteractionId, advice: Advice) -> Result<(), StoreError> {
        self.inner.advise(id, advice).await
    }
    async fn advice(&self, of: &[InteractionId]) -> Result<BTreeMap<InteractionId, Advice>, StoreError> {
        self.inner.advice(of).await
    }
    async fn unadvised(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
        self.inner.unadvised(after, limit).await
    }
    async fn remembered(&self, what: &SameCall, since: Timestamp) -> Result<Option<Remembered>, StoreError> {
        self.inner.remembered(what, since).await
    }
    async fn change_policy(&self, changes: Vec<PolicyChange>) -> Result<u64, StoreError> {
        self.inner.change_policy(changes).await
    }
    async fn change_policy_of(
        &self,
        seen: u64,
        changes: Vec<PolicyChange>,
        receipt: Option<Receipt>,
    ) -> Result<u64, StoreError> {
        self.inner.change_policy_of(seen, changes, receipt).await
    }
    async fn policy_version(&self) -> Result<u64, StoreError> {
        self.inner.policy_version().await
    }
    async fn policy_items(&self) -> Result<(u64, Vec<PolicyItem>), StoreError> {
        self.inner.policy_items().await
    }
    async fn policy_changes(&self, after: u64, limit: u32) -> Result<Vec<(u64, PolicyChange)>, StoreError> {
        self.inner.policy_changes(after, limit).await
    }
    async fn policy_history(&self, before: Option<u64>, limit: u32) -> Result<Page<PastChange>, StoreError> {
        self.inner.policy_history(before, limit).await
    }

    async fn check_writable(&self) -> Result<(), StoreError> {
        self.inner.check_writable().await
    }

    async fn standing(&self) -> Result<Counts, StoreError> {
        self.inner.standing().await
    }

    async fn add_token(&self, token: NewToken) -> Result<(), StoreError> {
        self.inner.add_token(token).await
    }
    async fn principal(&self, hash: Digest, now: Timestamp) -> Result<Option<TokenEntry>, StoreError> {
        self.inner.principal(hash, now).await
    }
    async fn tokens(&self) -> Result<Vec<TokenEntry>, StoreError> {
        self.inner.tokens().await
    }
    async fn revoke(&self, id: &str, by: Option<&Principal>, now: Timestamp) -> Result<bool, StoreError> {
        self.inner.revoke(id, by, now).await
    }
    async fn is_fresh(&self) -> Result<bool, StoreError> {
        self.inner.is_fresh().await
    }
}

fn column(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

#[async_trait]
impl Log for Watched {
    async fn place(&self, most: u32) -> Result<Frontier, StoreError> {
        self.inner.place(most).await
    }
    async fn tree(&self) -> Result<Frontier, StoreError> {
        self.inner.tree().await
    }
    async fn recorded(&self) -> Result<u64, StoreError> {
        self.inner.recorded().await
    }
    async fn unplaced(&self) -> Result<u64, StoreError> {
        self.inner.unplaced().await
    }
    async fn entries(&self, from: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
        self.inner.entries(from, limit).await
    }
    async fn leaves(&self, from: u64, limit: u32) -> Result<Vec<Leaf>, StoreError> {
        self.inner.leaves(from, limit).await
    }
    async fn subtree(&self, subtree: Subtree) -> Result<Option<Hash>, StoreError> {
        self.inner.subtree(subtree).await
    }
    async fn erase(&self, erasure: Erasure) -> Result<u64, StoreError> {
        self.inner.erase(erasure).await
    }
    async fn written_before(&self, before: Timestamp, limit: u32) -> Result<Vec<RunId>, StoreError> {
        self.inner.written_before(before, limit).await
    }
    async fn keep_checkpoint(&self, signed: SignedTree, at: Timestamp) -> Result<(), StoreError> {
        self.inner.keep_checkpoint(signed, at).await
    }
    async fn checkpoints(&self, over: u64, limit: u32) -> Result<Vec<SignedTree>, StoreError> {
        self.inner.checkpoints(over, limit).await
    }
    async fn newest_checkpoint(&self) -> Result<Option<SignedTree>, StoreError> {
        self.inner.newest_checkpoint().await
    }
}
