//! What the configuration says about permissions, as plain data. [`crate::compile`] turns it into a [`crate::Policy`].
//!
//! Unknown keys are refused everywhere. The comments on these types are the reference: the JSON Schema carries them.

mod context;
mod effect;
mod rule;
mod test;
mod tool;
mod user;

pub use context::{ApprovalSource, ContextSource, DecisionSource, PrincipalKind, PrincipalSource, RememberedSource};
pub use effect::{EffectName, EffectSource, FullEffect, RiskEffect, RiskEffects, RiskName, Silence};
pub use rule::{AutoApprove, RuleSource};
pub use test::{Expectation, TestCall, TestSource};
pub use tool::{
    DefaultPermission, Execution, OneOrMany, OverrideSource, PermissionLevel, ResourceSource, ResultPolicy, ToolSource,
};
pub use user::{FullGrant, GrantSource, UserSource};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything a policy is made of.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Source {
    /// The section `policy`.
    pub policy: PolicySource,
    /// The section `tools`.
    pub tools: Vec<ToolSource>,
    /// The section `roles`.
    pub roles: BTreeMap<String, RoleSource>,
    /// What the section `agents` says about permissions.
    pub agents: BTreeMap<String, AgentSource>,
    /// `hitl.enabled: false`: every question is a refusal.
    pub nobody_to_ask: bool,
    /// Countersign's own files, as absolute paths: denied to every tool.
    pub own_paths: Vec<String>,
}

/// How calls are judged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicySource {
    /// `false` leaves only boundaries, denials and what a person must decide; everything else is allowed. Default: `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The verdict where nothing speaks: `ask` (the default) or `deny`.
    pub default: Silence,
    /// What follows from a tool's risk where nothing else speaks.
    pub risk: RiskEffects,
    /// Policies of capabilities: `write_db: require_approval`.
    pub capabilities: BTreeMap<String, EffectSource>,
    /// The rules, looked at by priority ascending and then in this order; the first that matches counts.
    pub rules: Vec<RuleSource>,
    /// How tools are asked about, for everybody, whatever the tool declares.
    pub overrides: BTreeMap<String, OverrideSource>,
    /// Grants and overrides of single users.
    pub users: BTreeMap<String, UserSource>,
    /// Calls and the verdicts they must get: run by `countersign policy test`.
    pub tests: Vec<TestSource>,
}

/// A role: which tools whoever acts in it may use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoleSource {
    /// What the role is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Only these tools, if there is a list; an empty list is none at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Never these tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied_tools: Option<Vec<String>>,
}

/// What an agent's definition says about permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AgentSource {
    /// Only these tools, if there is a list.
    pub tools: Option<Vec<String>>,
    /// The role it acts in, where a call names none.
    pub role: Option<String>,
    /// `false`: nobody is asked for this agent, what would be asked is refused.
    pub enable_hitl: Option<bool>,
    /// `false`: as `policy.enabled: false`, for this agent.
    pub enable_permissions: Option<bool>,
}
