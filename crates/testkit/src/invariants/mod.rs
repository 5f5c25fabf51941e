//! What holds in every database at every moment, whatever happened to it: to close tests with.
//!
//! The store is asked as everybody asks it, and its tables are looked at beside it: a read model that disagrees with the
//! events does harm long before anybody reads it.

mod lists;
mod log;
mod postgres_rows;
mod rows;
mod story;

pub use log::signer;
pub use rows::{QuestionRow, Rows, RunRow};

use countersign_domain::interaction::{Purpose, Status};
use countersign_domain::run::{Phase, Recorded, Run};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{RunStatus, RunSummary, Store, StoreError};
use std::collections::BTreeMap;

/// What was found in a database.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Its runs, as their events tell them.
    pub runs: BTreeMap<RunId, Run>,
    /// All that is wrong; empty if it is sound.
    pub broken: Vec<String>,
}

/// All that is wrong in a database; empty if it is sound. Nobody may be writing meanwhile.
///
/// Fails where the store itself says that it cannot make sense of what it has.
pub async fn broken(store: &dyn Store, rows: &Rows) -> Result<Vec<String>, StoreError> {
    Ok(look(store, rows).await?.broken)
}

/// The same, with the runs that were looked at.
pub async fn look(store: &dyn Store, rows: &Rows) -> Result<Look, StoreError> {
    let mut look = Look::default();
    let shown = lists::runs(store).await?;
    if !shown.keys().eq(rows.runs.keys()) {
        look.broken.push(format!("the store lists {} runs, the table has {}", shown.len(), rows.runs.len()));
    }
    if !rows.with_events.iter().eq(rows.runs.keys()) {
        look.broken.push("there are runs without events".to_owned());
    }
    for (id, row) in &rows.runs {
        let events = lists::events(store, *id).await?;
        let kept = rows.questions.iter().filter(|(_, question)| question.run == *id).collect();
        match folded(&events) {
            Ok(run) => {
                let wrong = wrong_with(&events, &run, row, &kept, shown.get(id));
                look.broken.extend(wrong.into_iter().map(|what| format!("{id}: {what}")));
                look.runs.insert(*id, run);
            }
            Err(why) => look.broken.push(format!("{id}: {why}")),
        }
    }
    look.broken.extend(open_disagree(store, &look.runs).await?);
    look.broken.extend(policy_disagrees(store).await?);
    look.broken.extend(log::broken(store, rows).await?);
    Ok(look)
}

fn folded(events: &[Recorded]) -> Result<Run, String> {
    if (1..).zip(events).any(|(seq, event)| event.seq != seq) {
        return Err("its events have gaps".to_owned());
    }
    Run::fold(events.iter().cloned()).map_err(|why| format!("its events do not fold: {why}"))
}

/// All that is wrong with one run: what its events tell, its row, the rows of its questions, and how lists show it.
fn wrong_with(
    events: &[Recorded],
    run: &Run,
    row: &RunRow,
    kept: &BTreeMap<&InteractionId, &QuestionRow>,
    shown: Option<&RunSummary>,
) -> Vec<String> {
    let mut wrong = story::broken(events);
    wrong.extend(row_disagrees(run, row));
    wrong.extend(questions_disagree(run, kept));
    if shown.map(plainly) != Some(plainly(&RunSummary::of(run))) {
        wrong.push("lists show it otherwise than its events tell".to_owned());
    }
    wrong
}

/// A summary without what its events do not tell: only a lease says whether a run is at work.
fn plainly(summary: &RunSummary) -> RunSummary {
    let mut summary = summary.clone();
    summary.waiting_on.sort();
    if summary.status == RunStatus::Running {
        summary.status = RunStatus::Queued;
    }
    summary
}

/// Where the row of a run disagrees with its events, or with itself.
fn row_disagrees(run: &Run, row: &RunRow) -> Vec<String> {
    let has_work = matches!(run.phase, Phase::Active | Phase::Woken);
    let open = run.open_interactions().len();
    let rules = [
        (row.seq == run.seq, format!("its row is at {}, its events at {}", row.seq, run.seq)),
        (row.phase == word(&run.phase), format!("its row is `{}`, its events say `{}`", row.phase, word(&run.phase))),
        (row.is_ready == has_work, format!("it is `{}`, and ready is {}", row.phase, row.is_ready)),
        (!row.is_leased || has_work, format!("it is `{}`, and somebody holds it", row.phase)),
        (!run.has_ended() || open == 0, format!("it has ended with {open} open questions")),
        (run.phase != Phase::Waiting || open > 0, "it waits for nothing".to_owned()),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, what)| what).collect()
}

fn questions_disagree(run: &Run, kept: &BTreeMap<&InteractionId, &QuestionRow>) -> Vec<String> {
    let mut wrong = vec![];
    if !kept.keys().copied().eq(run.interactions.keys()) {
        wrong.push(format!("it asked {} questions, and {} are kept", run.interactions.len(), kept.len()));
    }
    for (asked, row) in run.interactions.values().filter_map(|asked| Some((asked, kept.get(&asked.id)?))) {
        if row.status != asked.status.word() {
            wrong.push(format!("{} is kept as `{}`, and is `{}`", asked.id, row.status, asked.status.word()));
        }
        if row.expires_at != asked.expires_at.as_microsecond() {
            wrong.push(format!("{} is kept with another end than it has", asked.id));
        }
        if row.is_to_remind != asked.remind_at().is_some() {
            wrong.push(format!("{}: that people are to be reminded is {}", asked.id, row.is_to_remind));
        }
        if row.is_decided != (asked.purpose == Purpose::Approval && asked.status == Status::Answered) {
            wrong.push(format!("{}: that somebody decided about its call is {}", asked.id, row.is_decided));
        }
    }
    wrong
}

/// The word that every table has for it.
const fn word(phase: &Phase) -> &'static str {
    match phase {
        Phase::Active => "active",
        Phase::Woken => "woken",
        Phase::Waiting => "waiting",
        Phase::Completed { .. } => "completed",
        Phase::Failed(_) => "failed",
        Phase::Cancelled { .. } => "cancelled",
        Phase::SetAside(_) => "set_aside",
    }
}

/// Where the questions that people are shown are other ones than those that are open.
async fn open_disagree(store: &dyn Store, runs: &BTreeMap<RunId, Run>) -> Result<Option<String>, StoreError> {
    let open = runs.values().flat_map(Run::open_interactions).map(|asked| (asked.id, asked.clone()));
    let disagree = lists::open_questions(store).await? != open.collect();
    Ok(disagree.then(|| "the open questions are other ones than events tell".to_owned()))
}

/// Where what stands in the policy does not follow from its changes.
async fn policy_disagrees(store: &dyn Store) -> Result<Option<String>, StoreError> {
    let (version, items) = store.policy_items().await?;
    let changes = lists::policy_changes(store).await?;
    let mut standing = BTreeMap::new();
    for (_, change) in &changes {
        match &change.body {
            Some(body) => standing.insert((change.kind, &change.key), body),
            None => standing.remove(&(change.kind, &change.key)),
        };
    }
    let items: BTreeMap<_, _> = items.iter().map(|item| ((item.kind, &item.key), &item.body)).collect();
    let is_gapless = (1..).zip(&changes).all(|(number, (version, _))| *version == number);
    let follows = is_gapless && version == changes.len() as u64 && items == standing;
    Ok((!follows).then(|| "the policy is not what its changes make of it".to_owned()))
}
