//! Opening a file: it is made if there is none, brought to the present schema, and given its writer and readers.

use super::connection::{self, Place};
use super::readers::Readers;
use super::writer::Writer;
use super::{Sqlite, disk, mark, migrate};
use crate::OpenError;
use crate::failure::Trouble;
use crate::vault::Vault;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long a write waits for another process that holds the file.
const PATIENCE: Duration = Duration::from_secs(5);

impl Sqlite {
    /// Opens the file at `path`, and makes it and its folder if need be: for their owner's eyes only.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with_patience(path, PATIENCE)
    }

    /// The same, where a write waits so long for another process that holds the file.
    pub fn open_with_patience(path: impl AsRef<Path>, patience: Duration) -> Result<Self, OpenError> {
        open(Place { path: path.as_ref().to_owned(), patience, folder: None })
    }

    /// A database in a folder of its own, which is gone when the last clone is.
    pub fn temporary() -> Result<Self, OpenError> {
        let folder = tempfile::Builder::new().prefix("countersign-").tempdir();
        let folder = folder.map_err(|cause| OpenError::File { path: std::env::temp_dir(), cause })?;
        let path = folder.path().join("countersign.db");
        open(Place { path, patience: PATIENCE, folder: Some(Arc::new(folder)) })
    }
}

impl OpenError {
    /// What the system said while it was at `path`.
    fn of_system(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        match disk::of_system(&cause) {
            Some(Trouble::Full) => Self::Full { path },
            Some(Trouble::ReadOnly) => Self::ReadOnly { path },
            None => Self::File { path, cause },
        }
    }

    /// What `SQLite` said while it was at `path`.
    pub(super) fn of_sqlite(path: &Path, cause: rusqlite::Error) -> Self {
        let trouble = disk::of_sqlite(&cause, path);
        let path = path.to_owned();
        match trouble {
            Some(Trouble::Full) => Self::Full { path },
            Some(Trouble::ReadOnly) => Self::ReadOnly { path },
            None => Self::Database { path, cause },
        }
    }
}

fn open(place: Place) -> Result<Sqlite, OpenError> {
    let path = &place.path;
    make(path).map_err(|cause| OpenError::of_system(path, cause))?;
    let mut db = connection::for_writing(&place).map_err(|cause| OpenError::of_sqlite(path, cause))?;
    let schema = migrate::migrate(&mut db, path)?;
    let writer = Writer::start(db, place.clone()).map_err(|cause| OpenError::of_system(path, cause))?;
    let vault = Arc::new(Vault::fleeting()?);
    let wal = mark::log(path).into();
    let readers = Readers::new(place, writer.clone());
    Ok(Sqlite { writer, readers, schema, vault, lately: Arc::default(), wal })
}

/// Makes the file, so that it never exists with wider rights. `SQLite` gives the files beside it the same ones.
fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(disk::folder_of(path))?;
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    if file.metadata()?.len() == 0 {
        flush_folders(path);
    }
    Ok(())
}

/// Makes sure of all folders that lead to a new file, whoever made them: what is flushed into the file is lost if one of
/// them is. (The folder that it is in `SQLite` flushes too, before the first commit is done.)
fn flush_folders(path: &Path) {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for folder in whole.ancestors().skip(1) {
        // Not every folder may be opened, nor can every system flush one; those that matter are ours.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}
