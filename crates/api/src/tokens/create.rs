//! `POST /api/tokens`: a new token, shown once.

use super::list::TokenBody;
use crate::making::Making;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use countersign_domain::Principal;
use countersign_domain::principal::{Kind, Role};
use countersign_runtime::principals::{MakeError, make_token};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whose token it will be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTokenBody {
    /// `user`, `agent` or `service`.
    kind: String,
    name: String,
    /// `viewer` (the default), `approver` or `operator`. An agent has none.
    #[serde(default)]
    role: Option<String>,
    /// The groups of approvers that its holder belongs to.
    #[serde(default)]
    groups: Vec<String>,
    /// For an agent: the user it acts for.
    #[serde(default)]
    acts_for: Option<String>,
}

/// A token that was just made.
#[derive(Serialize, ToSchema)]
pub struct MadeTokenBody {
    #[serde(flatten)]
    about: TokenBody,
    /// The token itself. It is shown this once; only its hash is kept.
    token: String,
}

/// Makes a token. For operators.
#[utoipa::path(
    post, operation_id = "create_token", path = "/tokens", tag = "tokens", request_body = NewTokenBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "The same request under the same key makes nothing new")),
    responses(
        (status = 201, body = MadeTokenBody), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem),
        (status = 409, body = Problem, description = "`TOKEN_SHOWN_ONCE`: the same request made the token `id` before, under the same key"),
        (status = 422, body = Problem)
    )
)]
pub async fn create(
    State(api): State<Api>,
    who: SignedIn,
    making: Making<NewTokenBody>,
) -> Result<(StatusCode, Json<MadeTokenBody>), Problem> {
    who.may_manage_tokens()?;
    let (body, once) = making.once(&api, &who.0, |_| None)?;
    let kind: Kind = body.kind.parse().map_err(|wrong| Problem::invalid(format!("`kind`: {wrong}")))?;
    let role = body.role.map_or(Ok(Role::Viewer), |role| role.parse());
    let role: Role = role.map_err(|wrong| Problem::invalid(format!("`role`: {wrong}")))?;
    let principal = Principal { groups: body.groups, acts_for: body.acts_for, ..Principal::new(kind, body.name, role) };
    let made = make_token(api.runtime.store(), principal, Some(&who.0), once).await.map_err(|error| match error {
        MakeError::Store(error) => error.into(),
        MakeError::NoChance => Problem::internal(&error),
        MakeError::OtherRequest(error) => error.into(),
        MakeError::MadeBefore(id) => {
            let detail = "the same request made this token before, under the same key. It was shown then, and cannot be shown \
                          again: if nobody has it, revoke it and make another under a new key";
            Problem::new(StatusCode::CONFLICT, "TOKEN_SHOWN_ONCE", detail).with("id", id)
        }
        wrong => Problem::invalid(wrong.to_string()),
    })?;
    let token = made.secret.reveal().to_owned();
    Ok((StatusCode::CREATED, Json(MadeTokenBody { about: made.entry.into(), token })))
}
