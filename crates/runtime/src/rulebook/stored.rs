//! Rules, tools and overrides, as the store keeps them: what the configuration could say of them, and their place.

use countersign_domain::Digest;
use countersign_policy::source::{OverrideSource, RuleSource, ToolSource};
use serde::{Deserialize, Serialize};

/// A rule, as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRule {
    /// Counts up with each rule that is made, so that of those of one priority the older is looked at first.
    #[serde(default)]
    pub made: u64,
    /// The rule that it stands directly before, with the same priority, for as long as there is one of that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What that one says, where it is a rule of the file that has no name but its place: that may become another's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Digest>,
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleSource,
}

impl StoredRule {
    /// The same, fastened to the rule of the file that it stands before, if that one has no name.
    pub(super) fn fastened(self, configured: &[RuleSource]) -> Self {
        let mut rules = configured.iter().enumerate();
        let other = rules.find(|(i, other)| other.name.is_none() && self.before == Some(rule_name(other, *i)));
        let anchor = other.and_then(|(_, other)| said(other));
        Self { anchor, ..self }
    }

    /// The same, with the name by which the rule goes now that it stands before; without one where that rule is gone.
    pub(super) fn found(self, configured: &[RuleSource]) -> Option<Self> {
        if self.anchor.is_none() {
            return Some(self);
        }
        let same = |(i, other): (usize, &RuleSource)| {
            (other.name.is_none() && said(other) == self.anchor).then(|| rule_name(other, i))
        };
        let mut names = configured.iter().enumerate().filter_map(same).collect::<Vec<_>>();
        // Of several that say the same the one that stands where it stood; where none does, nobody knows which it was.
        if let Some(place) = names.iter().position(|name| Some(name) == self.before.as_ref()) {
            names = vec![names.swap_remove(place)];
        }
        let [name] = <[String; 1]>::try_from(names).ok()?;
        Some(Self { before: Some(name), ..self })
    }
}

/// What a rule says, in short.
fn said(rule: &RuleSource) -> Option<Digest> {
    serde_json::to_vec(rule).ok().map(|text| Digest::of(&text))
}

/// What a tool is, as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredTool {
    /// Counts up with each entry that is made: the first that says a thing of a tool counts.
    #[serde(default)]
    pub made: u64,
    /// What it is.
    #[serde(flatten)]
    pub tool: ToolSource,
}

/// An override, as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredOverride {
    /// Whose it is; everybody's without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The tool, as a pattern.
    pub tool: String,
    /// What it says.
    #[serde(flatten)]
    pub says: OverrideSource,
}

impl StoredOverride {
    /// Its name among all overrides.
    pub fn key(&self) -> String {
        self.user.as_ref().map_or_else(|| self.tool.clone(), |user| format!("{user}\n{}", self.tool))
    }
}

/// The name that an entry about a tool has: `server/tool`, or `tool` alone.
pub fn tool_key(tool: &ToolSource) -> String {
    tool.server.as_ref().map_or_else(|| tool.tool.clone(), |server| format!("{server}/{}", tool.tool))
}

/// The name that the configuration's rule at `index` goes by.
pub(super) fn rule_name(rule: &RuleSource, index: usize) -> String {
    rule.name.clone().unwrap_or_else(|| format!("rule-{}", index + 1))
}

/// The priority of a rule that names none, as the policy has it.
pub const USUAL_PRIORITY: i64 = 100;

/// The priority by which a rule is looked at.
pub fn priority(rule: &RuleSource) -> i64 {
    rule.priority.unwrap_or(USUAL_PRIORITY)
}
