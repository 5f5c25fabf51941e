//! `/api/capabilities`: what becomes of calls of tools that have a capability.

use super::door::{Changer, GONE, Reader, Why, etag, name, wish};
use super::effect::{EffectBody, full};
use super::listed::{OriginBody, Part};
use crate::body::{Asked, Body, Named};
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use countersign_policy::source::{EffectSource, FullEffect};
use countersign_runtime::Listed;
use countersign_runtime::ports::PolicyKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// What becomes of a capability, and who says so.
#[derive(Debug, Serialize, ToSchema)]
pub struct CapabilityBody {
    /// The capability.
    name: String,
    /// What becomes of calls of tools that have it.
    effect: EffectBody,
    /// Whether a remembered answer or a grant will do.
    remember: Option<bool>,
    /// How many different people or services must approve.
    approvals: Option<u32>,
    /// Groups of people who may answer.
    approvers: Vec<String>,
    #[serde(flatten)]
    origin: OriginBody,
}

/// A page of capabilities.
#[derive(Debug, Serialize, ToSchema)]
pub struct CapabilityPage {
    items: Vec<CapabilityBody>,
    next: Option<String>,
}

/// What is to become of a capability.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CapabilityDraft {
    /// What becomes of calls of tools that have it.
    effect: EffectBody,
    /// `false`: no remembered answer and no grant will do.
    #[serde(default)]
    remember: Option<bool>,
    /// How many different people or services must approve.
    #[serde(default)]
    approvals: Option<u32>,
    /// Groups of people who may answer; nobody else may.
    #[serde(default)]
    approvers: Option<Vec<String>>,
    /// Why it is changed.
    #[serde(default)]
    pub reason: Option<String>,
}

impl CapabilityDraft {
    /// As it is kept.
    pub fn kept(self) -> Value {
        let Self { effect, remember, approvals, approvers, .. } = self;
        let approvers = approvers.unwrap_or_default();
        let full = FullEffect { effect: effect.into(), remember, approvals, approvers };
        serde_json::to_value(EffectSource::Full(full)).unwrap_or_default()
    }
}

impl From<Listed<EffectSource>> for CapabilityBody {
    fn from(Listed { key, thing, changed }: Listed<EffectSource>) -> Self {
        let FullEffect { effect, remember, approvals, approvers } = full(thing);
        Self { name: key, effect: effect.into(), remember, approvals, approvers, origin: changed.into() }
    }
}

/// What becomes of capabilities.
#[utoipa::path(
    get, operation_id = "list_capabilities", path = "/capabilities", tag = "policy", params(Part),
    responses(
        (status = 200, body = CapabilityPage, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem)
    )
)]
pub async fn list(State(api): State<Api>, _: Reader, Asked(part): Asked<Part>) -> Result<impl IntoResponse, Problem> {
    let book = api.runtime.book().await?;
    let (items, next) = part.of(book.capabilities, |one| &one.key)?;
    Ok((etag(book.version), Json(CapabilityPage { items: items.into_iter().map(Into::into).collect(), next })))
}

/// Says what becomes of a capability.
#[utoipa::path(
    put, operation_id = "put_capability", path = "/capabilities/{name}", tag = "policy", request_body = CapabilityDraft,
    params(
        ("name" = String, Path, description = "The capability"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen")
    ),
    responses(
        (status = 200, body = CapabilityBody, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn put(
    State(api): State<Api>,
    changer: Changer,
    Named(key): Named<String>,
    Body(mut draft): Body<CapabilityDraft>,
) -> Result<impl IntoResponse, Problem> {
    let (key, reason) = (name(&key)?, draft.reason.take());
    let wish = wish(PolicyKind::Capability, key.clone(), Some(draft.kept()));
    let version = changer.change(&api, wish, reason).await?;
    let found = api.runtime.book().await?.capabilities.into_iter().find(|one| one.key == key);
    let found = found.ok_or_else(|| Problem::not_found(GONE))?;
    Ok((etag(version), Json(CapabilityBody::from(found))))
}

/// Says nothing of a capability any more.
#[utoipa::path(
    delete, operation_id = "delete_capability", path = "/capabilities/{name}", tag = "policy",
    params(
        ("name" = String, Path, description = "The capability"), Why,
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
    Named(key): Named<String>,
    Asked(Why { reason }): Asked<Why>,
) -> Result<impl IntoResponse, Problem> {
    let version = changer.change(&api, wish(PolicyKind::Capability, key, None), reason).await?;
    Ok((StatusCode::NO_CONTENT, etag(version)))
}
