//! What a layer says, and which of two sayings is the stricter.

use countersign_policy::source::{EffectName, EffectSource, RiskEffect, RuleSource};
use countersign_policy::{Ask, By, Effect, Mode};

pub type Said = Effect;

pub fn allow() -> Said {
    Effect::Allow
}

pub fn deny() -> Said {
    Effect::Deny
}

pub fn ask_once() -> Said {
    ask(Mode::Once, By::Anyone)
}

pub fn ask_always() -> Said {
    ask(Mode::Always, By::Anyone)
}

/// What is left of a denial of which nobody can tell whether it fits: somebody is asked, and nothing remembered answers.
pub fn ask_at_least() -> Said {
    let Effect::Ask(ask) = ask_once() else { panic!("an ask") };
    Effect::Ask(Ask { remember: false, ..ask })
}

fn ask(mode: Mode, by: By) -> Said {
    Effect::Ask(Ask { mode, by, remember: true, approvals: 1, approvers: vec![].into() })
}

fn named(name: EffectName) -> Said {
    match name {
        EffectName::Allow => allow(),
        EffectName::RequireApproval => ask_once(),
        EffectName::RequireHuman => ask(Mode::Always, By::Human),
        EffectName::SecondPerson => ask(Mode::Always, By::SecondPerson),
        EffectName::Deny => deny(),
    }
}

pub fn of_source(source: &EffectSource) -> Said {
    match source {
        EffectSource::Name(name) => named(*name),
        EffectSource::Full(full) => match named(full.effect) {
            Effect::Ask(ask) => Effect::Ask(Ask {
                remember: full.remember.unwrap_or(true),
                approvals: full.approvals.unwrap_or(1),
                approvers: if full.approvers.is_empty() { vec![].into() } else { vec![full.approvers.clone()].into() },
                ..ask
            }),
            other => other,
        },
    }
}

pub fn of_rule(rule: &RuleSource) -> Said {
    let said = own_effect(rule);
    let Effect::Ask(ask) = said else { return said };
    Effect::Ask(Ask {
        remember: rule.remember.unwrap_or(ask.remember),
        approvals: rule.approvals.unwrap_or(ask.approvals),
        ..ask
    })
}

fn own_effect(rule: &RuleSource) -> Said {
    match (&rule.effect, rule.auto_approve) {
        (Some(effect), _) => of_source(effect),
        (None, Some(approve)) if approve.approves() => allow(),
        (None, Some(_)) => ask_once(),
        (None, None) => panic!("the generator gives every rule an effect"),
    }
}

pub fn of_risk(effect: RiskEffect) -> Said {
    named(match effect {
        RiskEffect::Allow => EffectName::Allow,
        RiskEffect::Ask => EffectName::RequireApproval,
        RiskEffect::RequireHuman => EffectName::RequireHuman,
        RiskEffect::SecondPerson => EffectName::SecondPerson,
        RiskEffect::Deny => EffectName::Deny,
    })
}

pub fn is_by_human(said: &Said) -> bool {
    matches!(said, Effect::Ask(ask) if ask.by != By::Anyone)
}

/// As strict as both: in every respect the stricter of the two.
pub fn stricter(one: Said, other: Said) -> Said {
    match (one, other) {
        (Effect::Deny, _) | (_, Effect::Deny) => Effect::Deny,
        (Effect::Allow, said) | (said, Effect::Allow) => said,
        (Effect::Ask(one), Effect::Ask(other)) => Effect::Ask(Ask {
            mode: if one.mode == Mode::Always { one.mode } else { other.mode },
            by: if rank(one.by) > rank(other.by) { one.by } else { other.by },
            remember: one.remember && other.remember,
            approvals: if one.approvals > other.approvals { one.approvals } else { other.approvals },
            approvers: both(one.approvers.to_vec(), other.approvers.to_vec()).into(),
        }),
    }
}

/// Whoever answers must be in one group of each set.
fn both(one: Vec<Vec<String>>, other: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut sets = one;
    for set in other {
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

fn rank(by: By) -> u8 {
    match by {
        By::Anyone => 0,
        By::Human => 1,
        By::SecondPerson => 2,
    }
}
