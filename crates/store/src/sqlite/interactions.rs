//! Questions: where they stand, written with the events that ask and answer them. What they say their runs know.

use super::claims::count;
use super::events::WithSecrets;
use super::{events, runs};
use crate::failure::{inconsistent, of_sqlite};
use crate::page::page_of;
use crate::rows::{self, InteractionRow, holds, sieve};
use crate::time;
use crate::vault::Vault;
use countersign_domain::interaction::{Interaction, Status};
use countersign_domain::run::Run;
use countersign_domain::{Digest, InteractionId, RunId};
use countersign_runtime::ports::{Asking, InteractionFilter, Page, StoreError};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use uuid::Uuid;

/// Keeps a new question of the run with this key.
pub fn insert(db: &Connection, run: i64, asked: &InteractionRow) -> Result<(), StoreError> {
    let sql = "
        INSERT INTO interactions (id, run, status, expires_at, asks_people, remind_at, asker, decided)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let InteractionRow { id, status, expires_at, asks_people, remind_at, asker, decided } = asked;
    db.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute((id.as_bytes(), run, status, expires_at, asks_people, remind_at, asker, decided))
        })
        .map_err(of_sqlite("interactions", id))?;
    Ok(())
}

/// Keeps how a question stands now.
pub fn update(db: &Connection, run: i64, changed: &InteractionRow) -> Result<(), StoreError> {
    let sql = "UPDATE interactions SET status = ?3, remind_at = ?4, decided = ?5 WHERE id = ?1 AND run = ?2";
    let InteractionRow { id, status, remind_at, decided, .. } = changed;
    let rows = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute((id.as_bytes(), run, status, remind_at, decided)))
        .map_err(of_sqlite("interactions", id))?;
    if rows == 0 { Err(inconsistent("interactions", id, "it is not there")) } else { Ok(()) }
}

/// An event of a run, with what is sealed of it; and the run with the number of its last claim.
type OfRun = (WithSecrets, RunId, u64);

/// All events of the run that asks a question, if it has at most so many.
pub fn of_asking(db: &Connection, id: InteractionId, most: i64) -> Result<Vec<OfRun>, StoreError> {
    let sql = "
        SELECT seen.seq, seen.at, seen.step, seen.type, seen.data, seen.texts, seen.salt, seen.commitment, seen.leaf,
            runs.id, runs.fence, secrets.sealed
        FROM interactions
            CROSS JOIN runs ON runs.key = interactions.run AND runs.seq <= ?2
            CROSS JOIN events AS seen ON seen.run = interactions.run
            LEFT JOIN secrets ON secrets.run = seen.run AND secrets.seq = seen.seq
        WHERE interactions.id = ?1
        ORDER BY seen.seq";
    let run = |row: &Row<'_>| row.get(9).map(|id| RunId::new(Uuid::from_bytes(id)));
    let read = |row: &Row<'_>| Ok(((events::row(row, 0)?, row.get(11)?), run(row)?, count(row, 10)?));
    let rows: rusqlite::Result<Vec<_>> = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map((id.uuid().as_bytes(), most), read)?.collect());
    rows.map_err(of_sqlite("interactions", id))
}

/// The run that asks, with its secrets.
pub fn asking(events: Vec<OfRun>, vault: &Vault) -> Result<Option<Asking>, StoreError> {
    let Some(&(_, run, fence)) = events.first() else { return Ok(None) };
    let events = events.into_iter().map(|(event, ..)| event).collect();
    Ok(runs::unmasked(run, events, vault)?.map(|run| Asking { run, fence }))
}

/// The question as it stands. What is sealed stays so.
pub fn one(id: InteractionId, events: Vec<OfRun>) -> Result<Option<Interaction>, StoreError> {
    let Some(&(_, run, _)) = events.first() else { return Ok(None) };
    let run = runs::masked(run, events.into_iter().map(|((row, _), ..)| row).collect())?;
    Ok(run.and_then(|mut run| run.interactions.remove(&id)).map(|asked| *asked))
}

