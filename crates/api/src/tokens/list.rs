//! `GET /api/tokens`: all of them, the oldest first; nothing that could be used as one.

use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_runtime::ports::TokenEntry;
use serde::Serialize;
use utoipa::ToSchema;

/// What is told of a token.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenBody {
    /// `tok_…`: no secret.
    id: String,
    /// `user`, `agent` or `service`.
    kind: &'static str,
    name: String,
    /// `viewer`, `approver` or `operator`.
    role: &'static str,
    /// The groups of approvers that its holder belongs to.
    groups: Vec<String>,
    /// For an agent: the user it acts for.
    acts_for: Option<String>,
    created_at: String,
    /// Since when it does not hold any more.
    revoked_at: Option<String>,
}

impl From<TokenEntry> for TokenBody {
    fn from(entry: TokenEntry) -> Self {
        let who = entry.principal;
        Self {
            id: entry.id,
            kind: who.kind.word(),
            name: who.name,
            role: who.role.word(),
            groups: who.groups,
            acts_for: who.acts_for,
            created_at: entry.created_at.to_string(),
            revoked_at: entry.ended_at.map(|at| at.to_string()),
        }
    }
}

/// All tokens: there are as many as somebody made.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenPage {
    items: Vec<TokenBody>,
    /// Always null: all are on one page.
    next: Option<String>,
}

/// All tokens, the oldest first. For operators.
#[utoipa::path(
    get, operation_id = "list_tokens", path = "/tokens", tag = "tokens",
    responses((status = 200, body = TokenPage), (status = 401, body = Problem), (status = 403, body = Problem))
)]
pub async fn list(State(api): State<Api>, who: SignedIn) -> Result<Json<TokenPage>, Problem> {
    who.may_manage_tokens()?;
    let items = api.runtime.store().tokens().await?.into_iter().map(Into::into).collect();
    Ok(Json(TokenPage { items, next: None }))
}
