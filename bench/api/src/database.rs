//! Databases: where they are, how one is made and opened.

use crate::Failure;
use countersign_runtime::ports::Store;
use countersign_store::{Address, Postgres, Sqlite};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// An engine, and where its databases go.
#[derive(Debug, Clone)]
pub enum Engine {
    Sqlite,
    Postgres(Server),
}

impl Engine {
    pub fn title(&self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// An empty database in place of an earlier one.
    pub async fn fresh(&self, within: &Path) -> Result<Arc<dyn Store>, Failure> {
        match self {
            Self::Sqlite => {
                let folder = within.join("sqlite");
                if folder.exists() {
                    std::fs::remove_dir_all(&folder)?;
                }
                std::fs::create_dir(&folder)?;
                Ok(Arc::new(Sqlite::open(&folder.join("countersign.db"))?))
            }
            Self::Postgres(server) => Ok(Arc::new(Postgres::open(Address::parse(&server.fresh("api")?)?).await?)),
        }
    }
}

/// A server for the benchmark, and its programs.
#[derive(Debug, Clone)]
pub struct Server {
    /// Without a database.
    url: String,
    programs: PathBuf,
}

impl Server {
    /// The one that `scripts/with-postgres` has started, if it did.
    pub fn given() -> Option<Self> {
        let url = std::env::var("COUNTERSIGN_TEST_POSTGRES").ok()?;
        Some(Self { url, programs: std::env::var_os("COUNTERSIGN_TEST_POSTGRES_BIN")?.into() })
    }

    /// An empty database of this name, in place of an earlier one. Gives its address.
    fn fresh(&self, name: &str) -> Result<String, Failure> {
        self.say(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
        self.say(&format!("CREATE DATABASE {name}"))?;
        Ok(format!("{}/{name}", self.url))
    }

    /// Its version, and what of its settings matters here.
    pub fn described(&self) -> Result<String, Failure> {
        let show = |name: &str| self.say(&format!("SHOW {name}")).map(|shown| shown.trim().to_owned());
        let version = show("server_version")?;
        let version = version.split(' ').next().unwrap_or_default();
        let [fsync, commit] = [show("fsync")?, show("synchronous_commit")?];
        Ok(format!("PostgreSQL {version} with fsync {fsync}, synchronous_commit {commit}"))
    }

    fn say(&self, sql: &str) -> Result<String, Failure> {
        let database = format!("{}/postgres", self.url);
        let mut psql = Command::new(self.programs.join("psql"));
        let output = psql.args(["-X", "-q", "-A", "-t", "-d", &database, "-c", sql]).output()?;
        if output.status.success() {
            return Ok(String::from_utf8(output.stdout)?);
        }
        Err(format!("psql: {}", String::from_utf8_lossy(&output.stderr)).into())
    }
}
