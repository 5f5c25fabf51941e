//! Saving a step: one statement, so that it is one transaction and one round trip, and no lock outlives a broken wire.

use super::clock::NOW;
use super::connection::{Connection, Failed};
use super::statement::Statement;
use super::{claims, events, house, policy, receipts, secrets};
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::rows::event::columns;
use crate::rows::{EventRow, InteractionRow, SaveRows};
use crate::time;
use countersign_runtime::ports::{Claim, StoreError, Take};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

/// What became of a step.
#[derive(Debug)]
pub enum Outcome {
    /// It is saved, and the run was taken.
    Saved(Option<Claim>),
    /// Nobody knows: the connection broke before the answer came.
    Unknown(Failed),
}

/// Whether it was tried before, and nobody knows what came of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    First,
    Again,
}

/// Saves a step, if nobody was faster.
pub async fn save(db: &Connection, save: &SaveRows, attempt: Attempt) -> Result<Outcome, StoreError> {
    if save.claim.is_some_and(|claim| claim.run != save.run) {
        return Err(StoreError::Fenced(save.run));
    }
    let mut values = Statement::default();
    let sql = statement(&mut values, save);
    match values.rows(db, sql).await {
        Ok(rows) => match rows.first() {
            Some(row) => saved(save, row).map(Outcome::Saved).map_err(of_row("runs", save.run)),
            None => unmoved(db, save, attempt).await,
        },
        Err(failed @ (Failed::Lost(_) | Failed::Silent)) => Ok(Outcome::Unknown(failed)),
        Err(failed) => {
            let otherwise = |failed| refusal(save, failed);
            Err(receipts::refusal(db, save.receipt.as_ref(), failed, otherwise).await)
        }
    }
}

