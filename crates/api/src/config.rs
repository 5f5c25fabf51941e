//! `POST /api/config/reload`: the configuration is read anew, without a restart.

use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use countersign_domain::principal::{Kind, Role};
use countersign_runtime::ports::BadConfiguration;
use countersign_runtime::{ReloadError, Reloaded};
use serde::Serialize;
use utoipa::ToSchema;

/// What came of reading the configuration anew.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Reloaded)]
pub struct ReloadedBody {
    /// Where it differs from the one before: `policy`, `agents.assistant`.
    changed: Vec<String>,
    /// Where it differs in what counts only after a restart: `server.listen`.
    needs_restart: Vec<String>,
    /// The version of the policy that is in force now.
    policy: String,
}

/// Reads the configuration anew and puts it in force. Runs go by it from their next act on; a call that waits is judged by
/// it when it is answered. A bad one changes nothing: 422, and `problems` says file, line and reason of each. For operators.
#[utoipa::path(
    post, operation_id = "reload_config", path = "/config/reload", tag = "config",
    responses(
        (status = 200, body = ReloadedBody), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 422, body = Problem)
    )
)]
pub async fn reload(State(api): State<Api>, SignedIn(who): SignedIn) -> Result<Json<ReloadedBody>, Problem> {
    if who.role != Role::Operator || who.kind == Kind::Agent {
        return Err(Problem::denied("only an operator has the configuration read anew"));
    }
    match api.runtime.reload(&who).await {
        Ok(reloaded) => {
            let Reloaded { changed, needs_restart, policy } = reloaded;
            Ok(Json(ReloadedBody { changed, needs_restart, policy: policy.to_string() }))
        }
        Err(ReloadError::Store(error)) => Err(error.into()),
        Err(ReloadError::NoOrigin) => Err(Problem::not_found(ReloadError::NoOrigin.to_string())),
        Err(ReloadError::Bad(bad)) => Err(bad_configuration(&bad)),
    }
}

fn bad_configuration(BadConfiguration(problems): &BadConfiguration) -> Problem {
    let detail = "the configuration is bad, and the one before stays in force; `problems` says what and where";
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "BAD_CONFIGURATION", detail).with("problems", problems)
}
