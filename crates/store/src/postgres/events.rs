//! Events: only ever added.

use super::connection::Connection;
use crate::failure::{of_postgres, of_row};
use crate::rows::EventRow;
use countersign_domain::RunId;
use countersign_domain::run::Recorded;
use countersign_runtime::ports::StoreError;
use tokio_postgres::Row;

/// All events of a run.
pub async fn all(db: &Connection, run: RunId) -> Result<Vec<Recorded>, StoreError> {
    after(db, run, 0, i64::MAX).await
}

/// Events of a run after `after`, at most `limit`.
pub async fn after(db: &Connection, run: RunId, after: u64, limit: i64) -> Result<Vec<Recorded>, StoreError> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    listed(db, run, after, limit).await?.into_iter().map(Recorded::try_from).collect()
}

/// The same, as they are stored.
pub async fn listed(db: &Connection, run: RunId, after: i64, limit: i64) -> Result<Vec<EventRow>, StoreError> {
    let sql = "
        SELECT run, seq, at, step, type, data FROM events
        WHERE run = $1 AND seq > $2
        ORDER BY seq LIMIT $3";
    let rows = db.rows(sql, &[&run.to_string(), &after, &limit]).await.map_err(of_postgres("events", run))?;
    rows.iter().map(|one| row(one).map_err(of_row("events", run))).collect()
}

fn row(row: &Row) -> Result<EventRow, tokio_postgres::Error> {
    Ok(EventRow {
        run: row.try_get(0)?,
        seq: row.try_get(1)?,
        at: row.try_get(2)?,
        step: row.try_get::<_, Option<i64>>(3)?.and_then(|step| u32::try_from(step).ok()),
        kind: row.try_get(4)?,
        data: row.try_get(5)?,
    })
}
