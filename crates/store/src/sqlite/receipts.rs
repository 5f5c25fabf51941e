//! What was made under keys that somebody chose, so that nothing is made twice.

use crate::failure::of_sqlite;
use crate::rows::ReceiptRow;
use crate::time;
use countersign_runtime::ports::{Receipt, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

/// Keeps a receipt. Fails with what was made before under the same key.
pub fn keep(db: &Connection, row: &ReceiptRow) -> Result<(), StoreError> {
    if let Some(before) = one(db, &row.by, &row.key)? {
        return Err(StoreError::Made(Box::new(before)));
    }
    let ReceiptRow { by, key, digest, made, at } = row;
    db.prepare_cached("INSERT INTO receipts (by, key, digest, made, at) VALUES (?1, ?2, ?3, ?4, ?5)")
        .and_then(|mut statement| statement.execute((by, key, digest, made, at)))
        .map_err(of_sqlite("receipts", key))?;
    Ok(())
}

/// What `by` made under `key`.
pub fn one(db: &Connection, by: &str, key: &str) -> Result<Option<Receipt>, StoreError> {
    let read = |row: &Row<'_>| {
        Ok(ReceiptRow { by: row.get(0)?, key: row.get(1)?, digest: row.get(2)?, made: row.get(3)?, at: row.get(4)? })
    };
    let found = db
        .prepare_cached("SELECT by, key, digest, made, at FROM receipts WHERE by = ?1 AND key = ?2")
        .and_then(|mut statement| statement.query_row((by, key), read).optional())
        .map_err(of_sqlite("receipts", key))?;
    found.map(Receipt::try_from).transpose()
}

/// Removes those from before then.
pub fn forget(db: &Connection, before: Timestamp) -> Result<u64, StoreError> {
    let removed = db
        .prepare_cached("DELETE FROM receipts WHERE at < ?1")
        .and_then(|mut statement| statement.execute([time::column(before)]))
        .map_err(of_sqlite("receipts", "old"))?;
    Ok(removed as u64)
}
