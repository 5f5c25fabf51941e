//! The checkpoints that a log is held against, from wherever they were kept.

use super::finding::{Finding, Named, Wrong};
use crate::audit::checkpoint::Checkpoint;
use crate::audit::note::VerifierKey;
use crate::audit::tree::{Hash, empty_root};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every root that was signed, by the size of the log.
#[derive(Debug, Clone, Default)]
pub struct Checkpoints {
    keys: Vec<VerifierKey>,
    origin: Option<String>,
    /// What was signed and has not been held against the log yet.
    signed: BTreeMap<u64, (Named, Hash)>,
    /// The next size of these, so that most entries need no look at them.
    next: Option<u64>,
}

impl Checkpoints {
    /// None yet, of a log whose checkpoints one of `keys` signs.
    pub fn new(keys: Vec<VerifierKey>) -> Self {
        Self { keys, ..Self::default() }
    }

    /// The same, of the log of this name only. Otherwise the first checkpoint names it.
    #[must_use]
    pub fn of(self, origin: &str) -> Self {
        Self { origin: Some(origin.to_owned()), ..self }
    }

    /// Adds those that were kept in one place, in the order in which they were signed.
    pub fn add<'a>(&mut self, kept_in: &str, notes: impl IntoIterator<Item = &'a str>) -> Vec<Finding> {
        let kept_in: Arc<str> = kept_in.into();
        let mut findings = vec![];
        for (number, note) in (1..).zip(notes) {
            let named = Named { kept_in: Arc::clone(&kept_in), number };
            let wrong = self.one(named, note);
            findings.extend(wrong.err().map(|wrong| Finding { place: None, entry: None, wrong }));
        }
        self.next = self.signed.keys().next().copied();
        findings
    }

    fn one(&mut self, named: Named, note: &str) -> Result<(), Wrong> {
        let opened = Checkpoint::open(note, &self.keys);
        let opened = opened.map_err(|why| Wrong::Checkpoint { named: named.clone(), why })?;
        let expected = self.origin.get_or_insert_with(|| opened.origin().to_owned());
        // A log that is signed with another key from some time on has its name.
        let is_trusted = self.keys.iter().any(|key| key.name() == opened.origin());
        if expected != opened.origin() && !is_trusted {
            return Err(Wrong::Origin { named, origin: opened.origin().to_owned(), expected: expected.clone() });
        }
        let size = opened.size();
        if size == 0 {
            // Of a log without entries there is one root only, and nothing to hold it against later.
            return if *opened.root() == empty_root() { Ok(()) } else { Err(Wrong::Root { named, size }) };
        }
        if let Some((other, root)) = self.signed.get(&size) {
            if root != opened.root() {
                return Err(Wrong::Fork { named, other: other.clone(), size });
            }
        } else {
            self.signed.insert(size, (named.clone(), *opened.root()));
        }
        Ok(())
    }

    /// What was signed at this size, once.
    pub(super) fn at(&mut self, size: u64) -> Option<(Named, Hash)> {
        if self.next != Some(size) {
            return None;
        }
        let signed = self.signed.remove(&size);
        self.next = self.signed.keys().next().copied();
        signed
    }

    /// The root that was signed at this size.
    pub(super) fn root(&self, size: u64) -> Option<Hash> {
        self.signed.get(&size).map(|(_, root)| *root)
    }

    /// The largest that was signed of more entries than there are.
    pub(super) fn beyond(mut self, entries: u64) -> Option<Finding> {
        let (size, (named, _)) = self.signed.pop_last()?;
        Some(Finding { place: None, entry: None, wrong: Wrong::Short { named, size, entries } })
    }
}
