//! Proofs that entries are in the tree that was signed, for whoever goes through the log page by page.

use crate::ports::{Log, Logged, StoreError};
use countersign_domain::audit::tree::block::{Block, WIDTH, above, proof};
use countersign_domain::audit::tree::proof::NoProof;
use countersign_domain::audit::tree::{Hash, Subtree};
use std::collections::BTreeMap;

/// How many entries a page has, whole blocks of them.
#[expect(clippy::cast_possible_truncation, reason = "a few blocks")]
pub const PAGE: u32 = 3 * WIDTH as u32;

/// Proofs of entries of the log as it was when it had `size` of them.
pub struct Proofs {
    size: u64,
    last: Block,
    kept: BTreeMap<Subtree, Hash>,
}

impl Proofs {
    /// Proofs for the tree of `size` entries.
    pub async fn new(log: &dyn Log, size: u64) -> Result<Self, StoreError> {
        let number = size.saturating_sub(1) / WIDTH;
        let many = u32::try_from(size - number * WIDTH).unwrap_or(u32::MAX);
        let leaves = log.leaves(number * WIDTH, many).await?;
        Ok(Self { size, last: Block::new(number, &leaves), kept: BTreeMap::new() })
    }

    /// The proof of each entry of a page, which begins where a block does; `None` for those that came after the tree was
    /// signed.
    pub async fn of(&mut self, log: &dyn Log, page: &[Logged]) -> Result<Vec<Option<Vec<Hash>>>, StoreError> {
        let mut proofs = vec![];
        for block in page.chunk_by(|left, right| left.place / WIDTH == right.place / WIDTH) {
            let Some(number) = block.first().map(|logged| logged.place / WIDTH) else { continue };
            self.read_above(log, number).await?;
            let signed = block.iter().filter(|logged| logged.place < self.size).map(|logged| logged.leaf);
            let within = Block::new(number, &signed.collect::<Vec<_>>());
            for logged in block {
                proofs.push(if logged.place < self.size { Some(self.one(logged.place, &within)?) } else { None });
            }
        }
        Ok(proofs)
    }

    async fn read_above(&mut self, log: &dyn Log, number: u64) -> Result<(), StoreError> {
        for subtree in above(number, self.size).unwrap_or_default() {
            if !self.kept.contains_key(&subtree)
                && let Some(hash) = log.subtree(subtree).await?
            {
                self.kept.insert(subtree, hash);
            }
        }
        Ok(())
    }

    fn one(&self, place: u64, within: &Block) -> Result<Vec<Hash>, StoreError> {
        let wrong = |detail: String| StoreError::Inconsistent { table: "subtrees", row: place.to_string(), detail };
        proof(place, self.size, within, &self.last, &self.kept).map_err(|error| match error {
            NoProof::Unread(missing) => wrong(missing.to_string()),
            NoProof::Beyond(beyond) => wrong(beyond.to_string()),
        })
    }
}
