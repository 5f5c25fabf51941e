//! The log: every event has its place in it. What the runtime needs of it, and the promises every database must keep: what
//! was placed stays where it is, and events of one run stand in their order.

use super::StoreError;
use async_trait::async_trait;
use countersign_domain::audit::tree::{Subtree, block};
use countersign_domain::audit::{Entry, Frontier, Hash, Leaf};
use countersign_domain::{Principal, RunId};
use jiff::Timestamp;

/// The lowest level of whole subtrees whose hashes are kept. Below it, leaves are read.
pub const LEAST_KEPT: u32 = block::LEVEL;

/// A log.
#[async_trait]
pub trait Log: Send + Sync + 'static {
    /// Gives places to events of at most so many steps that have none, and says what the tree is then. Where another process
    /// does so at the same moment, one of them does nothing.
    async fn place(&self, most: u32) -> Result<Frontier, StoreError>;

    /// The tree as it is.
    async fn tree(&self) -> Result<Frontier, StoreError>;

    /// How many events there are, of runs and outside of them.
    async fn recorded(&self) -> Result<u64, StoreError>;

    /// How many events have no place yet.
    async fn unplaced(&self) -> Result<u64, StoreError>;

    /// What stands in the log from a place on, at most so much.
    async fn entries(&self, from: u64, limit: u32) -> Result<Vec<Logged>, StoreError>;

    /// The leaves of what stands in the log from a place on, at most so many.
    async fn leaves(&self, from: u64, limit: u32) -> Result<Vec<Leaf>, StoreError>;

    /// The hash of a whole subtree, of those whose hashes are kept.
    async fn subtree(&self, subtree: Subtree) -> Result<Option<Hash>, StoreError>;

    /// Erases what was written in the events of a run that has ended, and keeps who did so and why. Says in how many events
    /// there was something.
    async fn erase(&self, erasure: Erasure) -> Result<u64, StoreError>;

    /// Some runs that ended before then and in which something is written, the oldest first.
    async fn written_before(&self, before: Timestamp, limit: u32) -> Result<Vec<RunId>, StoreError>;

    /// Keeps what was signed. Of two notes over the same tree the first is kept.
    async fn keep_checkpoint(&self, signed: SignedTree, at: Timestamp) -> Result<(), StoreError>;

    /// What was signed over more than so many entries, the smallest tree first.
    async fn checkpoints(&self, over: u64, limit: u32) -> Result<Vec<SignedTree>, StoreError>;

    /// The newest of what was signed.
    async fn newest_checkpoint(&self) -> Result<Option<SignedTree>, StoreError>;
}

/// An entry in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// The place, from 0.
    pub place: u64,
    /// What stands there.
    pub entry: Entry,
    /// The leaf that was written with it.
    pub leaf: Leaf,
}

/// That what was written in a run is erased. That it was written, and when and by whom, stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    /// The run.
    pub run: RunId,
    /// Who erases it.
    pub by: Principal,
    /// Why.
    pub why: String,
    /// When.
    pub at: Timestamp,
}

/// A note over the tree of so many entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedTree {
    /// How many.
    pub size: u64,
    /// What was signed.
    pub note: String,
}

/// A place outside the database where signed checkpoints are kept, so that whoever can change the database cannot also change
/// what it was.
#[async_trait]
pub trait Anchor: Send + Sync + 'static {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// The notes that it has kept, as far as it can tell.
    async fn kept(&self) -> Vec<String> {
        vec![]
    }

    /// Keeps a note.
    async fn keep(&self, note: &str) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}
