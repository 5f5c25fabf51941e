//! Saving a step: one statement, so that it is one transaction and one round trip, and no lock outlives a broken wire.

use super::connection::{Connection, Failed};
use super::{claims, events};
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::rows::{EventRow, InteractionRow, SaveRows};
use countersign_runtime::ports::StoreError;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

/// What became of a step.
#[derive(Debug)]
pub enum Outcome {
    /// It is saved.
    Saved,
    /// Nobody knows: the connection broke before the answer came.
    Unknown(Failed),
}

/// Saves a step, if nobody was faster.
pub async fn save(db: &Connection, save: &SaveRows) -> Result<Outcome, StoreError> {
    if save.claim.is_some_and(|claim| claim.run != save.run) {
        return Err(StoreError::Fenced(save.run));
    }
    let Statement { sql, values } = statement(save);
    let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
    let rows = match db.rows(sql, &values).await {
        Ok(rows) => rows,
        Err(failed @ (Failed::Lost(_) | Failed::Silent)) => return Ok(Outcome::Unknown(failed)),
        Err(failed) => return Err(refusal(save, failed)),
    };
    let moved = rows.first().map(|row| row.try_get::<_, i64>(0)).transpose().map_err(of_row("runs", save.run))?;
    if moved == Some(1) { Ok(Outcome::Saved) } else { unmoved(db, save).await }
}

/// Why the run did not move: it has the very step already, somebody else holds it, or somebody else was first.
///
/// A worker whose first attempt nobody answered comes again with the same step, and with no other under the same claim.
async fn unmoved(db: &Connection, save: &SaveRows) -> Result<Outcome, StoreError> {
    let hold = hold(db, save).await?;
    let own_claim = save.claim.is_some_and(|claim| hold.fence == Some(claims::fence(claim)));
    if (own_claim || save.claim.is_none()) && is_written(db, save, own_claim).await? {
        return Ok(Outcome::Saved);
    }
    if save.claim.is_some() && !(own_claim && hold.is_leased) {
        return Err(StoreError::Fenced(save.run));
    }
    Err(StoreError::Conflict(save.run))
}

/// Who holds a run.
struct Hold {
    fence: Option<i64>,
    is_leased: bool,
}

async fn hold(db: &Connection, save: &SaveRows) -> Result<Hold, StoreError> {
    let sql = "SELECT fence, lease_until IS NOT NULL FROM runs WHERE id = $1";
    let rows = db.rows(sql, &[&save.run.to_string()]).await.map_err(of_postgres("runs", save.run))?;
    let Some(row) = rows.first() else { return Ok(Hold { fence: None, is_leased: false }) };
    let read = |row: &tokio_postgres::Row| Ok(Hold { fence: row.try_get(0)?, is_leased: row.try_get(1)? });
    read(row).map_err(of_row("runs", save.run))
}

/// Whether the events of the step are there, as they would be written: at the same time, or at any under the same claim.
async fn is_written(db: &Connection, save: &SaveRows, at_any_time: bool) -> Result<bool, StoreError> {
    let many = i64::try_from(save.events.len()).unwrap_or(i64::MAX);
    let there = events::listed(db, save.run, save.seen, many).await?;
    let is_same = |(there, ours): (&EventRow, &EventRow)| {
        (at_any_time || there.at == ours.at) && EventRow { at: ours.at, ..there.clone() } == *ours
    };
    Ok(there.len() == save.events.len() && there.iter().zip(&save.events).all(is_same))
}

fn refusal(save: &SaveRows, failed: Failed) -> StoreError {
    match failed.code() {
        Some(&SqlState::DIVISION_BY_ZERO) => {
            inconsistent("interactions", save.run, "a question that changed is not there")
        }
        _ => of_postgres("runs", save.run)(failed),
    }
}

