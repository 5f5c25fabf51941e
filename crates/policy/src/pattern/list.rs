//! A list of patterns in which those that may fit a call are found quickly.

use super::Pattern;
use crate::index::{Candidates, Index, Sought};

#[derive(Debug, Clone, Default)]
pub(crate) struct PatternList {
    all: Vec<Pattern>,
    index: Index,
}

impl PatternList {
    pub(crate) fn new(all: Vec<Pattern>) -> Self {
        Self { index: Index::new(all.iter()), all }
    }

    /// What is found of them; hardly ever anything.
    pub(crate) fn found(&self, sought: &Sought) -> Candidates<'_> {
        self.index.find(sought)
    }

    /// The patterns that may fit what is sought, in order, with their places.
    pub(crate) fn find(&self, sought: &Sought) -> impl Iterator<Item = (usize, &Pattern)> + Clone {
        self.index.places(sought).filter_map(|i| Some((i, self.all.get(i)?)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Pattern> {
        self.all.iter()
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Pattern> {
        self.all.get(place)
    }

    /// The same list, gone through in order.
    #[cfg(test)]
    pub(crate) fn scanned(self) -> Self {
        Self { index: Index::of_everything(self.all.len()), ..self }
    }
}
