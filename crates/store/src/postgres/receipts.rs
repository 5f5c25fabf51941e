//! What was made under keys that somebody chose, so that nothing is made twice.

use super::connection::{Connection, Failed};
use super::statement::Statement;
use crate::failure::{of_postgres, of_row};
use crate::rows::ReceiptRow;
use crate::time;
use countersign_runtime::ports::{Receipt, StoreError};
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

/// The part of a step that keeps its receipt, called `received`: it has no row if something was made before under the same
/// key. Whoever makes that at the same moment is waited for.
pub fn keeping(values: &mut Statement, row: &ReceiptRow) -> String {
    let ReceiptRow { by, key, digest, made, at } = row;
    let row = [
        values.value(by.clone()),
        values.value(key.clone()),
        values.value(digest.clone()),
        values.value(made.clone()),
        values.value(*at),
    ];
    format!(
        "received AS (
            INSERT INTO receipts (by, key, digest, made, at) VALUES ({})
            ON CONFLICT (by, key) DO NOTHING
            RETURNING 1
        )",
        row.join(", ")
    )
}

/// The part of a statement that keeps the receipt for what `from` has a row of. If something was made before under the same
/// key, the whole statement fails, and nothing is written.
pub fn keeping_of(values: &mut Statement, row: &ReceiptRow, from: &str) -> String {
    let ReceiptRow { by, key, digest, made, at } = row;
    let row = [
        values.value(by.clone()),
        values.value(key.clone()),
        values.value(digest.clone()),
        values.value(made.clone()),
        values.value(*at),
    ];
    format!("received AS (INSERT INTO receipts (by, key, digest, made, at) SELECT {} FROM {from})", row.join(", "))
}

/// Why a statement with this receipt failed: perhaps because something was made before under the same key.
pub async fn refusal(
    db: &Connection,
    receipt: Option<&ReceiptRow>,
    failed: Failed,
    otherwise: impl FnOnce(Failed) -> StoreError,
) -> StoreError {
    let is_taken = failed.code() == Some(&SqlState::UNIQUE_VIOLATION);
    let Some(receipt) = receipt.filter(|_| is_taken) else { return otherwise(failed) };
    match one(db, &receipt.by, &receipt.key).await {
        Ok(Some(before)) => StoreError::Made(Box::new(before)),
        Ok(None) => otherwise(failed),
        Err(error) => error,
    }
}

/// What `by` made under `key`.
pub async fn one(db: &Connection, by: &str, key: &str) -> Result<Option<Receipt>, StoreError> {
    let sql = "SELECT by, key, digest, made, at FROM receipts WHERE by = $1 AND key = $2";
    let rows = db.rows(sql, &[&by, &key]).await.map_err(of_postgres("receipts", key))?;
    rows.first().map(|row| read(row).map_err(of_row("receipts", key))?.try_into()).transpose()
}

fn read(row: &Row) -> Result<ReceiptRow, tokio_postgres::Error> {
    Ok(ReceiptRow {
        by: row.try_get(0)?,
        key: row.try_get(1)?,
        digest: row.try_get(2)?,
        made: row.try_get(3)?,
        at: row.try_get(4)?,
    })
}

/// Removes those from before then.
pub async fn forget(db: &Connection, before: Timestamp) -> Result<u64, StoreError> {
    let sql = "
        WITH gone AS (DELETE FROM receipts WHERE at < $1 RETURNING 1) SELECT count(*) FROM gone";
    let rows = db.rows(sql, &[&time::column(before)]).await.map_err(of_postgres("receipts", "old"))?;
    let many: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0)).map_err(of_row("receipts", "old"))?;
    Ok(many.unsigned_abs())
}
