//! Changes of the policy, what they have led to, and answers that short memory keeps.

use super::connection::Connection;
use super::statement::Statement;
use super::{house, receipts};
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::page::{page_of, page_size};
use crate::rows::{ChangeRow, HouseRow, ReceiptRow, SHORT_MEMORY, item, past};
use crate::time;
use countersign_runtime::ports::{Page, PastChange, PolicyChange, PolicyItem, Remembered, SameCall, StoreError};
use jiff::Timestamp;
use std::collections::BTreeMap;
use tokio_postgres::Row;

/// Makes changes, where somebody has `seen` a version only if it is still that one, and says which version they lead to.
pub async fn change(
    db: &Connection,
    changes: &[ChangeRow],
    house: &[HouseRow],
    seen: Option<u64>,
    receipt: Option<&ReceiptRow>,
) -> Result<u64, StoreError> {
    if changes.is_empty() {
        return version(db).await;
    }
    let mut values = Statement::default();
    let only = seen.map(|seen| format!("WHERE version = {}", values.value(i64::try_from(seen).unwrap_or(-1))));
    let mut parts = changing(&mut values, changes, &only.unwrap_or_default());
    parts.extend(house::adding(&mut values, house, "FROM head"));
    parts.extend(receipt.map(|receipt| receipts::keeping_of(&mut values, receipt, "head")));
    let sql = format!("WITH {} SELECT version FROM head", parts.join(", "));
    let rows = match values.rows(db, sql).await {
        Ok(rows) => rows,
        Err(failed) => return Err(receipts::refusal(db, receipt, failed, of_postgres("policy_changes", "new")).await),
    };
    match (rows.first(), seen) {
        (Some(row), _) => count(row, 0),
        (None, Some(_)) => Err(StoreError::PolicyMoved),
        (None, None) => Err(headless()),
    }
}

/// The parts of a statement that make `changes`, for each row of `from`, which may also say of which version only.
pub fn changing(values: &mut Statement, changes: &[ChangeRow], from: &str) -> Vec<String> {
    // Of several changes to one thing only the last leaves something behind.
    let last: BTreeMap<_, _> = (1_i64..).zip(changes).map(|(n, row)| ((&row.kind, &row.key), (n, row))).collect();
    let (put, gone): (Vec<_>, Vec<_>) = last.into_values().partition(|(_, row)| row.body.is_some());
    let many = values.value(i64::try_from(changes.len()).unwrap_or(-1));
    let mut parts = vec![
        format!("head AS (UPDATE policy_head SET version = version + {many} {from} RETURNING version)"),
        recorded(values, changes, &many),
    ];
    if !put.is_empty() {
        parts.push(standing_after(values, &put, &many));
    }
    if !gone.is_empty() {
        parts.push(removed(values, &gone));
    }
    parts
}

fn recorded(values: &mut Statement, changes: &[ChangeRow], many: &str) -> String {
    let texts = [
        values.column(changes, |one| one.kind.clone()),
        values.column(changes, |one| one.key.clone()),
        values.column(changes, |one| one.body.clone()),
        values.column(changes, |one| one.by.clone()),
        values.column(changes, |one| one.why.clone()),
    ];
    let texts = texts.map(|text| format!("{text}::text[]")).join(", ");
    let at = values.column(changes, |one| one.at);
    format!(
        "recorded AS (
            INSERT INTO policy_changes (version, kind, key, body, by, why, at)
            SELECT head.version - {many} + one.n, one.kind, one.key, one.body, one.author, one.why, one.time
            FROM head, unnest({texts}, {at}::bigint[]) WITH ORDINALITY
                AS one (kind, key, body, author, why, time, n)
        )"
    )
}

fn standing_after(values: &mut Statement, put: &[(i64, &ChangeRow)], many: &str) -> String {
    let [kind, key, body, n] = [
        values.column(put, |(_, one)| one.kind.clone()),
        values.column(put, |(_, one)| one.key.clone()),
        values.column(put, |(_, one)| one.body.clone()),
        values.column(put, |(n, _)| *n),
    ];
    format!(
        "standing AS (
            INSERT INTO policy_items (kind, key, body, version)
            SELECT one.kind, one.key, one.body, head.version - {many} + one.n
            FROM head, unnest({kind}::text[], {key}::text[], {body}::text[], {n}::bigint[]) AS one (kind, key, body, n)
            ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body, version = excluded.version
        )"
    )
}

fn removed(values: &mut Statement, gone: &[(i64, &ChangeRow)]) -> String {
    let [kind, key] =
        [values.column(gone, |(_, one)| one.kind.clone()), values.column(gone, |(_, one)| one.key.clone())];
    format!(
        "removed AS (
            DELETE FROM policy_items USING head, unnest({kind}::text[], {key}::text[]) AS one (kind, key)
            WHERE policy_items.kind = one.kind AND policy_items.key = one.key
        )"
    )
}

/// How often the policy has been changed.
pub async fn version(db: &Connection) -> Result<u64, StoreError> {
    let rows = db.rows("SELECT version FROM policy_head", &[]).await.map_err(of_postgres("policy_head", "version"))?;
    rows.first().map_or_else(|| Err(headless()), |row| count(row, 0))
}

/// The version and what the changes have led to, as both were at one moment.
pub async fn standing(db: &Connection) -> Result<(u64, Vec<PolicyItem>), StoreError> {
    let sql = "
        SELECT head.version, item.kind, item.key, item.body, change.by, change.why, change.at, item.version
        FROM policy_head AS head
            LEFT JOIN (policy_items AS item JOIN policy_changes AS change ON change.version = item.version) ON true
        ORDER BY item.kind, item.key";
    let rows = db.rows(sql, &[]).await.map_err(of_postgres("policy_items", "all"))?;
    let version = rows.first().map_or_else(|| Err(headless()), |row| count(row, 0))?;
    let items = rows.iter().filter_map(|row| read_item(row).transpose());
    Ok((version, items.collect::<Result<_, _>>()?))
}

