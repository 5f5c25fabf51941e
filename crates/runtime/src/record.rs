//! The record: events get their places in the log soon after they were saved, and the log is signed from time to time.
//!
//! No transaction waits for the log: whoever saves leaves a note that there is something to place, and one at a time gives
//! places. Several processes may try, and none has to.

use crate::Runtime;
use crate::ports::{Anchor, Erasure, SignedTree, StoreError};
use crate::worker::chain;
use countersign_domain::Principal;
use countersign_domain::audit::Frontier;
use countersign_domain::audit::checkpoint::Checkpoint;
use countersign_domain::audit::note::SignerKey;
use countersign_domain::principal::{Door, Kind, Role};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

/// How often somebody looks for events without a place.
const LOOK: Duration = Duration::from_millis(250);
/// How long events gather before they get their places, where somebody follows the log.
const GATHER: Duration = Duration::from_millis(5);
/// Steps that get places in one transaction.
const MOST_STEPS: u32 = 1_000;
/// Entries after which the log is signed.
const SIGNED_AFTER: u64 = 1_000;
/// How long the log stays unsigned.
const SIGNED_WITHIN: Duration = Duration::from_mins(1);

/// How long to wait after the log could not be kept.
const AFTER_AN_ERROR: Duration = Duration::from_secs(5);
/// Leaves that are read at a time.
const MOST_LEAVES: u32 = 1_000;
/// How often somebody looks for what was written too long ago.
const FORGOTTEN_EVERY: Duration = Duration::from_hours(6);
/// Runs that are forgotten at a time.
const MOST_RUNS: u32 = 100;

/// Who erases what the configuration says is to be erased.
fn countersign() -> Principal {
    Principal::new(Kind::Service, "countersign", Role::Operator).at(Door::Runtime)
}

/// Whoever signs the log, and where what was signed is kept besides the database.
#[derive(Clone)]
pub struct Notary {
    /// The key. It is not in the database.
    pub key: SignerKey,
    /// Where notes go.
    pub anchors: Vec<Arc<dyn Anchor>>,
}

/// Gives places and has the log signed until `stopped`, when nothing happens any more: then what is left is signed too.
pub(crate) async fn keep(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    let mut signing = Signing::default();
    let (mut due, mut failed) = (Instant::now() + LOOK, false);
    // Whoever is told to stop in the middle of it looks once more: what came after it is signed, too.
    let mut last = Last::No;
    while last == Last::No {
        let hurried = tokio::select! {
            () = sleep_until(due) => false,
            () = runtime.inner.newsroom.tail.hurried(), if !failed => true,
            _ = stopped.changed() => false,
        };
        if hurried {
            sleep(GATHER).await;
        }
        last = if *stopped.borrow() { Last::Yes } else { Last::No };
        let kept = if hurried && last == Last::No {
            runtime.place_waiting().await
        } else {
            due = Instant::now() + LOOK;
            runtime.keep_once(&mut signing, last).await
        };
        failed = kept.is_err();
        if let Err(error) = kept {
            due = Instant::now() + AFTER_AN_ERROR;
            tracing::error!(error = chain(&error), "cannot keep the log");
        }
    }
}

/// Erases what was written too long ago, until `stopped`.
pub(crate) async fn forget(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        // Asked each time: the configuration may have changed.
        if let Some(kept) = runtime.inner.standing().settings.keep_texts
            && let Err(error) = runtime.forget_once(kept, &stopped).await
        {
            tracing::error!(error = chain(&error), "cannot erase what was written too long ago");
        }
        tokio::select! {
            () = sleep(FORGOTTEN_EVERY) => {}
            _ = stopped.changed() => {}
        }
    }
}

/// Whether the log is looked after for the last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Yes,
    No,
}

/// What was signed last, and when it was found out.
struct Signing {
    since: Instant,
    /// The tree as it was signed.
    signed: Option<Frontier>,
}

impl Default for Signing {
    fn default() -> Self {
        Self { since: Instant::now(), signed: None }
    }
}

impl Signing {
    /// Whether a log of this size is to be signed. Its beginning is at once: it says whose log it is.
    fn is_due(&self, size: u64, signed: u64, last: Last) -> bool {
        let new = size.saturating_sub(signed);
        let in_time = signed == 0 || last == Last::Yes || self.since.elapsed() >= SIGNED_WITHIN;
        new >= SIGNED_AFTER || (new > 0 && in_time)
    }
}

impl Runtime {
    /// Gives places to what waits for them, and nothing else: somebody follows the log.
    async fn place_waiting(&self) -> Result<(), StoreError> {
        let length = self.inner.store.place(MOST_STEPS).await?.size();
        self.inner.newsroom.tail.reaches(length);
        Ok(())
    }

