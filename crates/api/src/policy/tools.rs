//! `/api/tools`: what is known of every tool, and what is said of it.

use super::door::{Changer, GONE, Why, etag, name, wish};
use super::listed::{OriginBody, Part};
use super::overrides::{ExecutionBody, ResultReviewBody};
use crate::body::{Asked, Body, Named};
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use countersign_policy::source::{OneOrMany, ResourceSource, RiskName, ToolSource};
use countersign_runtime::ports::PolicyKind;
use countersign_runtime::tool_key;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// How dangerous a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RiskBody {
    /// Reads what is harmless.
    Low,
    /// Changes what can be changed back.
    Medium,
    /// Runs programs, changes what cannot be changed back.
    High,
    /// Money, data of others, production.
    Critical,
    /// Nobody knows: nothing follows from it.
    Unknown,
}

/// The kind of a tool's resource and the arguments that name it: exactly one kind, or `none: true` for a tool that touches
/// nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResourceBody {
    /// A command line for a POSIX shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// A path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<String>>,
    /// A URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Vec<String>>,
    /// Text; `["*"]` for all arguments as canonical JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Vec<String>>,
    /// Nothing that could be named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<bool>,
}

/// A tool, and what is known of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolBody {
    /// The server it belongs to; null for built-in tools and those of outside programs.
    pub server: Option<String>,
    /// Its name; in an entry about several tools, `*` as wildcard.
    pub tool: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, for a tool that agents can use here.
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<Value>,
    /// What it is able to do.
    pub capabilities: Vec<String>,
    /// How dangerous it is.
    pub risk: &'static str,
    /// Which arguments name what a call touches.
    pub resource: ResourceBody,
    /// The arguments it knows; null where nobody says.
    pub arguments: Option<Vec<String>>,
    /// Whether its calls are asked about where nothing above the tool speaks, overrides included: `auto`, `ask-once`,
    /// `ask-always` or `deny`; null where nobody says.
    pub execution: Option<&'static str>,
    /// Whether its results are held for review, overrides included.
    pub result: ResultReviewBody,
    /// How long it may take, in seconds, where somebody says.
    pub timeout_seconds: Option<f64>,
    /// Whether running it twice does no more than running it once, where somebody says.
    pub idempotent: Option<bool>,
    /// `built-in`, or as of everything in the policy `file` or `api`: whoever says something of it first.
    pub source: &'static str,
    /// What was said of it while the server ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<OriginBody>,
}

/// A page of tools.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolPage {
    items: Vec<ToolBody>,
    next: Option<String>,
}

/// What is to be said of a tool. What is left out stays as the tool has it.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolDraft {
    /// What it does, for people.
    #[serde(default)]
    description: Option<String>,
    /// What it is able to do.
    #[serde(default)]
    capabilities: Option<Vec<String>>,
    /// How dangerous it is.
    #[serde(default)]
    risk: Option<RiskBody>,
    /// Which arguments name what a call touches.
    #[serde(default)]
    resource: Option<ResourceBody>,
    /// The arguments it knows. A call with any other is asked about, whatever allows it.
    #[serde(default)]
    arguments: Option<Vec<String>>,
    /// Whether its calls are asked about.
    #[serde(default)]
    execution: Option<ExecutionBody>,
    /// Whether its results are held for review.
    #[serde(default)]
    result: Option<ResultReviewBody>,
    /// How long it may take: `30s`.
    #[serde(default)]
    timeout: Option<String>,
    /// Whether running it twice does no more than running it once.
    #[serde(default)]
    idempotent: Option<bool>,
    /// Why it is changed.
    #[serde(default)]
    pub reason: Option<String>,
}

/// An entry about the tool of this name, which says nothing.
pub fn entry_of(key: &str) -> ToolSource {
    let (server, tool) = key.split_once('/').map_or((None, key), |(server, tool)| (Some(server.to_owned()), tool));
    ToolSource { server, tool: tool.to_owned(), ..ToolSource::default() }
}

