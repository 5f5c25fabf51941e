//! Events: only ever added.

use crate::failure::of_sqlite;
use crate::rows::EventRow;
use crate::rows::event::{columns, payload};
use countersign_domain::RunId;
use countersign_domain::run::Recorded;
use countersign_runtime::ports::StoreError;
use rusqlite::types::Type;
use rusqlite::{Connection, Row};

/// Adds events to the run with this key.
pub fn append(db: &Connection, run: i64, events: &[EventRow]) -> Result<(), StoreError> {
    let sql = "
        INSERT INTO events (run, seq, at, step, type, data, texts, salt, leaf)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let mut statement = db.prepare_cached(sql).map_err(of_sqlite("events", run))?;
    for EventRow { seq, at, step, kind, data, payload, leaf } in events {
        let (texts, salt) = columns(payload);
        statement
            .execute((run, seq, at, step, kind, data, texts, salt, leaf))
            .map_err(of_sqlite("events", format_args!("{run}/{seq}")))?;
    }
    Ok(())
}

/// An event, and what is sealed of it.
pub type WithSecrets = (EventRow, Option<Vec<u8>>);

/// All events of a run that has at most so many, each with what is sealed of it.
pub fn with_secrets(db: &Connection, run: RunId, most: i64) -> Result<Vec<WithSecrets>, StoreError> {
    let sql = "
        SELECT seen.seq, at, step, type, data, texts, salt, commitment, leaf, secrets.sealed FROM events AS seen
            LEFT JOIN secrets ON secrets.run = seen.run AND secrets.seq = seen.seq
        WHERE seen.run = (SELECT key FROM runs WHERE id = ?1 AND runs.seq <= ?2)
        ORDER BY seen.seq";
    let rows: rusqlite::Result<Vec<_>> = db.prepare_cached(sql).and_then(|mut statement| {
        statement.query_map((run.uuid().as_bytes(), most), |found| Ok((row(found, 0)?, found.get(9)?)))?.collect()
    });
    rows.map_err(of_sqlite("events", run))
}

/// All events of a run that has at most so many.
pub fn all(db: &Connection, run: RunId, most: i64) -> Result<Vec<EventRow>, StoreError> {
    let sql = "
        SELECT seq, at, step, type, data, texts, salt, commitment, leaf FROM events
        WHERE run = (SELECT key FROM runs WHERE id = ?1 AND runs.seq <= ?2)
        ORDER BY seq";
    let rows: rusqlite::Result<Vec<_>> = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map((run.uuid().as_bytes(), most), |found| row(found, 0))?.collect());
    rows.map_err(of_sqlite("events", run))
}

/// Events of a run after `after`, at most `limit`.
pub fn after(db: &Connection, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError> {
    let sql = "
        SELECT seq, at, step, type, data, texts, salt, commitment, leaf FROM events
        WHERE run = (SELECT key FROM runs WHERE id = ?1) AND seq > ?2
        ORDER BY seq LIMIT ?3";
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows: rusqlite::Result<Vec<EventRow>> = db.prepare_cached(sql).and_then(|mut statement| {
        statement.query_map((run.uuid().as_bytes(), after, limit), |found| row(found, 0))?.collect()
    });
    rows.map_err(of_sqlite("events", run))?.into_iter().map(|row| row.of(run)).collect()
}

/// The event in the columns from `first` on.
pub fn row(row: &Row<'_>, first: usize) -> rusqlite::Result<EventRow> {
    let (salt, commitment) = (row.get_ref(first + 6)?, row.get_ref(first + 7)?);
    let wrong = || rusqlite::Error::InvalidColumnType(first + 5, "texts".into(), Type::Text);
    Ok(EventRow {
        seq: row.get(first)?,
        at: row.get(first + 1)?,
        step: row.get(first + 2)?,
        kind: row.get(first + 3)?,
        data: row.get(first + 4)?,
        payload: payload(row.get(first + 5)?, salt.as_blob_or_null()?, commitment.as_blob_or_null()?)
            .ok_or_else(wrong)?,
        leaf: row.get(first + 8)?,
    })
}
