//! Opening a file: it is made if there is none, brought to the present schema, and given its writer and readers.

use super::connection::{self, Place};
use super::readers::Readers;
use super::writer::Writer;
use super::{Sqlite, migrate};
use crate::OpenError;
use std::fs::{DirBuilder, OpenOptions};
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

fn open(place: Place) -> Result<Sqlite, OpenError> {
    let of_file = |cause| OpenError::File { path: place.path.clone(), cause };
    make(&place.path).map_err(of_file)?;
    let mut db =
        connection::for_writing(&place).map_err(|cause| OpenError::Database { path: place.path.clone(), cause })?;
    let schema = migrate::migrate(&mut db, &place.path)?;
    let writer = Writer::start(db, place.folder.clone()).map_err(of_file)?;
    Ok(Sqlite { writer, readers: Readers::new(place), schema })
}

/// Makes the file, so that it never exists with wider rights. `SQLite` gives the files beside it the same ones.
fn make(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    Ok(())
}
