//! `/api/permissions/{user_id}`: what a user's agents may do without being asked, and what they never may.

use crate::body::{Body, Named};
use crate::making::Making;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use countersign_domain::principal::{Kind, Role};
use countersign_policy::source::FullGrant;
use countersign_runtime::ports::Once;
use countersign_runtime::{ChangeError, Giving, Side, StoredGrant};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The grants of a user: those that the configuration file names, and those that were given while the server ran.
#[derive(Debug, Serialize, ToSchema)]
pub struct PermissionsBody {
    /// What is allowed.
    allow: Vec<GrantBody>,
    /// What is denied.
    deny: Vec<GrantBody>,
}

/// One grant.
#[derive(Debug, Serialize, ToSchema)]
pub struct GrantBody {
    /// The pattern.
    resource: String,
    /// When it ends.
    expires_at: Option<String>,
    /// Who gave it.
    given_by: Option<String>,
    given_at: Option<String>,
    reason: Option<String>,
    /// `file`: the configuration file, where alone it is changed. `api`: somebody gave it while the server ran.
    source: &'static str,
}

/// A grant to give or to take back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GiveBody {
    /// The pattern: `bash(npm run lint)`.
    resource: String,
    /// When it ends.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    expires_at: Option<Timestamp>,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
}

/// The grants of a user.
#[utoipa::path(
    get, operation_id = "read_permissions", path = "/permissions/{user_id}", tag = "policy",
    params(("user_id" = String, Path, description = "Whose")),
    responses((status = 200, body = PermissionsBody), (status = 401, body = Problem), (status = 403, body = Problem))
)]
pub async fn read(
    State(api): State<Api>,
    who: SignedIn,
    Named(user): Named<String>,
) -> Result<Json<PermissionsBody>, Problem> {
    in_person(&who, &user)?;
    shown(&api, &user).await
}

/// Gives an allow grant. An identical pattern that was denied is so no more.
#[utoipa::path(
    post, operation_id = "allow", path = "/permissions/{user_id}/allow", tag = "policy", request_body = GiveBody,
    params(
        ("user_id" = String, Path, description = "Whose"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same request under the same key makes nothing new")
    ),
    responses(
        (status = 200, body = PermissionsBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)
    )
)]
pub async fn allow(
    State(api): State<Api>,
    who: SignedIn,
    Named(user): Named<String>,
    making: Making<GiveBody>,
) -> Result<Json<PermissionsBody>, Problem> {
    let (body, once) = making.once(&api, &who.0, |_| None)?;
    change(&api, &who, (user, body), Side::Allow, Giving::Give, once).await
}

/// Gives a deny grant. An identical pattern that was allowed is so no more.
#[utoipa::path(
    post, operation_id = "deny", path = "/permissions/{user_id}/deny", tag = "policy", request_body = GiveBody,
    params(
        ("user_id" = String, Path, description = "Whose"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same request under the same key makes nothing new")
    ),
    responses(
        (status = 200, body = PermissionsBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)
    )
)]
pub async fn deny(
    State(api): State<Api>,
    who: SignedIn,
    Named(user): Named<String>,
    making: Making<GiveBody>,
) -> Result<Json<PermissionsBody>, Problem> {
    let (body, once) = making.once(&api, &who.0, |_| None)?;
    change(&api, &who, (user, body), Side::Deny, Giving::Give, once).await
}

/// Takes an allow grant back.
#[utoipa::path(
    delete, operation_id = "take_back_allow", path = "/permissions/{user_id}/allow", tag = "policy",
    request_body = GiveBody, params(("user_id" = String, Path, description = "Whose")),
    responses(
        (status = 200, body = PermissionsBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)
    )
)]
pub async fn take_back_allow(
    State(api): State<Api>,
    who: SignedIn,
    Named(user): Named<String>,
    Body(body): Body<GiveBody>,
) -> Result<Json<PermissionsBody>, Problem> {
    change(&api, &who, (user, body), Side::Allow, Giving::TakeBack, None).await
}

