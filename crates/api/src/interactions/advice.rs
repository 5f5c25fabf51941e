//! What a model says beside a question.

use crate::sign_in::{Sight, SignedIn};
use crate::{Api, Problem};
use countersign_domain::InteractionId;
use countersign_domain::interaction::Interaction;
use countersign_runtime::Reviewed;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What a model says of a call, beside the question about it. It is no decision, and nobody has checked it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdviceBody {
    /// `pending` (the model is looking at it), `given`, or `none`: it failed, or had nothing to say.
    status: &'static str,
    /// The model's words, where they are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The model, by its name in the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

impl From<Reviewed> for AdviceBody {
    fn from(reviewed: Reviewed) -> Self {
        match reviewed {
            Reviewed::Pending => Self { status: "pending", text: None, model: None },
            Reviewed::Heard(advice) => {
                let status = if advice.text.is_some() { "given" } else { "none" };
                Self { status, text: advice.text, model: Some(advice.model) }
            }
        }
    }
}

/// How far the review of these questions is. Agents are not told: it is for whoever decides.
pub async fn reviewed(
    api: &Api,
    who: &SignedIn,
    asked: &[Interaction],
) -> Result<BTreeMap<InteractionId, Reviewed>, Problem> {
    match who.sight() {
        Sight::Whole => Ok(api.runtime.reviewed(asked).await?),
        Sight::Agent => Ok(BTreeMap::new()),
    }
}
