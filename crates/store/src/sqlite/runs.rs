//! Runs, folded from their events or as lists show them.

use super::events;
use crate::failure::of_sqlite;
use crate::page::page_of;
use crate::rows::RunRow;
use crate::vault::Vault;
use crate::{failure, time};
use countersign_domain::RunId;
use countersign_domain::run::{Recorded, Run};
use countersign_runtime::ports::{Page, RunFilter, RunSummary, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};
use uuid::Uuid;

/// The run, folded from its events, with its secrets.
pub fn load(db: &Connection, run: RunId, vault: &Vault) -> Result<Option<Run>, StoreError> {
    let events = events::all_with_secrets(db, run)?;
    let events = events.into_iter().map(|(row, sealed)| row.unmasked(run, sealed.as_deref(), vault));
    folded(run, events.collect::<Result<_, _>>()?)
}

/// The same, with its secrets masked.
pub fn shown(db: &Connection, run: RunId) -> Result<Option<Run>, StoreError> {
    let events = events::all(db, run)?.into_iter().map(|row| row.of(run));
    folded(run, events.collect::<Result<_, _>>()?)
}

/// The run that these events make.
pub fn folded(run: RunId, events: Vec<Recorded>) -> Result<Option<Run>, StoreError> {
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

pub(super) const PAGE_OF_SESSION: &str = concat!(
    shown!("runs"),
    "WHERE runs.session = ?3 AND (?4 IS NULL OR runs.user = ?4)
        AND runs.key < coalesce((SELECT key FROM runs WHERE id = ?5), CASE WHEN ?5 IS NULL THEN 9223372036854775807 ELSE 0 END)
    ORDER BY runs.key DESC LIMIT ?2"
);

/// Runs, newest first, after the run that ended the last page. After a run that is not there comes nothing.
pub fn page(db: &Connection, filter: &RunFilter, size: u32, now: Timestamp) -> Result<Page<RunSummary>, StoreError> {
    let (now, one_more) = (time::column(now), size + 1);
    let after = filter.after.map(|after| *after.uuid().as_bytes());
    let list = |sql: &str, values: &dyn Fn(&mut rusqlite::Statement<'_>) -> rusqlite::Result<Vec<RunRow>>| {
        db.prepare_cached(sql).and_then(|mut statement| values(&mut statement)).map_err(of_sqlite("runs", "list"))
    };
    if let Some(session) = &filter.session {
        let values = (now, one_more, session, &filter.user, after);
        let found = list(PAGE_OF_SESSION, &|s| s.query_map(values, row)?.collect())?;
        let found: Result<Vec<_>, _> = found.into_iter().map(RunSummary::try_from).collect();
        return Ok(page_of(found?, size, |last| last.id.to_string()));
    }
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
