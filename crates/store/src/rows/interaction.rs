//! A row of `interactions`: where a question stands. What it says follows from the events of its run.

use crate::time;
use countersign_domain::Digest;
use countersign_domain::interaction::Interaction;
use countersign_domain::run::Run;
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
    /// Whose question it is, where a person is asked.
    pub asker: Option<i64>,
}

impl InteractionRow {
    /// The row for a question of `run`.
    pub fn new(run: &Run, asked: &Interaction) -> Self {
        Self {
            id: asked.id.uuid(),
            status: asked.status.word(),
            expires_at: time::column(asked.expires_at),
            asks_people: asked.purpose.is_for_people(),
            remind_at: asked.remind_at().map(time::column),
            asker: asked.purpose.is_for_people().then(|| asker(run.asker())),
        }
    }
}

/// An asker as it is stored: what many waiting runs have must be small, and two that fell together would share a limit.
pub fn asker(asker: Digest) -> i64 {
    i64::from_be_bytes(*asker.bytes().first_chunk().unwrap_or(&[0; 8]))
}
