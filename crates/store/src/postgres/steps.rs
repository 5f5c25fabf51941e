//! The statement that saves steps: one, so that it is one transaction and one round trip, and no lock outlives a broken wire.
//!
//! Steps of several runs may share it, each of which is saved or not whatever becomes of the others. What they write are tables of
//! values, with a row for each step, or for each row of a step, which names its step by its place among them.

use super::clock::NOW;
use super::statement::{Form, Statement};
use super::{claims, house, policy, receipts};
use crate::rows::event::columns;
use crate::rows::{EventRow, InteractionRow, SaveRows};
use crate::time;
use crate::vault::SealedRow;
use std::sync::Arc;

/// A thing of a step, and the place of the step.
type Of<'a, T> = (i32, &'a T);

/// What becomes of a step whose run somebody else has locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locked {
    /// Others do not wait for it.
    LeftOut,
    /// It waits.
    WaitedFor,
}

/// Whether nothing else may be saved by the same statement: it writes rows that steps of other runs may write as well, and who
/// waits for such a row is not to hold up others.
pub fn goes_alone(step: &SaveRows) -> bool {
    step.receipt.is_some() || step.remember.is_some() || !step.policy.is_empty()
}

/// All that `steps` write. Each part but the first ones writes only for runs that moved. Gives a row for each step that was
/// saved: its place, whether the run was taken, its number and its attempts.
///
/// Those that go alone must be alone.
pub fn statement(values: &mut Statement, steps: &[Arc<SaveRows>], locked: Locked) -> String {
    let places = || (0_i32..).zip(steps.iter().map(Arc::as_ref));
    let (new, old): (Vec<_>, Vec<_>) = places().partition(|(_, step)| step.seen == 0);
    let receipt = steps.iter().find_map(|step| step.receipt.as_ref());
    let form = form(steps);
    let mut parts = vec![];
    // Names stand for what comes after them.
    if !new.is_empty() {
        parts.extend(receipt.map(|receipt| receipts::keeping(values, receipt)));
        parts.push(made_runs(values, &new, form, receipt.map_or("", |_| ", received")));
    }
    if !old.is_empty() {
        parts.extend(advanced_runs(values, &old, form, locked));
    }
    parts.push(moved(&new, &old));
    if new.is_empty() {
        parts.extend(receipt.map(|receipt| receipts::keeping_of(values, receipt, "moved")));
    }
    parts.extend([added(values, &all(places(), |step| &step.events), form), ENTERED.to_owned()]);
    let asked: Vec<Of<'_, InteractionRow>> = all(places(), |step| &step.asked);
    if !asked.is_empty() {
        parts.push(asking(values, &asked, form));
    }
    let changed = all(places(), |step| &step.changed);
    if !changed.is_empty() {
        parts.push(changing(values, &changed, form));
    }
    let sealed = all(places(), |step| &step.sealed);
    if !sealed.is_empty() {
        parts.push(sealing(values, &sealed, form));
    }
    if old.iter().any(|(_, step)| step.is_last()) {
        parts.push(DROPPED.to_owned());
    }
    for step in steps {
        if let Some((call, answer)) = &step.remember {
            parts.extend(policy::remembering(values, call, *answer));
        }
        if !step.policy.is_empty() {
            parts.extend(policy::changing(values, &step.policy, "FROM moved"));
            parts.extend(house::adding(values, &step.house, "FROM head"));
        }
    }
    let check = if changed.is_empty() { "" } else { ALL_CHANGED };
    format!("WITH {} SELECT n, is_taken, fence, attempts{check} FROM moved", parts.join(", "))
}

/// Events of a step that may stand by themselves in the text. With those below that makes some two hundred texts at the most, of which
/// runs of one kind use a handful.
const MOST_PLAIN: usize = 8;

/// A step that is alone is written without lists, unless it has more rows than most have, or secrets, which few have.
fn form(steps: &[Arc<SaveRows>]) -> Form {
    match steps {
        [only]
            if (1..=MOST_PLAIN).contains(&only.events.len())
                && only.asked.len() <= 1
                && only.changed.len() <= 1
                && only.sealed.is_empty() =>
        {
            Form::Plain
        }
        _ => Form::Lists,
    }
}