/// The claim, if the run was taken.
fn saved(save: &SaveRows, row: &Row) -> Result<Option<Claim>, tokio_postgres::Error> {
    let (is_taken, fence, attempts): (bool, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    Ok(is_taken.then(|| claims::of(save.run, fence, attempts)))
}

fn refusal(save: &SaveRows, failed: Failed) -> StoreError {
    match failed.code() {
        Some(&SqlState::DIVISION_BY_ZERO) => {
            inconsistent("interactions", save.run, "a question that changed is not there")
        }
        _ => of_postgres("runs", save.run)(failed),
    }
}

/// Why the run did not move: it has the very step already, somebody else holds it, or somebody else was first.
///
/// Who tries again may find what they saved the first time. So may a worker who was not told what became of a step: it
/// comes again with the same one, and with no other under the same claim. Whether it then took the run is known only by the
/// number that it was to have; where there is none, nobody is said to have: the lease runs out, and the run is claimed.
async fn unmoved(db: &Connection, save: &SaveRows, attempt: Attempt) -> Result<Outcome, StoreError> {
    let hold = hold(db, save).await?;
    let is_own = save.claim.is_some_and(|claim| hold.fence == Some(claims::fence(claim)));
    let may_be_there = is_own || (attempt == Attempt::Again && save.claim.is_none());
    if may_be_there && is_written(db, save, is_own).await? {
        return Ok(Outcome::Saved(hold.taken_by(save)));
    }
    if let Some(receipt) = &save.receipt
        && let Some(before) = receipts::one(db, &receipt.by, &receipt.key).await?
    {
        return Err(StoreError::Made(Box::new(before)));
    }
    if save.claim.is_some() && !(is_own && hold.is_leased) {
        return Err(StoreError::Fenced(save.run));
    }
    Err(StoreError::Conflict(save.run))
}

/// Who holds a run.
struct Hold {
    fence: Option<i64>,
    is_leased: bool,
    /// Whether the lease is not over.
    is_current: bool,
}

impl Hold {
    /// Whoever knew the number under which they would take the run, and wrote the step, holds it while it has that number.
    fn taken_by(&self, save: &SaveRows) -> Option<Claim> {
        let fence = i64::try_from(save.take?.fence?).ok()?;
        (self.is_current && self.fence == Some(fence)).then(|| claims::of(save.run, fence, 1))
    }
}

async fn hold(db: &Connection, save: &SaveRows) -> Result<Hold, StoreError> {
    let sql =
        format!("SELECT fence, lease_until IS NOT NULL, coalesce(lease_until > {NOW}, false) FROM runs WHERE id = $1");
    let rows = db.rows(sql, &[&save.run.uuid()]).await.map_err(of_postgres("runs", save.run))?;
    let Some(row) = rows.first() else { return Ok(Hold { fence: None, is_leased: false, is_current: false }) };
    let read = |row: &Row| Ok(Hold { fence: row.try_get(0)?, is_leased: row.try_get(1)?, is_current: row.try_get(2)? });
    read(row).map_err(of_row("runs", save.run))
}

/// Whether the events of the step are there, as they would be written: at the same time, or at any under the same claim.
async fn is_written(db: &Connection, save: &SaveRows, at_any_time: bool) -> Result<bool, StoreError> {
    let many = i64::try_from(save.events.len()).unwrap_or(i64::MAX);
    let there = events::listed(db, save.run, save.seen, many).await?;
    let is_same =
        |(there, ours): (&EventRow, &EventRow)| (at_any_time || there.at == ours.at) && there.says_the_same(ours);
    Ok(there.len() == save.events.len() && there.iter().zip(&save.events).all(is_same))
}

/// All that a step writes. Each part but the first writes only if the run moved.
fn statement(values: &mut Statement, save: &SaveRows) -> String {
    let moved = if save.seen == 0 { new_run(values, save) } else { moved_run(values, save) };
    let received = save.receipt.as_ref().map(|receipt| match save.seen {
        0 => receipts::keeping(values, receipt),
        _ => receipts::keeping_of(values, receipt, "moved"),
    });
    let mut parts: Vec<_> = received.into_iter().collect();
    // Names stand for what comes after them.
    parts.insert(if save.seen == 0 { parts.len() } else { 0 }, moved);
    parts.extend([added(values, &save.events), entered(values, save)]);
    if !save.asked.is_empty() {
        parts.push(asked(values, &save.asked));
    }
    if !save.changed.is_empty() {
        parts.push(changed(values, &save.changed));
    }
    if !save.sealed.is_empty() {
        parts.push(secrets::keeping(values, &save.sealed));
    }
    if save.is_last() {
        parts.push(secrets::DROPPING.to_owned());
    }
    if let Some((call, answer)) = &save.remember {
        parts.extend(policy::remembering(values, call, *answer));
    }
    if !save.policy.is_empty() {
        parts.extend(policy::changing(values, &save.policy, "FROM moved"));
        parts.extend(house::adding(values, &save.house, "FROM head"));
    }
    format!("WITH {} SELECT is_taken, fence, attempts{} FROM moved", parts.join(", "), check(values, &save.changed))
}

/// Nothing at all is written if a question that changed is not there: a division by zero is an error like any other.
fn check(values: &mut Statement, changed: &[InteractionRow]) -> String {
    if changed.is_empty() {
        return String::new();
    }
    let expected = values.value(i64::try_from(changed.len()).unwrap_or(-1));
    format!(", 1 / CASE WHEN (SELECT count(*) FROM changed) = {expected} THEN 1 ELSE 0 END")
}

/// A new run, taken at once if that is wanted. Nothing is changed if there is one with this id.
fn new_run(values: &mut Statement, save: &SaveRows) -> String {
    let take = save.take.filter(|_| save.ready_since.is_some()).map(|take| values.value(time::span(take.lease)));
    let (lease, many) = take.as_ref().map_or(("NULL".into(), 0), |lease| (format!("{NOW} + {lease}"), 1));
    let SaveRows { run, seq, phase, user, ready_since, input_tokens, output_tokens, ending, created_at, at, .. } = save;
    let row = [
        values.value(run.uuid()),
        values.value(*seq),
        values.value(*phase),
        values.value(user.clone()),
        values.value(*ready_since),
        values.value(*input_tokens),
        values.value(*output_tokens),
        values.value(ending.clone()),
        values.value(*created_at),
        values.value(*at),
        values.value(save.session.clone()),
        values.value(save.call),
    ];
    // Under a key something is made once.
    let once = if save.receipt.is_some() { "FROM received" } else { "" };
    format!(
        "moved AS (
            INSERT INTO runs
                (lease_until, fence, attempts, id, seq, phase, \"user\", ready_since, input_tokens, output_tokens,
                ending, created_at, updated_at, session, call)
            SELECT {lease}, {many}, {many}, {} {once}
            ON CONFLICT (id) DO NOTHING
            RETURNING key, fence, attempts, {} AS is_taken
        )",
        row.join(", "),
        take.is_some(),
    )
}

