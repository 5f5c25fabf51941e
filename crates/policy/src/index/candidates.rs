//! What an index found, in the order of the patterns.

/// Places of patterns, ascending, each once. Made of a few ascending runs, so that finding copies nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates<'a> {
    few: [&'a [u32]; FEW],
    used: usize,
    /// Only calls that touch a lot have as many.
    more: Vec<&'a [u32]>,
}

/// Runs that need no memory of their own.
const FEW: usize = 4;

impl<'a> Candidates<'a> {
    pub(super) fn add(&mut self, run: &'a [u32]) {
        if run.is_empty() {
            return;
        }
        match self.few.get_mut(self.used) {
            Some(free) => {
                *free = run;
                self.used += 1;
            }
            None => self.more.push(run),
        }
    }
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let used = self.few.get_mut(..self.used)?;
        let least = *used.iter().chain(&self.more).filter_map(|run| run.first()).min()?;
        for run in used.iter_mut().chain(&mut self.more) {
            if let [first, rest @ ..] = *run
                && *first == least
            {
                *run = rest;
            }
        }
        Some(least as usize)
    }
}