fn read_item(row: &Row) -> Result<Option<PolicyItem>, StoreError> {
    let version: Option<i64> = row.try_get(7).map_err(of_row("policy_items", "all"))?;
    let Some(version) = version else { return Ok(None) };
    let version = u64::try_from(version).map_err(|error| inconsistent("policy_items", version, error))?;
    item(version, read_change(row).map_err(of_row("policy_items", "all"))?).map(Some)
}

/// The changes before a version, the newest first, each with what stood before it.
pub async fn history(db: &Connection, before: Option<u64>, limit: u32) -> Result<Page<PastChange>, StoreError> {
    let sql = "
        SELECT version, kind, key, body, by, why, at, (
            SELECT earlier.body FROM policy_changes AS earlier
            WHERE earlier.kind = change.kind AND earlier.key = change.key AND earlier.version < change.version
            ORDER BY earlier.version DESC LIMIT 1
        )
        FROM policy_changes AS change WHERE version < $1 ORDER BY version DESC LIMIT $2";
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    let size = page_size(limit);
    let rows =
        db.rows(sql, &[&before, &i64::from(size + 1)]).await.map_err(of_postgres("policy_changes", "history"))?;
    let read = |row: &Row| {
        let change = read_change(row).map_err(of_row("policy_changes", "history"))?;
        let before: Option<String> = row.try_get(7).map_err(of_row("policy_changes", "history"))?;
        past(count(row, 0)?, change, before.as_deref())
    };
    let found = rows.iter().map(read).collect::<Result<_, _>>()?;
    Ok(page_of(found, size, |past: &PastChange| past.version.to_string()))
}

/// The changes after a version, the oldest first.
pub async fn changes(db: &Connection, after: u64, limit: u32) -> Result<Vec<(u64, PolicyChange)>, StoreError> {
    let sql = "
        SELECT version, kind, key, body, by, why, at FROM policy_changes
        WHERE version > $1 ORDER BY version LIMIT $2";
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = db.rows(sql, &[&after, &i64::from(limit)]).await.map_err(of_postgres("policy_changes", "list"))?;
    let read = |row: &Row| {
        let change = read_change(row).map_err(of_row("policy_changes", "list"))?;
        Ok((count(row, 0)?, change.try_into()?))
    };
    rows.iter().map(read).collect()
}

fn read_change(row: &Row) -> Result<ChangeRow, tokio_postgres::Error> {
    Ok(ChangeRow {
        kind: row.try_get(1)?,
        key: row.try_get(2)?,
        body: row.try_get(3)?,
        by: row.try_get(4)?,
        why: row.try_get(5)?,
        at: row.try_get(6)?,
    })
}

/// The parts of a statement that keep an answer, and forget some of those that are over. What others are at is left alone:
/// whoever waits for one another here would do so for ever.
pub fn remembering(values: &mut Statement, call: &SameCall, answer: Remembered) -> [String; 2] {
    let [user, session] = [values.value(call.user.clone()), values.value(call.session.clone())];
    let digest = values.value(call.digest.bytes().to_vec());
    let [approved, at] = [values.value(answer.approved), values.value(time::column(answer.at))];
    let over = answer.at.saturating_sub(SHORT_MEMORY).unwrap_or(Timestamp::MIN);
    let over = values.value(time::column(over));
    let kept = format!(
        "kept AS (
            INSERT INTO remembered (\"user\", session, digest, approved, at)
            SELECT {user}, {session}, {digest}, {approved}, {at} FROM moved
            ON CONFLICT (\"user\", session, digest) DO UPDATE SET approved = excluded.approved, at = excluded.at
        )"
    );
    let forgotten = format!(
        "forgotten AS (
            DELETE FROM remembered USING (
                SELECT \"user\", session, digest FROM remembered, moved
                WHERE at < {over} AND (\"user\", session, digest) <> ({user}, {session}, {digest})
                LIMIT 100
                FOR UPDATE OF remembered SKIP LOCKED
            ) AS old
            WHERE remembered.\"user\" = old.\"user\" AND remembered.session = old.session
                AND remembered.digest = old.digest
        )"
    );
    [kept, forgotten]
}

/// The answer to the same call, if it was given since then.
pub async fn remembered(db: &Connection, call: &SameCall, since: Timestamp) -> Result<Option<Remembered>, StoreError> {
    let sql = "
        SELECT approved, at FROM remembered
        WHERE \"user\" = $1 AND session = $2 AND digest = $3 AND at >= $4";
    let SameCall { user, session, digest } = call;
    let rows = db
        .rows(sql, &[user, session, &digest.bytes().as_slice(), &time::column(since)])
        .await
        .map_err(of_postgres("remembered", user))?;
    let Some(row) = rows.first() else { return Ok(None) };
    let read = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
    let (approved, at) = read(row).map_err(of_row("remembered", user))?;
    let at = time::at(at).ok_or_else(|| inconsistent("remembered", user, "it has no time"))?;
    Ok(Some(Remembered { approved, at }))
}

fn count(row: &Row, column: usize) -> Result<u64, StoreError> {
    let value: i64 = row.try_get(column).map_err(of_row("policy_changes", "version"))?;
    u64::try_from(value).map_err(|error| inconsistent("policy_changes", value, error))
}

fn headless() -> StoreError {
    inconsistent("policy_head", "version", "it is not there")
}
