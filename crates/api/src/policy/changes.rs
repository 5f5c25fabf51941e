//! `/api/policy/changes`: who changed what in the policy, when and why; and undoing it.

use super::door::{Changer, etag, stated};
use crate::body::{Asked, Named};
use crate::making::{Making, status};
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use countersign_runtime::Kept;
use countersign_runtime::ports::{PastChange, PolicyChange, PolicyKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// One change of the policy. Each is a version of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct PolicyChangeBody {
    /// The version that it made.
    version: u64,
    /// When.
    at: String,
    /// Who.
    by: String,
    /// Why.
    why: Option<String>,
    /// What kind of thing: `rule`, `capability`, `override`, `role`, `tool`, `grant`, or `configuration` for a file that was
    /// read anew.
    kind: &'static str,
    /// The name of the thing; of a grant its pattern, of an override its tool.
    key: String,
    /// Of a grant or an override: whose it is.
    user_id: Option<String>,
    /// What it was; null if there was nothing.
    before: Option<Value>,
    /// What it is since; null if it is no more.
    after: Option<Value>,
}

/// A page of changes.
#[derive(Debug, Serialize, ToSchema)]
pub struct PolicyChangePage {
    items: Vec<PolicyChangeBody>,
    next: Option<String>,
}

/// Which changes.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// `next` of an earlier page.
    after: Option<u64>,
    /// At most so many, up to 200. Default: 50.
    limit: Option<u32>,
}

/// Why a change is undone.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoBody {
    /// Why.
    #[serde(default)]
    reason: Option<String>,
}

impl From<PastChange> for PolicyChangeBody {
    fn from(PastChange { version, change, before }: PastChange) -> Self {
        let PolicyChange { kind, key, body, by, why, at } = change;
        let owned = matches!(kind, PolicyKind::Grant | PolicyKind::Override);
        let parts = key.split_once('\n').filter(|_| owned);
        let (user_id, key) = parts.map_or((None, key.clone()), |(user, key)| (Some(user.to_owned()), key.to_owned()));
        let (before, after) = (before.map(shown), body.map(shown));
        Self { version, at: at.to_string(), by: by.name, why, kind: kind.word(), key, user_id, before, after }
    }
}

/// A thing without what only keeps it in its place.
fn shown(mut body: Value) -> Value {
    if let Some(body) = body.as_object_mut() {
        body.remove("made");
        body.remove("anchor");
    }
    body
}

/// What was changed in the policy, the newest first, each with what stood before it. For operators: among it are the grants
/// of all users.
#[utoipa::path(
    get, operation_id = "list_policy_changes", path = "/policy/changes", tag = "policy", params(Which),
    responses(
        (status = 200, body = PolicyChangePage, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem)
    )
)]
pub async fn list(
    State(api): State<Api>,
    _: Changer,
    Asked(Which { after, limit }): Asked<Which>,
) -> Result<impl IntoResponse, Problem> {
    let store = api.runtime.store();
    let version = store.policy_version().await?;
    let page = store.policy_history(after, limit.unwrap_or(50).clamp(1, 200)).await?;
    let items = page.items.into_iter().map(PolicyChangeBody::from).collect();
    Ok((etag(version), Json(PolicyChangePage { items, next: page.next })))
}

/// Undoes one change, by another one that makes the thing what it was before. 409 `CHANGED_SINCE` if the thing was changed
/// again.
#[utoipa::path(
    post, operation_id = "undo_policy_change", path = "/policy/changes/{version}/undo", tag = "policy",
    request_body = UndoBody,
    params(
        ("version" = u64, Path, description = "The version that the change made"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` of what was seen"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same request under the same key makes nothing new")
    ),
    responses(
        (status = 200, body = PolicyChangeBody, description = "The same was asked for before, under the same key"),
        (status = 201, body = PolicyChangeBody, headers(("ETag" = String, description = "The version of the policy"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn undo(
    State(api): State<Api>,
    changer: Changer,
    Named(version): Named<u64>,
    making: Making<UndoBody>,
) -> Result<impl IntoResponse, Problem> {
    let (UndoBody { reason }, once) = making.once(&api, &changer.who, |_| None)?;
    let why = stated(reason)?.or_else(|| Some(format!("undoes version {version}")));
    let Kept { version: made, repeated } = api.runtime.undo(version, &changer.who, why, changer.seen, once).await?;
    let page = api.runtime.store().policy_history(made.checked_add(1), 1).await?;
    let change = page.items.into_iter().next().ok_or_else(|| Problem::not_found("there is no such change"))?;
    Ok((status(repeated.into()), etag(made), Json(PolicyChangeBody::from(change))))
}
