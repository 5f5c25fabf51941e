//! What an index found, in the order of the patterns.

use super::found::Found;
use std::ops::Deref;

/// Patterns that may fit, by their places ascending, each once. Nearly always none or one, and so kept small.
#[derive(Debug, Clone)]
pub(crate) struct Candidates<'a> {
    /// Found one by one, ascending.
    few: [Found; FEW],
    used: usize,
    /// Found together, ascending.
    run: &'a [Found],
    /// All of them, where they are neither just a few nor just a run.
    many: Vec<Found>,
}

const FEW: usize = 4;

impl<'a> Candidates<'a> {
    pub(super) fn none() -> Self {
        Self { few: [Found::default(); FEW], used: 0, run: &[], many: Vec::new() }
    }

    pub(super) fn add_run(&mut self, run: &'a [Found]) {
        if self.run.is_empty() {
            self.run = run;
        } else {
            self.many.extend(run);
        }
    }

    pub(super) fn add(&mut self, one: Found) {
        let found = self.few.get(..self.used).unwrap_or_default();
        let at = found.iter().rposition(|other| other.place() <= one.place()).map_or(0, |at| at + 1);
        if at > 0 && found.get(at - 1).is_some_and(|other| other.place() == one.place()) {
            return;
        }
        if self.used == FEW {
            return self.many.push(one);
        }
        self.few.copy_within(at..self.used, at + 1);
        if let Some(free) = self.few.get_mut(at) {
            *free = one;
            self.used += 1;
        }
    }

    /// Brings all that was found in order.
    #[inline]
    pub(super) fn settle(&mut self) {
        if !self.many.is_empty() || (self.used > 0 && !self.run.is_empty()) {
            self.merge();
        }
    }

    #[cold]
    fn merge(&mut self) {
        self.many.extend(self.run);
        self.many.extend(self.few.iter().take(self.used));
        self.many.sort();
        self.many.dedup_by_key(|one| one.place());
    }
}

impl Deref for Candidates<'_> {
    type Target = [Found];

    fn deref(&self) -> &[Found] {
        if !self.many.is_empty() {
            &self.many
        } else if self.run.is_empty() {
            self.few.get(..self.used).unwrap_or_default()
        } else {
            self.run
        }
    }
}
