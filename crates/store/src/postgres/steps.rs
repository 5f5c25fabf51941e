//! The statement that saves steps: one, so that it is one transaction and one round trip, and no lock outlives a broken wire.
//!
//! Steps of several runs may share it, each of which is saved or not whatever becomes of the others. Every value is a list with
//! an element for each step, or for each row of a step, which names its step by its place among them.

use super::clock::NOW;
use super::statement::Statement;
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
    let mut parts = vec![];
    // Names stand for what comes after them.
    if !new.is_empty() {
        parts.extend(receipt.map(|receipt| receipts::keeping(values, receipt)));
        parts.push(made_runs(values, &new, receipt.map_or("", |_| ", received")));
    }
    if !old.is_empty() {
        parts.extend([seen_runs(values, &old, locked), advanced_runs()]);
    }
    parts.push(moved(&new, &old));
    if new.is_empty() {
        parts.extend(receipt.map(|receipt| receipts::keeping_of(values, receipt, "moved")));
    }
    parts.extend([added(values, &all(places(), |step| &step.events)), ENTERED.to_owned()]);
    let asked: Vec<Of<'_, InteractionRow>> = all(places(), |step| &step.asked);
    if !asked.is_empty() {
        parts.push(asking(values, &asked));
    }
    let changed = all(places(), |step| &step.changed);
    if !changed.is_empty() {
        parts.push(changing(values, &changed));
    }
    let sealed = all(places(), |step| &step.sealed);
    if !sealed.is_empty() {
        parts.push(sealing(values, &sealed));
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
fn made_runs(values: &mut Statement, new: &[Of<'_, SaveRows>], once: &str) -> String {
    let columns = [
        values.column(new, |(n, _)| *n) + "::int[]",
        values.column(new, |(_, step)| lease(step)) + "::bigint[]",
        values.column(new, |(_, step)| step.run.uuid()) + "::uuid[]",
        values.column(new, |(_, step)| step.seq) + "::bigint[]",
        values.column(new, |(_, step)| step.phase) + "::text[]",
        values.column(new, |(_, step)| step.user.clone()) + "::text[]",
        values.column(new, |(_, step)| step.ready_since) + "::bigint[]",
        values.column(new, |(_, step)| step.input_tokens) + "::bigint[]",
        values.column(new, |(_, step)| step.output_tokens) + "::bigint[]",
        values.column(new, |(_, step)| step.ending.clone()) + "::text[]",
        values.column(new, |(_, step)| step.created_at) + "::bigint[]",
        values.column(new, |(_, step)| step.at) + "::bigint[]",
        values.column(new, |(_, step)| step.session.clone()) + "::text[]",
        values.column(new, |(_, step)| step.call) + "::uuid[]",
        values.column(new, |(_, step)| changes(step)) + "::bigint[]",
    ];
    format!(
        "fresh AS (
            SELECT * FROM unnest({}) AS one (n, lease, id, seq, phase, \"user\", ready, read, written, ending, created_at, at,
                session, call, changes)
            WHERE {}
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
        columns.join(", "),
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

/// Runs that stand as each step has seen them, so that nobody was faster, and the claim still holds. They are locked.
///
/// Who wants to take a run must know whether it was free, which only the row as it was says.
fn seen_runs(values: &mut Statement, old: &[Of<'_, SaveRows>], locked: Locked) -> String {
    let skip = if locked == Locked::LeftOut { "SKIP LOCKED" } else { "" };
    let next = |step: &SaveRows| Some(i64::try_from(step.take?.fence?).unwrap_or(-1));
    let columns = [
        values.column(old, |(n, _)| *n) + "::int[]",
        values.column(old, |(_, step)| step.run.uuid()) + "::uuid[]",
        values.column(old, |(_, step)| step.seen) + "::bigint[]",
        values.column(old, |(_, step)| step.claim.map(claims::fence)) + "::bigint[]",
        values.column(old, |(_, step)| next(step)) + "::bigint[]",
        values.column(old, |(_, step)| lease(step)) + "::bigint[]",
        values.column(old, |(_, step)| step.seq) + "::bigint[]",
        values.column(old, |(_, step)| step.phase) + "::text[]",
        values.column(old, |(_, step)| step.ready_since) + "::bigint[]",
        values.column(old, |(_, step)| step.input_tokens) + "::bigint[]",
        values.column(old, |(_, step)| step.output_tokens) + "::bigint[]",
        values.column(old, |(_, step)| step.ending.clone()) + "::text[]",
        values.column(old, |(_, step)| step.at) + "::bigint[]",
        values.column(old, |(_, step)| step.progress) + "::boolean[]",
        values.column(old, |(_, step)| step.narrowed.clone()) + "::text[]",
        values.column(old, |(_, step)| changes(step)) + "::bigint[]",
    ];
    format!(
        "seen AS (
            SELECT step.*, runs.key, lease IS NOT NULL AND (lease_until IS NULL OR lease_until <= {NOW}) AS is_taken
            FROM unnest({}) AS step (n, id, was, own, next, lease, now, phase, ready, read, written, ending, at, progress,
                narrowed, changes)
                JOIN runs ON runs.id = step.id AND runs.seq = step.was
            WHERE {}
                AND (own IS NULL OR (runs.fence = own AND lease_until IS NOT NULL))
                AND (next IS NULL OR (runs.fence + 1 = next AND lease_until IS NULL))
            FOR UPDATE OF runs {skip}
        )",
        columns.join(", "),
        few("step"),
    )
}

/// The runs after their steps. One that waits or has ended is nobody's; one that stays ready keeps its place in the queue.
fn advanced_runs() -> String {
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
            FROM seen WHERE runs.key = seen.key
            RETURNING n, runs.key, fence, attempts, is_taken, was, now, changes
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

fn added(values: &mut Statement, events: &[Of<'_, EventRow>]) -> String {
    let columns = [
        values.column(events, |(n, _)| *n) + "::int[]",
        values.column(events, |(_, event)| event.seq) + "::bigint[]",
        values.column(events, |(_, event)| event.at) + "::bigint[]",
        values.column(events, |(_, event)| event.step.map(i64::from)) + "::bigint[]",
        values.column(events, |(_, event)| event.kind.clone()) + "::text[]",
        values.column(events, |(_, event)| event.data.clone()) + "::text[]",
        values.column(events, |(_, event)| columns(&event.payload).0.map(ToOwned::to_owned)) + "::text[]",
        values.column(events, |(_, event)| columns(&event.payload).1.map(ToOwned::to_owned)) + "::bytea[]",
        values.column(events, |(_, event)| event.leaf.to_vec()) + "::bytea[]",
    ];
    format!(
        "added AS (
            INSERT INTO events (run, seq, at, step, type, data, texts, salt, leaf)
            SELECT moved.key, seq, at, step, type, data, texts, salt, leaf
            FROM moved JOIN unnest({}) AS event (n, seq, at, step, type, data, texts, salt, leaf) USING (n)
        )",
        columns.join(", ")
    )
}

/// That these events have no place in the log yet.
const ENTERED: &str =
    "entered AS (INSERT INTO unplaced (run, seq, many) SELECT key, was + 1, now - was FROM moved ORDER BY n)";

fn asking(values: &mut Statement, asked: &[Of<'_, InteractionRow>]) -> String {
    let columns = [
        values.column(asked, |(n, _)| *n) + "::int[]",
        values.column(asked, |(_, one)| one.id) + "::uuid[]",
        values.column(asked, |(_, one)| one.status) + "::text[]",
        values.column(asked, |(_, one)| one.expires_at) + "::bigint[]",
        values.column(asked, |(_, one)| one.asks_people) + "::boolean[]",
        values.column(asked, |(_, one)| one.remind_at) + "::bigint[]",
        values.column(asked, |(_, one)| one.asker) + "::bigint[]",
        values.column(asked, |(_, one)| one.decided) + "::bigint[]",
    ];
    format!(
        "asked AS (
            INSERT INTO interactions (run, id, status, expires_at, asks_people, remind_at, asker, decided)
            SELECT moved.key, id, status, expires_at, asks_people, remind_at, asker, decided
            FROM moved JOIN unnest({}) AS one (n, id, status, expires_at, asks_people, remind_at, asker, decided) USING (n)
        )",
        columns.join(", ")
    )
}

fn changing(values: &mut Statement, changed: &[Of<'_, InteractionRow>]) -> String {
    let columns = [
        values.column(changed, |(n, _)| *n) + "::int[]",
        values.column(changed, |(_, one)| one.id) + "::uuid[]",
        values.column(changed, |(_, one)| one.status) + "::text[]",
        values.column(changed, |(_, one)| one.remind_at) + "::bigint[]",
        values.column(changed, |(_, one)| one.decided) + "::bigint[]",
    ];
    format!(
        "changed AS (
            UPDATE interactions SET status = one.status, remind_at = one.remind_at, decided = one.decided
            FROM moved, unnest({}) AS one (n, id, status, remind_at, decided)
            WHERE one.n = moved.n AND {} AND interactions.id = one.id AND interactions.run = moved.key
            RETURNING 1
        )",
        columns.join(", "),
        few("one"),
    )
}

/// Nothing at all is written if a question that changed is not there: a division by zero is an error like any other.
const ALL_CHANGED: &str =
    ", 1 / CASE WHEN (SELECT count(*) FROM changed) = (SELECT sum(changes) FROM moved) THEN 1 ELSE 0 END";

fn sealing(values: &mut Statement, sealed: &[Of<'_, SealedRow>]) -> String {
    let columns = [
        values.column(sealed, |(n, _)| *n) + "::int[]",
        values.column(sealed, |(_, row)| row.seq) + "::bigint[]",
        values.column(sealed, |(_, row)| row.sealed.clone()) + "::bytea[]",
    ];
    format!(
        "sealed AS (
            INSERT INTO secrets (run, seq, sealed)
            SELECT moved.key, seq, sealed FROM moved JOIN unnest({}) AS one (n, seq, sealed) USING (n)
        )",
        columns.join(", ")
    )
}

/// After its last step nothing that is sealed of a run is needed.
const DROPPED: &str = "dropped AS (
    DELETE FROM secrets USING moved JOIN seen USING (n) WHERE seen.ending IS NOT NULL AND secrets.run = moved.key
)";
