//! Finds the first rule that matches, and the rules before it of which nobody can tell.

use crate::compile::Policy;
use crate::condition::{Facts, Undecided};
use crate::context::Context;
use crate::pattern::{Fit, cover};
use crate::subject::Subject;

/// What became of the search through the rules.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// The first rule that matches.
    pub(super) first: Option<usize>,
    /// Rules before it that do not allow and whose condition failed: the verdict is at least as strict as they are.
    pub(super) undecided: Vec<usize>,
    /// Rules before it that do not allow and whose pattern may fit: the call is asked about at least.
    pub(super) perhaps: Vec<usize>,
}

impl Matched {
    pub(super) fn find(policy: &Policy, call: &Subject<'_>, context: &Context) -> Self {
        let mut matched = Self::default();
        let mut facts = None;
        for i in policy.rules.by_tool.candidates(&call.tool) {
            let Some(rule) = policy.rules.all.get(i) else { continue };
            let fit = if rule.allows() {
                if cover(std::iter::once(&rule.pattern), call, &|_| false) { Fit::Yes } else { Fit::No }
            } else {
                rule.pattern.hits_in(call)
            };
            if fit == Fit::No {
                continue;
            }
            let holds = match &rule.when {
                None => Ok(true),
                Some(condition) => condition.holds(facts.get_or_insert_with(|| Facts::of(call, context))),
            };
            match (fit, holds) {
                (Fit::No, _) | (_, Ok(false)) => {}
                (_, Err(Undecided)) if rule.allows() => {}
                (Fit::Yes, Err(Undecided)) => matched.undecided.push(i),
                (Fit::Maybe, _) => matched.perhaps.push(i),
                (Fit::Yes, Ok(true)) => {
                    matched.first = Some(i);
                    break;
                }
            }
        }
        matched
    }
}
