//! What a database's refusals mean to whoever asked.

use countersign_runtime::ports::StoreError;
use rusqlite::ErrorCode;
use std::fmt::Display;

/// The error for a row that does not mean what our code says rows mean.
pub fn inconsistent(table: &'static str, row: impl Display, detail: impl Display) -> StoreError {
    StoreError::Inconsistent { table, row: row.to_string(), detail: detail.to_string() }
}

/// What `SQLite` said while it was at `row` of `table`.
///
/// Only what says something about the data is inconsistent. A full disk, a locked file, a lack of memory pass.
pub fn of_sqlite(table: &'static str, row: impl Display) -> impl FnOnce(rusqlite::Error) -> StoreError {
    move |error| match &error {
        rusqlite::Error::SqliteFailure(cause, _) => match cause.code {
            ErrorCode::ConstraintViolation
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::TypeMismatch
            | ErrorCode::TooBig => inconsistent(table, row, error),
            _ => unavailable(error),
        },
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => inconsistent(table, row, error),
        _ => unavailable(error),
    }
}

/// The database did not answer, because of `cause`.
pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable(cause.into())
}
