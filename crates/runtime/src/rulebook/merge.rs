//! The configuration's policy with what was changed in the store, as one source; and what is wrong with it, at the thing
//! that somebody changed.

use super::stored::{StoredOverride, StoredRule, StoredTool, priority, rule_name, tool_key};
use super::{Side, StoredGrant};
use crate::ports::{PolicyItem, PolicyKind};
use countersign_policy::source::{EffectName, EffectSource, GrantSource, RuleSource, Source, ToolSource, UserSource};
use countersign_policy::{Policy, Problem, Step};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// Something that is wrong with a policy that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The thing that it is wrong with, if it is one that can be changed while the server runs.
    pub thing: Option<(PolicyKind, String)>,
    /// The place within the thing, or else within the whole configuration.
    pub place: String,
    /// What is wrong there, and what to do.
    pub text: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((kind, key)) = &self.thing {
            write!(f, "{} `{}`: ", kind.word(), key.replace('\n', " "))?;
        }
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.text)
    }
}

/// One source of a policy, made of both.
pub(super) struct Merged {
    pub(super) source: Source,
    /// Of each rule, the name of the thing in the store that it is.
    pub(super) rules: Vec<Option<String>>,
    /// Of each entry about tools, the same.
    tools: Vec<Option<String>>,
    /// Things in the store that count: no thing of that name is in the configuration.
    counted: BTreeSet<(PolicyKind, String)>,
}

