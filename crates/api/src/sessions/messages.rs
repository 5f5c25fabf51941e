//! `GET /api/sessions/{id}/messages`: what was said.

use crate::body::{Asked, Named};
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::run::{Message, RunKind};
use countersign_runtime::ports::RunFilter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which ones.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// `next` of an earlier page.
    after: Option<String>,
    /// Of at most so many runs, up to 50. Default: 20.
    limit: Option<u32>,
}

/// Something that was said.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionMessage {
    /// The run in which it was said.
    run_id: String,
    /// `user`, `assistant` or `tool`.
    role: &'static str,
    text: String,
    /// For `tool`: its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
}

/// A page of messages.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessagePage {
    /// Of the newest runs, in the order in which they were said.
    items: Vec<SessionMessage>,
    /// Where earlier runs start; null on the last page.
    next: Option<String>,
}

/// What was said in a session: of its newest runs first, and on each page in order.
#[utoipa::path(
    get, operation_id = "session_messages", path = "/sessions/{id}/messages", tag = "sessions",
    params(("id" = String, Path, description = "the session"), Which),
    responses(
        (status = 200, body = MessagePage), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)
    )
)]
pub async fn messages(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<String>,
    Asked(which): Asked<Which>,
) -> Result<Json<MessagePage>, Problem> {
    let is_first = which.after.is_none();
    let after = which.after.map(|id| id.parse()).transpose().map_err(|_| Problem::invalid("`after` is no cursor"))?;
    let limit = which.limit.unwrap_or(20).clamp(1, 50);
    let store = api.runtime.store();
    let page = store
        .runs(RunFilter { user: who.only_of(), session: Some(id), kind: Some(RunKind::Agent), after, limit })
        .await?;
    if page.items.is_empty() && is_first {
        return Err(Problem::not_found("there is no such session"));
    }
    let mut items = vec![];
    for run in page.items.iter().rev() {
        let Some(shown) = store.shown(run.id).await? else { continue };
        items.extend(shown.conversation().into_iter().filter_map(|message| body(&run.id.to_string(), message)));
    }
    Ok(Json(MessagePage { items, next: page.next }))
}

/// A turn in which a model only made calls says nothing.
fn body(run: &str, message: Message) -> Option<SessionMessage> {
    let (role, text, tool_name) = match message {
        Message::User(text) => ("user", text, None),
        Message::Assistant { text, .. } if text.is_empty() => return None,
        Message::Assistant { text, .. } => ("assistant", text, None),
        Message::Tool(result) => ("tool", result.text, Some(result.name)),
    };
    Some(SessionMessage { run_id: run.to_owned(), role, text, tool_name })
}
