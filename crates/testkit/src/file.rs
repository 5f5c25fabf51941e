//! A database file behind its program's back.

use rusqlite::Connection;
use std::path::Path;

/// Changes the file at `path` as somebody who has it can.
///
/// # Panics
///
/// If it cannot be changed so.
pub fn change_file(path: &Path, sql: &str) {
    let changed = Connection::open(path).and_then(|db| db.execute_batch(sql));
    assert!(changed.is_ok(), "{changed:?}");
}
