//! Looking at a file without changing anything.

use super::{Sqlite, log, migrate};
use crate::inspect::{Inspected, Sealed};
use crate::{OpenError, time};
use countersign_domain::RunId;
use countersign_runtime::ports::StoreError;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use uuid::Uuid;

/// How long to wait for whoever holds the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// The first schema with a log, and the first with secrets.
const WITH_LOG: i64 = 2;
const WITH_SECRETS: i64 = 4;

impl Sqlite {
    /// Looks at the file at `path`. It must be there.
    pub fn inspect(path: &Path) -> Result<Inspected, OpenError> {
        let failed = |cause| OpenError::of_sqlite(path, cause);
        let db = looking(path).map_err(failed)?;
        let (schema, known) = migrate::standing(&db, path)?;
        let mut seen = Inspected { schema, known, clock: None, written: None, signed: None, sealed: None };
        if schema >= WITH_LOG {
            seen.written = written(&db).map_err(failed)?.and_then(time::at);
            seen.signed = log::newest_checkpoint(&db).map_err(|error| unread(path, error))?;
        }
        if schema >= WITH_SECRETS {
            seen.sealed = sealed(&db).map_err(failed)?;
        }
        Ok(seen)
    }
}

fn unread(path: &Path, cause: StoreError) -> OpenError {
    OpenError::Unread { place: path.display().to_string(), cause }
}

/// A connection that writes neither the file nor anything beside it.
///
/// Whoever reads a file with a write-ahead log shares an index with all others at it. Where that is not there, nobody is at
/// it, and it is not made: the file is read as one that nobody changes.
fn looking(path: &Path) -> rusqlite::Result<Connection> {
    let mut index = path.to_owned().into_os_string();
    index.push("-shm");
    let shared = if PathBuf::from(index).exists() { "" } else { "&immutable=1" };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(format!("file:{}?mode=ro{shared}", escaped(path)), flags)?;
    db.busy_timeout(PATIENCE)?;
    Ok(db)
}

/// As it stands in an address.
fn escaped(path: &Path) -> String {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(byte);
    let bytes = whole.as_os_str().as_encoded_bytes();
    bytes.iter().map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02x}") }).collect()
}

fn written(db: &Connection) -> rusqlite::Result<Option<i64>> {
    db.query_row(
        "SELECT max(
            coalesce((SELECT updated_at FROM runs ORDER BY key DESC LIMIT 1), 0),
            coalesce((SELECT at FROM checkpoints ORDER BY size DESC LIMIT 1), 0),
            coalesce((SELECT max(applied_at) FROM migrations), 0)
        )",
        [],
        |row| row.get(0),
    )
}

fn sealed(db: &Connection) -> rusqlite::Result<Option<Sealed>> {
    let sql = "
        SELECT runs.id, secrets.seq, secrets.sealed FROM secrets JOIN runs ON runs.key = secrets.run
        ORDER BY secrets.run DESC LIMIT 1";
    let read = |row: &rusqlite::Row<'_>| {
        let id: [u8; 16] = row.get(0)?;
        Ok(Sealed { run: RunId::new(Uuid::from_bytes(id)), seq: row.get(1)?, bytes: row.get(2)? })
    };
    db.query_row(sql, [], read).optional()
}
