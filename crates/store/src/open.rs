//! Why a database was not opened.

use crate::postgres::{ConnectError, Failed};
use crate::schema::BadSchema;
use countersign_runtime::ports::StoreError;
use std::io;
use std::path::PathBuf;

/// Why a database was not opened. Never holds a password.
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
    /// There is no room for what opening writes.
    #[error("cannot open the database `{}`: its disk is full; make room on it", .path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be written, or not even made.
    #[error(
        "cannot write the database `{}`: whoever runs this program must be able to write the file and its folder",
        .path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The system gives no random numbers.
    #[error("cannot draw random numbers: {0}")]
    Random(#[from] getrandom::Error),
    /// PostgreSQL does not let us in.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// PostgreSQL did not do what opening needs.
    #[error("cannot open the database `{place}`: {why}")]
    Refused {
        /// The database.
        place: String,
        /// What it said.
        why: String,
        /// The cause.
        #[source]
        cause: Failed,
    },
    /// What is in it cannot be read.
    #[error("cannot read the database `{place}`: {cause}")]
    Unread {
        /// The database.
        place: String,
        /// Why.
        #[source]
        cause: StoreError,
    },
    /// What is in it is not what this program can work with.
    #[error("`{place}` {why}")]
    Schema {
        /// The database.
        place: String,
        /// What is wrong with it.
        #[source]
        why: BadSchema,
    },
}
