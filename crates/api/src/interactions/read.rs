//! `GET /api/interactions/{id}`

use super::about::AboutBody;
use super::advice::reviewed;
use super::body::InteractionBody;
use crate::body::Named;
use crate::sign_in::{Sight, SignedIn};
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::InteractionId;
use countersign_domain::interaction::Interaction;
use countersign_runtime::Reviewed;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// A question, and the run that waits for it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SuspendedBody {
    /// The question.
    interaction_request: InteractionBody,
    /// The run.
    run_id: String,
    /// Since when.
    suspended_at: String,
    /// What stands around it, for people: not for agents, and not where many are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<AboutBody>,
}

impl SuspendedBody {
    /// The question as it is at `now`, with what a model says beside it.
    pub fn new(asked: Interaction, review: Option<Reviewed>, now: Timestamp) -> Self {
        Self {
            run_id: asked.run_id.to_string(),
            suspended_at: asked.created_at.to_string(),
            about: None,
            interaction_request: InteractionBody::at(asked, now).advised(review),
        }
    }
}

/// One question.
#[utoipa::path(
    get, operation_id = "read_interaction", path = "/interactions/{id}", tag = "interactions", params(("id" = String, Path, description = "`int_…`")),
    responses((status = 200, body = SuspendedBody), (status = 401, body = Problem), (status = 404, body = Problem))
)]
pub async fn read(
    State(api): State<Api>,
    who: SignedIn,
    Named(id): Named<InteractionId>,
) -> Result<Json<SuspendedBody>, Problem> {
    let asked = api.runtime.store().interaction(id).await?;
    let asked = asked.filter(|asked| who.sees(asked.asked_by.user_id.as_deref()));
    let asked = asked.ok_or_else(|| Problem::not_found(format!("there is no interaction `{id}`")))?;
    let review = reviewed(&api, &who, std::slice::from_ref(&asked)).await?.remove(&id);
    let about = match who.sight() {
        Sight::Whole => Some(api.runtime.about(&asked).await?.into()),
        Sight::Agent => None,
    };
    let now = api.runtime.store().now().await?;
    Ok(Json(SuspendedBody { about, ..SuspendedBody::new(who.sight().of(asked), review, now) }))
}