impl Merged {
    /// What the configuration says stays as it is: where both name a thing, its own counts.
    pub(super) fn new(configured: &Source, items: &[PolicyItem]) -> Result<Self, Vec<Wrong>> {
        let mut source = configured.clone();
        let (mut wrong, mut counted) = (vec![], BTreeSet::new());
        let (mut rules, mut tools) = (vec![], vec![]);
        // What the configuration names too does not count.
        for item in items.iter().filter(|item| !defines(configured, item.kind, &item.key)) {
            let read = match item.kind {
                PolicyKind::Rule => read(&item.body).map(|rule: StoredRule| rules.push((&*item.key, rule))),
                PolicyKind::Tool => read(&item.body).map(|tool: StoredTool| tools.push((&*item.key, tool))),
                _ => add(&mut source, item),
            };
            let thing = (item.kind, item.key.clone());
            match read {
                Ok(()) => drop(counted.insert(thing)),
                Err(text) => wrong.push(Wrong { thing: Some(thing), place: String::new(), text }),
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (rules, rule_keys) = placed(source.policy.rules, rules);
        source.policy.rules = rules;
        tools.sort_by_key(|(key, tool)| (tool.made, *key));
        let mut tool_keys = vec![None; source.tools.len()];
        for (key, StoredTool { tool, .. }) in tools {
            tool_keys.push(Some(key.to_owned()));
            source.tools.push(tool);
        }
        Ok(Self { source, rules: rule_keys, tools: tool_keys, counted })
    }

    /// The policy that it makes.
    pub(super) fn compile(&self) -> Result<Policy, Vec<Wrong>> {
        Policy::compile(&self.source).map_err(|problems| problems.iter().map(|problem| self.wrong(problem)).collect())
    }

    /// The problem, told at the thing that it is a problem of.
    fn wrong(&self, problem: &Problem) -> Wrong {
        use Step::{Index, Key};
        let steps = problem.place.steps();
        let words: Vec<&str> =
            steps.iter().map_while(|step| if let Key(key) = step { Some(&**key) } else { None }).collect();
        let own = |keys: &[Option<String>], index: usize| keys.get(index).cloned().flatten();
        let (thing, depth) = match (words.as_slice(), steps) {
            (["policy", "rules"], [_, _, Index(i), ..]) => (own(&self.rules, *i).map(|key| (PolicyKind::Rule, key)), 3),
            (["tools"], [_, Index(i), ..]) => (own(&self.tools, *i).map(|key| (PolicyKind::Tool, key)), 2),
            (["policy", "capabilities", name, ..], _) => (Some((PolicyKind::Capability, (*name).to_owned())), 3),
            (["policy", "overrides", tool, ..], _) => (Some((PolicyKind::Override, (*tool).to_owned())), 3),
            (["policy", "users", user, "overrides", tool, ..], _) => {
                (Some((PolicyKind::Override, format!("{user}\n{tool}"))), 5)
            }
            (["roles", name, ..], _) => (Some((PolicyKind::Role, (*name).to_owned())), 2),
            _ => (None, 0),
        };
        let thing = thing.filter(|thing| self.counted.contains(thing) || thing.0 == PolicyKind::Rule);
        let place = match &thing {
            Some(_) => within(steps.get(depth..).unwrap_or_default()),
            None => problem.place.to_string(),
        };
        Wrong { thing, place, text: problem.text.clone() }
    }
}

/// The way from a thing to a place in it.
fn within(steps: &[Step]) -> String {
    let mut place = String::new();
    for step in steps {
        match step {
            Step::Key(key) if place.is_empty() => place.push_str(key),
            Step::Key(key) => place.extend([".", key]),
            Step::Index(index) => place.push_str(&format!("[{index}]")),
        }
    }
    place
}

/// The rules of both, the store's after the configuration's in the order in which they were made, or directly before the
/// one that they name; and of each the name of the thing in the store that it is.
fn placed(configured: Vec<RuleSource>, stored: Vec<(&str, StoredRule)>) -> (Vec<RuleSource>, Vec<Option<String>>) {
    if stored.is_empty() {
        let none = vec![None; configured.len()];
        return (configured, none);
    }
    let (mut gone, mut there) = (vec![], vec![]);
    for (key, rule) in stored {
        match rule.clone().found(&configured) {
            Some(rule) => there.push((key, rule)),
            None => gone.push((key, rule)),
        }
    }
    // Named by its place as it stands in the file, whatever comes before it.
    let named = |(i, rule): (usize, RuleSource)| (None, RuleSource { name: Some(rule_name(&rule, i)), ..rule });
    let mut all: Vec<(Option<String>, RuleSource)> = configured.into_iter().enumerate().map(named).collect();
    there.sort_by_key(|(key, rule)| (rule.made, *key));
    // Until none finds its place any more: one may stand before another that was made later.
    loop {
        let (mut left, count) = (vec![], there.len());
        for (key, stored) in there {
            let at = match &stored.before {
                Some(name) => all.iter().position(|(_, other)| other.name.as_ref() == Some(name)),
                None => Some(all.len()),
            };
            let Some(at) = at else {
                left.push((key, stored));
                continue;
            };
            let next = all.get(at).map(|(_, next)| priority(next));
            let rule = RuleSource { priority: next.or(stored.rule.priority), ..stored.rule };
            all.insert(at, (Some(key.to_owned()), rule));
        }
        there = left;
        if there.is_empty() || there.len() == count {
            break;
        }
    }
    gone.extend(there);
    gone.sort_by_key(|(key, rule)| (rule.made, *key));
    // What they stood before is gone: what allows no longer does, and all else comes first, so that nothing is allowed by it.
    let first = all.iter().map(|(_, rule)| priority(rule)).min();
    for (key, StoredRule { rule, before, .. }) in gone.into_iter().rev() {
        if allows(&rule) {
            tracing::warn!(rule = key, before, "a rule that allows stood before one that is gone, and is left out");
        } else {
            all.insert(0, (Some(key.to_owned()), RuleSource { priority: first.or(rule.priority), ..rule }));
        }
    }
    all.into_iter().map(|(key, rule)| (rule, key)).unzip()
}

/// Whether a rule may let something through. One in an older spelling is taken for one that does.
fn allows(rule: &RuleSource) -> bool {
    match &rule.effect {
        Some(EffectSource::Name(effect)) => *effect == EffectName::Allow,
        Some(EffectSource::Full(full)) => full.effect == EffectName::Allow,
        None => true,
    }
}

fn read<T: DeserializeOwned>(body: &Value) -> Result<T, String> {
    T::deserialize(body).map_err(|error| error.to_string())
}

/// Adds what is neither a rule nor an entry about a tool: those have an order.
fn add(source: &mut Source, item: &PolicyItem) -> Result<(), String> {
    let PolicyItem { kind, key, body, .. } = item;
    match kind {
        PolicyKind::Capability => {
            source.policy.capabilities.entry(key.clone()).or_insert(read(body)?);
        }
        PolicyKind::Override => {
            let StoredOverride { user, tool, says } = read(body)?;
            let overrides = match user {
                Some(user) => &mut source.policy.users.entry(user).or_default().overrides,
                None => &mut source.policy.overrides,
            };
            overrides.entry(tool).or_insert(says);
        }
        PolicyKind::Role => {
            source.roles.entry(key.clone()).or_insert(read(body)?);
        }
        // A note for the record, and nothing that judges.
        PolicyKind::Configuration | PolicyKind::Rule | PolicyKind::Tool => {}
        PolicyKind::Grant => {
            let StoredGrant { user, side, grant } = read(body)?;
            let of_user: &mut UserSource = source.policy.users.entry(user).or_default();
            let side = match side {
                Side::Allow => &mut of_user.allow,
                Side::Deny => &mut of_user.deny,
            };
            side.push(GrantSource::Full(grant));
        }
    }
    Ok(())
}

/// Whether the configuration itself says what this thing is.
pub(super) fn defines(configured: &Source, kind: PolicyKind, key: &str) -> bool {
    let policy = &configured.policy;
    match kind {
        PolicyKind::Rule => policy.rules.iter().enumerate().any(|(i, rule)| rule_name(rule, i) == key),
        PolicyKind::Capability => policy.capabilities.contains_key(key),
        PolicyKind::Override => match key.split_once('\n') {
            Some((user, tool)) => policy.users.get(user).is_some_and(|user| user.overrides.contains_key(tool)),
            None => policy.overrides.contains_key(key),
        },
        PolicyKind::Role => configured.roles.contains_key(key),
        PolicyKind::Tool => configured.tools.iter().any(|tool: &ToolSource| tool_key(tool) == key),
        PolicyKind::Grant | PolicyKind::Configuration => false,
    }
}
