//! Migrations: ordered files, each applied once, under a lock, and remembered with its checksum.

use super::OpenError;
use crate::time;
use countersign_domain::Digest;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;

/// All migrations, the oldest first. What was released is never changed.
const MIGRATIONS: &[Migration] =
    &[Migration { number: 1, name: "runs", sql: include_str!("../../migrations/sqlite/0001_runs.sql") }];

/// One step of the schema.
struct Migration {
    number: i64,
    name: &'static str,
    sql: &'static str,
}

/// A migration that was applied.
#[derive(Debug, PartialEq, Eq)]
struct Applied {
    number: i64,
    checksum: String,
}

/// Brings the schema to the present. Of several processes that open a fresh file, one does and the others wait for it.
pub fn migrate(db: &mut Connection, path: &Path) -> Result<(), OpenError> {
    migrate_to(db, path, MIGRATIONS)
}

fn migrate_to(db: &mut Connection, path: &Path, migrations: &[Migration]) -> Result<(), OpenError> {
    let failed = |cause| OpenError::Database { path: path.to_owned(), cause };
    // A file that is up to date is opened without its lock; but looked at as it was at one moment, not while it changes.
    let look = Transaction::new(db, TransactionBehavior::Deferred).map_err(failed)?;
    if pending(&look, path, migrations)?.is_empty() {
        return Ok(());
    }
    look.finish().map_err(failed)?;
    let step = Transaction::new(db, TransactionBehavior::Immediate).map_err(failed)?;
    for migration in pending(&step, path, migrations)? {
        apply(&step, migration).map_err(failed)?;
    }
    step.commit().map_err(failed)
}

/// The migrations that are missing, if those that are there are the first of `migrations`.
fn pending<'a>(db: &Connection, path: &Path, migrations: &'a [Migration]) -> Result<&'a [Migration], OpenError> {
    let failed = |cause| OpenError::Database { path: path.to_owned(), cause };
    let path = path.to_owned();
    if !has_table(db, "migrations").map_err(failed)? {
        return if is_empty(db).map_err(failed)? { Ok(migrations) } else { Err(OpenError::Foreign { path }) };
    }
    let applied = applied(db).map_err(failed)?;
    let known = migrations.last().map_or(0, |last| last.number);
    let found = applied.last().map_or(0, |last| last.number);
    if found > known {
        return Err(OpenError::Newer { path, found, known });
    }
    let differs = applied
        .iter()
        .zip(migrations)
        .find(|(there, here)| there.number != here.number || there.checksum != here.checksum());
    if let Some((there, _)) = differs {
        return Err(OpenError::Changed { path, number: there.number });
    }
    Ok(migrations.get(applied.len()..).unwrap_or_default())
}

impl Migration {
    fn checksum(&self) -> String {
        Digest::of(self.sql.as_bytes()).to_string()
    }
}

fn apply(db: &Connection, migration: &Migration) -> rusqlite::Result<()> {
    make_table(db)?;
    db.execute_batch(migration.sql)?;
    remember(db, migration)
}

fn make_table(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (
            number     INTEGER NOT NULL PRIMARY KEY,
            name       TEXT    NOT NULL,
            checksum   TEXT    NOT NULL,
            applied_at INTEGER NOT NULL
        ) STRICT",
    )
}

fn remember(db: &Connection, migration: &Migration) -> rusqlite::Result<()> {
    let sql = "INSERT INTO migrations (number, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)";
    let at = time::column(time::now());
    db.execute(sql, (migration.number, migration.name, migration.checksum(), at)).map(|_| ())
}

fn applied(db: &Connection) -> rusqlite::Result<Vec<Applied>> {
    let mut statement = db.prepare("SELECT number, checksum FROM migrations ORDER BY number")?;
    let rows = statement.query_map([], |row| Ok(Applied { number: row.get(0)?, checksum: row.get(1)? }))?;
    rows.collect()
}

fn has_table(db: &Connection, name: &str) -> rusqlite::Result<bool> {
    db.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)", [name], |row| {
        row.get(0)
    })
}

fn is_empty(db: &Connection) -> rusqlite::Result<bool> {
    db.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Migration = Migration { number: 1, name: "a", sql: "CREATE TABLE a (x INTEGER) STRICT" };
    const SECOND: Migration = Migration { number: 2, name: "b", sql: "CREATE TABLE b (x INTEGER) STRICT" };

    fn file() -> Connection {
        Connection::open_in_memory().unwrap()
    }

    fn to(db: &mut Connection, migrations: &[Migration]) -> Result<(), String> {
        migrate_to(db, Path::new("/data/x.db"), migrations).map_err(|error| error.to_string())
    }

    #[test]
    fn each_migration_is_applied_once() {
        let mut db = file();
        to(&mut db, &[FIRST]).unwrap();
        to(&mut db, &[FIRST, SECOND]).unwrap();
        to(&mut db, &[FIRST, SECOND]).unwrap();
        assert_eq!(applied(&db).unwrap().len(), 2);
        assert!(has_table(&db, "b").unwrap());
    }

    #[test]
    fn an_older_program_refuses_a_newer_schema() {
        let mut db = file();
        to(&mut db, &[FIRST, SECOND]).unwrap();
        let expected =
            "the database `/data/x.db` has schema 2, this program knows 1: use the newer program that made it";
        assert_eq!(to(&mut db, &[FIRST]).unwrap_err(), expected);
    }

    #[test]
    fn a_migration_in_another_wording_is_refused() {
        let mut db = file();
        to(&mut db, &[FIRST]).unwrap();
        let other = Migration { sql: "CREATE TABLE a (y INTEGER) STRICT", ..FIRST };
        let expected = "the database `/data/x.db` was made by another build: its migration 1 is not the one known here";
        assert_eq!(to(&mut db, &[other, SECOND]).unwrap_err(), expected);
        assert!(!has_table(&db, "b").unwrap());
    }

    #[test]
    fn a_migration_that_fails_leaves_nothing_behind() {
        let mut db = file();
        let bad = Migration { number: 2, name: "b", sql: "CREATE TABLE b (x INTEGER) STRICT; SELECT nonsense" };
        to(&mut db, &[FIRST, bad]).unwrap_err();
        assert!(is_empty(&db).unwrap());
        to(&mut db, &[FIRST, SECOND]).unwrap();
    }

    #[test]
    fn the_database_of_another_program_is_left_alone() {
        let mut db = file();
        db.execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
        assert_eq!(
            to(&mut db, &[FIRST]).unwrap_err(),
            "`/data/x.db` is the database of another program: choose another file"
        );
        assert!(!has_table(&db, "a").unwrap());
    }

    #[test]
    fn the_migrations_are_numbered_without_gaps() {
        assert!((1..).zip(MIGRATIONS).all(|(number, migration)| migration.number == number));
    }
}
