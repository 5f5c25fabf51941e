//! A part of a log: each entry brings the proof that it is in the tree that was signed.

use super::{Checkpoints, Finding, Kept, Verified, Verifier, Wrong};
use crate::audit::entry::Entry;
use crate::audit::tree::proof::verify_inclusion;
use crate::audit::tree::{Hash, empty_root};

/// What a part is held against.
#[derive(Debug)]
pub(super) struct Part {
    /// How many entries the log had when it was signed.
    size: u64,
    /// The root that was signed; `None`: nobody signed for a log of that size, and nothing is proven.
    root: Option<Hash>,
    entries: u64,
}

impl Part {
    pub(super) fn verified(&self, ended: u64, open: u64) -> Verified {
        Verified {
            entries: self.entries,
            root: self.root.unwrap_or_else(empty_root),
            ended,
            open,
            checkpoints: self.root.iter().len() as u64,
            unsigned: 0,
        }
    }

    /// Whether the entry is in the tree that was signed. Whatever came after that is no part of it: anybody could have
    /// written it.
    fn holds(&mut self, place: u64, kept: &Kept, proof: Option<&[Hash]>) -> Result<(), Wrong> {
        self.entries += 1;
        let proof = proof.ok_or(Wrong::Unproven)?;
        let Some(root) = &self.root else { return Ok(()) };
        verify_inclusion(kept.leaf, place, self.size, proof, root).map_err(Wrong::Proof)
    }
}

impl Verifier {
    /// Verifies a part of a log that had `size` entries when it was signed.
    pub fn of_part(checkpoints: Checkpoints, size: u64) -> Self {
        let part = Part { size, root: checkpoints.root(size), entries: 0 };
        Self { part: Some(part), ..Self::new(checkpoints) }
    }

    /// Takes the next entry of a part, with the proof that it is in the tree.
    pub fn proven(&mut self, place: u64, entry: &Entry, kept: &Kept, proof: Option<&[Hash]>) -> Vec<Finding> {
        let mut findings = self.seen(place, entry, kept);
        if let Some(Err(wrong)) = self.part.as_mut().map(|part| part.holds(place, kept, proof)) {
            findings.push(Finding { place: Some(place), entry: Some((entry.of, entry.seq)), wrong });
        }
        findings
    }
}
