//! Where things are kept on this machine: the data folder, the database, and the lock of the one server that uses it.

use crate::failure::Failure;
use countersign_domain::secret::Key;
use countersign_runtime::ports::Store;
use countersign_store::{Address, Postgres, Schema, Sqlite};
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What Countersign keeps. No agent may touch it.
pub fn data_folder() -> Result<PathBuf, Failure> {
    Ok(base()?.join("countersign"))
}

/// Where the demo's assistant works: beside what Countersign keeps, not in it.
pub fn demo_folder() -> Result<PathBuf, Failure> {
    Ok(base()?.join("countersign-demo"))
}

/// The platform's folder for what programs keep.
fn base() -> Result<PathBuf, Failure> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || set("HOME").ok_or_else(|| Failure::new("there is no home folder: name a database with --db"));
    Ok(match set("XDG_DATA_HOME") {
        Some(folder) => folder,
        None if cfg!(target_os = "macos") => home()?.join("Library/Application Support"),
        None => home()?.join(".local/share"),
    })
}

/// Makes a folder for its owner's eyes only.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| Failure::new(format!("cannot make the folder `{}`: {error}", path.display())))
}

/// A database that was named.
#[derive(Debug, Clone)]
pub enum Database {
    /// A file, which one server works on.
    Sqlite(PathBuf),
    /// On a server, where any number do.
    Postgres(Box<Address>),
}

impl Database {
    /// The database that `url` names; without one, the embedded one in the data folder.
    pub fn named(url: Option<&str>) -> Result<Self, Failure> {
        let Some(url) = url else { return Ok(Self::Sqlite(real(&data_folder()?.join("countersign.db")))) };
        if Address::is_meant_by(url) {
            return Ok(Self::Postgres(Box::new(Address::parse(url).map_err(Failure::new)?)));
        }
        let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or(url);
        if path.is_empty() || path.contains("://") {
            return Err(Failure::new("expected a database as `sqlite://PATH` or `postgres://USER@HOST/NAME`"));
        }
        Ok(Self::Sqlite(real(Path::new(path))))
    }

    /// Opens it if it is there: whoever only looks makes none.
    pub async fn open_existing(&self) -> Result<Arc<dyn Store>, Failure> {
        match self {
            Self::Sqlite(path) if !path.exists() => {
                Err(Failure::new(format!("there is no database at `{self}`: name another with --db")))
            }
            _ => self.open().await,
        }
    }

    /// Opens it, and brings it to the present schema if need be.
    pub async fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        Ok(self.opened().await?.0)
    }

    /// The same, with what was done about the schema.
    pub async fn opened(&self) -> Result<(Arc<dyn Store>, Schema), Failure> {
        self.opened_under(|| Ok(None)).await
    }

    /// Opens it for whoever works on runs: their secrets are sealed under `key`, which is asked for once it is open.
    pub async fn open_under(&self, key: impl FnOnce() -> Result<Key, Failure>) -> Result<Arc<dyn Store>, Failure> {
        Ok(self.opened_under(|| key().map(Some)).await?.0)
    }

    async fn opened_under(
        &self,
        key: impl FnOnce() -> Result<Option<Key>, Failure>,
    ) -> Result<(Arc<dyn Store>, Schema), Failure> {
        match self {
            Self::Sqlite(path) => {
                let store = Sqlite::open(path).map_err(Failure::new)?;
                let schema = store.schema().clone();
                let store = if let Some(key) = key()? { store.sealing(key) } else { store };
                Ok((Arc::new(store), schema))
            }
            Self::Postgres(address) => {
                let store = Postgres::open((**address).clone()).await.map_err(Failure::new)?;
                let schema = store.schema().clone();
                let store = if let Some(key) = key()? { store.sealing(key) } else { store };
                Ok((Arc::new(store), schema))
            }
        }
    }

    /// The paths that no agent may touch.
    pub fn own_paths(&self) -> Vec<String> {
        let Self::Sqlite(path) = self else { return vec![] };
        ["", "-wal", "-shm", ".lock"].iter().map(|end| format!("{}{end}", path.display())).collect()
    }
}

/// As people are told; without a password.
impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::Postgres(address) => write!(f, "{address}"),
        }
    }
}

/// Where `path` leads, as far as it exists: two names of one file are one database.
pub fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (whole.parent(), whole.file_name()) {
        (Some(folder), Some(name)) => real(folder).join(name),
        _ => whole,
    }
}

/// Held by the one server that works on a database file. The system lets go of it when the process ends, however it ends.
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// Takes the lock of a file, or says who has it. A database on a server has none: any number work on it.
    pub fn take(database: &Database) -> Result<Option<Self>, Failure> {
        let Database::Sqlite(file) = database else { return Ok(None) };
        let mut path = file.clone().into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_folder(folder)?;
        }
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let hint = "make its folder writable, or name another database with --db";
        let lock = lock.map_err(|error| Failure::new(format!("cannot open `{}`: {error}; {hint}", path.display())))?;
        lock.try_lock().map_err(|_| {
            Failure::new(format!(
                "another Countersign serves `{database}`: stop it, or name another database with --db"
            ))
        })?;
        Ok(Some(Self { _file: lock }))
    }
}
