//! Events: only ever added.

use super::connection::Connection;
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::rows::EventRow;
use crate::rows::event::payload;
use countersign_domain::run::{Recorded, Run};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::StoreError;
use std::collections::BTreeMap;
use tokio_postgres::Row;
use uuid::Uuid;

/// Runs that are folded at a time.
const MOST_RUNS: usize = 50;

/// Events of a run after `after`, at most `limit`.
pub async fn after(db: &Connection, run: RunId, after: u64, limit: u32) -> Result<Vec<Recorded>, StoreError> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    listed(db, run, after, i64::from(limit)).await?.into_iter().map(|row| row.of(run)).collect()
}

/// The same, as they are stored.
pub async fn listed(db: &Connection, run: RunId, after: i64, limit: i64) -> Result<Vec<EventRow>, StoreError> {
    let sql = "
        SELECT seq, at, step, type, data, texts, salt, commitment, leaf FROM events
        WHERE run = (SELECT key FROM runs WHERE id = $1) AND seq > $2
        ORDER BY seq LIMIT $3";
    let rows = db.rows(sql, &[&run.uuid(), &after, &limit]).await.map_err(of_postgres("events", run))?;
    rows.iter().map(|row| event(row, 0)).collect()
}

/// The run, folded from its events, with its secrets masked.
pub async fn fold(db: &Connection, run: RunId) -> Result<Option<Run>, StoreError> {
    folded(run, listed(db, run, 0, i64::MAX).await?)
}

/// The run that asks a question, in the same way.
pub async fn fold_asking(db: &Connection, id: InteractionId) -> Result<Option<Run>, StoreError> {
    let sql = "
        SELECT runs.id, seen.seq, seen.at, seen.step, seen.type, seen.data, seen.texts, seen.salt,
            seen.commitment, seen.leaf
        FROM interactions
            JOIN runs ON runs.key = interactions.run
            JOIN events AS seen ON seen.run = interactions.run
        WHERE interactions.id = $1
        ORDER BY seen.seq";
    let rows = db.rows(sql, &[&id.uuid()]).await.map_err(of_postgres("interactions", id))?;
    let Some(first) = rows.first() else { return Ok(None) };
    let run = RunId::new(first.try_get(0).map_err(of_row("interactions", id))?);
    let events: Result<Vec<_>, _> = rows.iter().map(|row| event(row, 1)).collect();
    folded(run, events?)
}

/// Several runs, in the same way.
pub async fn fold_all(db: &Connection, runs: &[RunId]) -> Result<BTreeMap<RunId, Run>, StoreError> {
    let mut all = BTreeMap::new();
    for some in runs.chunks(MOST_RUNS) {
        for (run, events) in of_all(db, some).await? {
            all.extend(folded(run, events)?.map(|folded| (run, folded)));
        }
    }
    Ok(all)
}

async fn of_all(db: &Connection, runs: &[RunId]) -> Result<BTreeMap<RunId, Vec<EventRow>>, StoreError> {
    let sql = "
        SELECT runs.id, seen.seq, seen.at, seen.step, seen.type, seen.data, seen.texts, seen.salt,
            seen.commitment, seen.leaf
        FROM runs JOIN events AS seen ON seen.run = runs.key
        WHERE runs.id = ANY ($1)
        ORDER BY seen.run, seen.seq";
    let ids: Vec<Uuid> = runs.iter().map(|run| run.uuid()).collect();
    let rows = db.rows(sql, &[&ids]).await.map_err(of_postgres("events", "of runs"))?;
    let mut all: BTreeMap<RunId, Vec<EventRow>> = BTreeMap::new();
    for row in rows {
        let run = RunId::new(row.try_get(0).map_err(of_row("events", "of runs"))?);
        all.entry(run).or_default().push(event(&row, 1)?);
    }
    Ok(all)
}

fn folded(run: RunId, events: Vec<EventRow>) -> Result<Option<Run>, StoreError> {
    fold_up(run, events.into_iter().map(|row| row.of(run)).collect::<Result<_, _>>()?)
}

/// The run that these events make.
pub fn fold_up(run: RunId, events: Vec<Recorded>) -> Result<Option<Run>, StoreError> {
    if events.is_empty() {
        return Ok(None);
    }
    Run::fold(events).map(Some).map_err(|wrong| inconsistent("events", run, wrong))
}

/// The event in the columns from `first` on.
pub fn event(row: &Row, first: usize) -> Result<EventRow, StoreError> {
    let (seq, event) = read(row, first).map_err(of_row("events", "columns"))?;
    event.ok_or_else(|| inconsistent("events", seq, "its texts are neither kept nor erased"))
}

fn read(row: &Row, first: usize) -> Result<(i64, Option<EventRow>), tokio_postgres::Error> {
    let bytes = |column: usize| row.try_get::<_, Option<&[u8]>>(first + column);
    let (seq, at, kind, data) =
        (row.try_get(first)?, row.try_get(first + 1)?, row.try_get(first + 3)?, row.try_get(first + 4)?);
    let step = row.try_get::<_, Option<i64>>(first + 2)?.and_then(|step| u32::try_from(step).ok());
    let payload = payload(row.try_get(first + 5)?, bytes(6)?, bytes(7)?);
    let leaf = row.try_get::<_, &[u8]>(first + 8)?.try_into().ok();
    Ok((seq, payload.zip(leaf).map(|(payload, leaf)| EventRow { seq, at, step, kind, data, payload, leaf })))
}
