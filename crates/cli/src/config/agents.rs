//! Agents and groups, as the configuration defines them.

use super::Setting;
use countersign_policy::source::AgentSource;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;

/// An agent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentConfig {
    /// What it is for.
    pub description: Option<String>,
    /// The model it uses, by its name in `models`.
    pub model: Option<String>,
    /// What it is told first.
    pub system_prompt: Option<Setting>,
    /// The tools it may use, if there is a list: `[file_read, bash, fs-server/*]`.
    pub tools: Option<Vec<String>>,
    /// The role it acts in.
    pub role: Option<String>,
    /// `false`: nobody is asked for this agent, what would be asked is refused. Default: `true`.
    pub enable_hitl: Option<bool>,
    /// `false`: only boundaries, denials and what a person must decide hold for this agent. Default: `true`.
    pub enable_permissions: Option<bool>,
    /// How far its runs may go: `{ turns: 20, tokens: 200000, time: 10m, cost: 0.50 }`. A run that comes to one of them ends.
    pub limits: LimitsConfig,
}

/// How far a run may go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsConfig {
    /// Turns of the model. Default: 50.
    pub turns: Option<u32>,
    /// Tokens that the model reads and writes, together.
    pub tokens: Option<u64>,
    /// How long it may be at work: `10m`. While it waits for somebody, its time stands still.
    #[schemars(with = "Option<String>")]
    pub time: Option<SignedDuration>,
    /// What it may cost, by the `price` of its model.
    pub cost: Option<f64>,
}

impl From<&AgentConfig> for AgentSource {
    fn from(agent: &AgentConfig) -> Self {
        Self {
            tools: agent.tools.clone(),
            role: agent.role.clone(),
            enable_hitl: agent.enable_hitl,
            enable_permissions: agent.enable_permissions,
        }
    }
}

/// A group of agents that work together.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GroupConfig {
    /// What it is for.
    pub description: Option<String>,
    /// Its members.
    pub members: Vec<MemberConfig>,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberConfig {
    /// The agent, by its name in `agents`.
    pub agent: String,
    /// The role it acts in here.
    pub role: Option<String>,
    /// Whether it leads the group.
    #[serde(default)]
    pub lead: bool,
}
