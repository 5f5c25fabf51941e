//! The secrets of runs that may still need them, sealed.

use crate::failure::of_sqlite;
use crate::vault::SealedRow;
use countersign_runtime::ports::StoreError;
use rusqlite::Connection;

/// Keeps what is sealed of an event of the run with this key.
pub fn keep(db: &Connection, run: i64, row: &SealedRow) -> Result<(), StoreError> {
    let SealedRow { seq, sealed } = row;
    db.prepare_cached("INSERT INTO secrets (run, seq, sealed) VALUES (?1, ?2, ?3)")
        .and_then(|mut statement| statement.execute((run, seq, sealed)))
        .map_err(of_sqlite("secrets", format_args!("{run}/{seq}")))?;
    Ok(())
}

/// Drops all that is sealed of the run with this key.
pub fn drop_all(db: &Connection, run: i64) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM secrets WHERE run = ?1")
        .and_then(|mut statement| statement.execute([run]))
        .map_err(of_sqlite("secrets", run))?;
    Ok(())
}
