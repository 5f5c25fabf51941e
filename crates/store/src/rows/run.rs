//! A row of `runs`, as lists show it.

use super::Place;
use countersign_domain::run::Phase;
use countersign_runtime::ports::{RunStatus, RunSummary, StoreError};

/// What is read of a run. Columns say what changes without an event, or is cut to what columns hold; the summary the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    pub id: String,
    pub seq: i64,
    pub is_leased: bool,
    pub summary: String,
    pub created_at: i64,
    pub updated_at: i64,
}

impl TryFrom<RunRow> for RunSummary {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self, StoreError> {
        let place = Place { table: "runs", row: &row.id };
        let stored: Self = serde_json::from_str(&row.summary).map_err(|error| place.wrong(error))?;
        let status = match stored.status {
            RunStatus::Queued | RunStatus::Running if row.is_leased => RunStatus::Running,
            RunStatus::Running => RunStatus::Queued,
            other => other,
        };
        Ok(Self {
            status,
            seq: place.count(row.seq)?,
            created_at: place.time(row.created_at)?,
            updated_at: place.time(row.updated_at)?,
            ..stored
        })
    }
}

/// The word for where a run stands.
pub const fn phase_word(phase: &Phase) -> &'static str {
    match phase {
        Phase::Active => "active",
        Phase::Woken => "woken",
        Phase::Waiting => "waiting",
        Phase::Completed { .. } => "completed",
        Phase::Failed(_) => "failed",
    }
}
