//! A row of `interactions`.

use super::Place;
use crate::{json, time};
use countersign_domain::interaction::{Interaction, Purpose};
use countersign_runtime::ports::StoreError;

/// One question, as it is stored. The body is the truth; the columns are for finding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionRow {
    pub id: String,
    pub run: String,
    pub call: String,
    pub status: String,
    pub purpose: &'static str,
    pub correlation_key: String,
    pub digest: String,
    pub expires_at: i64,
    pub created_at: i64,
    pub body: String,
}

impl TryFrom<&Interaction> for InteractionRow {
    type Error = StoreError;

    fn try_from(asked: &Interaction) -> Result<Self, StoreError> {
        let id = asked.id.to_string();
        let body = json::text_of(asked).map_err(|why| Place { table: "interactions", row: &id }.wrong(why))?;
        Ok(Self {
            run: asked.run_id.to_string(),
            call: asked.tool_call_id.to_string(),
            status: asked.status.word().to_owned(),
            purpose: purpose_word(asked.purpose),
            correlation_key: asked.correlation_key.clone(),
            digest: asked.call.digest.to_string(),
            expires_at: time::column(asked.expires_at),
            created_at: time::column(asked.created_at),
            id,
            body,
        })
    }
}

/// What is read of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredInteraction {
    pub id: String,
    pub status: String,
    pub body: String,
}

impl TryFrom<StoredInteraction> for Interaction {
    type Error = StoreError;

    fn try_from(row: StoredInteraction) -> Result<Self, StoreError> {
        let place = Place { table: "interactions", row: &row.id };
        let asked: Self = json::thing_in(&row.body).map_err(|why| place.wrong(why))?;
        if asked.status.word() != row.status {
            return Err(place.wrong(format!("it is `{}`, but its body is `{}`", row.status, asked.status.word())));
        }
        Ok(asked)
    }
}

const fn purpose_word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Approval => "approval",
    }
}