/// What `of` gives of each step, in one list.
fn all<'a, T>(
    steps: impl Iterator<Item = (i32, &'a SaveRows)>,
    of: impl Fn(&'a SaveRows) -> &'a [T],
) -> Vec<Of<'a, T>> {
    steps.flat_map(|(n, step)| of(step).iter().map(move |one| (n, one))).collect()
}

/// Of a list ten elements are expected, and for ten a table of which nothing is known yet is read as a whole: by a plan that stays
/// until it is known that the table has grown. So only one is: of what lies between two bounds next to nothing is.
pub fn few(list: &str) -> String {
    format!("{list}.n >= 0 AND {list}.n < 1000000")
}

/// New runs, taken at once if that is wanted. Nothing is changed where there is one with this id.
fn made_runs(values: &mut Statement, new: &[Of<'_, SaveRows>], form: Form, once: &str) -> String {
    let table = values
        .table(form, new)
        .places("n", |(n, _)| *n)
        .column("lease", "bigint", |(_, step)| lease(step))
        .column("id", "uuid", |(_, step)| step.run.uuid())
        .column("seq", "bigint", |(_, step)| step.seq)
        .column("phase", "text", |(_, step)| step.phase)
        .column("\"user\"", "text", |(_, step)| step.user.clone())
        .column("ready", "bigint", |(_, step)| step.ready_since)
        .column("read", "bigint", |(_, step)| step.input_tokens)
        .column("written", "bigint", |(_, step)| step.output_tokens)
        .column("ending", "text", |(_, step)| step.ending.clone())
        .column("created_at", "bigint", |(_, step)| step.created_at)
        .column("at", "bigint", |(_, step)| step.at)
        .column("session", "text", |(_, step)| step.session.clone())
        .column("call", "uuid", |(_, step)| step.call)
        .column("changes", "bigint", |(_, step)| changes(step))
        .named("one");
    format!(
        "fresh AS (
            SELECT * FROM {table} WHERE {}
        ), made AS (
            INSERT INTO runs
                (lease_until, fence, attempts, id, seq, phase, \"user\", ready_since, input_tokens, output_tokens,
                ending, created_at, updated_at, session, call)
            SELECT {NOW} + lease, (lease IS NOT NULL)::int, (lease IS NOT NULL)::int, id, seq, phase, \"user\", ready, read,
                written, ending, created_at, fresh.at, session, call
            FROM fresh{once} ORDER BY n
            ON CONFLICT (id) DO NOTHING
            RETURNING key, id, fence, attempts
        )",
        few("one"),
    )
}

/// For how long the saver takes the run, if that is wanted.
fn lease(step: &SaveRows) -> Option<i64> {
    step.take.filter(|_| step.ready_since.is_some()).map(|take| time::span(take.lease))
}

/// How many questions that stood before are changed.
fn changes(step: &SaveRows) -> i64 {
    i64::try_from(step.changed.len()).unwrap_or(-1)
}

