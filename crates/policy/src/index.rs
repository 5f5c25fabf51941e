//! Finds the patterns that may speak of a tool without looking at all of them.

use crate::pattern::Pattern;
use std::collections::HashMap;

/// Patterns by the tool they name. Those that name several are kept apart.
#[derive(Debug, Default)]
pub(crate) struct ByTool {
    exact: HashMap<String, Vec<usize>>,
    wild: Vec<usize>,
}

impl ByTool {
    pub(crate) fn new<'a>(patterns: impl Iterator<Item = &'a Pattern>) -> Self {
        let mut index = Self::default();
        for (i, pattern) in patterns.enumerate() {
            match pattern.exact_tool() {
                Some(tool) => index.exact.entry(tool.to_owned()).or_default().push(i),
                None => index.wild.push(i),
            }
        }
        index
    }

    /// The places of the patterns that may speak of `tool`, ascending.
    pub(crate) fn candidates(&self, tool: &str) -> impl Iterator<Item = usize> + Clone {
        let mut exact = self.exact.get(tool).map_or(&[] as &[_], Vec::as_slice).iter().copied().peekable();
        let mut wild = self.wild.iter().copied().peekable();
        std::iter::from_fn(move || match (exact.peek(), wild.peek()) {
            (Some(a), Some(b)) if a < b => exact.next(),
            (Some(_), None) => exact.next(),
            _ => wild.next(),
        })
    }
}
