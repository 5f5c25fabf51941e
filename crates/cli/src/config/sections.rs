//! The sections that say how Countersign runs.

use super::Setting;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// The server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// The address to listen on. Default: `127.0.0.1:7717`.
    pub listen: Option<Setting>,
    /// The address that people and agents reach it at.
    pub public_url: Option<Setting>,
    /// How long a browser stays signed in. Default: 12.
    pub session_hours: Option<u32>,
    /// Who counts as a person: whoever has a personal token or session, or (`session`) only a fresh interactive session.
    pub human: Option<Human>,
    /// How many requests one principal may send. Whoever sends more is told to wait.
    pub rate_limit: Option<RateLimitConfig>,
    /// How many streams (of the inbox, of runs) one principal may have open at a time. Default: 100.
    pub max_streams: Option<NonZeroU32>,
    /// How many connections may be open at a time, whoever has them. Others wait to be let in. Default: 10000.
    pub max_connections: Option<NonZeroU32>,
}

/// How many requests one principal may send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimitConfig {
    /// So many a second, for as long as they like. Default: 5000.
    pub per_second: Option<NonZeroU32>,
    /// So many at once, after a pause. Default: twice as many as a second.
    pub burst: Option<NonZeroU32>,
}

/// Who counts as a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Human {
    /// Whoever has a personal token or session.
    Token,
    /// Whoever signed in interactively in the last hours.
    Session,
}

impl From<Human> for countersign_api::Human {
    fn from(human: Human) -> Self {
        match human {
            Human::Token => Self::Token,
            Human::Session => Self::Session,
        }
    }
}

/// Asking people.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HitlConfig {
    /// `false`: nobody is asked, what would be asked is refused. Default: `true`.
    pub enabled: Option<bool>,
    /// How long a question stays open: `1h`.
    #[schemars(with = "Option<String>")]
    pub timeout: Option<SignedDuration>,
    /// How long a program outside may take to report what came of a call that it was allowed: `1h`. Then the call ends as
    /// unknown. Default: `24h`.
    #[schemars(with = "Option<String>")]
    pub report_within: Option<SignedDuration>,
    /// How many questions of one run people may have open. A call that would need one more is refused with the code
    /// `TOO_MANY_QUESTIONS`. Default: 50.
    pub max_open_per_run: Option<NonZeroU32>,
    /// The same for all runs of one agent together, and for all calls that one principal asks for with `POST /api/tool-calls`.
    /// Default: 500.
    pub max_open_per_agent: Option<NonZeroU32>,
    /// What becomes of a call nobody answered about. A time-out never allows. Default: `deny`.
    pub on_timeout: Option<OnTimeout>,
    /// What becomes of a run whose call was rejected. Default: `continue`.
    pub on_reject: Option<OnReject>,
    /// A model looks at dangerous calls that wait, and its words stand beside the question, as advice. Default: none does.
    pub review: Option<ReviewConfig>,
}

/// A model that looks at dangerous calls, and decides nothing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewConfig {
    /// The model: one of `models`.
    pub model: String,
    /// From which risk on calls are looked at. Those of unknown risk always are. Default: `high`.
    pub from: Option<ReviewFrom>,
}

/// From which risk on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewFrom {
    /// All that are asked about.
    Low,
    /// What changes something.
    Medium,
    /// What runs programs or cannot be changed back.
    High,
    /// Money, data of others, production.
    Critical,
}

/// The record.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// The file with the key that signs the log; it is made if it is not there. All nodes on one database need the same.
    /// Default: beside the database file, or in the platform's data folder.
    pub key: Option<Setting>,
    /// The file to which every signed checkpoint is added. Keep copies of it where whoever runs the database cannot change
    /// them. Default: beside the key.
    pub checkpoints: Option<Setting>,
    /// Print every signed checkpoint to standard output, for whoever collects that. Default: `false`.
    pub stdout: Option<bool>,
    /// An address to which every signed checkpoint is posted, as text.
    pub webhook: Option<Setting>,
    /// How long what people, models and tools wrote in a run is kept after the run has ended: `2160h`. That it happened stays.
    /// Default: for ever.
    #[schemars(with = "Option<String>")]
    pub keep_texts: Option<SignedDuration>,
}

/// What becomes of a call nobody answered about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// The call is refused, and the agent is told.
    Deny,
    /// The run is stopped.
    Cancel,
    /// A question of a tool that has a default is answered with it; all else is refused.
    Default,
}

/// What becomes of a run whose call was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    /// The agent is told and goes on.
    Continue,
    /// The run fails.
    Stop,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// The wire format it speaks.
    pub provider: Provider,
    /// The model's name at the provider.
    pub model: Option<Setting>,
    /// Where the provider is, if not at its usual address.
    pub base_url: Option<Setting>,
    /// The key to it: `${OPENAI_API_KEY}`.
    pub api_key: Option<Setting>,
    /// Headers to send along. Their values are kept as secret as the key.
    #[serde(default)]
    pub headers: BTreeMap<String, Setting>,
    /// The most tokens that one answer may have. Default: the provider's; 8192 for `anthropic`, which wants to be told.
    pub max_tokens: Option<NonZeroU32>,
    /// How freely it chooses its words, from 0 to 2. Default: the provider's.
    pub temperature: Option<f64>,
    /// How long it may be silent, before its answer and within it. Default: `2m`.
    #[schemars(with = "Option<String>")]
    pub timeout: Option<SignedDuration>,
    /// For `scripted`: the file with the script.
    pub script: Option<Setting>,
    /// What it costs, for the limits of agents.
    pub price: Option<PriceConfig>,
}

/// What a model costs, in whatever you pay in.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceConfig {
    /// A million tokens that it reads.
    pub input: f64,
    /// A million tokens that it writes.
    pub output: f64,
}

/// The wire formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Anything that speaks the API of OpenAI.
    Openai,
    /// Anthropic's API.
    Anthropic,
    /// A script, for trying things out and for tests.
    Scripted,
}

/// An MCP server: a command to start, or a URL.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpServerConfig {
    /// The program to start.
    pub command: Option<Setting>,
    /// Its arguments.
    pub args: Vec<Setting>,
    /// Its environment variables.
    pub env: BTreeMap<String, Setting>,
    /// Its working folder.
    pub cwd: Option<Setting>,
    /// The address of a server that runs elsewhere.
    pub url: Option<Setting>,
    /// Headers to send to it.
    pub headers: BTreeMap<String, Setting>,
    /// Believe what it says of its own tools.
    pub trusted: Option<bool>,
}