pub(super) const OVERDUE: &str = "
    SELECT runs.id, due.id FROM (
        SELECT * FROM (
            SELECT run, id, expires_at FROM interactions
            WHERE status = 'open' AND asks_people = 1 AND expires_at <= ?1
            ORDER BY expires_at, id LIMIT ?2
        )
        UNION ALL
        SELECT * FROM (
            SELECT run, id, expires_at FROM interactions
            WHERE status = 'open' AND asks_people = 0 AND expires_at <= ?1
            ORDER BY expires_at, id LIMIT ?2
        )
        ORDER BY expires_at, id LIMIT ?2
    ) AS due JOIN runs ON runs.key = due.run";

/// Open questions whose time is over at `now`, with their runs.
pub fn overdue(db: &Connection, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let found: rusqlite::Result<Vec<_>> = db
        .prepare_cached(OVERDUE)
        .and_then(|mut statement| statement.query_map((time::column(now), limit), row)?.collect());
    found.map_err(of_sqlite("interactions", "overdue"))
}

pub(super) const UNREMINDED: &str = "
    SELECT runs.id, due.id FROM (
        SELECT run, id FROM interactions WHERE remind_at <= ?1 AND expires_at > ?1 ORDER BY remind_at LIMIT ?2
    ) AS due JOIN runs ON runs.key = due.run";

/// Open questions of which half the time is over at `now`, and nobody was reminded, with their runs.
pub fn unreminded(db: &Connection, now: Timestamp, limit: u32) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let found: rusqlite::Result<Vec<_>> = db
        .prepare_cached(UNREMINDED)
        .and_then(|mut statement| statement.query_map((time::column(now), limit), row)?.collect());
    found.map_err(of_sqlite("interactions", "unreminded"))
}

pub(super) const OPEN_OF: &str =
    "SELECT count(*) FROM (SELECT 1 FROM interactions WHERE asker = ?1 AND status = 'open' LIMIT ?2)";

/// How many questions of this asker are open, as far as anybody counts.
pub fn open_of(db: &Connection, asker: Digest, most: u32) -> Result<u64, StoreError> {
    db.prepare_cached(OPEN_OF)
        .and_then(|mut statement| statement.query_row((rows::short(asker), most), |row| count(row, 0)))
        .map_err(of_sqlite("interactions", "open"))
}

pub(super) const DECIDED: &str = "
    SELECT runs.id, found.id FROM (
        SELECT run, id FROM interactions WHERE decided = ?1 ORDER BY run DESC LIMIT ?2
    ) AS found JOIN runs ON runs.key = found.run";

/// Questions of the newest runs about this very call that somebody answered, the latest answer first.
pub fn decided(db: &Connection, call: Digest, limit: u32) -> Result<Vec<Interaction>, StoreError> {
    let found: rusqlite::Result<Vec<_>> = db
        .prepare_cached(DECIDED)
        .and_then(|mut statement| statement.query_map((rows::short(call), limit), row)?.collect());
    let mut asked = of_runs(db, found.map_err(of_sqlite("interactions", "decided"))?)?;
    asked.retain(|asked| asked.call.digest == call);
    asked.sort_by_key(|asked| (Reverse(asked.answer.as_ref().map(|answer| answer.responded_at)), asked.id));
    Ok(asked)
}

/// Questions, the one that ends first first, after the one that ended the last page. After one that is not there comes
/// nothing.
pub fn page(db: &Connection, filter: &InteractionFilter, size: u32) -> Result<Page<Interaction>, StoreError> {
    let after = filter.after.as_ref().map(|after| after.parse::<InteractionId>()).transpose();
    let Ok(after) = after else { return Ok(Page { items: vec![], next: None }) };
    let (sql, values) = selection(filter, after, size + 1);
    let found: rusqlite::Result<Vec<(RunId, InteractionId)>> =
        db.prepare_cached(&sql).and_then(|mut statement| statement.query_map(params_from_iter(values), row)?.collect());
    let page = page_of(found.map_err(of_sqlite("interactions", "list"))?, size, |(_, last)| last.to_string());
    let mut items = of_runs(db, page.items)?;
    items.retain(|asked| holds(asked, &filter.words));
    Ok(Page { items, next: page.next })
}

