//! Runs: a step is saved whole or not at all, and of two racing steps one loses.

use super::{claims, events, interactions};
use crate::failure::of_sqlite;
use crate::page::page_of;
use crate::rows::{RunRow, SaveRows};
use crate::{failure, time};
use countersign_domain::RunId;
use countersign_domain::run::Run;
use countersign_runtime::ports::{Page, RunFilter, RunSummary, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

/// Saves a step, inside the writer's transaction.
pub fn save(db: &Connection, save: &SaveRows) -> Result<(), StoreError> {
    if let Some(claim) = save.claim
        && (claim.run != save.run || !claims::is_held(db, claim)?)
    {
        return Err(StoreError::Fenced(save.run));
    }
    let moved = if save.seen == 0 { insert(db, save)? } else { update(db, save)? };
    if moved == 0 {
        return Err(StoreError::Conflict(save.run));
    }
    save.events.iter().try_for_each(|event| events::append(db, event))?;
    save.asked.iter().try_for_each(|asked| interactions::insert(db, asked))?;
    save.changed.iter().try_for_each(|changed| interactions::update(db, changed))
}

/// A new run. Nothing is changed if there is one with this id.
fn insert(db: &Connection, save: &SaveRows) -> Result<usize, StoreError> {
    let sql = "
        INSERT INTO runs (id, seq, phase, user, ready_since, summary, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (id) DO NOTHING";
    let id = save.run.to_string();
    let SaveRows { seq, phase, user, ready_since, summary, created_at, at, .. } = save;
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute((id, seq, phase, user, ready_since, summary, created_at, at)))
        .map_err(of_sqlite("runs", save.run))
}

/// The run after a step, if nobody was faster. One that waits or has ended is nobody's; one that stays ready keeps its
/// place in the queue.
fn update(db: &Connection, save: &SaveRows) -> Result<usize, StoreError> {
    let sql = "
        UPDATE runs SET
            seq         = ?3,
            phase       = ?4,
            ready_since = CASE WHEN ?5 IS NOT NULL THEN coalesce(ready_since, ?5) END,
            lease_until = CASE WHEN ?5 IS NOT NULL THEN lease_until END,
            attempts    = CASE WHEN ?6 THEN 0 ELSE attempts END,
            summary     = ?7,
            updated_at  = ?8
        WHERE id = ?1 AND seq = ?2";
    let id = save.run.to_string();
    let SaveRows { seen, seq, phase, ready_since, summary, at, .. } = save;
    db.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute((id, seen, seq, phase, ready_since, save.claim.is_some(), summary, at))
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

/// What a run is and where it stands at `now`.
pub fn summary(db: &Connection, run: RunId, now: Timestamp) -> Result<Option<RunSummary>, StoreError> {
    let sql = "
        SELECT id, seq, coalesce(lease_until > ?2, 0), summary, created_at, updated_at
        FROM runs WHERE id = ?1";
    let row = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row((run.to_string(), time::column(now)), row).optional())
        .map_err(of_sqlite("runs", run))?;
    row.map(RunSummary::try_from).transpose()
}

pub(super) const FIRST_PAGE: &str = "
    SELECT id, seq, coalesce(lease_until > ?1, 0), summary, created_at, updated_at
    FROM runs
    WHERE ?3 IS NULL OR user = ?3
    ORDER BY created_at DESC, id DESC LIMIT ?2";

pub(super) const NEXT_PAGE: &str = "
    SELECT id, seq, coalesce(lease_until > ?1, 0), summary, created_at, updated_at
    FROM runs
    WHERE (?3 IS NULL OR user = ?3) AND (created_at, id) < (SELECT created_at, id FROM runs WHERE id = ?4)
    ORDER BY created_at DESC, id DESC LIMIT ?2";

/// Runs, newest first, after the run that ended the last page. After a run that is not there comes nothing.
pub fn page(db: &Connection, filter: &RunFilter, size: u32, now: Timestamp) -> Result<Page<RunSummary>, StoreError> {
    let (now, one_more, user) = (time::column(now), size + 1, &filter.user);
    let found: rusqlite::Result<Vec<RunRow>> = match filter.after {
        None => db
            .prepare_cached(FIRST_PAGE)
            .and_then(|mut statement| statement.query_map((now, one_more, user), row)?.collect()),
        Some(after) => db
            .prepare_cached(NEXT_PAGE)
            .and_then(|mut statement| statement.query_map((now, one_more, user, after.to_string()), row)?.collect()),
    };
    let found = found.map_err(of_sqlite("runs", "list"))?;
    let found: Result<Vec<_>, _> = found.into_iter().map(RunSummary::try_from).collect();
    Ok(page_of(found?, size, |last| last.id.to_string()))
}

fn row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: row.get(0)?,
        seq: row.get(1)?,
        is_leased: row.get(2)?,
        summary: row.get(3)?,
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
    })
}
