//! The disk under the file: whether it is full or read-only, which `SQLite` does not always know.

use crate::failure::{self, Trouble};
use countersign_runtime::ports::StoreError;
use rusqlite::ErrorCode;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Bytes that are written to find out.
const PROBE: [u8; 16_384] = [0; 16_384];

/// What a write that failed with `error` means to whoever asked for it.
pub fn failed(error: rusqlite::Error, file: &Path) -> StoreError {
    failure::passing(of_sqlite(&error, file), error)
}

/// What `error` says about the disk that `file` is on.
///
/// A quota that is used up, or a disk that has become read-only, is to `SQLite` no more than a write that failed: so the
/// system is asked, by writing beside the file.
pub fn of_sqlite(error: &rusqlite::Error, file: &Path) -> Option<Trouble> {
    match failure::of_disk(error) {
        None if is_vague(error) => of_system(&probe(folder_of(file)).err()?),
        known => known,
    }
}

fn is_vague(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen))
}

fn probe(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder)?.write_all(&PROBE)
}

/// What an error of the system says about a disk.
pub fn of_system(error: &io::Error) -> Option<Trouble> {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(Trouble::Full),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Some(Trouble::ReadOnly),
        _ => None,
    }
}

/// The folder that `file` is in.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn the_system_is_asked_only_where_sqlite_does_not_know() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.db");
        let of = |code| of_sqlite(&rusqlite::Error::SqliteFailure(ffi::Error::new(code), None), &file);
        assert_eq!(of(ffi::SQLITE_FULL), Some(Trouble::Full));
        assert_eq!(of(ffi::SQLITE_IOERR_SHMSIZE), Some(Trouble::Full));
        assert_eq!(of(ffi::SQLITE_READONLY_DIRECTORY), Some(Trouble::ReadOnly));
        assert_eq!(of(ffi::SQLITE_BUSY), None);
        // The folder can be written, so it must be something else.
        assert_eq!(of(ffi::SQLITE_IOERR_WRITE), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    }

    #[test]
    fn a_quota_that_is_used_up_is_a_full_disk() {
        let of = |kind: ErrorKind| of_system(&io::Error::from(kind));
        assert_eq!(
            (of(ErrorKind::QuotaExceeded), of(ErrorKind::StorageFull)),
            (Some(Trouble::Full), Some(Trouble::Full))
        );
        assert_eq!(of(ErrorKind::ReadOnlyFilesystem), Some(Trouble::ReadOnly));
        assert_eq!(of(ErrorKind::NotFound), None);
    }
}