/// These questions of these runs, each run read once.
fn of_runs(db: &Connection, ids: Vec<(RunId, InteractionId)>) -> Result<Vec<Interaction>, StoreError> {
    let mut runs: BTreeMap<RunId, Run> = BTreeMap::new();
    let mut items = Vec::with_capacity(ids.len());
    for (run, id) in ids {
        let run = match runs.entry(run) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let loaded = runs::masked(run, events::all(db, run, i64::MAX)?)?
                    .ok_or_else(|| inconsistent("runs", run, "it is not there"))?;
                place.insert(loaded)
            }
        };
        let asked = run.interaction(id).cloned();
        items.push(asked.ok_or_else(|| inconsistent("interactions", id, "its run does not know it"))?);
    }
    Ok(items)
}

/// The statement that selects what `filter` lets through: only conditions that are asked for stand in it, so that each
/// can use its index. Where any status will do, each has a part of its own, in the order of the index.
pub(super) fn selection(filter: &InteractionFilter, after: Option<InteractionId>, limit: u32) -> (String, Vec<Value>) {
    let all = [Status::Open, Status::Answered, Status::Expired, Status::Cancelled];
    let statuses = filter.status.as_ref().map_or(all.as_slice(), std::slice::from_ref);
    let (mut parts, mut values) = (vec![], vec![]);
    for status in statuses {
        // A run has few questions: found by it, the status is looked at, not looked up.
        let status_of = if filter.run.is_some() { "+status" } else { "status" };
        // A word and no value: whoever plans must see which index holds it.
        let mut part = format!("SELECT run, id, expires_at FROM interactions WHERE {status_of} = '{}'", status.word());
        if *status != Status::Open {
            part.push_str(" AND status <> 'open'");
        }
        let conditions = [
            (
                " AND run = (SELECT key FROM runs WHERE id = ?)",
                filter.run.map(|run| Value::Blob(run.uuid().as_bytes().to_vec())),
            ),
            (" AND run IN (SELECT key FROM runs WHERE user = ?)", filter.user.clone().map(Value::Text)),
            (
                " AND (expires_at, id) > (SELECT expires_at, id FROM interactions WHERE id = ?)",
                after.map(|after| Value::Blob(after.uuid().as_bytes().to_vec())),
            ),
        ];
        for (condition, value) in conditions {
            let Some(value) = value else { continue };
            part.push_str(condition);
            values.push(value);
        }
        if filter.of_people {
            part.push_str(" AND asks_people = 1");
        }
        if !filter.words.is_empty() {
            part.push_str(" AND status = 'open'");
        }
        for word in filter.words.iter().filter_map(|word| sieve(word)) {
            // `LIKE` compares without regard to case as it goes, and writes nothing in small letters first.
            part.push_str(
                " AND EXISTS (SELECT 1 FROM events WHERE events.run = interactions.run
                    AND (data LIKE ? OR texts LIKE ?))",
            );
            values.extend([Value::Text(format!("%{word}%")), Value::Text(format!("%{word}%"))]);
        }
        part.push_str(" ORDER BY expires_at, id LIMIT ?");
        values.push(Value::Integer(limit.into()));
        parts.push(format!("SELECT * FROM ({part})"));
    }
    values.push(Value::Integer(limit.into()));
    let sql = format!(
        "SELECT runs.id, found.id FROM ({}) AS found JOIN runs ON runs.key = found.run
        ORDER BY found.expires_at, found.id LIMIT ?",
        parts.join(" UNION ALL ")
    );
    (sql, values)
}

/// The ids of a run and of its question.
pub(super) fn row(row: &Row<'_>) -> rusqlite::Result<(RunId, InteractionId)> {
    let (run, id): ([u8; 16], [u8; 16]) = (row.get(0)?, row.get(1)?);
    Ok((RunId::new(Uuid::from_bytes(run)), InteractionId::new(Uuid::from_bytes(id))))
}
