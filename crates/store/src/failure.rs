//! What a database's refusals mean to whoever asked.

use crate::postgres::Failed;
use countersign_runtime::ports::StoreError;
use rusqlite::{ErrorCode, ffi};
use std::fmt::Display;
use tokio_postgres::error::SqlState;

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
            _ => passing(of_disk(&error), error),
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
    move |failed| match failed.code().map(SqlState::code) {
        Some(code) if ["22", "23", "42", "XX"].iter().any(|class| code.starts_with(class)) => {
            inconsistent(table, row, failed.said())
        }
        Some(code) if code == SqlState::DISK_FULL.code() => StoreError::Full(failed.into()),
        Some(code) if code == SqlState::READ_ONLY_SQL_TRANSACTION.code() => StoreError::ReadOnly(failed.into()),
        _ => unavailable(failed),
    }
}

/// A row of PostgreSQL whose columns have other types than ours.
pub fn of_row(table: &'static str, row: impl Display) -> impl FnOnce(tokio_postgres::Error) -> StoreError {
    move |error| inconsistent(table, row, error)
}

/// What keeps a disk from being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    Full,
    ReadOnly,
}

/// What says nothing about the data, but that there is this trouble with the disk, or another.
pub fn passing(trouble: Option<Trouble>, error: rusqlite::Error) -> StoreError {
    match trouble {
        Some(Trouble::Full) => StoreError::Full(error.into()),
        Some(Trouble::ReadOnly) => StoreError::ReadOnly(error.into()),
        None => unavailable(error),
    }
}

/// What keeps the disk from being written, where `SQLite` knows. The index of the log says in words of its own that
/// there was no room.
pub fn of_disk(error: &rusqlite::Error) -> Option<Trouble> {
    let cause = error.sqlite_error()?;
    match (cause.code, cause.extended_code) {
        (ErrorCode::DiskFull, _) | (_, ffi::SQLITE_IOERR_SHMSIZE) => Some(Trouble::Full),
        (ErrorCode::ReadOnly, _) => Some(Trouble::ReadOnly),
        _ => None,
    }
}

/// The same error for somebody else whom it hits as well.
pub fn also(error: &StoreError) -> StoreError {
    match error {
        StoreError::Full(cause) => StoreError::Full(cause.to_string().into()),
        StoreError::ReadOnly(cause) => StoreError::ReadOnly(cause.to_string().into()),
        StoreError::Unavailable(cause) => unavailable(cause.to_string()),
        other => unavailable(other.to_string()),
    }
}

/// The database did not answer, because of `cause`.
pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable(cause.into())
}
