//! Erasing what was written in a run. That something was stays provable by the hash of it.

use super::house;
use crate::failure::{inconsistent, of_sqlite};
use crate::rows::{HouseRow, erased};
use countersign_domain::RunId;
use countersign_domain::audit::{Hash, Payload};
use countersign_runtime::ports::StoreError;
use rusqlite::{Connection, OptionalExtension};
use uuid::Uuid;

/// Erases the texts of all events of `run` and what models said beside its questions, inside the writer's transaction, and notes that it `happened`.
pub fn erase(db: &Connection, run: RunId, happened: &HouseRow) -> Result<u64, StoreError> {
    let found: Option<(i64, Option<String>)> = db
        .prepare_cached("SELECT key, ending FROM runs WHERE id = ?1")
        .and_then(|mut statement| {
            statement.query_row([run.uuid().as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })
        .map_err(of_sqlite("runs", run))?;
    let (key, ending) = found.ok_or_else(|| inconsistent("runs", run, "it is not there"))?;
    let texts = texts(db, run, key)?;
    for (seq, commitment) in &texts {
        let sql = "UPDATE events SET texts = NULL, salt = NULL, commitment = ?3 WHERE run = ?1 AND seq = ?2";
        db.prepare_cached(sql)
            .and_then(|mut statement| statement.execute((key, seq, commitment)))
            .map_err(of_sqlite("events", run))?;
    }
    if let Some(ending) = ending.as_deref().map(erased).transpose()? {
        db.prepare_cached("UPDATE runs SET ending = ?2 WHERE key = ?1")
            .and_then(|mut statement| statement.execute((key, ending)))
            .map_err(of_sqlite("runs", run))?;
    }
    let advised = "DELETE FROM advice WHERE interaction IN (SELECT id FROM interactions WHERE run = ?1)";
    db.prepare_cached(advised).and_then(|mut statement| statement.execute([key])).map_err(of_sqlite("advice", run))?;
    if !texts.is_empty() {
        house::append(db, happened)?;
    }
    Ok(texts.len() as u64)
}

/// Some runs that ended before then and in which something is written, the oldest first.
pub fn written_before(db: &Connection, before: i64, limit: u32) -> Result<Vec<RunId>, StoreError> {
    let sql = "
        SELECT id FROM runs
        WHERE phase NOT IN ('active', 'woken', 'waiting') AND updated_at < ?1
            AND EXISTS (SELECT 1 FROM events WHERE run = runs.key AND texts IS NOT NULL)
        ORDER BY key LIMIT ?2";
    let ids: rusqlite::Result<Vec<[u8; 16]>> = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map((before, limit), |row| row.get(0))?.collect());
    let ids = ids.map_err(of_sqlite("runs", "written"))?;
    Ok(ids.into_iter().map(|id| RunId::new(Uuid::from_bytes(id))).collect())
}

/// The events in which something was written, each with the commitment to it.
fn texts(db: &Connection, run: RunId, key: i64) -> Result<Vec<(i64, Hash)>, StoreError> {
    let sql = "SELECT seq, salt, texts FROM events WHERE run = ?1 AND texts IS NOT NULL";
    let rows: rusqlite::Result<Vec<(i64, [u8; 16], String)>> = db.prepare_cached(sql).and_then(|mut statement| {
        statement.query_map([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
    });
    let commitment = |(seq, salt, texts)| Some((seq, Payload::Kept { salt, texts }.commitment()?));
    Ok(rows.map_err(of_sqlite("events", run))?.into_iter().filter_map(commitment).collect())
}
