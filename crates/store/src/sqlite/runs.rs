//! Runs: a step is saved whole or not at all, and of two racing steps one loses.

use super::{claims, events, house, interactions, log, policy};
use crate::failure::of_sqlite;
use crate::page::page_of;
use crate::rows::{RunRow, SaveRows};
use crate::{failure, time};
use countersign_domain::RunId;
use countersign_domain::run::Run;
use countersign_runtime::ports::{Claim, Page, RunFilter, RunSummary, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};
use uuid::Uuid;

/// Saves a step, inside the writer's transaction.
pub fn save(db: &Connection, save: &SaveRows, now: Timestamp) -> Result<Option<Claim>, StoreError> {
    if let Some(claim) = save.claim
        && (claim.run != save.run || !claims::is_held(db, claim)?)
    {
        return Err(StoreError::Fenced(save.run));
    }
    let moved = if save.seen == 0 { insert(db, save)? } else { update(db, save)? };
    let key = moved.ok_or(StoreError::Conflict(save.run))?;
    save.events.iter().try_for_each(|event| events::append(db, key, event))?;
    log::enter(db, key, save.seen + 1, save.events.len())?;
    save.asked.iter().try_for_each(|asked| interactions::insert(db, key, asked))?;
    save.changed.iter().try_for_each(|changed| interactions::update(db, key, changed))?;
    save.policy.iter().try_for_each(|change| policy::change(db, change).map(drop))?;
    save.house.iter().try_for_each(|happened| house::append(db, happened))?;
    if let Some((call, answer)) = &save.remember {
        policy::remember(db, call, *answer)?;
    }
    save.take.map_or(Ok(None), |lease| claims::take(db, key, lease, now))
}

/// A new run, and the key it is given. Nothing is changed if there is one with this id.
fn insert(db: &Connection, save: &SaveRows) -> Result<Option<i64>, StoreError> {
    let sql = "
        INSERT INTO runs
            (id, seq, phase, user, ready_since, input_tokens, output_tokens, ending, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (id) DO NOTHING
        RETURNING key";
    let id = save.run.uuid();
    let SaveRows { seq, phase, user, ready_since, input_tokens, output_tokens, ending, created_at, at, .. } = save;
    db.prepare_cached(sql)
        .and_then(|mut statement| {
            let row =
                (id.as_bytes(), seq, phase, user, ready_since, input_tokens, output_tokens, ending, created_at, at);
            statement.query_row(row, |row| row.get(0)).optional()
        })
        .map_err(of_sqlite("runs", save.run))
}

/// The run after a step, if nobody was faster. One that waits or has ended is nobody's; one that stays ready keeps its
/// place in the queue.
fn update(db: &Connection, save: &SaveRows) -> Result<Option<i64>, StoreError> {
    let sql = "
        UPDATE runs SET
            seq           = ?3,
            phase         = ?4,
            ready_since   = CASE WHEN ?5 IS NOT NULL THEN coalesce(ready_since, ?5) END,
            lease_until   = CASE WHEN ?5 IS NOT NULL THEN lease_until END,
            attempts      = CASE WHEN ?6 THEN 0 ELSE attempts END,
            input_tokens  = ?7,
            output_tokens = ?8,
            ending        = ?9,
            updated_at    = ?10
        WHERE id = ?1 AND seq = ?2
        RETURNING key";
    let id = save.run.uuid();
    let SaveRows { seen, seq, phase, ready_since, progress, input_tokens, output_tokens, ending, at, .. } = save;
    db.prepare_cached(sql)
        .and_then(|mut statement| {
            let row = (id.as_bytes(), seen, seq, phase, ready_since, progress, input_tokens, output_tokens, ending, at);
            statement.query_row(row, |row| row.get(0)).optional()
        })
        .map_err(of_sqlite("runs", save.run))
}

/// The run, folded from its events.
pub fn load(db: &Connection, run: RunId) -> Result<Option<Run>, StoreError> {
    let events = events::all(db, run)?;
    if events.is_empty() {
        return Ok(None);
    }
    Run::fold(events).map(Some).map_err(|wrong| failure::inconsistent("events", run, wrong))
}

/// What lists show: the columns, the first event, and the open questions.
macro_rules! shown {
    ($from:literal) => {
        concat!(
            "SELECT runs.id, runs.seq, phase, coalesce(lease_until > ?1, 0), input_tokens, output_tokens, ending,
                created_at, updated_at, started.data, started.texts,
                CASE WHEN phase IN ('active', 'woken', 'waiting') THEN (
                    SELECT group_concat(hex(id), ',' ORDER BY expires_at, id) FROM interactions
                    WHERE run = runs.key AND status = 'open'
                ) END
            FROM ",
            $from,
            " JOIN events AS started ON started.run = runs.key AND started.seq = 1 "
        )
    };
}

/// What a run is and where it stands at `now`.
pub fn summary(db: &Connection, run: RunId, now: Timestamp) -> Result<Option<RunSummary>, StoreError> {
    let sql = concat!(shown!("runs"), "WHERE runs.id = ?2");
    let row = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row((time::column(now), run.uuid().as_bytes()), row).optional())
        .map_err(of_sqlite("runs", run))?;
    row.map(RunSummary::try_from).transpose()
}

