//! A row of `interactions`: where a question stands. What it says follows from the events of its run.

use crate::time;
use countersign_domain::interaction::Interaction;
use uuid::Uuid;

/// One question, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionRow {
    pub id: Uuid,
    pub status: &'static str,
    pub expires_at: i64,
    pub asks_people: bool,
    /// When people are reminded of it, if they will be.
    pub remind_at: Option<i64>,
}

impl From<&Interaction> for InteractionRow {
    fn from(asked: &Interaction) -> Self {
        Self {
            id: asked.id.uuid(),
            status: asked.status.word(),
            expires_at: time::column(asked.expires_at),
            asks_people: asked.purpose.is_for_people(),
            remind_at: asked.remind_at().map(time::column),
        }
    }
}
