//! The rows beside the events, read with plain SQL: what the store's own code would not show.

use countersign_domain::{InteractionId, RunId};
use rusqlite::{Connection, OpenFlags, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use uuid::Uuid;

/// The read models of a database.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// The rows of runs.
    pub runs: BTreeMap<RunId, RunRow>,
    /// The runs that have events.
    pub with_events: BTreeSet<RunId>,
    /// How many events there are, of runs and outside of them.
    pub events: u64,
    /// The rows of questions.
    pub questions: BTreeMap<InteractionId, QuestionRow>,
}

/// A row of `runs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// How many events it has.
    pub seq: u64,
    /// Where it stands.
    pub phase: String,
    /// Whether there is something to do.
    pub is_ready: bool,
    /// Whether it is somebody's, now or until lately.
    pub is_leased: bool,
    /// The highest fencing number.
    pub fence: u64,
}

/// A row of `interactions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionRow {
    /// Its run.
    pub run: RunId,
    /// Where it stands.
    pub status: String,
    /// When it ends, in microseconds since 1970.
    pub expires_at: i64,
    /// Whether people are still to be reminded of it.
    pub is_to_remind: bool,
    /// Whether its call is found as one that somebody decided about.
    pub is_decided: bool,
}

// The tables of all databases are alike, and so is the SQL that both understand.
pub(super) const RUNS: &str =
    "SELECT id, seq, phase, ready_since IS NOT NULL, lease_until IS NOT NULL, fence FROM runs";
pub(super) const WITH_EVENTS: &str = "SELECT DISTINCT runs.id FROM events JOIN runs ON runs.key = events.run";
pub(super) const EVENTS: &str = "SELECT count(*) FROM events";
pub(super) const QUESTIONS: &str = "
    SELECT interactions.id, runs.id, status, expires_at, remind_at IS NOT NULL, decided IS NOT NULL
    FROM interactions JOIN runs ON runs.key = interactions.run";

impl Rows {
    /// Those of the file at `path`, which is not changed.
    pub fn of_sqlite(path: &Path) -> rusqlite::Result<Self> {
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        db.pragma_update(None, "query_only", true)?;
        Ok(Self {
            runs: all(&db, RUNS, |row| Ok((RunId::new(id(row, 0)?), run(row)?)))?,
            with_events: all(&db, WITH_EVENTS, |row| Ok(RunId::new(id(row, 0)?)))?,
            events: db.query_row(EVENTS, [], |row| count(row, 0))?,
            questions: all(&db, QUESTIONS, |row| Ok((InteractionId::new(id(row, 0)?), question(row)?)))?,
        })
    }
}

fn all<T, C: FromIterator<T>>(
    db: &Connection,
    sql: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<C> {
    db.prepare(sql)?.query_map([], |row| read(row))?.collect()
}

fn run(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        seq: count(row, 1)?,
        phase: row.get(2)?,
        is_ready: row.get(3)?,
        is_leased: row.get(4)?,
        fence: count(row, 5)?,
    })
}

fn question(row: &Row<'_>) -> rusqlite::Result<QuestionRow> {
    Ok(QuestionRow {
        run: RunId::new(id(row, 1)?),
        status: row.get(2)?,
        expires_at: row.get(3)?,
        is_to_remind: row.get(4)?,
        is_decided: row.get(5)?,
    })
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

fn id(row: &Row<'_>, column: usize) -> rusqlite::Result<Uuid> {
    row.get(column).map(Uuid::from_bytes)
}
