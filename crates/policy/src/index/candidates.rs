//! What an index found, in the order of the patterns.

use super::shelf::Run;

/// Places of patterns, ascending, each once. Nearly always none or one, and so kept small.
#[derive(Debug, Clone)]
pub(crate) struct Candidates<'a> {
    /// Found one by one, ascending; those before `next` have been given.
    few: [u32; FEW],
    next: u8,
    used: u8,
    /// How many of `runs` are used.
    running: u8,
    /// Found together.
    runs: [Run; RUNS],
    places: &'a [u32],
    more: Option<Box<More>>,
}

/// What needs memory of its own.
#[derive(Debug, Clone, Default)]
struct More {
    /// Descending, so that the first to be given is the last.
    found: Vec<u32>,
    runs: Vec<Run>,
}

const FEW: usize = 4;
const RUNS: usize = 2;

impl<'a> Candidates<'a> {
    pub(super) fn among(places: &'a [u32]) -> Self {
        Self { few: [0; FEW], next: 0, used: 0, running: 0, runs: [Run::default(); RUNS], places, more: None }
    }

    pub(super) fn add_run(&mut self, run: Run) {
        if run.len == 0 {
            return;
        }
        match self.runs.get_mut(usize::from(self.running)) {
            Some(free) => {
                *free = run;
                self.running += 1;
            }
            None => self.more.get_or_insert_default().runs.push(run),
        }
    }

    pub(super) fn add(&mut self, place: u32) {
        let used = usize::from(self.used);
        let found = self.few.get(..used).unwrap_or_default();
        let at = found.iter().rposition(|&other| other <= place).map_or(0, |at| at + 1);
        if at > 0 && found.get(at - 1) == Some(&place) {
            return;
        }
        if used == FEW {
            return self.add_to_more(place);
        }
        self.few.copy_within(at..used, at + 1);
        if let Some(free) = self.few.get_mut(at) {
            *free = place;
            self.used += 1;
        }
    }

    #[cold]
    fn add_to_more(&mut self, place: u32) {
        let found = &mut self.more.get_or_insert_default().found;
        if let Err(at) = found.binary_search_by(|other| place.cmp(other)) {
            found.insert(at, place);
        }
    }

    #[cold]
    fn merge(&mut self) -> Option<usize> {
        let first = |run: &Run| run.of(self.places).first().copied();
        let few = self.few.get(usize::from(self.next)..usize::from(self.used)).unwrap_or_default().first().copied();
        let (mut none, mut no_runs) = (Vec::new(), Vec::new());
        let (found, more) = match &mut self.more {
            Some(more) => (&mut more.found, &mut more.runs),
            None => (&mut none, &mut no_runs),
        };
        let runs = self.runs.iter().chain(&*more).filter_map(first);
        let least = runs.chain(few).chain(found.last().copied()).min()?;
        for run in self.runs.iter_mut().chain(more).filter(|run| first(run) == Some(least)) {
            *run = Run { start: run.start + 1, len: run.len - 1 };
        }
        if few == Some(least) {
            self.next += 1;
        }
        found.pop_if(|last| *last == least);
        Some(least as usize)
    }
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.running > 0 || self.more.is_some() {
            return self.merge();
        }
        let first = self.few.get(usize::from(self.next)..usize::from(self.used))?.first()?;
        self.next += 1;
        Some(*first as usize)
    }
}
