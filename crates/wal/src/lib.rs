//! A file system of `SQLite` that gathers what a commit adds to the write-ahead log, and writes it at once.
//!
//! `SQLite` writes the log by two writes for each page: a header of 24 bytes, and the page. A step of a run changes a dozen
//! pages, and two dozen calls of the system take half as long as the flush after them. Here they are one.
//!
//! Everything else goes to the default file system of the process as it comes. What is gathered is handed on
//!
//! - with the last page of a commit, so before anybody else may look for it, and before it is flushed;
//! - before anything else is read from, written to or asked of the log;
//! - when it becomes too much to keep.
//!
//! Nothing may be gathered when a transaction ends: its place in the log belongs to the next one, of whatever process. So no page
//! goes to the log before the commit, however little memory there is: [`open`] sees to that.

mod gathered;
mod vfs;

use rusqlite::{Connection, OpenFlags, ffi};
use std::path::Path;

/// Opens the database at `path`, whose log is written so.
pub fn open(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let unknown = |why: std::io::Error| {
        rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CANTOPEN), Some(why.to_string()))
    };
    let db = Connection::open_with_flags_and_vfs(path, flags, vfs::name().map_err(unknown)?)?;
    db.pragma_update(None, "cache_spill", false)?;
    Ok(db)
}
