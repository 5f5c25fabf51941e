//! `/api/roles`: which tools whoever acts in a role may use.

use super::door::{Changer, GONE, Reader, Why, etag, name, wish};
use super::listed::{OriginBody, Part};
use crate::body::{Asked, Body, Named};
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use countersign_policy::source::RoleSource;
use countersign_runtime::Listed;
use countersign_runtime::ports::PolicyKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A role, and where it comes from.
#[derive(Debug, Serialize, ToSchema)]
pub struct RoleBody {
    /// Its name.
    name: String,
    /// What it is for.
    description: Option<String>,
    /// Only these tools; null is no restriction, an empty list none at all.
    allowed_tools: Option<Vec<String>>,
    /// Never these tools.
    denied_tools: Option<Vec<String>>,
    #[serde(flatten)]
    origin: OriginBody,
}

/// A page of roles.
#[derive(Debug, Serialize, ToSchema)]
pub struct RolePage {
    items: Vec<RoleBody>,
    next: Option<String>,
}

/// What a role is to be.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleDraft {
    /// What it is for.
    #[serde(default)]
    description: Option<String>,
    /// Only these tools; null is no restriction, an empty list none at all.
    #[serde(default)]
    allowed_tools: Option<Vec<String>>,
    /// Never these tools.
    #[serde(default)]
    denied_tools: Option<Vec<String>>,
    /// Why it is changed.
    #[serde(default)]
    pub reason: Option<String>,
}

impl RoleDraft {
    /// As it is kept.
    pub fn kept(self) -> Value {
        let Self { description, allowed_tools, denied_tools, .. } = self;
        serde_json::to_value(RoleSource { description, allowed_tools, denied_tools }).unwrap_or_default()
    }
}

impl From<Listed<RoleSource>> for RoleBody {
    fn from(Listed { key, thing, changed }: Listed<RoleSource>) -> Self {
        let RoleSource { description, allowed_tools, denied_tools } = thing;
        Self { name: key, description, allowed_tools, denied_tools, origin: changed.into() }
    }
}

/// The roles.
#[utoipa::path(
    get, operation_id = "list_roles", path = "/roles", tag = "policy", params(Part),
    responses(
        (status = 200, body = RolePage, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem)
    )
)]
pub async fn list(State(api): State<Api>, _: Reader, Asked(part): Asked<Part>) -> Result<impl IntoResponse, Problem> {
    let book = api.runtime.book().await?;
    let (items, next) = part.of(book.roles, |one| &one.key)?;
    Ok((etag(book.version), Json(RolePage { items: items.into_iter().map(Into::into).collect(), next })))
}

/// Makes a role what the body says.
#[utoipa::path(
    put, operation_id = "put_role", path = "/roles/{name}", tag = "policy", request_body = RoleDraft,
    params(
        ("name" = String, Path, description = "The role's name"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen")
    ),
    responses(
        (status = 200, body = RoleBody, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn put(
    State(api): State<Api>,
    changer: Changer,
    Named(key): Named<String>,
    Body(mut draft): Body<RoleDraft>,
) -> Result<impl IntoResponse, Problem> {
    let (key, reason) = (name(&key)?, draft.reason.take());
    let version = changer.change(&api, wish(PolicyKind::Role, key.clone(), Some(draft.kept())), reason).await?;
    let found = api.runtime.book().await?.roles.into_iter().find(|one| one.key == key);
    let found = found.ok_or_else(|| Problem::not_found(GONE))?;
    Ok((etag(version), Json(RoleBody::from(found))))
}

/// Takes a role away. Whoever acts in it from then on may use nothing.
#[utoipa::path(
    delete, operation_id = "delete_role", path = "/roles/{name}", tag = "policy",
    params(
        ("name" = String, Path, description = "The role's name"), Why,
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
    let version = changer.change(&api, wish(PolicyKind::Role, key, None), reason).await?;
    Ok((StatusCode::NO_CONTENT, etag(version)))
}