/// A statement whose parts depend on what there is to write. As few of them as possible, so that few are prepared.
#[derive(Default)]
struct Statement {
    sql: String,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Statement {
    /// Keeps `value`, and gives the name that it has in the text.
    fn value(&mut self, value: impl ToSql + Sync + Send + 'static) -> String {
        self.values.push(Box::new(value));
        format!("${}", self.values.len())
    }
}

/// All that a step writes. Each part but the first writes only if the run moved.
fn statement(save: &SaveRows) -> Statement {
    let mut all = Statement::default();
    let moved = if save.seen == 0 { new_run(&mut all, save) } else { moved_run(&mut all, save) };
    let mut sql = format!("WITH moved AS ({moved}), added AS ({})", added(&mut all, &save.events));
    if !save.asked.is_empty() {
        sql.push_str(&format!(", asked AS ({})", asked(&mut all, &save.asked)));
    }
    if !save.changed.is_empty() {
        sql.push_str(&format!(", changed AS ({})", changed(&mut all, &save.changed)));
    }
    sql.push_str(" SELECT count(*)");
    if !save.changed.is_empty() {
        // Nothing at all is written if this fails.
        let expected = all.value(i64::try_from(save.changed.len()).unwrap_or(-1));
        sql.push_str(&format!(
            ", 1 / CASE WHEN count(*) = 1 AND (SELECT count(*) FROM changed) <> {expected} THEN 0 ELSE 1 END"
        ));
    }
    sql.push_str(" FROM moved");
    Statement { sql, ..all }
}

/// A new run. Nothing is changed if there is one with this id.
fn new_run(all: &mut Statement, save: &SaveRows) -> String {
    let SaveRows { run, seq, phase, user, ready_since, summary, created_at, at, .. } = save;
    let values = [
        all.value(run.to_string()),
        all.value(*seq),
        all.value(*phase),
        all.value(user.clone()),
        all.value(*ready_since),
        all.value(summary.clone()),
        all.value(*created_at),
        all.value(*at),
    ];
    format!(
        "INSERT INTO runs (id, seq, phase, \"user\", ready_since, summary, created_at, updated_at)
        VALUES ({})
        ON CONFLICT (id) DO NOTHING
        RETURNING id",
        values.join(", ")
    )
}

/// The run after a step, if nobody was faster and the claim still holds. One that waits or has ended is nobody's; one that
/// stays ready keeps its place in the queue.
fn moved_run(all: &mut Statement, save: &SaveRows) -> String {
    let [run, seen] = [all.value(save.run.to_string()), all.value(save.seen)];
    let [seq, phase] = [all.value(save.seq), all.value(save.phase)];
    let [ready, summary, at] = [all.value(save.ready_since), all.value(save.summary.clone()), all.value(save.at)];
    let (attempts, held) = match save.claim {
        Some(claim) => {
            let fence = all.value(claims::fence(claim));
            ("0", format!("AND fence = {fence} AND lease_until IS NOT NULL"))
        }
        None => ("attempts", String::new()),
    };
    format!(
        "UPDATE runs SET
            seq         = {seq},
            phase       = {phase},
            ready_since = CASE WHEN {ready}::bigint IS NOT NULL THEN coalesce(ready_since, {ready}) END,
            lease_until = CASE WHEN {ready}::bigint IS NOT NULL THEN lease_until END,
            attempts    = {attempts},
            summary     = {summary},
            updated_at  = {at}
        WHERE id = {run} AND seq = {seen} {held}
        RETURNING id"
    )
}

fn added(all: &mut Statement, events: &[EventRow]) -> String {
    let [seq, at, step, kind, data] = [
        all.value(column(events, |event| event.seq)),
        all.value(column(events, |event| event.at)),
        all.value(column(events, |event| event.step.map(i64::from))),
        all.value(column(events, |event| event.kind.clone())),
        all.value(column(events, |event| event.data.clone())),
    ];
    format!(
        "INSERT INTO events (run, seq, at, step, type, data)
        SELECT moved.id, event.*
        FROM moved, unnest({seq}::bigint[], {at}::bigint[], {step}::bigint[], {kind}::text[], {data}::text[]) AS event"
    )
}

fn asked(all: &mut Statement, asked: &[InteractionRow]) -> String {
    let texts = [
        all.value(column(asked, |one| one.id.clone())),
        all.value(column(asked, |one| one.call.clone())),
        all.value(column(asked, |one| one.status.clone())),
        all.value(column(asked, |one| one.purpose)),
        all.value(column(asked, |one| one.correlation_key.clone())),
        all.value(column(asked, |one| one.digest.clone())),
        all.value(column(asked, |one| one.body.clone())),
    ];
    let texts = texts.map(|text| format!("{text}::text[]")).join(", ");
    let [end, created] =
        [all.value(column(asked, |one| one.expires_at)), all.value(column(asked, |one| one.created_at))];
    format!(
        "INSERT INTO interactions
            (run, id, call, status, purpose, correlation_key, digest, body, expires_at, created_at)
        SELECT moved.id, one.* FROM moved, unnest({texts}, {end}::bigint[], {created}::bigint[]) AS one"
    )
}

fn changed(all: &mut Statement, changed: &[InteractionRow]) -> String {
    let [id, status, body] = [
        all.value(column(changed, |one| one.id.clone())),
        all.value(column(changed, |one| one.status.clone())),
        all.value(column(changed, |one| one.body.clone())),
    ];
    format!(
        "UPDATE interactions SET status = one.status, body = one.body
        FROM moved, unnest({id}::text[], {status}::text[], {body}::text[]) AS one (id, status, body)
        WHERE interactions.id = one.id AND interactions.run = moved.id
        RETURNING 1"
    )
}

fn column<R, T>(rows: &[R], of: impl Fn(&R) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}
