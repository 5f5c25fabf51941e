//! Saving a step, inside the writer's transaction: whole or not at all, and of two racing steps one loses.
//!
//! Nobody else writes meanwhile, so the run is looked at once, and what it becomes is known before it is written. No
//! statement here has a `RETURNING`: `SQLite` makes a table of its own for each, which costs more than the step.

use super::claims::fence;
use super::{events, house, interactions, log, policy, receipts, secrets};
use crate::failure::of_sqlite;
use crate::rows::SaveRows;
use crate::time;
use countersign_runtime::ports::{Claim, StoreError, Take};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};
use uuid::Uuid;

/// Saves a step, and says whether the run was taken.
pub fn save(db: &Connection, save: &SaveRows, now: Timestamp) -> Result<Option<Claim>, StoreError> {
    let stood = standing(db, save)?;
    if let Some(claim) = save.claim
        && (claim.run != save.run || !stood.as_ref().is_some_and(|stood| stood.is_held_by(claim)))
    {
        return Err(StoreError::Fenced(save.run));
    }
    if let Some(receipt) = &save.receipt {
        receipts::keep(db, receipt)?;
    }
    let (key, taken) = match stood {
        None if save.seen == 0 => insert(db, save, now)?,
        Some(stood) if save.seen > 0 && stood.seq == save.seen && stood.is_next(save.take) => {
            (stood.key, update(db, save, &stood, now)?)
        }
        _ => return Err(StoreError::Conflict(save.run)),
    };
    events::append(db, key, &save.events)?;
    if let Some(narrowed) = &save.narrowed {
        narrow(db, key, narrowed)?;
    }
    log::enter(db, key, save.seen + 1, save.events.len())?;
    save.asked.iter().try_for_each(|asked| interactions::insert(db, key, asked))?;
    save.changed.iter().try_for_each(|changed| interactions::update(db, key, changed))?;
    save.policy.iter().try_for_each(|change| policy::change(db, change).map(drop))?;
    save.house.iter().try_for_each(|happened| house::append(db, happened))?;
    save.sealed.iter().try_for_each(|sealed| secrets::keep(db, key, sealed))?;
    if save.is_last() {
        secrets::drop_all(db, key)?;
    }
    if let Some((call, answer)) = &save.remember {
        policy::remember(db, call, *answer)?;
    }
    Ok(taken)
}

/// A run before the step.
struct Standing {
    key: i64,
    seq: i64,
    ready_since: Option<i64>,
    lease_until: Option<i64>,
    fence: i64,
    attempts: u32,
}

impl Standing {
    /// Whether nobody has taken the run since that claim, and it was not let go.
    fn is_held_by(&self, claim: Claim) -> bool {
        self.fence == fence(claim) && self.lease_until.is_some()
    }

    /// Whether the run is nobody's, and its next claim has the number that the saver counts on, if they do.
    fn is_next(&self, take: Option<Take>) -> bool {
        let Some(fence) = take.and_then(|take| take.fence) else { return true };
        self.lease_until.is_none() && self.fence.checked_add(1).and_then(|next| u64::try_from(next).ok()) == Some(fence)
    }

    /// Whose the run is after the step. One that waits or has ended is nobody's; one that stays ready keeps its place in
    /// the queue, and is taken by whoever wants to if it is nobody's.
    fn after(&self, save: &SaveRows, now: Timestamp) -> (Self, Option<Claim>) {
        let ready_since = save.ready_since.map(|since| self.ready_since.unwrap_or(since));
        let lease_until = ready_since.and(self.lease_until);
        let attempts = if save.progress { 0 } else { self.attempts };
        let kept = Self { ready_since, lease_until, attempts, ..*self };
        let is_free = ready_since.is_some() && lease_until.is_none_or(|until| until <= time::column(now));
        let Some(Take { lease, .. }) = save.take.filter(|_| is_free) else { return (kept, None) };
        let (fence, attempts) = (self.fence.saturating_add(1), attempts.saturating_add(1));
        let claim = Claim { run: save.run, fence: fence.unsigned_abs(), attempts };
        (Self { lease_until: Some(time::after(now, lease)), fence, attempts, ..kept }, Some(claim))
    }
}

