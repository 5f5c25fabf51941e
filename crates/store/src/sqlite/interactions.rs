//! Questions: written with the events that ask and answer them, read by whoever answers.

use crate::failure::{inconsistent, of_sqlite};
use crate::page::page_of;
use crate::rows::{InteractionRow, StoredInteraction};
use crate::time;
use countersign_domain::interaction::Interaction;
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{InteractionFilter, Page, StoreError};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

/// Keeps a new question.
pub fn insert(db: &Connection, asked: &InteractionRow) -> Result<(), StoreError> {
    let sql = "
        INSERT INTO interactions
            (id, run, call, status, purpose, correlation_key, digest, expires_at, created_at, body)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let InteractionRow { id, run, call, status, purpose, correlation_key, digest, expires_at, created_at, body } =
        asked;
    db.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute((id, run, call, status, purpose, correlation_key, digest, expires_at, created_at, body))
        })
        .map_err(of_sqlite("interactions", id))?;
    Ok(())
}

/// Keeps how a question stands now.
pub fn update(db: &Connection, changed: &InteractionRow) -> Result<(), StoreError> {
    let sql = "UPDATE interactions SET status = ?3, body = ?4 WHERE id = ?1 AND run = ?2";
    let InteractionRow { id, run, status, body, .. } = changed;
    let rows = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute((id, run, status, body)))
        .map_err(of_sqlite("interactions", id))?;
    if rows == 0 { Err(inconsistent("interactions", id, "it is not there")) } else { Ok(()) }
}

/// A question as it stands.
pub fn one(db: &Connection, id: InteractionId) -> Result<Option<Interaction>, StoreError> {
    let found = db
        .prepare_cached("SELECT id, status, body FROM interactions WHERE id = ?1")
        .and_then(|mut statement| statement.query_row([id.to_string()], row).optional())
        .map_err(of_sqlite("interactions", id))?;
    found.map(Interaction::try_from).transpose()
}

pub(super) const OVERDUE: &str = "
    SELECT run, id FROM interactions
    WHERE status = 'open' AND expires_at <= ?1
    ORDER BY expires_at, id LIMIT ?2";

/// Open questions whose time is over at `now`, with their runs.
pub fn overdue(db: &Connection, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let found: rusqlite::Result<Vec<(String, String)>> = db.prepare_cached(OVERDUE).and_then(|mut statement| {
        statement.query_map((time::column(now), limit), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    });
    let read = |(run, id): (String, String)| {
        let wrong = |error| inconsistent("interactions", &id, error);
        Ok((run.parse().map_err(wrong)?, id.parse().map_err(wrong)?))
    };
    found.map_err(of_sqlite("interactions", "overdue"))?.into_iter().map(read).collect()
}

/// Questions, the one that ends first first, after the one that ended the last page. After one that is not there comes
/// nothing.
pub fn page(db: &Connection, filter: &InteractionFilter, size: u32) -> Result<Page<Interaction>, StoreError> {
    let (sql, values) = selection(filter, size + 1);
    let found: rusqlite::Result<Vec<StoredInteraction>> =
        db.prepare_cached(&sql).and_then(|mut statement| statement.query_map(params_from_iter(values), row)?.collect());
    let found = found.map_err(of_sqlite("interactions", "list"))?;
    let found: Result<Vec<_>, _> = found.into_iter().map(Interaction::try_from).collect();
    Ok(page_of(found?, size, |last| last.id.to_string()))
}

/// The statement that selects what `filter` lets through: only conditions that are asked for stand in it, so that each
/// can use its index.
pub(super) fn selection(filter: &InteractionFilter, limit: u32) -> (String, Vec<Value>) {
    let conditions = [
        ("status = ?", filter.status.map(|status| status.word().to_owned())),
        ("run = ?", filter.run.map(|run| run.to_string())),
        ("run IN (SELECT id FROM runs WHERE user = ?)", filter.user.clone()),
        ("(expires_at, id) > (SELECT expires_at, id FROM interactions WHERE id = ?)", filter.after.clone()),
    ];
    let (mut sql, mut values) = ("SELECT id, status, body FROM interactions".to_owned(), vec![]);
    for (condition, value) in conditions {
        let Some(value) = value else { continue };
        sql.push_str(if values.is_empty() { " WHERE " } else { " AND " });
        sql.push_str(condition);
        values.push(Value::Text(value));
    }
    sql.push_str(" ORDER BY expires_at, id LIMIT ?");
    values.push(Value::Integer(limit.into()));
    (sql, values)
}

fn row(row: &Row<'_>) -> rusqlite::Result<StoredInteraction> {
    Ok(StoredInteraction { id: row.get(0)?, status: row.get(1)?, body: row.get(2)? })
}
