//! Events: only ever added.

use crate::failure::of_sqlite;
use crate::rows::EventRow;
use countersign_domain::RunId;
use countersign_domain::run::Recorded;
use countersign_runtime::ports::StoreError;
use rusqlite::{Connection, Row};

/// Adds one event to the run with this key.
pub fn append(db: &Connection, run: i64, event: &EventRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO events (run, seq, at, step, type, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let EventRow { seq, at, step, kind, data } = event;
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute((run, seq, at, step, kind, data)))
        .map_err(of_sqlite("events", format_args!("{run}/{seq}")))?;
    Ok(())
}

/// All events of a run.
pub fn all(db: &Connection, run: RunId) -> Result<Vec<EventRow>, StoreError> {
    listed(db, run, 0, -1)
}

/// Events of a run after `after`, at most `limit`.
pub fn after(db: &Connection, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError> {
    let listed = listed(db, run, i64::try_from(after).unwrap_or(i64::MAX), i64::from(limit))?;
    listed.into_iter().map(|row| row.of(run)).collect()
}

/// A limit below zero is none.
fn listed(db: &Connection, run: RunId, after: i64, limit: i64) -> Result<Vec<EventRow>, StoreError> {
    let sql = "
        SELECT seq, at, step, type, data FROM events
        WHERE run = (SELECT key FROM runs WHERE id = ?1) AND seq > ?2
        ORDER BY seq LIMIT ?3";
    let rows: rusqlite::Result<Vec<EventRow>> = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map((run.uuid().as_bytes(), after, limit), row)?.collect());
    rows.map_err(of_sqlite("events", run))
}

/// The event in the first five columns.
pub fn row(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    Ok(EventRow { seq: row.get(0)?, at: row.get(1)?, step: row.get(2)?, kind: row.get(3)?, data: row.get(4)? })
}
