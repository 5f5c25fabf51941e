//! Tools, as they are declared, with the older spellings.

use super::RiskName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a tool is. Where several entries fit a tool, the first that says a thing counts; what none says comes from the
/// built-in table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSource {
    /// The MCP server it belongs to; none for built-in tools and those of outside programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Its name, `*` as wildcard.
    pub tool: String,
    /// What it does, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it is able to do: `read_file`, `write_db`, or names of your own.
    #[serde(default, alias = "capability", skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    /// How dangerous it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskName>,
    /// Which argument names what a call touches, and of what kind it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceSource>,
    /// The arguments it knows. A call with any other is asked about, whatever allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// How long it may take: `30s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<jiff::SignedDuration>,
    /// Whether running it twice does no more than running it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// Whether its calls are asked about.
    #[serde(default, alias = "executionPolicy", skip_serializing_if = "Option::is_none")]
    pub execution: Option<Execution>,
    /// Whether its results are held for review.
    #[serde(default, alias = "resultApprovalPolicy", skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultPolicy>,
    /// Older spelling: `public` is `auto`, `moderate` is `ask-once`, `sensitive` is `ask-always`.
    #[serde(default, rename = "permissionLevel", alias = "permission_level", skip_serializing_if = "Option::is_none")]
    pub permission_level: Option<PermissionLevel>,
    /// Older spelling: `false` is `auto`, `true` is `ask-once`.
    #[serde(
        default,
        rename = "requireExecutionApproval",
        alias = "require_execution_approval",
        skip_serializing_if = "Option::is_none"
    )]
    pub require_execution_approval: Option<bool>,
    /// Older spelling: `true` is `result: always`, `false` is `result: never`.
    #[serde(
        default,
        rename = "requireResultApproval",
        alias = "require_result_approval",
        skip_serializing_if = "Option::is_none"
    )]
    pub require_result_approval: Option<bool>,
    /// Older spelling: allowed or refused where no grant speaks.
    #[serde(default, alias = "defaultPermissionPolicy", skip_serializing_if = "Option::is_none")]
    pub default_permission_policy: Option<DefaultPermission>,
}

/// How a tool is asked about, whatever it declares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OverrideSource {
    /// Whether its calls are asked about.
    #[serde(alias = "executionPolicy", skip_serializing_if = "Option::is_none")]
    pub execution: Option<Execution>,
    /// Whether its results are held for review.
    #[serde(alias = "resultApprovalPolicy", skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultPolicy>,
    /// Older spelling: `public` is `auto`, `moderate` is `ask-once`, `sensitive` is `ask-always`.
    #[serde(rename = "permissionLevel", alias = "permission_level", skip_serializing_if = "Option::is_none")]
    pub permission_level: Option<PermissionLevel>,
    /// Older spelling: `false` is `auto`, `true` is `ask-once`.
    #[serde(
        rename = "requireExecutionApproval",
        alias = "require_execution_approval",
        skip_serializing_if = "Option::is_none"
    )]
    pub require_execution_approval: Option<bool>,
    /// Older spelling: `true` is `result: always`, `false` is `result: never`.
    #[serde(
        rename = "requireResultApproval",
        alias = "require_result_approval",
        skip_serializing_if = "Option::is_none"
    )]
    pub require_result_approval: Option<bool>,
}

/// Whether calls of a tool are asked about, from least to most strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Execution {
    /// Never.
    Auto,
    /// Once for the same call; the answer is remembered.
    AskOnce,
    /// Every time.
    AskAlways,
}

/// Whether results of a tool are held for review, from least to most strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResultPolicy {
    /// Never.
    Never,
    /// Where the tool failed.
    OnError,
    /// Every time.
    Always,
}

/// The older spelling of [`Execution`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionLevel {
    /// `auto`.
    Public,
    /// `ask-once`.
    Moderate,
    /// `ask-always`.
    Sensitive,
}

/// The older spelling of a tool's own verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefaultPermission {
    /// Allowed.
    Allow,
    /// Refused.
    Deny,
}

/// The kind of a tool's resource and the argument, or arguments, that name it. Exactly one kind; `none: true` for a
/// tool that touches nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceSource {
    /// A command line for a POSIX shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<OneOrMany>,
    /// A path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<OneOrMany>,
    /// A URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<OneOrMany>,
    /// Text; `"*"` for all arguments as canonical JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<OneOrMany>,
    /// Nothing that could be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub none: Option<bool>,
}

/// One argument's name, or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl OneOrMany {
    /// The names.
    pub fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}
