//! Lint: what is odd in a policy that is not wrong.

use crate::compile::{Policy, Rule};
use crate::effect::Effect;
use crate::pattern::Pattern;
use crate::problem::{Place, Problem};
use crate::source::Source;
use countersign_domain::describe::{Dialect, Part, PathPart, Surroundings, Tool, Touches, UrlPart};
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
    for (i, rule) in rules.iter().enumerate() {
        if let Some(earlier) = rules.iter().take(i).find(|earlier| shadows(earlier, rule)) {
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
    for rule in &policy.rules.all {
        let stance = if rule.effect == Effect::Allow { Use::Allow } else { Use::Deny };
        found.extend(pointless(policy, &rule.pattern, stance).map(|why| rule_place(rule).key("tool").problem(why)));
    }
    for (name, user) in &policy.users {
        let place = Place::section("policy").key("users").key(name);
        for (list, grants, stance) in [("allow", &user.allow, Use::Allow), ("deny", &user.deny, Use::Deny)] {
            for (i, grant) in grants.all.iter().enumerate() {
                found
                    .extend(pointless(policy, &grant.pattern, stance).map(|why| place.key(list).index(i).problem(why)));
            }
        }
    }
    for (name, role) in &source.roles {
        let place = Place::section("roles").key(name);
        for (list, entries, stance) in
            [("allowed_tools", &role.allowed_tools, Use::Allow), ("denied_tools", &role.denied_tools, Use::Deny)]
        {
            for (i, entry) in entries.iter().flatten().enumerate() {
                let pattern = Pattern::parse(entry).ok();
                let why = pattern.and_then(|pattern| pointless(policy, &pattern, stance));
                found.extend(why.map(|why| place.key(list).index(i).problem(why)));
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Allow,
    Deny,
}

/// Why a pattern can never fit a call, if so.
fn pointless(policy: &Policy, pattern: &Pattern, stance: Use) -> Option<String> {
    let text = pattern.text();
    let tool = pattern.exact_tool();
    if stance == Use::Allow && tool.is_some_and(|tool| disguise::of_name(tool).is_some()) {
        return Some(format!("`{text}` covers nothing: its name holds characters that no allow covers"));
    }
    if stance == Use::Allow && tool.is_none() && pattern.is_unqualified() && text.starts_with("mcp__") {
        return Some(format!("`{text}` covers nothing: tools of a server are written `server/tool`"));
    }
    let tool = policy.catalog.tool(pattern.exact_server(), tool?);
    let why = pointless_for(&tool, pattern)?;
    Some(format!("`{text}` covers nothing: {why}"))
}

fn pointless_for(tool: &Tool, pattern: &Pattern) -> Option<&'static str> {
    if !pattern.is_narrow() {
        return None;
    }
    let part = match &tool.touches {
        Touches::Nothing => return Some("the tool touches nothing that could be named, so leave out the brackets"),
        Touches::Path(_) => Part::Path(PathPart::read("/", None, &Surroundings::default()).ok()?),
        Touches::Url(_) => Part::Url(UrlPart::read("https://example.com/").ok()?),
        Touches::Command(..) => Part::Command { line: String::new(), dialect: Dialect::Posix },
        Touches::Text(_) | Touches::Everything => Part::Text(String::new()),
    };
    pattern.pointless_for(&part)
}