fn standing(db: &Connection, save: &SaveRows) -> Result<Option<Standing>, StoreError> {
    let sql = "SELECT key, seq, ready_since, lease_until, fence, attempts FROM runs WHERE id = ?1";
    let read = |row: &Row<'_>| {
        Ok(Standing {
            key: row.get(0)?,
            seq: row.get(1)?,
            ready_since: row.get(2)?,
            lease_until: row.get(3)?,
            fence: row.get(4)?,
            attempts: row.get(5)?,
        })
    };
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.query_row([save.run.uuid().as_bytes()], read).optional())
        .map_err(of_sqlite("runs", save.run))
}

/// Keeps what was taken away from a run. Rare, and so no part of what every step writes.
fn narrow(db: &Connection, run: i64, narrowed: &str) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE runs SET narrowed = ?2 WHERE key = ?1")
        .and_then(|mut statement| statement.execute((run, narrowed)))
        .map_err(of_sqlite("runs", run))?;
    Ok(())
}

/// A new run, the key it is given, and the claim if it was taken at once.
fn insert(db: &Connection, save: &SaveRows, now: Timestamp) -> Result<(i64, Option<Claim>), StoreError> {
    let sql = "
        INSERT INTO runs
            (id, seq, phase, user, ready_since, input_tokens, output_tokens, ending, created_at, updated_at, lease_until,
            fence, attempts, session, call)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    let nobodys = Standing { key: 0, seq: 0, ready_since: None, lease_until: None, fence: 0, attempts: 0 };
    let (Standing { lease_until, fence, attempts, .. }, taken) = nobodys.after(save, now);
    let id = save.run.uuid();
    let SaveRows { seq, phase, user, ready_since, input_tokens, output_tokens, ending, created_at, at, .. } = save;
    db.prepare_cached(sql)
        .and_then(|mut statement| {
            statement.insert(rusqlite::params![
                id.as_bytes(),
                seq,
                phase,
                user,
                ready_since,
                input_tokens,
                output_tokens,
                ending,
                created_at,
                at,
                lease_until,
                fence,
                attempts,
                save.session,
                save.call.as_ref().map(Uuid::as_bytes)
            ])
        })
        .map(|key| (key, taken))
        .map_err(of_sqlite("runs", save.run))
}

/// The run after a step, and the claim if it was taken with it.
fn update(db: &Connection, save: &SaveRows, stood: &Standing, now: Timestamp) -> Result<Option<Claim>, StoreError> {
    let (after, taken) = stood.after(save, now);
    let Standing { key, ready_since, lease_until, fence, attempts, .. } = after;
    let SaveRows { seq, phase, input_tokens, output_tokens, ending, at, .. } = save;
    let in_queue = "
        UPDATE runs SET seq = ?2, phase = ?3, attempts = ?4, input_tokens = ?5, output_tokens = ?6, ending = ?7, updated_at = ?8
        WHERE key = ?1";
    let elsewhere = "
        UPDATE runs SET seq = ?2, phase = ?3, attempts = ?4, input_tokens = ?5, output_tokens = ?6, ending = ?7, updated_at = ?8,
            ready_since = ?9, lease_until = ?10, fence = ?11
        WHERE key = ?1";
    let row = (key, seq, phase, attempts, input_tokens, output_tokens, ending, at);
    // What names a column of an index writes the index anew, also with what stands there.
    let stays = (ready_since, lease_until, fence) == (stood.ready_since, stood.lease_until, stood.fence);
    let written = if stays {
        db.prepare_cached(in_queue).and_then(|mut statement| statement.execute(row))
    } else {
        let (key, seq, phase, attempts, read, said, ending, at) = row;
        let row = (key, seq, phase, attempts, read, said, ending, at, ready_since, lease_until, fence);
        db.prepare_cached(elsewhere).and_then(|mut statement| statement.execute(row))
    };
    written.map(|_| taken).map_err(of_sqlite("runs", save.run))
}
