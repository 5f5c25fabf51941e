//! Runs, folded from their events or as lists show them.

use super::events::WithSecrets;
use crate::failure::of_sqlite;
use crate::page::page_of;
use crate::rows::{EventRow, RunRow};
use crate::vault::Vault;
use crate::{failure, time};
use countersign_domain::run::{Recorded, Run, RunKind};
use countersign_domain::{CallId, RunId};
use countersign_runtime::ports::{Page, RunFilter, RunSummary, StoreError};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use uuid::Uuid;

/// The run, folded from its events, with its secrets.
pub fn unmasked(run: RunId, events: Vec<WithSecrets>, vault: &Vault) -> Result<Option<Run>, StoreError> {
    let events = events.into_iter().map(|(row, sealed)| row.unmasked(run, sealed.as_deref(), vault));
    folded(run, events.collect::<Result<_, _>>()?)
}

/// The same, with its secrets masked.
pub fn masked(run: RunId, events: Vec<EventRow>) -> Result<Option<Run>, StoreError> {
    folded(run, events.into_iter().map(|row| row.of(run)).collect::<Result<_, _>>()?)
}

fn folded(run: RunId, events: Vec<Recorded>) -> Result<Option<Run>, StoreError> {
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
                created_at, updated_at, started.data, started.texts, narrowed,
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

/// Runs, newest first, after the run that ended the last page. After a run that is not there comes nothing.
pub fn page(db: &Connection, filter: &RunFilter, size: u32, now: Timestamp) -> Result<Page<RunSummary>, StoreError> {
    let (sql, values) = selection(filter, size + 1, now);
    let found: rusqlite::Result<Vec<RunRow>> =
        db.prepare_cached(&sql).and_then(|mut statement| statement.query_map(params_from_iter(values), row)?.collect());
    let found = found.map_err(of_sqlite("runs", "list"))?;
    let found: Result<Vec<_>, _> = found.into_iter().map(RunSummary::try_from).collect();
    Ok(page_of(found?, size, |last| last.id.to_string()))
}

/// The statement that selects what `filter` lets through: only conditions that are asked for stand in it, so that each can
/// use its index.
pub(super) fn selection(filter: &RunFilter, limit: u32, now: Timestamp) -> (String, Vec<Value>) {
    let mut values = vec![Value::Integer(time::column(now))];
    let mut conditions = vec![];
    let given = [
        // What is found by its session is few: who it is of is looked at, not looked up.
        ("runs.session = ?", filter.session.clone().map(Value::Text)),
        (
            if filter.session.is_some() { "+runs.user = ?" } else { "runs.user = ?" },
            filter.user.clone().map(Value::Text),
        ),
        (
            "runs.key < (SELECT key FROM runs WHERE id = ?)",
            filter.after.map(|after| Value::Blob(after.uuid().as_bytes().to_vec())),
        ),
    ];
    for (condition, value) in given {
        if let Some(value) = value {
            conditions.push(condition);
            values.push(value);
        }
    }
    conditions.extend(filter.kind.map(|kind| match kind {
        RunKind::Agent => "runs.call IS NULL",
        RunKind::Call => "runs.call IS NOT NULL",
    }));
    let conditions = if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    values.push(Value::Integer(limit.into()));
    (format!("{}{conditions} ORDER BY runs.key DESC LIMIT ?", shown!("runs")), values)
}

/// The run that is this call of a program outside.
pub fn calling(db: &Connection, call: CallId) -> Result<Option<RunId>, StoreError> {
    let found: Option<[u8; 16]> = db
        .prepare_cached("SELECT id FROM runs WHERE call = ?1")
        .and_then(|mut statement| statement.query_row([call.uuid().as_bytes()], |row| row.get(0)).optional())
        .map_err(of_sqlite("runs", call))?;
    Ok(found.map(|id| RunId::new(Uuid::from_bytes(id))))
}

fn row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let id: [u8; 16] = row.get(0)?;
    let waiting_on: Option<String> = row.get(12)?;
    let ids = waiting_on.as_deref().unwrap_or_default().split(',').filter(|id| !id.is_empty());
    let ids: Result<Vec<_>, _> = ids.map(Uuid::try_parse).collect();
    let wrong = |error| rusqlite::Error::FromSqlConversionFailure(12, rusqlite::types::Type::Text, Box::new(error));
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
        narrowed: row.get(11)?,
        waiting_on: ids.map_err(wrong)?,
    })
}