impl ToolDraft {
    /// As it is kept, for the tool of this name.
    pub fn kept(self, key: &str) -> Result<Value, Problem> {
        let timeout = self.timeout.map(|text| text.parse::<SignedDuration>()).transpose();
        let timeout = timeout.map_err(|_| Problem::invalid("`timeout` is a time such as `30s` or `5m`"))?;
        let source = ToolSource {
            description: self.description,
            capabilities: self.capabilities,
            risk: self.risk.map(Into::into),
            resource: self.resource.map(Into::into),
            arguments: self.arguments,
            timeout,
            idempotent: self.idempotent,
            execution: self.execution.map(Into::into),
            result: self.result.map(Into::into),
            ..entry_of(key)
        };
        Ok(serde_json::to_value(source).unwrap_or_default())
    }
}

impl From<RiskBody> for RiskName {
    fn from(body: RiskBody) -> Self {
        match body {
            RiskBody::Low => Self::Low,
            RiskBody::Medium => Self::Medium,
            RiskBody::High => Self::High,
            RiskBody::Critical => Self::Critical,
            RiskBody::Unknown => Self::Unknown,
        }
    }
}

impl From<ResourceBody> for ResourceSource {
    fn from(ResourceBody { command, path, url, text, none }: ResourceBody) -> Self {
        let many = |names: Option<Vec<String>>| names.map(OneOrMany::Many);
        Self { command: many(command), path: many(path), url: many(url), text: many(text), none }
    }
}

/// All known tools: those that agents can use here, the built-in ones, and whatever the configuration file or somebody
/// since said something of.
#[utoipa::path(
    get, operation_id = "list_tools", path = "/tools", tag = "policy", params(Part),
    responses(
        (status = 200, body = ToolPage, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem)
    )
)]
pub async fn list(State(api): State<Api>, _: SignedIn, Asked(part): Asked<Part>) -> Result<impl IntoResponse, Problem> {
    let book = api.runtime.book().await?;
    let (items, next) = part.of(super::catalog::all(&book), |(key, _)| key)?;
    Ok((etag(book.version), Json(ToolPage { items: items.into_iter().map(|(_, tool)| tool).collect(), next })))
}

/// Says what a tool is.
#[utoipa::path(
    put, operation_id = "put_tool", path = "/tools/{tool}", tag = "policy", request_body = ToolDraft,
    params(
        ("tool" = String, Path, description = "The tool: `tool` or `server/tool`, the slash as `%2F`"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen")
    ),
    responses(
        (status = 200, body = ToolBody, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn put(
    State(api): State<Api>,
    changer: Changer,
    Named(tool): Named<String>,
    Body(mut draft): Body<ToolDraft>,
) -> Result<impl IntoResponse, Problem> {
    let reason = draft.reason.take();
    let key = tool_key(&entry_of(&name(&tool)?));
    let body = draft.kept(&key)?;
    let version = changer.change(&api, wish(PolicyKind::Tool, key.clone(), Some(body)), reason).await?;
    let all = super::catalog::all(&api.runtime.book().await?);
    let found = all.into_iter().find(|(own, _)| *own == key).map(|(_, tool)| Json(tool));
    Ok((etag(version), found.ok_or_else(|| Problem::not_found(GONE))?))
}

/// Says nothing of a tool any more.
#[utoipa::path(
    delete, operation_id = "delete_tool", path = "/tools/{tool}", tag = "policy",
    params(
        ("tool" = String, Path, description = "The tool: `tool` or `server/tool`, the slash as `%2F`"), Why,
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen")
    ),
    responses(
        (status = 204, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn delete(
    State(api): State<Api>,
    changer: Changer,
    Named(tool): Named<String>,
    Asked(Why { reason }): Asked<Why>,
) -> Result<impl IntoResponse, Problem> {
    let version = changer.change(&api, wish(PolicyKind::Tool, tool, None), reason).await?;
    Ok((StatusCode::NO_CONTENT, etag(version)))
}
