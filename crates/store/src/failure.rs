//! What a database's refusals mean to whoever asked.

use crate::postgres::Failed;
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

/// What PostgreSQL said while it was at `row` of `table`.
///
/// Only what says something about the data (a constraint, a value, a table that is not what it should be) is inconsistent.
/// What it said is passed on without the values that it said it of.
pub fn of_postgres(table: &'static str, row: impl Display) -> impl FnOnce(Failed) -> StoreError {
    move |failed| match failed.code().and_then(|code| code.code().get(..2)) {
        Some("22" | "23" | "42" | "XX") => inconsistent(table, row, failed.said()),
        _ => unavailable(failed),
    }
}

/// A row of PostgreSQL whose columns have other types than ours.
pub fn of_row(table: &'static str, row: impl Display) -> impl FnOnce(tokio_postgres::Error) -> StoreError {
    move |error| inconsistent(table, row, error)
}

/// The database did not answer, because of `cause`.
pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable(cause.into())
}
