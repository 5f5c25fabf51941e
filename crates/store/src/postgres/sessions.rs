//! Sessions: what runs have in common that belong to one conversation.

use super::connection::Connection;
use crate::failure::{of_postgres, of_row};
use crate::page::page_of;
use crate::rows::SessionRow;
use countersign_runtime::ports::{Page, SessionFilter, SessionSummary, StoreError};
use tokio_postgres::Row;

/// Sessions, the one with the newest run first.
pub async fn page(db: &Connection, filter: &SessionFilter, size: u32) -> Result<Page<SessionSummary>, StoreError> {
    let sql = "
        SELECT found.session, found.many, newest.id, found.created_at, found.updated_at FROM (
            SELECT session, count(*) AS many, max(key) AS newest, min(created_at) AS created_at, max(updated_at) AS updated_at
            FROM runs WHERE session IS NOT NULL AND ($1::text IS NULL OR \"user\" = $1)
            GROUP BY session
        ) AS found JOIN runs AS newest ON newest.key = found.newest
        WHERE $2::uuid IS NULL OR found.newest < (SELECT key FROM runs WHERE id = $2)
        ORDER BY found.newest DESC LIMIT $3";
    let after = filter.after.map(countersign_domain::RunId::uuid);
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&filter.user, &after, &(i64::from(size) + 1)];
    let rows = db.rows(sql, &values).await.map_err(of_postgres("runs", "sessions"))?;
    let found = rows.iter().map(|row| read(row).map_err(of_row("runs", "sessions"))?.try_into());
    Ok(page_of(found.collect::<Result<Vec<SessionSummary>, _>>()?, size, |last| last.newest.to_string()))
}

fn read(row: &Row) -> Result<SessionRow, tokio_postgres::Error> {
    Ok(SessionRow {
        id: row.try_get(0)?,
        runs: row.try_get(1)?,
        newest: row.try_get(2)?,
        created_at: row.try_get(3)?,
        updated_at: row.try_get(4)?,
    })
}
