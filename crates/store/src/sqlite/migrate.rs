//! Migrations: ordered files, each applied once, under a lock, and remembered with its checksum.

use crate::OpenError;
use crate::schema::{Applied, Found, Migration, Schema};
use crate::time;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;

/// All migrations, the oldest first.
pub const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "runs", sql: include_str!("../../migrations/sqlite/0001_runs.sql") },
    Migration { number: 2, name: "log", sql: include_str!("../../migrations/sqlite/0002_log.sql") },
    Migration { number: 3, name: "sessions", sql: include_str!("../../migrations/sqlite/0003_sessions.sql") },
    Migration { number: 4, name: "secrets", sql: include_str!("../../migrations/sqlite/0004_secrets.sql") },
    Migration { number: 5, name: "advice", sql: include_str!("../../migrations/sqlite/0005_advice.sql") },
    Migration { number: 6, name: "calls", sql: include_str!("../../migrations/sqlite/0006_calls.sql") },
    Migration {
        number: 7,
        name: "policy_history",
        sql: include_str!("../../migrations/sqlite/0007_policy_history.sql"),
    },
    Migration { number: 8, name: "narrowed", sql: include_str!("../../migrations/sqlite/0008_narrowed.sql") },
    Migration { number: 9, name: "reminders", sql: include_str!("../../migrations/sqlite/0009_reminders.sql") },
    Migration {
        number: 10,
        name: "open_questions",
        sql: include_str!("../../migrations/sqlite/0010_open_questions.sql"),
    },
    Migration { number: 11, name: "decided", sql: include_str!("../../migrations/sqlite/0011_decided.sql") },
    Migration {
        number: 12,
        name: "open_and_settled",
        sql: include_str!("../../migrations/sqlite/0012_open_and_settled.sql"),
    },
    Migration { number: 13, name: "unplaced", sql: include_str!("../../migrations/sqlite/0013_unplaced.sql") },
    Migration { number: 14, name: "plain_checks", sql: include_str!("../../migrations/sqlite/0014_plain_checks.sql") },
];

/// Brings the schema to the present. Of several processes that open a fresh file, one does and the others wait for it.
pub fn migrate(db: &mut Connection, path: &Path) -> Result<Schema, OpenError> {
    migrate_to(db, path, MIGRATIONS)
}

/// The schema that is there, and the one that is known here. Nothing is changed.
pub fn standing(db: &Connection, path: &Path) -> Result<(i64, i64), OpenError> {
    let refused = |why| OpenError::Schema { place: path.display().to_string(), why };
    found(db).map_err(|cause| OpenError::of_sqlite(path, cause))?.standing(MIGRATIONS).map_err(refused)
}

fn migrate_to(db: &mut Connection, path: &Path, migrations: &[Migration]) -> Result<Schema, OpenError> {
    let failed = |cause| OpenError::of_sqlite(path, cause);
    let pending = |db: &Connection| {
        let refused = |why| OpenError::Schema { place: path.display().to_string(), why };
        found(db).map_err(failed)?.pending(migrations).map_err(refused)
    };
    // A file that is up to date is opened without its lock; but looked at as it was at one moment, not while it changes.
    let look = Transaction::new(db, TransactionBehavior::Deferred).map_err(failed)?;
    if pending(&look)?.is_empty() {
        return Ok(Schema::after(migrations, &[]));
    }
    look.finish().map_err(failed)?;
    let step = Transaction::new(db, TransactionBehavior::Immediate).map_err(failed)?;
    let missing = pending(&step)?;
    for migration in missing {
        apply(&step, migration).map_err(failed)?;
    }
    step.commit().map_err(failed)?;
    Ok(Schema::after(migrations, missing))
}