/// The runs after their steps. One that waits or has ended is nobody's; one that stays ready keeps its place in the queue.
///
/// Only those that stand as each step has seen them, so that nobody was faster, and whose claim still holds.
fn advanced_runs(values: &mut Statement, old: &[Of<'_, SaveRows>], form: Form, locked: Locked) -> Vec<String> {
    let next = |step: &SaveRows| Some(i64::try_from(step.take?.fence?).unwrap_or(-1));
    let steps = values
        .table(form, old)
        .places("n", |(n, _)| *n)
        .column("id", "uuid", |(_, step)| step.run.uuid())
        .column("was", "bigint", |(_, step)| step.seen)
        .column("own", "bigint", |(_, step)| step.claim.map(claims::fence))
        .column("next", "bigint", |(_, step)| next(step))
        .column("lease", "bigint", |(_, step)| lease(step))
        .column("now", "bigint", |(_, step)| step.seq)
        .column("phase", "text", |(_, step)| step.phase)
        .column("ready", "bigint", |(_, step)| step.ready_since)
        .column("read", "bigint", |(_, step)| step.input_tokens)
        .column("written", "bigint", |(_, step)| step.output_tokens)
        .column("ending", "text", |(_, step)| step.ending.clone())
        .column("at", "bigint", |(_, step)| step.at)
        .column("progress", "boolean", |(_, step)| step.progress)
        .column("narrowed", "text", |(_, step)| step.narrowed.clone())
        .column("changes", "bigint", |(_, step)| changes(step))
        .named("step");
    // Who wants to take a run, and counts on no number, must know whether it was free, which only the row as it was says. All
    // others need not look first. Their lease may count from before a wait for a lock: one that is over by then is like any other.
    let is_known = old.iter().all(|(_, step)| lease(step).is_none() || next(step).is_some());
    if is_known && locked == Locked::WaitedFor {
        let seen = format!("(SELECT *, lease IS NOT NULL AS is_taken FROM {steps}) AS seen");
        return vec![advanced(&format!("{seen} WHERE {} AND {}", as_seen("seen"), few("seen")))];
    }
    let skip = if locked == Locked::LeftOut { "SKIP LOCKED" } else { "" };
    let seen = format!(
        "seen AS (
            SELECT step.*, runs.key, lease IS NOT NULL AND (lease_until IS NULL OR lease_until <= {NOW}) AS is_taken
            FROM {steps} JOIN runs ON {} AND {}
            FOR UPDATE OF runs {skip}
        )",
        as_seen("step"),
        few("step"),
    );
    vec![seen, advanced("seen WHERE runs.key = seen.key")]
}

/// Whether a run stands as a row of `steps` has seen it.
fn as_seen(steps: &str) -> String {
    format!(
        "runs.id = {steps}.id AND runs.seq = {steps}.was
            AND (own IS NULL OR (runs.fence = own AND lease_until IS NOT NULL))
            AND (next IS NULL OR (runs.fence + 1 = next AND lease_until IS NULL))"
    )
}

/// The runs after their steps, each of which `from` has as a row of `seen`, with whether it takes the run.
fn advanced(from: &str) -> String {
    format!(
        "advanced AS (
            UPDATE runs SET
                seq = seen.now,
                phase = seen.phase,
                ready_since = CASE WHEN seen.ready IS NOT NULL THEN coalesce(ready_since, seen.ready) END,
                lease_until = CASE
                    WHEN seen.is_taken THEN {NOW} + seen.lease
                    WHEN seen.ready IS NOT NULL THEN lease_until
                END,
                fence = fence + seen.is_taken::int,
                attempts = CASE WHEN seen.progress THEN 0 ELSE attempts END + seen.is_taken::int,
                input_tokens = seen.read,
                output_tokens = seen.written,
                ending = seen.ending,
                updated_at = seen.at,
                narrowed = coalesce(seen.narrowed, runs.narrowed)
            FROM {from}
            RETURNING n, runs.key, fence, attempts, is_taken, was, now, changes, runs.ending IS NOT NULL AS is_over
        )"
    )
}

/// The runs that moved, new or not.
fn moved(new: &[Of<'_, SaveRows>], old: &[Of<'_, SaveRows>]) -> String {
    let made =
        "SELECT n, key, fence, attempts, lease IS NOT NULL AS is_taken, 0::bigint AS was, fresh.seq AS now, changes
        FROM made JOIN fresh ON fresh.id = made.id";
    let advanced = "SELECT n, key, fence, attempts, is_taken, was, now, changes FROM advanced";
    let there = [(new, made), (old, advanced)].into_iter().filter(|(steps, _)| !steps.is_empty());
    format!("moved AS ({})", there.map(|(_, sql)| sql).collect::<Vec<_>>().join(" UNION ALL "))
}