/// The run after a step, if nobody was faster and the claim still holds. One that waits or has ended is nobody's; one that
/// stays ready keeps its place in the queue.
///
/// Who wants to take it must know whether it was free, which only the row as it was says: so that is locked and read first.
fn moved_run(values: &mut Statement, save: &SaveRows) -> String {
    let mut as_seen = format!("id = {} AND seq = {}", values.value(save.run.uuid()), values.value(save.seen));
    if let Some(claim) = save.claim {
        let fence = values.value(claims::fence(claim));
        as_seen.push_str(&format!(" AND fence = {fence} AND lease_until IS NOT NULL"));
    }
    if let Some(fence) = save.take.and_then(|take| take.fence) {
        let next = values.value(i64::try_from(fence).unwrap_or(-1));
        as_seen.push_str(&format!(" AND fence + 1 = {next} AND lease_until IS NULL"));
    }
    let attempts = if save.progress { "0" } else { "attempts" };
    let after = after(values, save);
    match save.take.filter(|_| save.ready_since.is_some()) {
        None => format!(
            "moved AS (
                UPDATE runs SET {after}, attempts = {attempts} WHERE {as_seen}
                RETURNING key, fence, attempts, false AS is_taken
            )"
        ),
        Some(Take { lease, .. }) => format!(
            "seen AS (
                SELECT key, lease_until IS NULL OR lease_until <= {NOW} AS is_free FROM runs WHERE {as_seen} FOR UPDATE
            ), moved AS (
                UPDATE runs SET {after},
                    attempts = {attempts} + is_free::int,
                    fence = fence + is_free::int,
                    lease_until = CASE WHEN is_free THEN {NOW} + {lease} ELSE lease_until END
                FROM seen WHERE runs.key = seen.key
                RETURNING runs.key, fence, attempts, is_free AS is_taken
            )",
            lease = values.value(time::span(lease)),
        ),
    }
}

/// The columns that a step changes whoever does it.
fn after(values: &mut Statement, save: &SaveRows) -> String {
    let [seq, phase, at] = [values.value(save.seq), values.value(save.phase), values.value(save.at)];
    let [read, written] = [values.value(save.input_tokens), values.value(save.output_tokens)];
    let ending = values.value(save.ending.clone());
    let queued = match save.ready_since {
        Some(since) => format!("ready_since = coalesce(ready_since, {})", values.value(since)),
        None => "ready_since = NULL, lease_until = NULL".into(),
    };
    let narrowed = save.narrowed.clone().map(|narrowed| format!(", narrowed = {}", values.value(narrowed)));
    let narrowed = narrowed.unwrap_or_default();
    format!(
        "seq = {seq}, phase = {phase}, {queued}, input_tokens = {read}, output_tokens = {written}, ending = {ending},
        updated_at = {at}{narrowed}"
    )
}

fn added(values: &mut Statement, events: &[EventRow]) -> String {
    let [seq, at, step, kind, data, texts, salt, leaf] = [
        values.column(events, |event| event.seq),
        values.column(events, |event| event.at),
        values.column(events, |event| event.step.map(i64::from)),
        values.column(events, |event| event.kind.clone()),
        values.column(events, |event| event.data.clone()),
        values.column(events, |event| columns(&event.payload).0.map(ToOwned::to_owned)),
        values.column(events, |event| columns(&event.payload).1.map(ToOwned::to_owned)),
        values.column(events, |event| event.leaf.to_vec()),
    ];
    format!(
        "added AS (
            INSERT INTO events (run, seq, at, step, type, data, texts, salt, leaf)
            SELECT moved.key, event.* FROM moved,
                unnest({seq}::bigint[], {at}::bigint[], {step}::bigint[], {kind}::text[], {data}::text[], {texts}::text[],
                    {salt}::bytea[], {leaf}::bytea[]) AS event
        )"
    )
}

/// That these events have no place in the log yet.
fn entered(values: &mut Statement, save: &SaveRows) -> String {
    let [seq, many] = [values.value(save.seen + 1), values.value(save.seq - save.seen)];
    format!("entered AS (INSERT INTO unplaced (run, seq, many) SELECT moved.key, {seq}, {many} FROM moved)")
}

fn asked(values: &mut Statement, asked: &[InteractionRow]) -> String {
    let [id, status, end, people, remind, whose, decided] = [
        values.column(asked, |one| one.id),
        values.column(asked, |one| one.status),
        values.column(asked, |one| one.expires_at),
        values.column(asked, |one| one.asks_people),
        values.column(asked, |one| one.remind_at),
        values.column(asked, |one| one.asker),
        values.column(asked, |one| one.decided),
    ];
    format!(
        "asked AS (
            INSERT INTO interactions (run, id, status, expires_at, asks_people, remind_at, asker, decided)
            SELECT moved.key, one.* FROM moved,
                unnest({id}::uuid[], {status}::text[], {end}::bigint[], {people}::boolean[], {remind}::bigint[],
                    {whose}::bigint[], {decided}::bigint[]) AS one
        )"
    )
}

fn changed(values: &mut Statement, changed: &[InteractionRow]) -> String {
    let [id, status, remind, decided] = [
        values.column(changed, |one| one.id),
        values.column(changed, |one| one.status),
        values.column(changed, |one| one.remind_at),
        values.column(changed, |one| one.decided),
    ];
    format!(
        "changed AS (
            UPDATE interactions SET status = one.status, remind_at = one.remind_at, decided = one.decided
            FROM moved, unnest({id}::uuid[], {status}::text[], {remind}::bigint[], {decided}::bigint[])
                AS one (id, status, remind_at, decided)
            WHERE interactions.id = one.id AND interactions.run = moved.key
            RETURNING 1
        )"
    )
}
