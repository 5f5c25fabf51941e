//! The database: is it there, can it be used, and which schema has it.

use super::Check;
use crate::home::Database;
use countersign_store::{Inspected, OpenError, Postgres, Sqlite};
use rustix::fs::{Access, access};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const ID: &str = "database";
const SCHEMA: &str = "schema";

/// What was found out.
pub struct Looked {
    /// Whether it is there.
    pub database: Check,
    /// Which schema it has.
    pub schema: Check,
    /// What is in it, if it can be read.
    pub seen: Option<Inspected>,
}

/// Looks at it.
pub async fn look(database: &Database) -> Looked {
    let inspected = match database {
        Database::Sqlite(path) if !path.exists() => return none_yet(path),
        Database::Sqlite(path) => Sqlite::inspect(path),
        Database::Postgres(address) => Postgres::inspect(address).await,
    };
    match inspected {
        Ok(seen) => Looked { database: reached(database), schema: schema(&seen), seen: Some(seen) },
        Err(OpenError::Schema { why, .. }) => {
            Looked { database: reached(database), schema: Check::failed(SCHEMA, format!("it {why}")), seen: None }
        }
        Err(error) => {
            let hint = "see that it is there, that it runs, and that whoever runs this program may use it";
            Looked {
                database: Check::failed(ID, error.to_string()).hint(hint),
                schema: Check::unseen(SCHEMA, "the database cannot be read"),
                seen: None,
            }
        }
    }
}

fn none_yet(path: &Path) -> Looked {
    let folder = path.ancestors().skip(1).find(|folder| folder.exists());
    let text = format!("there is none at `{}`", path.display());
    let database = match folder {
        Some(folder) if access(folder, Access::WRITE_OK).is_err() => Check::failed(ID, text)
            .hint(format!("`{}` cannot be written: choose another place with --db", folder.display())),
        _ => Check::warning(ID, text).hint("`countersign serve` makes it, or name another with --db"),
    };
    Looked { database, schema: Check::unseen(SCHEMA, "there is no database yet"), seen: None }
}

fn reached(database: &Database) -> Check {
    let Database::Sqlite(path) = database else { return Check::ok(ID, format!("`{database}` answers")) };
    let folder = path.parent().unwrap_or(Path::new("."));
    for must in [path.as_path(), folder] {
        if access(must, Access::WRITE_OK).is_err() {
            return Check::failed(ID, format!("`{}` cannot be written", must.display()))
                .hint("whoever runs the server must be able to write the file and its folder");
        }
    }
    if open_to_others(path) {
        return Check::warning(ID, format!("`{database}` can be read by other users of this machine"))
            .hint(format!("chmod 600 '{database}'"));
    }
    Check::ok(ID, format!("`{database}` can be read"))
}

/// Whether others than its owner may do anything with a file.
pub fn open_to_others(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
}

fn schema(seen: &Inspected) -> Check {
    let Inspected { schema, known, .. } = seen;
    match schema {
        0 => Check::ok(SCHEMA, "the database is empty").hint("`countersign serve` or `countersign migrate` sets it up"),
        schema if schema < known => {
            Check::warning(SCHEMA, format!("it is {schema}, and this program brings it to {known} when it starts"))
                .hint("make a copy of the database first")
        }
        schema => Check::ok(SCHEMA, format!("it is {schema}, as this program has it")),
    }
}
