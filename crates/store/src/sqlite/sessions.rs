//! Sessions: what runs have in common that belong to one conversation.

use crate::failure::of_sqlite;
use crate::page::page_of;
use crate::rows::SessionRow;
use countersign_runtime::ports::{Page, SessionFilter, SessionSummary, StoreError};
use rusqlite::{Connection, Row};
use uuid::Uuid;

const PAGE: &str = "
    SELECT found.session, found.many, newest.id, found.created_at, found.updated_at FROM (
        SELECT session, count(*) AS many, max(key) AS newest, min(created_at) AS created_at, max(updated_at) AS updated_at
        FROM runs WHERE session IS NOT NULL AND (?1 IS NULL OR user = ?1)
        GROUP BY session
    ) AS found JOIN runs AS newest ON newest.key = found.newest
    WHERE ?2 IS NULL OR found.newest < (SELECT key FROM runs WHERE id = ?2)
    ORDER BY found.newest DESC LIMIT ?3";

/// Sessions, the one with the newest run first.
pub fn page(db: &Connection, filter: &SessionFilter, size: u32) -> Result<Page<SessionSummary>, StoreError> {
    let after = filter.after.map(|after| *after.uuid().as_bytes());
    let found: rusqlite::Result<Vec<_>> = db
        .prepare_cached(PAGE)
        .and_then(|mut statement| statement.query_map((&filter.user, after, size + 1), row)?.collect());
    let found = found.map_err(of_sqlite("runs", "sessions"))?;
    let found: Result<Vec<_>, _> = found.into_iter().map(SessionSummary::try_from).collect();
    Ok(page_of(found?, size, |last| last.newest.to_string()))
}

fn row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let newest: [u8; 16] = row.get(2)?;
    Ok(SessionRow {
        id: row.get(0)?,
        runs: row.get(1)?,
        newest: Uuid::from_bytes(newest),
        created_at: row.get(3)?,
        updated_at: row.get(4)?,
    })
}