    async fn keep_once(&self, signing: &mut Signing, last: Last) -> Result<(), StoreError> {
        let store = &self.inner.store;
        // No more than was there at the beginning: where something always happens, the log is signed all the same.
        let mut left = store.unplaced().await?;
        let mut tree = store.tree().await?;
        while left > 0 {
            let longer = store.place(MOST_STEPS).await?;
            let placed = longer.size().saturating_sub(tree.size());
            // Somebody else does it.
            if placed == 0 {
                break;
            }
            (left, tree) = (left.saturating_sub(placed), longer);
        }
        self.inner.newsroom.tail.reaches(tree.size());
        let Some(notary) = &self.inner.notary else { return Ok(()) };
        let newest = store.newest_checkpoint().await?;
        let before = newest.as_ref().map_or(0, |newest| newest.size);
        if tree.size() < before {
            tracing::error!(
                entries = tree.size(),
                signed = before,
                "the log is shorter than what was signed of it: it is not signed any more"
            );
            return Ok(());
        }
        if signing.is_due(tree.size(), before, last) && self.goes_on(signing, notary, newest, &tree).await? {
            self.sign(notary, &tree).await?;
            *signing = Signing { since: Instant::now(), signed: Some(tree) };
        }
        Ok(())
    }

    /// Whether `tree` is what was signed last and what came after it, leaf by leaf: only that is signed for.
    async fn goes_on(
        &self,
        signing: &mut Signing,
        notary: &Notary,
        newest: Option<SignedTree>,
        tree: &Frontier,
    ) -> Result<bool, StoreError> {
        let size = newest.as_ref().map_or(0, |newest| newest.size);
        let known = signing.signed.take().filter(|signed| signed.size() == size);
        let mut grown = match known {
            Some(signed) => signed,
            None => self.grown(Frontier::default(), size).await?,
        };
        // What another key signed only that key's owner can tell.
        let opened = newest.map(|newest| Checkpoint::open(&newest.note, &[notary.key.verifier()]));
        match opened {
            Some(Ok(signed)) if *signed.root() != grown.root() => {
                tracing::error!(
                    entries = size,
                    "what was signed of the log has been changed: it is not signed any more"
                );
                return Ok(false);
            }
            Some(Err(why)) => {
                tracing::warn!(%why, "the log was signed with another key before; keep that one's public key");
            }
            _ => {}
        }
        signing.signed = Some(grown.clone());
        grown = self.grown(grown, tree.size()).await?;
        if grown != *tree {
            tracing::error!(entries = tree.size(), "the tree is not that of its entries: it is not signed any more");
        }
        Ok(grown == *tree)
    }

    /// The tree with what stands in the log after it, up to this size.
    async fn grown(&self, mut tree: Frontier, size: u64) -> Result<Frontier, StoreError> {
        while tree.size() < size {
            let left = u32::try_from(size - tree.size()).unwrap_or(u32::MAX);
            let new = self.inner.store.leaves(tree.size(), left.min(MOST_LEAVES)).await?;
            if new.is_empty() {
                break;
            }
            for leaf in new {
                tree.push(leaf);
            }
        }
        Ok(tree)
    }

    async fn forget_once(&self, kept: Duration, stopped: &watch::Receiver<bool>) -> Result<(), StoreError> {
        let store = &self.inner.store;
        let now = store.now().await?;
        let kept_for = SignedDuration::try_from(kept).unwrap_or(SignedDuration::MAX);
        let before = now.saturating_sub(kept_for).unwrap_or(Timestamp::MIN);
        while !*stopped.borrow() {
            let runs = store.written_before(before, MOST_RUNS).await?;
            if runs.is_empty() {
                break;
            }
            for run in runs {
                let why = format!("kept for {kept_for:#}");
                store.erase(Erasure { run, by: countersign(), why, at: now }).await?;
            }
        }
        Ok(())
    }

    /// Signs the log as it is, keeps the note, and tells everybody who is to have it.
    async fn sign(&self, notary: &Notary, tree: &Frontier) -> Result<(), StoreError> {
        let note = Checkpoint::new(notary.key.name(), tree.size(), tree.root())
            .map_err(|error| error.to_string())
            .and_then(|checkpoint| checkpoint.sign(&notary.key).map_err(|error| error.to_string()));
        let note = match note {
            Ok(note) => note,
            Err(error) => {
                tracing::error!(error, "the log cannot be signed");
                return Ok(());
            }
        };
        let now = self.inner.store.now().await?;
        self.inner.store.keep_checkpoint(SignedTree { size: tree.size(), note: note.clone() }, now).await?;
        for anchor in &notary.anchors {
            if let Err(error) = anchor.keep(&note).await {
                tracing::error!(anchor = anchor.name(), error = chain(&*error), "a checkpoint was not anchored");
            }
        }
        Ok(())
    }
}
