//! Lint: what is odd in a policy that is not wrong.

use crate::compile::{Policy, Rule};
use crate::effect::Effect;
use crate::pattern::Pattern;
use crate::problem::{Place, Problem};
use crate::shadow::Shadows;
use crate::source::Source;
use countersign_domain::disguise;

/// Rules that can never match because an earlier one always does, patterns that cover nothing, capabilities that no
/// tool has.
pub fn lint(policy: &Policy, source: &Source) -> Vec<Problem> {
    let mut found = Vec::new();
    shadowed_rules(policy, &mut found);
    repeated_names(policy, &mut found);
    pointless_patterns(policy, source, &mut found);
    let capabilities = Place::section("policy").key("capabilities");
    for name in policy.capabilities.keys().filter(|name| !policy.catalog.has_capability(name)) {
        found.push(
            capabilities.key(name).problem(format!("no tool has the capability `{name}`: this policy is never used")),
        );
    }
    found
}

fn rule_place(rule: &Rule) -> Place {
    Place::section("policy").key("rules").index(rule.place)
}

fn shadowed_rules(policy: &Policy, found: &mut Vec<Problem>) {
    let rules = &policy.rules.all;
    let mut earlier = Shadows::default();
    for (i, rule) in rules.iter().enumerate() {
        let hiding = earlier.of(rule).into_iter().filter_map(|i| rules.get(i)).find(|earlier| shadows(earlier, rule));
        earlier.add(rule, i);
        if let Some(earlier) = hiding {
            found.push(rule_place(rule).problem(format!(
                "rule \"{}\" can never match: rule \"{}\" (priority {}) comes first and matches whenever it would",
                rule.name, earlier.name, earlier.priority
            )));
        }
    }
}

/// Whether `earlier` matches every call that `later` matches.
///
/// A rule that allows matches if every part of a call is covered, another one if any is; so one with brackets that
/// allows hides only another that allows.
fn shadows(earlier: &Rule, later: &Rule) -> bool {
    let same_reach = !earlier.allows() || later.allows() || !earlier.pattern.is_narrow();
    earlier.when.is_none() && same_reach && earlier.pattern.contains(&later.pattern)
}

fn repeated_names(policy: &Policy, found: &mut Vec<Problem>) {
    let mut seen = std::collections::HashSet::new();
    let mut in_order: Vec<&Rule> = policy.rules.all.iter().collect();
    in_order.sort_by_key(|rule| rule.place);
    for rule in in_order {
        if !seen.insert(&rule.name) {
            found.push(
                rule_place(rule)
                    .key("name")
                    .problem(format!("another rule is called \"{}\" too: reasons will not tell them apart", rule.name)),
            );
        }
    }
}

fn pointless_patterns(policy: &Policy, source: &Source, found: &mut Vec<Problem>) {
    for rule in policy.rules.all.iter().filter(|rule| rule.effect == Effect::Allow) {
        found.extend(covers_nothing(&rule.pattern).map(|why| rule_place(rule).key("tool").problem(why)));
    }
    for (name, user) in &policy.users {
        let place = Place::section("policy").key("users").key(name).key("allow");
        for (i, grant) in user.allow.all.iter().enumerate() {
            found.extend(covers_nothing(grant).map(|why| place.index(i).problem(why)));
        }
    }
    for (name, role) in &source.roles {
        let place = Place::section("roles").key(name).key("allowed_tools");
        for (i, entry) in role.allowed_tools.iter().flatten().enumerate() {
            let why = Pattern::parse(entry).ok().and_then(|pattern| covers_nothing(&pattern));
            found.extend(why.map(|why| place.index(i).problem(why)));
        }
    }
}

/// Why a pattern that allows can never cover a call, if so.
fn covers_nothing(pattern: &Pattern) -> Option<String> {
    let text = pattern.text();
    match pattern.exact_tool() {
        Some(tool) if disguise::of_name(tool).is_some() => {
            Some(format!("`{text}` covers nothing: its name holds characters that no allow covers"))
        }
        None if pattern.is_unqualified() && text.starts_with("mcp__") => {
            Some(format!("`{text}` covers nothing: tools of a server are written `server/tool`"))
        }
        _ => None,
    }
}
