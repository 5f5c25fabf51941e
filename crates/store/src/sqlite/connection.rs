//! Connections to one file, all set up alike.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Prepared statements that a connection keeps: more than there are.
const STATEMENTS: usize = 128;

/// Bytes that the write-ahead log keeps on disk after it was emptied.
const LOG_BYTES: i64 = 64 * 1024 * 1024;

/// Pages of the write-ahead log after which they are carried over into the file. That takes flushes of its own; four times as
/// seldom as usual, the log stays well below what it may keep.
pub const LOG_PAGES: i32 = 4_000;

/// How often switching to the write-ahead log is tried again while others do the same.
const TRIES: u32 = 200;

/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Where a database is, and what every connection to it needs to know.
#[derive(Debug, Clone)]
pub struct Place {
    pub path: PathBuf,
    pub patience: Duration,
    /// Its folder, if that goes when the database does.
    pub folder: Option<Arc<TempDir>>,
}

/// The connection that writes.
///
/// `synchronous=FULL`: what was acknowledged survives a loss of power.
pub fn for_writing(place: &Place) -> rusqlite::Result<Connection> {
    let db = plain(place)?;
    use_write_ahead_log(&db)?;
    db.pragma_update(None, "synchronous", "FULL")?;
    // Elsewhere than on macOS these change nothing; there a plain flush stops at the disk's own memory.
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "checkpoint_fullfsync", true)?;
    db.pragma_update(None, "foreign_keys", true)?;
    // What is erased is zeroes afterwards, not bytes that are merely free; and so is what was moved to another page.
    db.pragma_update(None, "secure_delete", true)?;
    db.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    db.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    Ok(db)
}

/// A connection that cannot write.
pub fn for_reading(place: &Place) -> rusqlite::Result<Connection> {
    let db = plain(place)?;
    db.pragma_update(None, "query_only", true)?;
    Ok(db)
}

fn plain(place: &Place) -> rusqlite::Result<Connection> {
    // No CREATE: a file that has vanished is an error, not an empty database. No URI: a path is a path.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = countersign_wal::open(&place.path, flags)?;
    db.busy_timeout(place.patience)?;
    // A plan never depends on a value that is bound: otherwise a statement with a bound `LIMIT` would be compiled anew each
    // time, which takes longer than reading a run.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(db)
}

/// `SQLite` does not wait here by itself when several processes want it of a fresh file at once.
fn use_write_ahead_log(db: &Connection) -> rusqlite::Result<()> {
    let mut tries = 0;
    loop {
        match db.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && tries < TRIES => tries += 1,
            done => return done,
        }
        std::thread::sleep(PAUSE);
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
