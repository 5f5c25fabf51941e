//! Questions: where they stand. They are written with the step that asks or changes them; what they say their runs know.

use super::connection::Connection;
use super::events;
use super::statement::Statement;
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::page::page_of;
use crate::rows;
use crate::time;
use countersign_domain::interaction::{Interaction, Status};
use countersign_domain::{Digest, InteractionId, RunId};
use countersign_runtime::ports::{InteractionFilter, Page, StoreError};
use jiff::Timestamp;
use std::cmp::Reverse;
use tokio_postgres::Row;

/// A question as it stands.
pub async fn one(db: &Connection, id: InteractionId) -> Result<Option<Interaction>, StoreError> {
    Ok(events::fold_asking(db, id).await?.and_then(|mut run| run.interactions.remove(&id)).map(|asked| *asked))
}

pub(super) const OVERDUE: &str = "
    SELECT runs.id, due.id FROM (
        (SELECT run, id, expires_at FROM interactions
        WHERE status = 'open' AND asks_people AND expires_at <= $1
        ORDER BY expires_at, id LIMIT $2)
        UNION ALL
        (SELECT run, id, expires_at FROM interactions
        WHERE status = 'open' AND NOT asks_people AND expires_at <= $1
        ORDER BY expires_at, id LIMIT $2)
        ORDER BY expires_at, id LIMIT $2
    ) AS due JOIN runs ON runs.key = due.run
    ORDER BY due.expires_at, due.id";

/// Open questions whose time is over at `now`, with their runs.
pub async fn overdue(db: &Connection, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let rows = db.rows(OVERDUE, &[&time::column(now), &i64::from(limit)]).await;
    ids(&rows.map_err(of_postgres("interactions", "overdue"))?)
}

pub(super) const UNREMINDED: &str = "
    SELECT runs.id, due.id FROM (
        SELECT run, id, remind_at FROM interactions
        WHERE remind_at <= $1 AND expires_at > $1
        ORDER BY remind_at LIMIT $2
    ) AS due JOIN runs ON runs.key = due.run
    ORDER BY due.remind_at";

/// Open questions of which half the time is over at `now`, and nobody was reminded, with their runs.
pub async fn unreminded(
    db: &Connection,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let rows = db.rows(UNREMINDED, &[&time::column(now), &i64::from(limit)]).await;
    ids(&rows.map_err(of_postgres("interactions", "unreminded"))?)
}

pub(super) const OPEN_OF: &str =
    "SELECT count(*) FROM (SELECT 1 FROM interactions WHERE asker = $1 AND status = 'open' LIMIT $2) AS open";

/// How many questions of this asker are open, as far as anybody counts.
pub async fn open_of(db: &Connection, asker: Digest, most: u32) -> Result<u64, StoreError> {
    let rows = db.rows(OPEN_OF, &[&rows::short(asker), &i64::from(most)]).await;
    let rows = rows.map_err(of_postgres("interactions", "open"))?;
    let many: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0)).map_err(of_row("interactions", "open"))?;
    Ok(u64::try_from(many).unwrap_or_default())
}

pub(super) const DECIDED: &str = "
    SELECT runs.id, found.id FROM (
        SELECT run, id FROM interactions WHERE decided = $1 ORDER BY run DESC LIMIT $2
    ) AS found JOIN runs ON runs.key = found.run";

/// Questions of the newest runs about this very call that somebody answered, the latest answer first.
pub async fn decided(db: &Connection, call: Digest, limit: u32) -> Result<Vec<Interaction>, StoreError> {
    let rows = db.rows(DECIDED, &[&rows::short(call), &i64::from(limit)]).await;
    let mut asked = of_runs(db, &ids(&rows.map_err(of_postgres("interactions", "decided"))?)?).await?;
    asked.retain(|asked| asked.call.digest == call);
    asked.sort_by_key(|asked| (Reverse(asked.answer.as_ref().map(|answer| answer.responded_at)), asked.id));
    Ok(asked)
}

