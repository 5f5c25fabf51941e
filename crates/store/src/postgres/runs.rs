//! Runs, as they are read.

use super::clock::NOW;
use super::connection::Connection;
use super::events;
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::page::page_of;
use crate::rows::RunRow;
use countersign_domain::RunId;
use countersign_domain::run::Run;
use countersign_runtime::ports::{Page, RunFilter, RunSummary, StoreError};
use tokio_postgres::Row;

/// The run, folded from its events.
pub async fn load(db: &Connection, run: RunId) -> Result<Option<Run>, StoreError> {
    let events = events::all(db, run).await?;
    if events.is_empty() {
        return Ok(None);
    }
    Run::fold(events).map(Some).map_err(|wrong| inconsistent("events", run, wrong))
}

/// What a run is and where it stands.
pub async fn summary(db: &Connection, run: RunId) -> Result<Option<RunSummary>, StoreError> {
    let sql = format!(
        "SELECT id, seq, coalesce(lease_until > {NOW}, false), summary, created_at, updated_at
        FROM runs WHERE id = $1"
    );
    let rows = db.rows(sql, &[&run.to_string()]).await.map_err(of_postgres("runs", run))?;
    rows.first().map(|one| row(one).map_err(of_row("runs", run))?.try_into()).transpose()
}

/// Runs, newest first, after the run that ended the last page. After a run that is not there comes nothing.
pub async fn page(db: &Connection, filter: &RunFilter, size: u32) -> Result<Page<RunSummary>, StoreError> {
    let after = filter.after.map(|after| after.to_string());
    let start = "(created_at, id) < (SELECT created_at, id FROM runs WHERE id = $3)";
    let sql = format!(
        "SELECT id, seq, coalesce(lease_until > {NOW}, false), summary, created_at, updated_at
        FROM runs
        WHERE ($2::text IS NULL OR \"user\" = $2) AND ({})
        ORDER BY created_at DESC, id DESC LIMIT $1",
        if after.is_some() { start } else { "$3::text IS NULL" }
    );
    let rows =
        db.rows(sql, &[&(i64::from(size) + 1), &filter.user, &after]).await.map_err(of_postgres("runs", "list"))?;
    let found = rows.iter().map(|one| row(one).map_err(of_row("runs", "list"))?.try_into());
    Ok(page_of(found.collect::<Result<Vec<RunSummary>, _>>()?, size, |last| last.id.to_string()))
}

fn row(row: &Row) -> Result<RunRow, tokio_postgres::Error> {
    Ok(RunRow {
        id: row.try_get(0)?,
        seq: row.try_get(1)?,
        is_leased: row.try_get(2)?,
        summary: row.try_get(3)?,
        created_at: row.try_get(4)?,
        updated_at: row.try_get(5)?,
    })
}