pub(super) const FIRST_PAGE: &str = concat!(shown!("runs"), "ORDER BY runs.key DESC LIMIT ?2");
pub(super) const NEXT_PAGE: &str =
    concat!(shown!("runs"), "WHERE runs.key < (SELECT key FROM runs WHERE id = ?3) ORDER BY runs.key DESC LIMIT ?2");
pub(super) const FIRST_PAGE_OF_USER: &str =
    concat!(shown!("runs"), "WHERE runs.user = ?3 ORDER BY runs.key DESC LIMIT ?2");
pub(super) const NEXT_PAGE_OF_USER: &str = concat!(
    shown!("runs"),
    "WHERE runs.user = ?3 AND runs.key < (SELECT key FROM runs WHERE id = ?4) ORDER BY runs.key DESC LIMIT ?2"
);

/// Runs, newest first, after the run that ended the last page. After a run that is not there comes nothing.
pub fn page(db: &Connection, filter: &RunFilter, size: u32, now: Timestamp) -> Result<Page<RunSummary>, StoreError> {
    let (now, one_more) = (time::column(now), size + 1);
    let after = filter.after.map(|after| *after.uuid().as_bytes());
    let list = |sql: &str, values: &dyn Fn(&mut rusqlite::Statement<'_>) -> rusqlite::Result<Vec<RunRow>>| {
        db.prepare_cached(sql).and_then(|mut statement| values(&mut statement)).map_err(of_sqlite("runs", "list"))
    };
    let found = match (&filter.user, after) {
        (None, None) => list(FIRST_PAGE, &|s| s.query_map((now, one_more), row)?.collect()),
        (None, Some(after)) => list(NEXT_PAGE, &|s| s.query_map((now, one_more, after), row)?.collect()),
        (Some(user), None) => list(FIRST_PAGE_OF_USER, &|s| s.query_map((now, one_more, user), row)?.collect()),
        (Some(user), Some(after)) => {
            list(NEXT_PAGE_OF_USER, &|s| s.query_map((now, one_more, user, after), row)?.collect())
        }
    };
    let found: Result<Vec<_>, _> = found?.into_iter().map(RunSummary::try_from).collect();
    Ok(page_of(found?, size, |last| last.id.to_string()))
}

fn row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let id: [u8; 16] = row.get(0)?;
    let waiting_on: Option<String> = row.get(11)?;
    let ids = waiting_on.as_deref().unwrap_or_default().split(',').filter(|id| !id.is_empty());
    let ids: Result<Vec<_>, _> = ids.map(Uuid::try_parse).collect();
    let wrong = |error| rusqlite::Error::FromSqlConversionFailure(11, rusqlite::types::Type::Text, Box::new(error));
    Ok(RunRow {
        id: Uuid::from_bytes(id),
        seq: row.get(1)?,
        phase: row.get(2)?,
        is_leased: row.get(3)?,
        input_tokens: row.get(4)?,
        output_tokens: row.get(5)?,
        ending: row.get(6)?,
        created_at: row.get(7)?,
        updated_at: row.get(8)?,
        started: row.get(9)?,
        texts: row.get(10)?,
        waiting_on: ids.map_err(wrong)?,
    })
}
