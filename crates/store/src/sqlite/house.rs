//! Events outside of runs. They are counted like those of a run.

use super::{events, log};
use crate::failure::of_sqlite;
use crate::rows::{EventRow, HouseRow};
use countersign_runtime::ports::StoreError;
use rusqlite::Connection;

/// The key that events outside of runs have in place of a run's.
pub const HOUSE: i64 = 0;

/// Adds one, inside the writer's transaction.
pub fn append(db: &Connection, row: &HouseRow) -> Result<(), StoreError> {
    let seq = next(db)?;
    let event = EventRow {
        seq,
        at: row.at,
        step: None,
        kind: row.kind.to_owned(),
        data: row.data.clone(),
        payload: row.payload.clone(),
        leaf: row.leaf(seq),
    };
    events::append(db, HOUSE, &[event])?;
    log::enter(db, HOUSE, seq, 1)
}

fn next(db: &Connection) -> Result<i64, StoreError> {
    db.prepare_cached("SELECT coalesce(max(seq), 0) + 1 FROM events WHERE run = ?1")
        .and_then(|mut statement| statement.query_row([HOUSE], |row| row.get(0)))
        .map_err(of_sqlite("events", "house"))
}
