//! Questions: read by whoever answers. They are written with the step that asks or changes them.

use super::connection::{Connection, Values};
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::page::page_of;
use crate::rows::StoredInteraction;
use crate::time;
use countersign_domain::interaction::Interaction;
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{InteractionFilter, Page, StoreError};
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// A question as it stands.
pub async fn one(db: &Connection, id: InteractionId) -> Result<Option<Interaction>, StoreError> {
    let sql = "SELECT id, status, body FROM interactions WHERE id = $1";
    let rows = db.rows(sql, &[&id.to_string()]).await.map_err(of_postgres("interactions", id))?;
    rows.first().map(|row| stored(row)?.try_into()).transpose()
}

/// Open questions whose time is over at `now`, with their runs.
pub async fn overdue(db: &Connection, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let sql = "
        SELECT run, id FROM interactions
        WHERE status = 'open' AND expires_at <= $1
        ORDER BY expires_at, id LIMIT $2";
    let rows =
        db.rows(sql, &[&time::column(now), &i64::from(limit)]).await.map_err(of_postgres("interactions", "overdue"))?;
    let read = |row: &Row| {
        let text = |column| row.try_get::<_, String>(column).map_err(of_row("interactions", "overdue"));
        let (run, id) = (text(0)?, text(1)?);
        let wrong = |error| inconsistent("interactions", &id, error);
        Ok((run.parse().map_err(wrong)?, id.parse().map_err(wrong)?))
    };
    rows.iter().map(read).collect()
}

/// Questions, the one that ends first first, after the one that ended the last page. After one that is not there comes
/// nothing.
pub async fn page(db: &Connection, filter: &InteractionFilter, size: u32) -> Result<Page<Interaction>, StoreError> {
    let (sql, values) = selection(filter);
    let limit = i64::from(size) + 1;
    let mut given: Vec<&(dyn ToSql + Sync)> = vec![&limit];
    given.extend(values.iter().map(|value| value as &(dyn ToSql + Sync)));
    let given: Values<'_> = &given;
    let rows = db.rows(sql, given).await.map_err(of_postgres("interactions", "list"))?;
    let found: Result<Vec<Interaction>, _> = rows.iter().map(|row| stored(row)?.try_into()).collect();
    Ok(page_of(found?, size, |last| last.id.to_string()))
}

/// The statement that selects what `filter` lets through, and its values after the limit: only conditions that are asked
/// for stand in it, so that each can use its index.
fn selection(filter: &InteractionFilter) -> (String, Vec<String>) {
    let conditions = [
        ("status = ", "", filter.status.map(|status| status.word().to_owned())),
        ("run = ", "", filter.run.map(|run| run.to_string())),
        ("run IN (SELECT id FROM runs WHERE \"user\" = ", ")", filter.user.clone()),
        ("(expires_at, id) > (SELECT expires_at, id FROM interactions WHERE id = ", ")", filter.after.clone()),
    ];
    let (mut sql, mut values) = ("SELECT id, status, body FROM interactions".to_owned(), vec![]);
    for (before, after, value) in conditions {
        let Some(value) = value else { continue };
        sql.push_str(if values.is_empty() { " WHERE " } else { " AND " });
        values.push(value);
        sql.push_str(&format!("{before}${}{after}", values.len() + 1));
    }
    sql.push_str(" ORDER BY expires_at, id LIMIT $1");
    (sql, values)
}

fn stored(row: &Row) -> Result<StoredInteraction, StoreError> {
    let text = |column| row.try_get(column).map_err(of_row("interactions", "read"));
    Ok(StoredInteraction { id: text(0)?, status: text(1)?, body: text(2)? })
}