fn added(values: &mut Statement, events: &[Of<'_, EventRow>], form: Form) -> String {
    let table = values
        .table(form, events)
        .places("n", |(n, _)| *n)
        .column("seq", "bigint", |(_, event)| event.seq)
        .column("at", "bigint", |(_, event)| event.at)
        .column("step", "bigint", |(_, event)| event.step.map(i64::from))
        .column("type", "text", |(_, event)| event.kind.clone())
        .column("data", "text", |(_, event)| event.data.clone())
        .column("texts", "text", |(_, event)| columns(&event.payload).0.map(ToOwned::to_owned))
        .column("salt", "bytea", |(_, event)| columns(&event.payload).1.map(ToOwned::to_owned))
        .column("leaf", "bytea", |(_, event)| event.leaf.to_vec())
        .named("event");
    format!(
        "added AS (
            INSERT INTO events (run, seq, at, step, type, data, texts, salt, leaf)
            SELECT moved.key, seq, at, step, type, data, texts, salt, leaf
            FROM moved JOIN {table} USING (n)
        )"
    )
}

/// That these events have no place in the log yet.
const ENTERED: &str =
    "entered AS (INSERT INTO unplaced (run, seq, many) SELECT key, was + 1, now - was FROM moved ORDER BY n)";

fn asking(values: &mut Statement, asked: &[Of<'_, InteractionRow>], form: Form) -> String {
    let table = values
        .table(form, asked)
        .places("n", |(n, _)| *n)
        .column("id", "uuid", |(_, one)| one.id)
        .column("status", "text", |(_, one)| one.status)
        .column("expires_at", "bigint", |(_, one)| one.expires_at)
        .column("asks_people", "boolean", |(_, one)| one.asks_people)
        .column("remind_at", "bigint", |(_, one)| one.remind_at)
        .column("asker", "bigint", |(_, one)| one.asker)
        .column("decided", "bigint", |(_, one)| one.decided)
        .named("one");
    format!(
        "asked AS (
            INSERT INTO interactions (run, id, status, expires_at, asks_people, remind_at, asker, decided)
            SELECT moved.key, id, status, expires_at, asks_people, remind_at, asker, decided
            FROM moved JOIN {table} USING (n)
        )"
    )
}

fn changing(values: &mut Statement, changed: &[Of<'_, InteractionRow>], form: Form) -> String {
    let table = values
        .table(form, changed)
        .places("n", |(n, _)| *n)
        .column("id", "uuid", |(_, one)| one.id)
        .column("status", "text", |(_, one)| one.status)
        .column("remind_at", "bigint", |(_, one)| one.remind_at)
        .column("decided", "bigint", |(_, one)| one.decided)
        .named("one");
    format!(
        "changed AS (
            UPDATE interactions SET status = one.status, remind_at = one.remind_at, decided = one.decided
            FROM moved, {table}
            WHERE one.n = moved.n AND {} AND interactions.id = one.id AND interactions.run = moved.key
            RETURNING 1
        )",
        few("one"),
    )
}

/// Nothing at all is written if a question that changed is not there: a division by zero is an error like any other.
const ALL_CHANGED: &str =
    ", 1 / CASE WHEN (SELECT count(*) FROM changed) = (SELECT sum(changes) FROM moved) THEN 1 ELSE 0 END";

fn sealing(values: &mut Statement, sealed: &[Of<'_, SealedRow>], form: Form) -> String {
    let table = values
        .table(form, sealed)
        .places("n", |(n, _)| *n)
        .column("seq", "bigint", |(_, row)| row.seq)
        .column("sealed", "bytea", |(_, row)| row.sealed.clone())
        .named("one");
    format!(
        "sealed AS (
            INSERT INTO secrets (run, seq, sealed)
            SELECT moved.key, seq, sealed FROM moved JOIN {table} USING (n)
        )"
    )
}

/// After its last step nothing that is sealed of a run is needed.
const DROPPED: &str = "dropped AS (
    DELETE FROM secrets USING advanced WHERE is_over AND secrets.run = advanced.key
)";
