//! Changes of the policy, what they have led to, and answers that short memory keeps.

use super::claims::count;
use crate::failure::{inconsistent, of_sqlite};
use crate::page::{page_of, page_size};
use crate::rows::{ChangeRow, SHORT_MEMORY, item, past};
use crate::time;
use countersign_runtime::ports::{Page, PastChange, PolicyChange, PolicyItem, Remembered, SameCall, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};

/// Makes one change, and says which version it makes.
pub fn change(db: &Connection, change: &ChangeRow) -> Result<u64, StoreError> {
    let version = add(db, change)?;
    match &change.body {
        Some(body) => put(db, change, body, version)?,
        None => remove(db, change)?,
    }
    u64::try_from(version).map_err(|error| inconsistent("policy_changes", version, error))
}

fn add(db: &Connection, change: &ChangeRow) -> Result<i64, StoreError> {
    let sql = "
        INSERT INTO policy_changes (version, kind, key, body, by, why, at)
        VALUES ((SELECT coalesce(max(version), 0) + 1 FROM policy_changes), ?1, ?2, ?3, ?4, ?5, ?6)
        RETURNING version";
    let ChangeRow { kind, key, body, by, why, at } = change;
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.query_row((kind, key, body, by, why, at), |row| row.get(0)))
        .map_err(of_sqlite("policy_changes", key))
}

fn put(db: &Connection, change: &ChangeRow, body: &str, version: i64) -> Result<(), StoreError> {
    let sql = "
        INSERT INTO policy_items (kind, key, body, version) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (kind, key) DO UPDATE SET body = excluded.body, version = excluded.version";
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute((&change.kind, &change.key, body, version)))
        .map_err(of_sqlite("policy_items", &change.key))?;
    Ok(())
}

fn remove(db: &Connection, change: &ChangeRow) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM policy_items WHERE kind = ?1 AND key = ?2")
        .and_then(|mut statement| statement.execute((&change.kind, &change.key)))
        .map_err(of_sqlite("policy_items", &change.key))?;
    Ok(())
}

/// How often the policy has been changed.
pub fn version(db: &Connection) -> Result<u64, StoreError> {
    db.prepare_cached("SELECT coalesce(max(version), 0) FROM policy_changes")
        .and_then(|mut statement| statement.query_row([], |row| count(row, 0)))
        .map_err(of_sqlite("policy_changes", "version"))
}

/// The version and what the changes have led to, as both were at one moment.
pub fn standing(db: &Connection) -> Result<(u64, Vec<PolicyItem>), StoreError> {
    let moment = db.unchecked_transaction().map_err(of_sqlite("policy_items", "all"))?;
    Ok((version(&moment)?, items(&moment)?))
}

/// What the changes have led to, in the order of their kinds and names.
fn items(db: &Connection) -> Result<Vec<PolicyItem>, StoreError> {
    let sql = "
        SELECT item.version, item.kind, item.key, item.body, change.by, change.why, change.at
        FROM policy_items AS item JOIN policy_changes AS change ON change.version = item.version
        ORDER BY item.kind, item.key";
    let rows: rusqlite::Result<Vec<(u64, ChangeRow)>> =
        db.prepare_cached(sql).and_then(|mut statement| statement.query_map([], read)?.collect());
    let rows = rows.map_err(of_sqlite("policy_items", "all"))?;
    rows.into_iter().map(|(version, row)| item(version, row)).collect()
}

/// The version and the change that a row begins with.
fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<(u64, ChangeRow)> {
    let change = ChangeRow {
        kind: row.get(1)?,
        key: row.get(2)?,
        body: row.get(3)?,
        by: row.get(4)?,
        why: row.get(5)?,
        at: row.get(6)?,
    };
    Ok((count(row, 0)?, change))
}

/// The changes before a version, the newest first, each with what stood before it.
pub fn history(db: &Connection, before: Option<u64>, limit: u32) -> Result<Page<PastChange>, StoreError> {
    let sql = "
        SELECT version, kind, key, body, by, why, at, (
            SELECT earlier.body FROM policy_changes AS earlier
            WHERE earlier.kind = change.kind AND earlier.key = change.key AND earlier.version < change.version
            ORDER BY earlier.version DESC LIMIT 1
        )
        FROM policy_changes AS change WHERE version < ?1 ORDER BY version DESC LIMIT ?2";
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    let size = page_size(limit);
    let told = |row: &rusqlite::Row<'_>| Ok((read(row)?, row.get::<_, Option<String>>(7)?));
    let rows = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map((before, size + 1), told)?.collect::<rusqlite::Result<Vec<_>>>())
        .map_err(of_sqlite("policy_changes", "history"))?;
    let found = rows.into_iter().map(|((version, row), before)| past(version, row, before.as_deref()));
    Ok(page_of(found.collect::<Result<_, _>>()?, size, |past| past.version.to_string()))
}

/// The changes after a version, the oldest first.
pub fn changes(db: &Connection, after: u64, limit: u32) -> Result<Vec<(u64, PolicyChange)>, StoreError> {
    let sql = "
        SELECT version, kind, key, body, by, why, at FROM policy_changes
        WHERE version > ?1 ORDER BY version LIMIT ?2";
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows: rusqlite::Result<Vec<(u64, ChangeRow)>> =
        db.prepare_cached(sql).and_then(|mut statement| statement.query_map((after, limit), read)?.collect());
    let rows = rows.map_err(of_sqlite("policy_changes", "list"))?;
    rows.into_iter().map(|(version, row)| Ok((version, row.try_into()?))).collect()
}

/// Keeps an answer, and forgets those that are over.
pub fn remember(db: &Connection, call: &SameCall, answer: Remembered) -> Result<(), StoreError> {
    let sql = "
        INSERT INTO remembered (user, session, digest, approved, at) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (user, session, digest) DO UPDATE SET approved = excluded.approved, at = excluded.at";
    let SameCall { user, session, digest } = call;
    db.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute((user, session, digest.bytes(), answer.approved, time::column(answer.at)))
        })
        .map_err(of_sqlite("remembered", user))?;
    forget(db, answer.at.saturating_sub(SHORT_MEMORY).unwrap_or(Timestamp::MIN))
}

/// Looks first: to delete nothing takes `SQLite` a table of its own.
fn forget(db: &Connection, before: Timestamp) -> Result<(), StoreError> {
    let before = [time::column(before)];
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM remembered WHERE at < ?1)")
        .and_then(|mut statement| statement.query_row(before, |row| row.get::<_, bool>(0)))
        .and_then(|any| {
            if any {
                db.prepare_cached("DELETE FROM remembered WHERE at < ?1")?.execute(before).map(drop)
            } else {
                Ok(())
            }
        })
        .map_err(of_sqlite("remembered", "old"))
}

/// The answer to the same call, if it was given since then.
pub fn remembered(db: &Connection, call: &SameCall, since: Timestamp) -> Result<Option<Remembered>, StoreError> {
    let sql = "
        SELECT approved, at FROM remembered
        WHERE user = ?1 AND session = ?2 AND digest = ?3 AND at >= ?4";
    let SameCall { user, session, digest } = call;
    let found: Option<(bool, i64)> = db
        .prepare_cached(sql)
        .and_then(|mut statement| {
            let wanted = (user, session, digest.bytes(), time::column(since));
            statement.query_row(wanted, |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })
        .map_err(of_sqlite("remembered", user))?;
    let read = |(approved, at)| {
        let at = time::at(at).ok_or_else(|| inconsistent("remembered", user, "it has no time"))?;
        Ok(Remembered { approved, at })
    };
    found.map(read).transpose()
}