/// Takes a deny grant back.
#[utoipa::path(
    delete, operation_id = "take_back_deny", path = "/permissions/{user_id}/deny", tag = "policy",
    request_body = GiveBody, params(("user_id" = String, Path, description = "Whose")),
    responses(
        (status = 200, body = PermissionsBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)
    )
)]
pub async fn take_back_deny(
    State(api): State<Api>,
    who: SignedIn,
    Named(user): Named<String>,
    Body(body): Body<GiveBody>,
) -> Result<Json<PermissionsBody>, Problem> {
    change(&api, &who, (user, body), Side::Deny, Giving::TakeBack, None).await
}

/// Only the user in person, or an operator. Never an agent, whomever it acts for.
fn in_person(who: &SignedIn, user: &str) -> Result<(), Problem> {
    let person = who.0.kind == Kind::User;
    if person && (who.0.name == user || who.0.role >= Role::Operator) {
        return Ok(());
    }
    Err(Problem::denied("only the user in person or an operator may see and change this"))
}

/// To be asked less often is an answer to what would have been asked.
fn may_loosen(who: &SignedIn, side: Side, giving: Giving) -> Result<(), Problem> {
    let loosens = (side == Side::Allow) == (giving == Giving::Give);
    if loosens && !who.0.is_human() {
        return Err(Problem::denied(
            "a person must allow this who is signed in, not a token of theirs: sign in on the page",
        ));
    }
    if loosens && who.0.role < Role::Approver {
        return Err(Problem::denied("a viewer cannot allow anything: ask an operator for the role `approver`"));
    }
    Ok(())
}

/// The longest pattern and the longest reason, in bytes.
const LONGEST: usize = 10_000;

async fn change(
    api: &Api,
    who: &SignedIn,
    (user, body): (String, GiveBody),
    side: Side,
    giving: Giving,
    once: Option<Once>,
) -> Result<Json<PermissionsBody>, Problem> {
    in_person(who, &user)?;
    may_loosen(who, side, giving)?;
    if body.resource.len() > LONGEST || body.reason.as_ref().is_some_and(|reason| reason.len() > LONGEST) {
        return Err(Problem::invalid(format!("`resource` and `reason` have {LONGEST} bytes at the most")));
    }
    let now = api.runtime.store().now().await?;
    if giving == Giving::Give && body.expires_at.is_some_and(|end| end <= now) {
        return Err(Problem::invalid("`expires_at` is over already"));
    }
    if giving == Giving::TakeBack {
        let grants = api.runtime.grants(&user).await?;
        let there = grants.iter().any(|grant| grant.side == side && grant.grant.resource == body.resource);
        if !there {
            let named = api.runtime.configured_grants(&user);
            if named.iter().any(|(of, grant)| *of == side && grant.resource == body.resource) {
                let detail = "this grant stands in the configuration file, and is changed there";
                return Err(Problem::new(StatusCode::CONFLICT, "FILE_DEFINED", detail));
            }
            return Err(Problem::not_found("there is no such grant"));
        }
    }
    let GiveBody { resource, expires_at, reason } = body;
    let by = Some(who.0.name.clone());
    let grant = FullGrant { resource, expires_at, given_by: by, given_at: Some(now), reason };
    api.runtime.grant(&StoredGrant { user: user.clone(), side, grant }, giving, &who.0, once).await.map_err(refused)?;
    shown(api, &user).await
}

async fn shown(api: &Api, user: &str) -> Result<Json<PermissionsBody>, Problem> {
    let (mut allow, mut deny) = (vec![], vec![]);
    let named = api.runtime.configured_grants(user).into_iter().map(|(side, grant)| ("file", side, grant));
    let given = api.runtime.grants(user).await?.into_iter();
    for (source, side, grant) in named.chain(given.map(|StoredGrant { side, grant, .. }| ("api", side, grant))) {
        let body = GrantBody {
            resource: grant.resource,
            expires_at: grant.expires_at.map(|at| at.to_string()),
            given_by: grant.given_by,
            given_at: grant.given_at.map(|at| at.to_string()),
            reason: grant.reason,
            source,
        };
        match side {
            Side::Allow => allow.push(body),
            Side::Deny => deny.push(body),
        }
    }
    Ok(Json(PermissionsBody { allow, deny }))
}

/// What is no pattern is a bad request here: there is nothing else in the body.
fn refused(error: ChangeError) -> Problem {
    match error {
        ChangeError::Invalid(_) => Problem::invalid(error.to_string()),
        other => other.into(),
    }
}
