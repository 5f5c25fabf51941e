//! A session, as lists show it: what its runs have in common.

use super::Place;
use countersign_domain::RunId;
use countersign_runtime::ports::{SessionSummary, StoreError};
use uuid::Uuid;

/// What is read of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    pub id: String,
    pub runs: i64,
    pub newest: Uuid,
    pub created_at: i64,
    pub updated_at: i64,
}

impl TryFrom<SessionRow> for SessionSummary {
    type Error = StoreError;

    fn try_from(row: SessionRow) -> Result<Self, StoreError> {
        let place = Place { table: "runs", row: &row.id };
        Ok(Self {
            runs: place.count(row.runs)?,
            newest: RunId::new(row.newest),
            created_at: place.time(row.created_at)?,
            updated_at: place.time(row.updated_at)?,
            id: row.id.clone(),
        })
    }
}
