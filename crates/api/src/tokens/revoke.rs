//! `DELETE /api/tokens/{id}`: ends a token, and the sessions that were opened with it.

use crate::body::Named;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::extract::State;
use axum::http::StatusCode;

/// Ends a token and the sessions that were opened with it. Ending it again changes nothing. For operators.
#[utoipa::path(
    delete, operation_id = "revoke_token", path = "/tokens/{id}", tag = "tokens",
    params(("id" = String, Path, description = "`tok_…`")),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem))
)]
pub async fn revoke(State(api): State<Api>, who: SignedIn, Named(id): Named<String>) -> Result<StatusCode, Problem> {
    who.may_manage_tokens()?;
    let store = api.runtime.store();
    if !store.revoke(&id, Some(&who.0), store.now().await?).await? {
        return Err(Problem::not_found("there is no such token; `GET /tokens` lists all"));
    }
    Ok(StatusCode::NO_CONTENT)
}
