//! Databases: where they are, how one is made, opened, measured.

use crate::Failure;
use crate::measure::{bytes, open_files};
use crate::pgbench::Server;
use countersign_runtime::ports::Store;
use countersign_store::{Address, Postgres, Sqlite};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An engine, and where its databases go.
#[derive(Debug, Clone)]
pub enum Engine {
    Sqlite,
    Postgres(Server),
}

/// One database, and a folder for whatever stands beside it.
#[derive(Debug, Clone)]
pub struct Database {
    pub folder: PathBuf,
    /// A file, or an address.
    pub place: String,
}

impl Engine {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    pub fn title(&self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// An empty database of this name, in place of an earlier one.
    pub fn fresh(&self, within: &Path, name: &str) -> Result<Database, Failure> {
        let folder = within.join(format!("{}-{name}", self.word()));
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        let place = match self {
            Self::Sqlite => folder.join("countersign.db").display().to_string(),
            Self::Postgres(server) => server.fresh(&format!("durable_{name}"))?,
        };
        Ok(Database { folder, place })
    }

    /// Takes away what this one holds.
    pub fn remove(&self, database: &Database) -> Result<(), Failure> {
        std::fs::remove_dir_all(&database.folder)?;
        match self {
            Self::Sqlite => Ok(()),
            Self::Postgres(server) => server.drop(&database.place),
        }
    }

    /// Bytes of the database on disk, with nothing left in a log.
    pub fn bytes(&self, database: &Database) -> Result<f64, Failure> {
        match self {
            Self::Sqlite => {
                let db = rusqlite::Connection::open(&database.place)?;
                db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
                Ok(bytes(&database.folder, "countersign.db")? as f64)
            }
            Self::Postgres(server) => server.bytes(&database.place),
        }
    }
}

impl Engine {
    /// Bytes of these that are there for the record alone: what events are hashed with and to, and the tables of the log.
    pub fn record_bytes(&self, database: &Database) -> Result<f64, Failure> {
        match self {
            // Beside its columns a row of the log has a key of up to four bytes and a header of as many.
            Self::Sqlite => Ok(rusqlite::Connection::open(&database.place)?.query_row(
                "SELECT (SELECT sum(length(leaf) + coalesce(length(salt), 0)) FROM events)
                    + (SELECT count(*) * 14 FROM log) + (SELECT count(*) * 14 FROM unplaced)",
                [],
                |row| row.get(0),
            )?),
            Self::Postgres(server) => server.record_bytes(&database.place),
        }
    }
}

/// How long a database may take to close.
const CLOSING: Duration = Duration::from_secs(60);

impl Database {
    /// Whether it is in a file that one process has for itself.
    pub fn is_embedded(&self) -> bool {
        !self.place.starts_with("postgres")
    }

    /// Waits until nobody in this process has it open. A file is closed by a thread of the store, which carries its log over and takes
    /// that away by name: that must not be the log of the next database in its place.
    pub async fn closed(&self) -> Result<(), Failure> {
        let until = Instant::now() + CLOSING;
        while open_files()?.any(|file| file.starts_with(&self.folder)) {
            if Instant::now() > until {
                return Err(format!("`{}` is not closed", self.place).into());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    pub async fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        if self.is_embedded() {
            return Ok(Arc::new(Sqlite::open(&self.place)?));
        }
        Ok(Arc::new(Postgres::open(Address::parse(&self.place)?).await?))
    }
}
