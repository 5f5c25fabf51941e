//! The search for M: the first rule, by priority and then in the order made, that matches.

use super::effect::{Said, ask_at_least, is_by_human, of_rule};
use super::pattern::{Fit, Pattern, Unqualified, cover_all};
use super::{Scene, Spoken, condition};
use countersign_domain::describe::Resource;
use countersign_policy::source::RuleSource;
use countersign_policy::{Ask, Effect};

/// What the search came to.
pub struct Search {
    /// M, if any rule matches.
    pub first: Option<Spoken>,
    /// Rules before M whose condition could not be evaluated; none of them allows.
    pub undecided: Vec<Spoken>,
    /// Rules before M of which nobody can tell whether they fit; none of them allows.
    pub perhaps: Vec<Spoken>,
}

impl Search {
    pub fn allows(&self) -> bool {
        self.first.as_ref().is_some_and(|rule| rule.said == Effect::Allow)
    }
}

pub fn search(scene: &Scene) -> Search {
    let mut rules: Vec<(usize, &RuleSource)> = scene.source.policy.rules.iter().enumerate().collect();
    // Stable: rules of the same priority stay in the order made.
    rules.sort_by_key(|(_, rule)| rule.priority.unwrap_or(100));
    let mut search = Search { first: None, undecided: vec![], perhaps: vec![] };
    for (place, rule) in rules {
        let spoken = Spoken {
            layer: "rule",
            said: of_rule(rule),
            name: Some(rule.name.clone().unwrap_or_else(|| format!("rule-{}", place + 1))),
        };
        let allows = spoken.said == Effect::Allow;
        let fit = if allows { covers(rule, scene) } else { pattern(rule).hits(scene.call) };
        let holds = rule.when.as_ref().map_or(Some(true), |when| condition::holds(when, &scene.facts()));
        match (fit, holds) {
            (Fit::No, _) | (_, Some(false)) => {}
            (_, None) if allows => {}
            (Fit::Yes, Some(true)) => {
                search.first = Some(spoken);
                return search;
            }
            (Fit::Yes, None) => search.undecided.push(spoken),
            // Where the policy is switched off, a rule that merely asks for an approval is not heard.
            (Fit::Perhaps, _)
                if scene.switched_off() && matches!(&spoken.said, Effect::Ask(_)) && !is_by_human(&spoken.said) => {}
            (Fit::Perhaps, _) => search.perhaps.push(Spoken { said: at_least(spoken.said), ..spoken }),
        }
    }
    search
}

/// What is left of a rule of which nobody can tell whether it fits: it asks, and nothing remembered answers.
fn at_least(said: Said) -> Said {
    match said {
        Effect::Ask(ask) => Effect::Ask(Ask { remember: false, ..ask }),
        _ => ask_at_least(),
    }
}

/// The rules that deny whatever the arguments, in the order in which they are looked at.
pub fn denials(scene: &Scene) -> Vec<(Pattern, Spoken)> {
    let mut rules: Vec<(usize, &RuleSource)> = scene.source.policy.rules.iter().enumerate().collect();
    rules.sort_by_key(|(_, rule)| rule.priority.unwrap_or(100));
    rules.retain(|(_, rule)| rule.when.is_none() && of_rule(rule) == Effect::Deny);
    let spoken = |place: usize, rule: &RuleSource| Spoken {
        layer: "rule",
        said: Effect::Deny,
        name: Some(rule.name.clone().unwrap_or_else(|| format!("rule-{}", place + 1))),
    };
    rules.into_iter().map(|(place, rule)| (pattern(rule), spoken(place, rule))).collect()
}

fn pattern(rule: &RuleSource) -> Pattern {
    Pattern::read(&rule.tool).of(rule.server.as_deref())
}

/// A rule that allows matches only if every part of the resource is covered, and never a call in doubt.
fn covers(rule: &RuleSource, scene: &Scene) -> Fit {
    let (call, pattern) = (scene.call, pattern(rule));
    if !pattern.names(call, Unqualified::AnyServer) || !call.doubts.is_empty() {
        return Fit::No;
    }
    let covered = match &call.resource {
        Resource::NotUnderstood => false,
        Resource::Nothing => !pattern.has_brackets(),
        Resource::Parts(parts) => parts.iter().all(|part| pattern.covers(part, call)),
    };
    // A rule without a server means every server, so that its own name is what `cover_all` would not find.
    debug_assert!(covered || !cover_all(&[pattern], call));
    if covered { Fit::Yes } else { Fit::No }
}
