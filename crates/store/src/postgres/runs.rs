//! Runs, as lists show them.

use super::clock::NOW;
use super::connection::Connection;
use super::statement::Statement;
use crate::failure::{of_postgres, of_row};
use crate::page::page_of;
use crate::rows::RunRow;
use countersign_domain::run::RunKind;
use countersign_domain::{CallId, RunId};
use countersign_runtime::ports::{Page, RunFilter, RunSummary, StoreError};
use tokio_postgres::Row;

/// What a run is and where it stands.
pub async fn summary(db: &Connection, run: RunId) -> Result<Option<RunSummary>, StoreError> {
    let sql = format!("{} WHERE runs.id = $1", shown());
    let rows = db.rows(sql, &[&run.uuid()]).await.map_err(of_postgres("runs", run))?;
    rows.first().map(|row| read(row).map_err(of_row("runs", run))?.try_into()).transpose()
}

/// The run that is this call of a program outside.
pub async fn calling(db: &Connection, call: CallId) -> Result<Option<RunId>, StoreError> {
    let rows = db.rows("SELECT id FROM runs WHERE call = $1", &[&call.uuid()]).await;
    let rows = rows.map_err(of_postgres("runs", call))?;
    rows.first().map(|row| row.try_get(0).map(RunId::new).map_err(of_row("runs", call))).transpose()
}

/// Runs, newest first, after the run that ended the last page. After a run that is not there comes nothing.
pub async fn page(db: &Connection, filter: &RunFilter, size: u32) -> Result<Page<RunSummary>, StoreError> {
    let mut values = Statement::default();
    let sql = selection(&mut values, filter, i64::from(size) + 1);
    let rows = values.rows(db, sql).await.map_err(of_postgres("runs", "list"))?;
    let found = rows.iter().map(|row| read(row).map_err(of_row("runs", "list"))?.try_into());
    Ok(page_of(found.collect::<Result<Vec<RunSummary>, _>>()?, size, |last| last.id.to_string()))
}

/// Only conditions that are asked for stand in the statement, so that each can use its index.
pub(super) fn selection(values: &mut Statement, filter: &RunFilter, limit: i64) -> String {
    let mut conditions = vec![];
    if let Some(user) = &filter.user {
        conditions.push(format!("\"user\" = {}", values.value(user.clone())));
    }
    if let Some(session) = &filter.session {
        conditions.push(format!("session = {}", values.value(session.clone())));
    }
    match filter.kind {
        None => {}
        Some(RunKind::Agent) => conditions.push("call IS NULL".to_owned()),
        Some(RunKind::Call) => conditions.push("call IS NOT NULL".to_owned()),
    }
    if let Some(after) = filter.after {
        conditions.push(format!("runs.key < (SELECT key FROM runs WHERE id = {})", values.value(after.uuid())));
    }
    let conditions = if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    let limit = values.value(limit);
    format!("{} {conditions} ORDER BY runs.key DESC LIMIT {limit}", shown())
}

/// What lists show: the columns, the first event, and the open questions.
fn shown() -> String {
    format!(
        "SELECT runs.id, runs.seq, phase, coalesce(lease_until > {NOW}, false), input_tokens, output_tokens, ending,
            created_at, updated_at, started.data, started.texts, narrowed,
            CASE WHEN phase IN ('active', 'woken', 'waiting') THEN ARRAY(
                SELECT id FROM interactions WHERE run = runs.key AND status = 'open' ORDER BY expires_at, id
            ) ELSE ARRAY[]::uuid[] END
        FROM runs JOIN events AS started ON started.run = runs.key AND started.seq = 1"
    )
}

fn read(row: &Row) -> Result<RunRow, tokio_postgres::Error> {
    Ok(RunRow {
        id: row.try_get(0)?,
        seq: row.try_get(1)?,
        phase: row.try_get(2)?,
        is_leased: row.try_get(3)?,
        input_tokens: row.try_get(4)?,
        output_tokens: row.try_get(5)?,
        ending: row.try_get(6)?,
        created_at: row.try_get(7)?,
        updated_at: row.try_get(8)?,
        started: row.try_get(9)?,
        texts: row.try_get(10)?,
        narrowed: row.try_get(11)?,
        waiting_on: row.try_get(12)?,
    })
}
