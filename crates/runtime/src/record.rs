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
use countersign_domain::principal::{Kind, Role};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// How often somebody looks for events without a place.
const LOOK: Duration = Duration::from_millis(250);
/// Steps that get places in one transaction.
const MOST_STEPS: u32 = 1_000;
/// Entries after which the log is signed.
const SIGNED_AFTER: u64 = 1_000;
/// How long the log stays unsigned.
const SIGNED_WITHIN: Duration = Duration::from_mins(1);

/// How often somebody looks for what was written too long ago.
const FORGOTTEN_EVERY: Duration = Duration::from_hours(6);
/// Runs that are forgotten at a time.
const MOST_RUNS: u32 = 100;

/// Who erases what the configuration says is to be erased.
fn countersign() -> Principal {
    Principal { kind: Kind::Service, name: "countersign".into(), role: Role::Operator, groups: vec![], acts_for: None }
}

/// Whoever signs the log, and where what was signed is kept besides the database.
#[derive(Clone)]
pub struct Notary {
    /// The key. It is not in the database.
    pub key: SignerKey,
    /// Where notes go.
    pub anchors: Vec<Arc<dyn Anchor>>,
}

/// Gives places and has the log signed until `stopped`.
pub(crate) async fn keep(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    let mut signing = Signing { since: Instant::now(), signed: None };
    while !*stopped.borrow() {
        tokio::select! {
            () = sleep(LOOK) => {}
            _ = stopped.changed() => {}
        }
        let last = if *stopped.borrow() { Last::Yes } else { Last::No };
        if let Err(error) = runtime.keep_once(&mut signing, last).await {
            tracing::error!(error = chain(&error), "cannot keep the log");
        }
    }
}

/// Erases what was written too long ago, until `stopped`.
pub(crate) async fn forget(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    let Some(kept) = runtime.inner.settings.keep_texts else { return };
    while !*stopped.borrow() {
        if let Err(error) = runtime.forget_once(kept, &stopped).await {
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

/// What was signed, and when it was found out.
struct Signing {
    since: Instant,
    signed: Option<u64>,
}

impl Signing {
    /// Whether a log of this size is to be signed. Its beginning is at once: it says whose log it is.
    fn is_due(&self, size: u64, last: Last) -> bool {
        let signed = self.signed.unwrap_or_default();
        let new = size.saturating_sub(signed);
        let in_time = signed == 0 || last == Last::Yes || self.since.elapsed() >= SIGNED_WITHIN;
        new >= SIGNED_AFTER || (new > 0 && in_time)
    }
}

impl Runtime {
    async fn keep_once(&self, signing: &mut Signing, last: Last) -> Result<(), StoreError> {
        let tree = self.place_all().await?;
        let Some(notary) = &self.inner.notary else { return Ok(()) };
        if signing.signed.is_none() {
            let newest = self.inner.store.newest_checkpoint().await?;
            signing.signed = Some(newest.map_or(0, |newest| newest.size));
        }
        if signing.is_due(tree.size(), last) {
            self.sign(notary, &tree).await?;
            *signing = Signing { since: Instant::now(), signed: Some(tree.size()) };
        }
        Ok(())
    }

    /// Gives places until there is nothing without one, or somebody else does.
    async fn place_all(&self) -> Result<Frontier, StoreError> {
        let store = &self.inner.store;
        let mut tree = store.tree().await?;
        while store.unplaced().await? > 0 {
            let longer = store.place(MOST_STEPS).await?;
            if longer.size() == tree.size() {
                break;
            }
            tree = longer;
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
