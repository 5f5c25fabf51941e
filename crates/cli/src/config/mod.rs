//! `countersign.yaml`: one file, everything optional, unknown keys refused with their line.

mod agents;
mod changes;
mod include;
mod odd;
mod sandbox;
mod sections;
mod setting;
mod words;
mod yaml;

pub use agents::{AgentConfig, GroupConfig, LimitsConfig};
pub use changes::Changes;
pub use sandbox::SandboxConfig;
pub use sections::{
    AuditConfig, HitlConfig, McpServerConfig, ModelConfig, OnReject, OnTimeout, PriceConfig, Provider, RateLimitConfig,
    ReviewConfig, ReviewFrom, ServerConfig,
};
pub use setting::Setting;
pub use yaml::from_json;

use crate::failure::Failure;
use countersign_policy::source::{AgentSource, PolicySource, RoleSource, Source, ToolSource};
use countersign_policy::{Place, Policy, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The configuration of Countersign.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The server.
    pub server: ServerConfig,
    /// Where everything is kept: `sqlite://countersign.db` or `postgres://…`.
    pub store: Option<Setting>,
    /// Asking people.
    pub hitl: HitlConfig,
    /// The record.
    pub audit: AuditConfig,
    /// What built-in tools reach of the machine besides the working folder of a run.
    pub sandbox: SandboxConfig,
    /// The models that agents can use.
    pub models: BTreeMap<String, ModelConfig>,
    /// The MCP servers whose tools agents can use.
    pub mcp_servers: BTreeMap<String, McpServerConfig>,
    /// What tools are. Also for tools of MCP servers.
    pub tools: Vec<ToolSource>,
    /// How calls are judged.
    pub policy: PolicySource,
    /// Roles: which tools whoever acts in them may use.
    pub roles: BTreeMap<String, RoleSource>,
    /// Agents that Countersign runs.
    pub agents: BTreeMap<String, AgentConfig>,
    /// Groups of agents that work together.
    pub groups: BTreeMap<String, GroupConfig>,
    /// Further files with agents, groups, roles and tools: `agents/*.yaml`.
    pub include: Vec<String>,
}

/// A configuration that was read, and where.
#[derive(Debug)]
pub struct Loaded {
    /// What it says.
    pub config: Config,
    path: PathBuf,
    places: yaml::Places,
    included: Vec<include::Part>,
}

impl Loaded {
    /// Reads the file at `path` and the files it includes.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
        let mut loaded = Self::parse(&text, path)?;
        loaded.included = include::add_to(&mut loaded.config, path)?;
        Ok(loaded)
    }

    /// Reads `text`, which is called `path` in errors. Nothing is included.
    pub fn parse(text: impl AsRef<[u8]>, path: &Path) -> Result<Self, Failure> {
        let (config, places) = yaml::read(text.as_ref(), path)?;
        Ok(Self { config, path: path.to_owned(), places, included: vec![] })
    }

    /// The folder it stands in.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// The policy that it says.
    pub fn policy(&self) -> Result<Policy, Failure> {
        self.policy_with(vec![])
    }

    /// The same, where `further` paths belong to Countersign itself too.
    pub fn policy_with(&self, further: Vec<String>) -> Result<Policy, Failure> {
        Policy::compile(&self.source_with(further))
            .map_err(|problems| Failure::all(problems.iter().map(|problem| self.locate(problem)).collect()))
    }

    /// What that policy is compiled from.
    pub fn source_with(&self, further: Vec<String>) -> Source {
        // By its name, and where a link of that name leads.
        let own = [std::path::absolute(&self.path), std::fs::canonicalize(&self.path)];
        let own = own.into_iter().flatten().filter_map(|path| path.to_str().map(str::to_owned));
        self.config.source(own.chain(further).collect())
    }

    /// What is wrong at `place`, with its file, line and column.
    pub fn wrong(&self, place: &Place, what: impl std::fmt::Display) -> Failure {
        Failure::new(self.locate(&place.problem(what.to_string())))
    }

    /// What the setting at `place` says, with the environment filled in.
    pub fn expand(&self, setting: Option<&Setting>, place: &Place) -> Result<Option<String>, Failure> {
        let unset = |name| self.wrong(place, format!("the environment variable `{name}` is not set"));
        setting.map(|setting| setting.filled().map_err(unset)).transpose()
    }

    /// A problem with its file, line and column: those of the file that says most of the place.
    pub fn locate(&self, problem: &Problem) -> String {
        let steps = problem.place.steps();
        let own = self.places.of(steps).map(|(followed, at)| (followed, &self.path, at));
        let included = self.included.iter().filter_map(|part| part.of(steps).map(|(n, at)| (n, &part.file, at)));
        // Of two that say as much, the main file.
        match included.chain(own).max_by_key(|(followed, ..)| *followed) {
            Some((_, file, (line, column))) => format!("{}:{line}:{column}: {problem}", file.display()),
            None => format!("{}: {problem}", self.path.display()),
        }
    }
}

impl Config {
    /// What it says about permissions.
    pub fn source(&self, own_paths: Vec<String>) -> Source {
        Source {
            policy: self.policy.clone(),
            tools: self.tools.clone(),
            roles: self.roles.clone(),
            agents: self.agents.iter().map(|(name, agent)| (name.clone(), AgentSource::from(agent))).collect(),
            nobody_to_ask: self.hitl.enabled == Some(false),
            own_paths,
        }
    }
}
