//! `GET /api/me`, `POST /api/sign-in`, `POST /api/sign-out`.

use super::{SignedIn, cookie};
use crate::body::Body;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use countersign_domain::Principal;
use countersign_domain::principal::Kind;
use countersign_runtime::ports::TokenForm;
use countersign_runtime::principals::make_session;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Somebody who is signed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct PrincipalBody {
    /// `user`, `agent` or `service`.
    kind: &'static str,
    /// Their name.
    name: String,
    /// `viewer`, `approver` or `operator`.
    role: &'static str,
    /// The groups of approvers they belong to.
    groups: Vec<String>,
    /// For an agent: the user it acts for.
    acts_for: Option<String>,
}

impl From<Principal> for PrincipalBody {
    fn from(who: Principal) -> Self {
        Self {
            kind: who.kind.word(),
            name: who.name,
            role: who.role.word(),
            groups: who.groups,
            acts_for: who.acts_for,
        }
    }
}

/// Who am I?
#[utoipa::path(get, path = "/me", tag = "sign-in", responses((status = 200, body = PrincipalBody), (status = 401, body = Problem)))]
pub async fn me(SignedIn(who): SignedIn) -> Json<PrincipalBody> {
    Json(who.into())
}

/// One of the two.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInBody {
    /// The secret of a one-time sign-in link.
    #[serde(default)]
    link: Option<String>,
    /// A personal token.
    #[serde(default)]
    token: Option<String>,
}

/// Signs a browser in, with a one-time link or a personal token.
#[utoipa::path(
    post, path = "/sign-in", tag = "sign-in", security(()), request_body = SignInBody,
    responses((status = 200, body = PrincipalBody), (status = 400, body = Problem), (status = 401, body = Problem))
)]
pub async fn sign_in(
    State(api): State<Api>,
    headers: HeaderMap,
    Body(body): Body<SignInBody>,
) -> Result<Response, Problem> {
    let (secret, form) = match (body.link, body.token) {
        (Some(link), None) => (link, TokenForm::Link),
        (None, Some(token)) => (token, TokenForm::Token),
        _ => return Err(Problem::invalid("send either `link` or `token`")),
    };
    let entry = api.runtime.whose(secret.trim(), form).await?.ok_or_else(|| {
        let detail = match form {
            TokenForm::Link => {
                "this link was used already or has ended: start the server with --sign-in-link for a new one, or sign in with a token"
            }
            _ => "this is no token that holds",
        };
        Problem::new(StatusCode::UNAUTHORIZED, "UNAUTHENTICATED", detail)
    })?;
    let who = entry.principal.clone();
    if who.kind != Kind::User {
        return Err(Problem::denied("only a person signs in; agents and services send their token with each request"));
    }
    let session =
        make_session(api.runtime.store(), entry, api.site.session).await.map_err(|error| Problem::internal(&error))?;
    // Whoever was signed in here is so no more.
    end_session(&api, &headers).await?;
    let cookie = cookie::of(&api.site, session.reveal());
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Json(PrincipalBody::from(who))).into_response())
}

/// Ends the browser's session.
#[utoipa::path(post, path = "/sign-out", tag = "sign-in", security(()), responses((status = 204)))]
pub async fn sign_out(State(api): State<Api>, headers: HeaderMap) -> Result<Response, Problem> {
    end_session(&api, &headers).await?;
    let cookie = cookie::gone(&api.site);
    Ok((StatusCode::NO_CONTENT, AppendHeaders([(header::SET_COOKIE, cookie)])).into_response())
}

async fn end_session(api: &Api, headers: &HeaderMap) -> Result<(), Problem> {
    if let Some(session) = cookie::session(&api.site, headers)
        && let Some(entry) = api.runtime.whose(session, TokenForm::Session).await?
    {
        let store = api.runtime.store();
        store.revoke(&entry.id, Some(&entry.principal), store.now().await?).await?;
    }
    Ok(())
}
