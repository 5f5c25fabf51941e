//! Finds the first rule that matches, and the rules before it of which nobody can tell.

use crate::compile::{Grants, Policy, Rule};
use crate::condition::{Facts, Undecided};
use crate::context::Context;
use crate::effect::Effect;
use crate::index::{Found, Sought};
use crate::pattern::command::Writes;
use crate::pattern::{Fit, Pattern, Stance, cover};
use crate::subject::Subject;
use countersign_domain::describe::{Part, Resource};
use countersign_domain::disguise::hidden_in_prose;

/// What became of the search through the rules.
#[derive(Debug, Default)]
pub(super) struct Matched<'a> {
    /// The first rule that matches, and what it says.
    pub(super) first: Option<(usize, &'a Effect)>,
    /// Rules before it that do not allow and whose condition failed: the verdict is at least as strict as they are.
    pub(super) undecided: Vec<usize>,
    /// Rules before it that do not allow and whose pattern may fit: the call is asked about at least.
    pub(super) perhaps: Vec<usize>,
}

impl<'a> Matched<'a> {
    pub(super) fn find(
        policy: &'a Policy,
        call: &Subject<'_>,
        sought: &Sought,
        context: &Context,
        acting_as: Option<&str>,
    ) -> Self {
        let mut matched = Self::default();
        if policy.rules.all.is_empty() {
            return matched;
        }
        let mut facts = None;
        for &one in policy.rules.index.find(sought).iter() {
            let i = one.place();
            let Some((effect, when)) = policy.rules.gist(one) else { continue };
            let allows = *effect == Effect::Allow;
            let looked_at = || policy.rules.all.get(i).map_or(Fit::No, |rule| fit(rule, call));
            let fit = match one {
                one if !one.is_sure() => looked_at(),
                one if allows && !is_covered_by_sure(one, call) => Fit::No,
                _ => Fit::Yes,
            };
            if fit == Fit::No {
                continue;
            }
            let holds = match when {
                None => Ok(true),
                Some(condition) => condition.holds(facts.get_or_insert_with(|| Facts::of(call, context, acting_as))),
            };
            match (fit, holds) {
                (Fit::No, _) | (_, Ok(false)) => {}
                (_, Err(Undecided)) if allows => {}
                (Fit::Yes, Err(Undecided)) => matched.undecided.push(i),
                (Fit::Maybe, _) => matched.perhaps.push(i),
                (Fit::Yes, Ok(true)) => {
                    matched.first = Some((i, effect));
                    break;
                }
            }
        }
        matched
    }
}

/// Whether what allows, and is sure to fit, covers `call` too: it has no doubts and, where a wildcard speaks of its text,
/// hides nothing.
fn is_covered_by_sure(one: Found, call: &Subject<'_>) -> bool {
    let hides = |part: &Part| if let Part::Text(text) = part { hidden_in_prose(text).is_some() } else { true };
    call.doubts.is_empty()
        && match &call.resource {
            Resource::NotUnderstood => false,
            Resource::Parts(parts) if one.is_open() => !parts.iter().any(hides),
            Resource::Nothing | Resource::Parts(_) => true,
        }
}

fn fit(rule: &Rule, call: &Subject<'_>) -> Fit {
    let covers = || {
        // Whatever a call touches is covered by a pattern that says nothing of it.
        let understood = call.doubts.is_empty() && !matches!(call.resource, Resource::NotUnderstood);
        let whole = || understood && rule.pattern.names(call, Stance::Allow);
        if rule.pattern.is_narrow() { cover(std::iter::once(&rule.pattern), call, &|_| false) } else { whole() }
    };
    match rule.allows() {
        true if covers() => Fit::Yes,
        true => Fit::No,
        false => rule.pattern.hits_in(call),
    }
}

/// The places of patterns that cover a call.
pub(super) enum Covering {
    One(usize),
    Several(Vec<usize>),
}

/// Those of `found` that cover a part of `call`, if together they cover all of it. A call in doubt is covered by nothing.
pub(super) fn covering(
    found: impl Iterator<Item = (usize, Found)> + Clone,
    grants: &Grants,
    call: &Subject<'_>,
    writes: Writes<'_>,
) -> Option<Covering> {
    if !call.doubts.is_empty() {
        return None;
    }
    let patterns = found.clone().filter_map(|(i, _)| Some((i, grants.all.get(i)?)));
    let named = patterns.filter(|(_, pattern)| pattern.names(call, Stance::Allow));
    let parts = match &call.resource {
        Resource::NotUnderstood => return None,
        Resource::Nothing => &[],
        Resource::Parts(parts) => &**parts,
    };
    match parts {
        [] => together(named.filter(|(_, pattern)| !pattern.is_narrow())),
        // The commands of a line may be covered by several patterns, none of which covers the whole.
        parts if parts.iter().any(|part| matches!(part, Part::Command { .. })) => {
            let whole = cover(named.clone().map(|(_, pattern)| pattern), call, writes);
            let some = || together(named.filter(|(_, pattern)| pattern.covers_some(call, writes)));
            // A line without commands is covered, by no pattern in particular.
            whole.then(|| some().unwrap_or(Covering::Several(vec![])))
        }
        [part] => together(found.filter(|&(i, one)| {
            let covers = |pattern: &Pattern| pattern.names(call, Stance::Allow) && pattern.covers(part, call);
            // A grant that names no server is for tools without one.
            if one.is_sure() && call.server.is_none() {
                is_covered_by_sure(one, call)
            } else {
                grants.all.get(i).is_some_and(covers)
            }
        })),
        parts => {
            let every = parts.iter().all(|part| named.clone().any(|(_, pattern)| pattern.covers(part, call)));
            let covers_any = |pattern: &Pattern| parts.iter().any(|part| pattern.covers(part, call));
            every.then(|| together(named.filter(|(_, pattern)| covers_any(pattern)))).flatten()
        }
    }
}

/// What all of `patterns` do together, if there are any.
fn together<T>(mut patterns: impl Iterator<Item = (usize, T)>) -> Option<Covering> {
    let (first, _) = patterns.next()?;
    let Some((second, _)) = patterns.next() else { return Some(Covering::One(first)) };
    Some(Covering::Several([first, second].into_iter().chain(patterns.map(|(i, _)| i)).collect()))
}
