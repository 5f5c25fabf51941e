//! Where the configuration comes from, to be read anew while the server runs.

use crate::ports::Tool;
use crate::{Agent, Reviewer, Settings};
use countersign_policy::Policy;
use countersign_policy::source::Source;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where the configuration comes from.
pub trait Origin: Send + Sync + 'static {
    /// Reads it as it is now. Nothing comes of that yet.
    fn read(&self) -> Result<Fresh, BadConfiguration>;

    /// What was read last is in force.
    fn accepted(&self);
}

/// What can change while the server runs.
pub struct Configuration {
    /// How calls are judged, before anything was changed while the server ran.
    pub policy: Policy,
    /// What that policy was compiled from.
    pub source: Source,
    /// The agents that can be run, by name.
    pub agents: BTreeMap<String, Agent>,
    /// The tools that they can use.
    pub tools: Vec<Arc<dyn Tool>>,
    /// How long things last.
    pub settings: Settings,
    /// Whoever looks at dangerous calls that wait, beside the people who decide.
    pub review: Option<Reviewer>,
}

/// A configuration that was read anew.
pub struct Fresh {
    /// What it says.
    pub configuration: Configuration,
    /// Where it differs from the one in force, as places: `agents.assistant`.
    pub changed: Vec<String>,
    /// Where it differs in what counts only after a restart: `server.listen`.
    pub needs_restart: Vec<String>,
}

/// Why a configuration cannot be used: each problem with file, line and reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct BadConfiguration(pub Vec<String>);