fn found(db: &Connection) -> rusqlite::Result<Found> {
    if has_table(db, "migrations")? {
        return applied(db).map(Found::Ours);
    }
    Ok(if is_empty(db)? { Found::Nothing } else { Found::Foreign })
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

    fn to(db: &mut Connection, migrations: &[Migration]) -> Result<Schema, String> {
        migrate_to(db, Path::new("/data/x.db"), migrations).map_err(|error| error.to_string())
    }

    #[test]
    fn each_migration_is_applied_once() {
        let mut db = file();
        let done = |applied: &[Migration]| Ok(Schema::after(&[FIRST, SECOND], applied));
        to(&mut db, &[FIRST]).unwrap();
        assert_eq!(to(&mut db, &[FIRST, SECOND]), done(&[SECOND]));
        assert_eq!(to(&mut db, &[FIRST, SECOND]), done(&[]));
        assert_eq!(applied(&db).unwrap().len(), 2);
        assert!(has_table(&db, "b").unwrap());
    }

    #[test]
    fn an_older_program_refuses_a_newer_schema() {
        let mut db = file();
        to(&mut db, &[FIRST, SECOND]).unwrap();
        let expected = "`/data/x.db` has schema 2, this program knows 1: use the newer program that made it";
        assert_eq!(to(&mut db, &[FIRST]).unwrap_err(), expected);
    }

    #[test]
    fn a_migration_in_another_wording_is_refused() {
        let mut db = file();
        to(&mut db, &[FIRST]).unwrap();
        let other = Migration { sql: "CREATE TABLE a (y INTEGER) STRICT", ..FIRST };
        let expected = "`/data/x.db` was made by another build: its migration 1 is not the one known here";
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
            "`/data/x.db` is the database of another program: choose another one"
        );
        assert!(!has_table(&db, "a").unwrap());
    }

    #[test]
    fn steps_that_have_no_place_yet_keep_their_order() {
        let mut db = file();
        let before: Vec<_> = MIGRATIONS.iter().take_while(|migration| migration.number < 13).copied().collect();
        to(&mut db, &before).unwrap();
        let steps = "INSERT INTO unplaced (id, run, seq, many) VALUES (70, 3, 1, 2), (8, 5, 1, 1), (71, 4, 1, 9)";
        db.execute_batch(steps).unwrap();
        to(&mut db, MIGRATIONS).unwrap();
        db.execute_batch("INSERT INTO unplaced (run, seq, many) VALUES (6, 1, 1)").unwrap();
        let mut statement = db.prepare("SELECT run, seq, many FROM unplaced ORDER BY id").unwrap();
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let there: Vec<(i64, i64, i64)> = statement.query_map([], row).unwrap().map(Result::unwrap).collect();
        assert_eq!(there, [(5, 1, 1), (3, 1, 2), (4, 1, 9), (6, 1, 1)]);
    }

    #[test]
    fn what_is_checked_stays_the_same_and_makes_no_table() {
        let mut db = file();
        let before: Vec<_> = MIGRATIONS.iter().take_while(|migration| migration.number < 14).copied().collect();
        to(&mut db, &before).unwrap();
        let run = |db: &Connection, id: i64, phase: &str| {
            let ready = matches!(phase, "active" | "woken").then_some(1);
            let sql = "INSERT INTO runs (key, id, seq, phase, ready_since, created_at, updated_at)
                VALUES (?1, randomblob(16), 1, ?2, ?3, 1, 1)";
            db.execute(sql, (id, phase, ready)).is_ok()
        };
        let question = |db: &Connection, status: &str| {
            let sql =
                "INSERT INTO interactions (id, run, status, expires_at, asker) VALUES (randomblob(16), 1, ?1, 1, 1)";
            db.execute(sql, [status]).is_ok()
        };
        let phases =
            ["active", "woken", "waiting", "completed", "failed", "cancelled", "set_aside", "", "ACTIVE", "asleep"];
        let statuses = ["open", "answered", "expired", "cancelled", "", "closed"];
        let taken = |db: &Connection, from: i64| {
            let phases: Vec<_> = (from..).zip(phases).map(|(id, phase)| run(db, id, phase)).collect();
            (phases, statuses.map(|status| question(db, status)))
        };
        let then = taken(&db, 1);
        to(&mut db, MIGRATIONS).unwrap();
        assert_eq!(taken(&db, 101), then);
        assert_eq!(then.0.iter().filter(|taken| **taken).count(), 7);
        let sound: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
        for sql in ["UPDATE runs SET phase = 'failed'", "UPDATE interactions SET status = 'open' WHERE id = x''"] {
            let mut explained = db.prepare(&format!("EXPLAIN {sql}")).unwrap();
            let steps = explained.query_map([], |row| row.get::<_, String>(1)).unwrap().map(Result::unwrap);
            assert_eq!(steps.filter(|step| step == "OpenEphemeral").count(), 0, "{sql}");
        }
    }

    #[test]
    fn the_migrations_are_numbered_without_gaps() {
        assert!((1..).zip(MIGRATIONS).all(|(number, migration)| migration.number == number));
    }
}
