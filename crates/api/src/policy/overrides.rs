//! `/api/overrides`: how tools are asked about whatever they declare, for everybody or for one user.

use super::door::{Changer, GONE, Reader, etag, name, wish};
use super::listed::{OriginBody, Part};
use crate::body::{Asked, Body, Named};
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use countersign_policy::source::{Execution, OverrideSource, PermissionLevel, ResultPolicy};
use countersign_runtime::ports::PolicyKind;
use countersign_runtime::{Listed, StoredOverride};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Whether calls of a tool are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutionBody {
    /// Never.
    Auto,
    /// Once for the same call; the answer is remembered.
    AskOnce,
    /// Every time.
    AskAlways,
}

/// Whether results of a tool are held for review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResultReviewBody {
    /// Never.
    Never,
    /// Where the tool failed.
    OnError,
    /// Every time.
    Always,
}

/// An override, and where it comes from.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverrideBody {
    /// The tool: `tool` or `server/tool`, `*` as wildcard.
    tool: String,
    /// Whose it is; null is everybody's.
    user_id: Option<String>,
    /// Whether its calls are asked about.
    execution: Option<ExecutionBody>,
    /// Whether its results are held for review.
    result: Option<ResultReviewBody>,
    #[serde(flatten)]
    origin: OriginBody,
}

/// A page of overrides.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverridePage {
    items: Vec<OverrideBody>,
    next: Option<String>,
}

/// What an override is to say.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OverrideDraft {
    /// Whether its calls are asked about.
    #[serde(default)]
    execution: Option<ExecutionBody>,
    /// Whether its results are held for review.
    #[serde(default)]
    result: Option<ResultReviewBody>,
    /// Why it is changed.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Whose override.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Whose {
    /// Whose; everybody's without it.
    user_id: Option<String>,
}

/// Whose override, and why it is taken away.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct WhoseAndWhy {
    /// Whose; everybody's without it.
    user_id: Option<String>,
    /// Why.
    reason: Option<String>,
}

impl OverrideDraft {
    /// As it is kept.
    pub fn kept(self, tool: &str, user: Option<String>) -> Result<StoredOverride, Problem> {
        if self.execution.is_none() && self.result.is_none() {
            return Err(Problem::invalid("an override says `execution`, `result` or both"));
        }
        let says = OverrideSource {
            execution: self.execution.map(Into::into),
            result: self.result.map(Into::into),
            ..OverrideSource::default()
        };
        let user = user.map(|user| name(&user)).transpose()?;
        Ok(StoredOverride { user, tool: name(tool)?, says })
    }
}

impl From<ExecutionBody> for Execution {
    fn from(body: ExecutionBody) -> Self {
        match body {
            ExecutionBody::Auto => Self::Auto,
            ExecutionBody::AskOnce => Self::AskOnce,
            ExecutionBody::AskAlways => Self::AskAlways,
        }
    }
}

impl From<Execution> for ExecutionBody {
    fn from(execution: Execution) -> Self {
        match execution {
            Execution::Auto => Self::Auto,
            Execution::AskOnce => Self::AskOnce,
            Execution::AskAlways => Self::AskAlways,
        }
    }
}

impl From<ResultReviewBody> for ResultPolicy {
    fn from(body: ResultReviewBody) -> Self {
        match body {
            ResultReviewBody::Never => Self::Never,
            ResultReviewBody::OnError => Self::OnError,
            ResultReviewBody::Always => Self::Always,
        }
    }
}

impl From<ResultPolicy> for ResultReviewBody {
    fn from(policy: ResultPolicy) -> Self {
        match policy {
            ResultPolicy::Never => Self::Never,
            ResultPolicy::OnError => Self::OnError,
            ResultPolicy::Always => Self::Always,
        }
    }
}

