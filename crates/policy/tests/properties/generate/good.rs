//! Leaves out of a random policy what would have it refused: brackets that say nothing of what their tool touches.

use crate::oracle;
use crate::oracle::pattern::Pattern;
use countersign_policy::source::{RuleSource, Source};

/// The source without its bad patterns.
pub fn good(mut source: Source) -> Source {
    let whole = source.clone();
    let is_good = |text: &str| oracle::is_good(&whole, &Pattern::read(text));
    source.policy.rules.retain(|rule| rule_is_good(&whole, rule));
    for user in source.policy.users.values_mut() {
        user.allow.retain(|grant| is_good(grant.pattern()));
        user.deny.retain(|grant| is_good(grant.pattern()));
    }
    let lists = source.roles.values_mut().flat_map(|role| [&mut role.allowed_tools, &mut role.denied_tools]);
    for list in lists.chain(source.agents.values_mut().map(|agent| &mut agent.tools)).flatten() {
        list.retain(|entry| is_good(entry));
    }
    source
}

/// Whether no pattern of the source would have it refused.
pub fn is_good(source: &Source) -> bool {
    let count = |source: &Source| {
        let users = source.policy.users.values().map(|user| user.allow.len() + user.deny.len());
        let roles = source.roles.values().flat_map(|role| [&role.allowed_tools, &role.denied_tools]);
        let lists = roles.chain(source.agents.values().map(|agent| &agent.tools)).flatten().map(Vec::len);
        source.policy.rules.len() + users.chain(lists).sum::<usize>()
    };
    count(&good(source.clone())) == count(source)
}

fn rule_is_good(source: &Source, rule: &RuleSource) -> bool {
    oracle::is_good(source, &Pattern::read(&rule.tool).of(rule.server.as_deref()))
}
