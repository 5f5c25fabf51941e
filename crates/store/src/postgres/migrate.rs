//! Migrations: ordered files, each applied once, under a lock that all who open the database wait for.

use super::connection::{Connection, Failed};
use crate::OpenError;
use crate::postgres::clock::NOW;
use crate::schema::{Applied, BadSchema, Found, Migration, Schema};
use std::collections::BTreeSet;
use tokio_postgres::Row;

/// All migrations, the oldest first. Each is the twin of the one for `SQLite` with its number and name.
pub const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, name: "runs", sql: include_str!("../../migrations/postgres/0001_runs.sql") },
    Migration { number: 2, name: "log", sql: include_str!("../../migrations/postgres/0002_log.sql") },
    Migration { number: 3, name: "sessions", sql: include_str!("../../migrations/postgres/0003_sessions.sql") },
    Migration { number: 4, name: "secrets", sql: include_str!("../../migrations/postgres/0004_secrets.sql") },
    Migration { number: 5, name: "advice", sql: include_str!("../../migrations/postgres/0005_advice.sql") },
    Migration { number: 6, name: "calls", sql: include_str!("../../migrations/postgres/0006_calls.sql") },
    Migration {
        number: 7,
        name: "policy_history",
        sql: include_str!("../../migrations/postgres/0007_policy_history.sql"),
    },
    Migration { number: 8, name: "narrowed", sql: include_str!("../../migrations/postgres/0008_narrowed.sql") },
    Migration { number: 9, name: "reminders", sql: include_str!("../../migrations/postgres/0009_reminders.sql") },
    Migration {
        number: 10,
        name: "open_questions",
        sql: include_str!("../../migrations/postgres/0010_open_questions.sql"),
    },
    Migration { number: 11, name: "decided", sql: include_str!("../../migrations/postgres/0011_decided.sql") },
    Migration {
        number: 12,
        name: "open_and_settled",
        sql: include_str!("../../migrations/postgres/0012_open_and_settled.sql"),
    },
    Migration { number: 13, name: "unplaced", sql: include_str!("../../migrations/postgres/0013_unplaced.sql") },
    Migration {
        number: 14,
        name: "plain_checks",
        sql: include_str!("../../migrations/postgres/0014_plain_checks.sql"),
    },
];

/// Whatever else is locked by a number in this database has another one: "CSGN".
const LOCK: i64 = 0x4353_474E;

/// Brings the schema to the present. Of several who open a fresh database, one does and the others wait for it.
pub async fn migrate(db: &Connection, place: &str) -> Result<Schema, OpenError> {
    migrate_to(db, MIGRATIONS).await.map_err(|error| error.at(place))
}

/// The schema that is there, and the one that is known here. Nothing is changed.
pub async fn standing(db: &Connection, place: &str) -> Result<(i64, i64), OpenError> {
    let found = found(db).await.map_err(|cause| Stopped::Failed(cause).at(place))?;
    found.standing(MIGRATIONS).map_err(|why| Stopped::Schema(why).at(place))
}

/// Whoever stops here leaves a transaction open: the connection is of no further use.
enum Stopped {
    Schema(BadSchema),
    Failed(Failed),
}

impl Stopped {
    fn at(self, place: &str) -> OpenError {
        let place = place.to_owned();
        match self {
            Self::Schema(why) => OpenError::Schema { place, why },
            Self::Failed(cause) => OpenError::Refused { place, why: cause.said(), cause },
        }
    }
}

impl From<Failed> for Stopped {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}

async fn migrate_to(db: &Connection, migrations: &[Migration]) -> Result<Schema, Stopped> {
    begin(db).await?;
    let missing = found(db).await?.pending(migrations).map_err(Stopped::Schema)?;
    for migration in missing {
        make_table(db).await?;
        db.long_batch(migration.sql).await?;
        remember(db, migration).await?;
    }
    db.batch("COMMIT").await?;
    Ok(Schema::after(migrations, missing))
}

/// However long another one is at it, and however long our own statements take.
async fn begin(db: &Connection) -> Result<(), Failed> {
    db.long_batch(&format!(
        "BEGIN;
        SET LOCAL statement_timeout = 0;
        SET LOCAL lock_timeout = 0;
        SET LOCAL idle_in_transaction_session_timeout = 0;
        SELECT pg_advisory_xact_lock({LOCK})"
    ))
    .await
}

/// Another program's table may have the same name, but hardly the same columns.
async fn found(db: &Connection) -> Result<Found, Failed> {
    let columns = columns(db).await?;
    if columns.is_empty() {
        return Ok(if is_empty(db).await? { Found::Nothing } else { Found::Foreign });
    }
    let expected = ["number", "name", "checksum", "applied_at"].map(str::to_owned);
    if columns != BTreeSet::from(expected) {
        return Ok(Found::Foreign);
    }
    applied(db).await.map(Found::Ours)
}

async fn make_table(db: &Connection) -> Result<(), Failed> {
    db.batch(
        "CREATE TABLE IF NOT EXISTS migrations (
            number     BIGINT NOT NULL PRIMARY KEY,
            name       TEXT   NOT NULL,
            checksum   TEXT   NOT NULL,
            applied_at BIGINT NOT NULL
        )",
    )
    .await
}

async fn remember(db: &Connection, migration: &Migration) -> Result<(), Failed> {
    let sql = format!("INSERT INTO migrations (number, name, checksum, applied_at) VALUES ($1, $2, $3, {NOW})");
    db.change(sql, &[&migration.number, &migration.name, &migration.checksum()]).await.map(|_| ())
}

async fn columns(db: &Connection) -> Result<BTreeSet<String>, Failed> {
    let sql = "
        SELECT column_name::text FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = 'migrations'";
    every(&db.rows(sql, &[]).await?, |row| row.try_get(0))
}

async fn applied(db: &Connection) -> Result<Vec<Applied>, Failed> {
    let rows = db.rows("SELECT number, checksum FROM migrations ORDER BY number", &[]).await?;
    every(&rows, |row| Ok(Applied { number: row.try_get(0)?, checksum: row.try_get(1)? }))
}

/// What extensions bring along belongs to no program.
async fn is_empty(db: &Connection) -> Result<bool, Failed> {
    let sql = "
        SELECT 1 FROM pg_class AS thing
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
            AND NOT EXISTS (
                SELECT 1 FROM pg_depend
                WHERE classid = 'pg_class'::regclass AND objid = thing.oid AND deptype = 'e'
            )
        LIMIT 1";
    Ok(db.rows(sql, &[]).await?.is_empty())
}

fn every<T, C: FromIterator<T>>(
    rows: &[Row],
    read: impl Fn(&Row) -> Result<T, tokio_postgres::Error>,
) -> Result<C, Failed> {
    rows.iter().map(read).collect::<Result<C, _>>().map_err(Failed::Refused)
}
