//! Finds rules that can never match because an earlier one always does, without comparing every rule with every other.

use crate::compile::Rule;
use std::collections::{BTreeSet, HashMap};

/// Earlier rules, by what a later one must have literally to be hidden by them.
#[derive(Default)]
pub(crate) struct Shadows<'a> {
    places: HashMap<Key<'a>, Vec<usize>>,
    /// How long the two ends of the names with wildcards are.
    shapes: BTreeSet<(usize, usize)>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key<'a> {
    /// `None` where the pattern is not for one server only.
    server: Option<&'a str>,
    name: Name<'a>,
    brackets: Option<&'a str>,
}

#[derive(PartialEq, Eq, Hash)]
enum Name<'a> {
    Exact(&'a str),
    /// How it begins and ends, with a wildcard between.
    Ends(&'a str, &'a str),
}

impl<'a> Shadows<'a> {
    /// Adds `rule`, which stands at `place` of all rules.
    pub(crate) fn add(&mut self, rule: &'a Rule, place: usize) {
        if rule.when.is_some() {
            return;
        }
        let (start, end) = ends(rule);
        let name = if let Some(tool) = rule.pattern.exact_tool() {
            Name::Exact(tool)
        } else {
            self.shapes.insert((start.len(), end.len()));
            Name::Ends(start, end)
        };
        let key = Key { server: rule.pattern.exact_server(), name, brackets: brackets(rule) };
        self.places.entry(key).or_default().push(place);
    }

    /// The places of the rules that may hide `rule`, in order.
    pub(crate) fn of(&self, rule: &'a Rule) -> Vec<usize> {
        let (start, end) = ends(rule);
        let wild = self.shapes.iter().filter_map(|&(before, after)| {
            Some(Name::Ends(start.get(..before)?, end.get(end.len().checked_sub(after)?..)?))
        });
        let mut found = Vec::new();
        for name in wild.chain(rule.pattern.exact_tool().map(Name::Exact)) {
            let mut key = Key { server: None, name, brackets: None };
            for server in [None, rule.pattern.exact_server()] {
                for brackets in [None, brackets(rule)] {
                    (key.server, key.brackets) = (server, brackets);
                    found.extend(self.places.get(&key).into_iter().flatten());
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// How the name of its tool begins and ends.
fn ends(rule: &Rule) -> (&str, &str) {
    let tool = &rule.pattern.tool;
    tool.exact().map_or_else(|| (tool.prefix(), tool.suffix()), |exact| (exact, exact))
}

fn brackets(rule: &Rule) -> Option<&str> {
    rule.pattern.text().split_once('(').map(|(_, inside)| inside).filter(|_| rule.pattern.is_narrow())
}
