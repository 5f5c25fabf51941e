//! Opening a file: it is made if there is none, brought to the present schema, and given its writer and readers.

use super::connection::{self, Place};
use super::readers::Readers;
use super::writer::Writer;
use super::{Sqlite, migrate};
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a write waits for another process that holds the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a database was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or the file cannot be made or opened.
    #[error("cannot open the database `{}`: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        cause: io::Error,
    },
    /// `SQLite` cannot work with the file.
    #[error("cannot open the database `{}`: {cause}", .path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What `SQLite` says.
        #[source]
        cause: rusqlite::Error,
    },
    /// It belongs to another program.
    #[error("`{}` is the database of another program: choose another file", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer program has been here.
    #[error(
        "the database `{}` has schema {found}, this program knows {known}: use the newer program that made it",
        .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// A migration was applied in another wording than the one that stands here.
    #[error("the database `{}` was made by another build: its migration {number} is not the one known here", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The migration.
        number: i64,
    },
}

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
    migrate::migrate(&mut db, &place.path)?;
    let writer = Writer::start(db, place.folder.clone()).map_err(of_file)?;
    Ok(Sqlite { writer, readers: Readers::new(place) })
}

/// Makes the file, so that it never exists with wider rights. `SQLite` gives the files beside it the same ones.
fn make(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    Ok(())
}