impl From<Listed<StoredOverride>> for OverrideBody {
    fn from(Listed { thing: StoredOverride { user, tool, says }, changed, .. }: Listed<StoredOverride>) -> Self {
        // Older spellings, as the policy reads them: a new one beside them wins, among them the strictest.
        let level = says.permission_level.map(|level| match level {
            PermissionLevel::Public => Execution::Auto,
            PermissionLevel::Moderate => Execution::AskOnce,
            PermissionLevel::Sensitive => Execution::AskAlways,
        });
        let asks = says.require_execution_approval.map(|ask| if ask { Execution::AskOnce } else { Execution::Auto });
        let held =
            says.require_result_approval.map(|held| if held { ResultPolicy::Always } else { ResultPolicy::Never });
        Self {
            tool,
            user_id: user,
            execution: says.execution.or(level.max(asks)).map(Into::into),
            result: says.result.or(held).map(Into::into),
            origin: changed.into(),
        }
    }
}

/// All overrides, everybody's and single users'.
#[utoipa::path(
    get, operation_id = "list_overrides", path = "/overrides", tag = "policy", params(Part),
    responses(
        (status = 200, body = OverridePage, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem)
    )
)]
pub async fn list(State(api): State<Api>, _: Reader, Asked(part): Asked<Part>) -> Result<impl IntoResponse, Problem> {
    let book = api.runtime.book().await?;
    let (items, next) = part.of(book.overrides, |one| &one.key)?;
    Ok((etag(book.version), Json(OverridePage { items: items.into_iter().map(Into::into).collect(), next })))
}

/// The overrides of one tool, everybody's and single users'.
#[utoipa::path(
    get, operation_id = "read_overrides", path = "/overrides/{tool}", tag = "policy",
    params(("tool" = String, Path, description = "The tool: `tool` or `server/tool`, the slash as `%2F`")),
    responses(
        (status = 200, body = OverridePage, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)
    )
)]
pub async fn read(State(api): State<Api>, _: Reader, Named(tool): Named<String>) -> Result<impl IntoResponse, Problem> {
    let book = api.runtime.book().await?;
    let items = book.overrides.into_iter().filter(|one| one.thing.tool == tool).map(Into::into).collect();
    Ok((etag(book.version), Json(OverridePage { items, next: None })))
}

/// Makes an override what the body says.
#[utoipa::path(
    put, operation_id = "put_override", path = "/overrides/{tool}", tag = "policy", request_body = OverrideDraft,
    params(
        ("tool" = String, Path, description = "The tool: `tool` or `server/tool`, the slash as `%2F`"), Whose,
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen")
    ),
    responses(
        (status = 200, body = OverrideBody, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn put(
    State(api): State<Api>,
    changer: Changer,
    Named(tool): Named<String>,
    Asked(Whose { user_id }): Asked<Whose>,
    Body(mut draft): Body<OverrideDraft>,
) -> Result<impl IntoResponse, Problem> {
    let reason = draft.reason.take();
    let kept = draft.kept(&tool, user_id)?;
    let (key, body) = (kept.key(), serde_json::to_value(&kept).unwrap_or_default());
    let version = changer.change(&api, wish(PolicyKind::Override, key.clone(), Some(body)), reason).await?;
    let found = api.runtime.book().await?.overrides.into_iter().find(|one| one.key == key);
    let found = found.ok_or_else(|| Problem::not_found(GONE))?;
    Ok((etag(version), Json(OverrideBody::from(found))))
}

/// Takes an override away.
#[utoipa::path(
    delete, operation_id = "delete_override", path = "/overrides/{tool}", tag = "policy",
    params(
        ("tool" = String, Path, description = "The tool: `tool` or `server/tool`, the slash as `%2F`"), WhoseAndWhy,
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
    Asked(WhoseAndWhy { user_id, reason }): Asked<WhoseAndWhy>,
) -> Result<impl IntoResponse, Problem> {
    let key = StoredOverride { user: user_id, tool, says: OverrideSource::default() }.key();
    let version = changer.change(&api, wish(PolicyKind::Override, key, None), reason).await?;
    Ok((StatusCode::NO_CONTENT, etag(version)))
}