/// Questions, the one that ends first first, after the one that ended the last page. After one that is not there comes
/// nothing.
pub async fn page(db: &Connection, filter: &InteractionFilter, size: u32) -> Result<Page<Interaction>, StoreError> {
    let after = filter.after.as_ref().map(|after| after.parse::<InteractionId>()).transpose();
    let Ok(after) = after else { return Ok(Page { items: vec![], next: None }) };
    let mut values = Statement::default();
    let sql = selection(&mut values, filter, after, i64::from(size) + 1);
    let found = values.rows(db, sql).await.map_err(of_postgres("interactions", "list"))?;
    let page = page_of(ids(&found)?, size, |(_, last)| last.to_string());
    let mut items = of_runs(db, &page.items).await?;
    items.retain(|asked| rows::holds(asked, &filter.words));
    Ok(Page { items, next: page.next })
}

/// These questions of these runs, each run read once.
async fn of_runs(db: &Connection, ids: &[(RunId, InteractionId)]) -> Result<Vec<Interaction>, StoreError> {
    let mut asking: Vec<RunId> = ids.iter().map(|(run, _)| *run).collect();
    asking.sort_unstable();
    asking.dedup();
    let runs = events::fold_all(db, &asking).await?;
    let asked = |(run, id): &(RunId, InteractionId)| {
        let asked = runs.get(run).and_then(|run| run.interaction(*id)).cloned();
        asked.ok_or_else(|| inconsistent("interactions", id, "its run does not know it"))
    };
    ids.iter().map(asked).collect()
}

/// The statement that selects what `filter` lets through: only conditions that are asked for stand in it, so that each
/// can use its index. Where any status will do, each has a part of its own, in the order of the index.
pub(super) fn selection(
    values: &mut Statement,
    filter: &InteractionFilter,
    after: Option<InteractionId>,
    limit: i64,
) -> String {
    let all = [Status::Open, Status::Answered, Status::Expired, Status::Cancelled];
    let statuses = filter.status.as_ref().map_or(all.as_slice(), std::slice::from_ref);
    let limit = values.value(limit);
    let mut conditions = String::new();
    if let Some(run) = filter.run {
        let run = values.value(run.uuid());
        conditions.push_str(&format!(" AND run = (SELECT key FROM runs WHERE id = {run})"));
    }
    if let Some(user) = &filter.user {
        let user = values.value(user.clone());
        conditions.push_str(&format!(" AND run IN (SELECT key FROM runs WHERE \"user\" = {user})"));
    }
    if filter.of_people {
        conditions.push_str(" AND asks_people");
    }
    if !filter.words.is_empty() {
        conditions.push_str(" AND status = 'open'");
    }
    for word in filter.words.iter().filter_map(|word| rows::sieve(word)) {
        let word = values.value(word);
        // In the collation that knows no language letters are made small quickly.
        conditions.push_str(&format!(
            " AND EXISTS (SELECT 1 FROM events WHERE events.run = interactions.run
                AND (strpos(lower(data COLLATE \"C\"), {word}) > 0 OR strpos(lower(texts COLLATE \"C\"), {word}) > 0))"
        ));
    }
    if let Some(after) = after {
        let after = values.value(after.uuid());
        let end = format!("(SELECT expires_at, id FROM interactions WHERE id = {after})");
        conditions.push_str(&format!(" AND (expires_at, id) > {end}"));
    }
    let part = |status: &Status| {
        format!(
            "(SELECT run, id, expires_at FROM interactions WHERE status = '{}'{conditions}
            ORDER BY expires_at, id LIMIT {limit})",
            status.word()
        )
    };
    let parts: Vec<String> = statuses.iter().map(part).collect();
    format!(
        "SELECT runs.id, found.id FROM ({}) AS found JOIN runs ON runs.key = found.run
        ORDER BY found.expires_at, found.id LIMIT {limit}",
        parts.join(" UNION ALL ")
    )
}

/// The ids of runs and of their questions.
pub(super) fn ids(rows: &[Row]) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let read = |row: &Row| Ok((RunId::new(row.try_get(0)?), InteractionId::new(row.try_get(1)?)));
    rows.iter().map(read).collect::<Result<_, _>>().map_err(of_row("interactions", "list"))
}
