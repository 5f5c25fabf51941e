//! Effects as they are written, in rules and for capabilities.

use crate::effect::{Approvers, Ask, By, Effect, Mode};
use crate::problem::{Place, Problem};
use crate::source::{EffectName, EffectSource, FullEffect, RuleSource};
use std::collections::BTreeMap;

pub(super) fn rule_effect(source: &RuleSource, place: &Place, problems: &mut Vec<Problem>) -> Option<Effect> {
    let full = match (&source.effect, source.auto_approve) {
        (Some(_), Some(_)) => {
            problems.push(
                place.key("auto_approve").problem("`auto_approve` is the older spelling of `effect`: keep one of them"),
            );
            return None;
        }
        (None, None) => {
            problems.push(place.problem(
                "a rule needs an `effect`: `allow`, `require_approval`, `require_human`, `second_person` or `deny`",
            ));
            return None;
        }
        (Some(EffectSource::Full(_)), None)
            if source.remember.is_some() || source.approvals.is_some() || !source.approvers.is_empty() =>
        {
            problems.push(place.key("effect").problem(
                "`remember`, `approvals` and `approvers` stand either beside `effect` or inside it, not both",
            ));
            return None;
        }
        (Some(EffectSource::Full(full)), None) => full.clone(),
        (Some(EffectSource::Name(effect)), None) => beside(*effect, source),
        (None, Some(old)) => {
            beside(if old.approves() { EffectName::Allow } else { EffectName::RequireApproval }, source)
        }
    };
    full_effect(&full, place, problems)
}

fn beside(effect: EffectName, source: &RuleSource) -> FullEffect {
    FullEffect { effect, remember: source.remember, approvals: source.approvals, approvers: source.approvers.clone() }
}

pub(super) fn capabilities(
    sources: &BTreeMap<String, EffectSource>,
    place: &Place,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Effect> {
    let mut out = BTreeMap::new();
    for (name, source) in sources {
        let full = match source {
            EffectSource::Full(full) => full.clone(),
            EffectSource::Name(effect) => {
                FullEffect { effect: *effect, remember: None, approvals: None, approvers: vec![] }
            }
        };
        out.extend(full_effect(&full, &place.key(name), problems).map(|effect| (name.clone(), effect)));
    }
    out
}

/// More approvals than that nobody gathers.
const MOST_APPROVALS: u32 = 16;

fn full_effect(full: &FullEffect, place: &Place, problems: &mut Vec<Problem>) -> Option<Effect> {
    let (mode, by) = match full.effect {
        EffectName::Allow | EffectName::Deny => {
            if full.remember.is_some() || full.approvals.is_some() || !full.approvers.is_empty() {
                problems.push(place.problem("`remember`, `approvals` and `approvers` are for effects that ask"));
                return None;
            }
            return Some(if full.effect == EffectName::Allow { Effect::Allow } else { Effect::Deny });
        }
        EffectName::RequireApproval => (Mode::Once, By::Anyone),
        EffectName::RequireHuman => (Mode::Always, By::Human),
        EffectName::SecondPerson => (Mode::Always, By::SecondPerson),
    };
    let approvers = if full.approvers.is_empty() { Approvers::ANY } else { vec![full.approvers.clone()].into() };
    let approvals = full.approvals.unwrap_or(1);
    if !(1..=MOST_APPROVALS).contains(&approvals) {
        problems.push(place.key("approvals").problem(format!("`approvals` must be between 1 and {MOST_APPROVALS}")));
        return None;
    }
    Some(Effect::Ask(Ask { mode, by, remember: full.remember.unwrap_or(true), approvals, approvers }))
}
