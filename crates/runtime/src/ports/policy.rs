//! What can be changed in the policy while the server runs, as it is kept.

use countersign_domain::Principal;
use jiff::Timestamp;
use serde_json::Value;

/// Something in the policy that can be changed while the server runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyItem {
    /// What kind of thing.
    pub kind: PolicyKind,
    /// Its name among those of its kind.
    pub key: String,
    /// What it is.
    pub body: Value,
    /// The change that made it so.
    pub changed: Changed,
}

/// Who changed something in the policy last, when and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The version that the change made.
    pub version: u64,
    /// By whom.
    pub by: Principal,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub why: Option<String>,
}

/// What can be changed in the policy while the server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolicyKind {
    /// A rule.
    Rule,
    /// What becomes of a capability.
    Capability,
    /// What is said of a tool in place of what it declares.
    Override,
    /// A role.
    Role,
    /// What a tool is.
    Tool,
    /// A grant of a user's.
    Grant,
    /// The configuration's own policy: its version, so that the record says when it changed.
    Configuration,
}

impl PolicyKind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Rule, Self::Capability, Self::Override, Self::Role, Self::Tool, Self::Grant, Self::Configuration];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Capability => "capability",
            Self::Override => "override",
            Self::Role => "role",
            Self::Tool => "tool",
            Self::Grant => "grant",
            Self::Configuration => "configuration",
        }
    }
}

/// One change of the policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyChange {
    /// What kind of thing changes.
    pub kind: PolicyKind,
    /// Its name among those of its kind.
    pub key: String,
    /// What it is from now on; `None` if it is no more.
    pub body: Option<Value>,
    /// Who changed it.
    pub by: Principal,
    /// Why.
    pub why: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl PolicyChange {
    /// What stands after it, if it was made as `version`.
    pub fn item(&self, version: u64) -> Option<PolicyItem> {
        let changed = Changed { version, by: self.by.clone(), at: self.at, why: self.why.clone() };
        Some(PolicyItem { kind: self.kind, key: self.key.clone(), body: self.body.clone()?, changed })
    }
}

/// A change of the policy that was made, and what stood before it.
#[derive(Debug, Clone, PartialEq)]
pub struct PastChange {
    /// The version that it made.
    pub version: u64,
    /// The change.
    pub change: PolicyChange,
    /// What it replaced; `None` if there was nothing.
    pub before: Option<Value>,
}
