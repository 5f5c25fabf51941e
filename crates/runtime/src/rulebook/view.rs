//! What the policy says, thing by thing: what the configuration file defines, and what was changed while the server ran.

use super::merge::{Merged, defines};
use super::stored::{StoredOverride, StoredRule, StoredTool, priority, rule_name, tool_key};
use crate::Runtime;
use crate::ports::{Changed, PolicyItem, PolicyKind, StoreError, ToolDefinition};
use countersign_policy::Policy;
use countersign_policy::source::{EffectSource, OverrideSource, RoleSource, RuleSource, Source, ToolSource};
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything that the policy is made of and can be changed, but for grants.
#[derive(Debug)]
pub struct Book {
    /// How often the policy was changed while servers ran.
    pub version: u64,
    /// The policy that is in force here.
    pub policy: Arc<Policy>,
    /// The rules, in the order in which they are looked at.
    pub rules: Vec<Listed<StoredRule>>,
    /// What becomes of capabilities.
    pub capabilities: Vec<Listed<EffectSource>>,
    /// What is said of tools in place of what they declare.
    pub overrides: Vec<Listed<StoredOverride>>,
    /// The roles.
    pub roles: Vec<Listed<RoleSource>>,
    /// What tools are, in the order in which they count.
    pub tools: Vec<Listed<ToolSource>>,
    /// The tools that agents can use here, as models are told of them.
    pub definitions: BTreeMap<String, ToolDefinition>,
}

/// A thing of the policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// Its name among those of its kind.
    pub key: String,
    /// What it is.
    pub thing: T,
    /// Who made it so; `None` if the configuration file does.
    pub changed: Option<Changed>,
}

impl Runtime {
    /// What the policy says.
    pub async fn book(&self) -> Result<Book, StoreError> {
        self.refresh_policy().await?;
        let (version, items) = self.inner.store.policy_items().await?;
        let configured = self.inner.rulebook.standing().configured;
        let source = &configured.source;
        let definitions =
            self.inner.standing().tools.values().map(|known| known.definition.clone()).collect::<Vec<_>>();
        Ok(Book {
            version,
            policy: self.policy(),
            rules: rules(source, &items),
            capabilities: of_maps(&source.policy.capabilities, source, &items, PolicyKind::Capability),
            overrides: overrides(source, &items),
            roles: of_maps(&source.roles, source, &items, PolicyKind::Role),
            tools: tools(source, &items),
            definitions: definitions.into_iter().map(|one| (one.name.clone(), one)).collect(),
        })
    }
}

/// The rules of both, in the order in which they are looked at.
fn rules(source: &Source, items: &[PolicyItem]) -> Vec<Listed<StoredRule>> {
    let stored: Vec<_> = items.iter().filter(|item| item.kind == PolicyKind::Rule).cloned().collect();
    let merged = Merged::new(source, &stored);
    let (all, keys) = merged.map_or_else(|_| (vec![], vec![]), |merged| (merged.source.policy.rules, merged.rules));
    let mut listed: Vec<_> = all
        .into_iter()
        .zip(keys)
        .enumerate()
        .map(|(i, (rule, own))| {
            let item = own.and_then(|key| stored.iter().find(|item| item.key == key));
            let of = |item: &PolicyItem| StoredRule::deserialize(&item.body).ok()?.found(&source.policy.rules);
            let (made, before) = item.and_then(of).map_or((0, None), |stored| (stored.made, stored.before));
            let rule = RuleSource { priority: Some(priority(&rule)), ..rule };
            Listed {
                key: rule_name(&rule, i),
                thing: StoredRule { made, before, anchor: None, rule },
                changed: item.map(|item| item.changed.clone()),
            }
        })
        .collect();
    listed.sort_by_key(|listed| priority(&listed.thing.rule));
    listed
}

fn overrides(source: &Source, items: &[PolicyItem]) -> Vec<Listed<StoredOverride>> {
    let one = |user: Option<&String>, (tool, says): (&String, &OverrideSource)| {
        let thing = StoredOverride { user: user.cloned(), tool: tool.clone(), says: says.clone() };
        Listed { key: thing.key(), thing, changed: None }
    };
    let everybodys = source.policy.overrides.iter().map(|said| one(None, said));
    let users = source.policy.users.iter();
    let users = users.flat_map(|(user, said)| said.overrides.iter().map(move |said| one(Some(user), said)));
    everybodys.chain(users).chain(added(source, items, PolicyKind::Override)).collect()
}

fn tools(source: &Source, items: &[PolicyItem]) -> Vec<Listed<ToolSource>> {
    let named = source.tools.iter().map(|tool| Listed { key: tool_key(tool), thing: tool.clone(), changed: None });
    let mut stored: Vec<Listed<StoredTool>> = added(source, items, PolicyKind::Tool).collect();
    stored.sort_by_key(|listed| listed.thing.made);
    let stored = stored.into_iter();
    named.chain(stored.map(|Listed { key, thing, changed }| Listed { key, thing: thing.tool, changed })).collect()
}

fn of_maps<T: Clone + DeserializeOwned>(
    named: &BTreeMap<String, T>,
    source: &Source,
    items: &[PolicyItem],
    kind: PolicyKind,
) -> Vec<Listed<T>> {
    let named = named.iter().map(|(key, thing)| Listed { key: key.clone(), thing: thing.clone(), changed: None });
    named.chain(added(source, items, kind)).collect()
}

/// What was added to the configuration's things of a kind, and counts.
fn added<T: DeserializeOwned>(
    source: &Source,
    items: &[PolicyItem],
    kind: PolicyKind,
) -> impl Iterator<Item = Listed<T>> {
    let own = items.iter().filter(move |item| item.kind == kind && !defines(source, kind, &item.key));
    own.filter_map(|item| {
        let thing = T::deserialize(&item.body).ok()?;
        Some(Listed { key: item.key.clone(), thing, changed: Some(item.changed.clone()) })
    })
}
