//! All rows that one step writes, made before the database is touched.

use super::{EventRow, InteractionRow, Place, phase_word};
use crate::time;
use countersign_domain::interaction::Status;
use countersign_domain::run::{Event, Phase, Run};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{Claim, RunSummary, Save, StoreError};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// A step, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveRows {
    pub run: RunId,
    pub seen: i64,
    pub claim: Option<Claim>,
    pub seq: i64,
    pub phase: &'static str,
    pub user: Option<String>,
    /// Since when there is something to do, if there was nothing before. `None`: there is nothing.
    pub ready_since: Option<i64>,
    pub summary: String,
    pub created_at: i64,
    pub at: i64,
    pub events: Vec<EventRow>,
    /// Questions that are new.
    pub asked: Vec<InteractionRow>,
    /// Questions that stood before, as they stand now.
    pub changed: Vec<InteractionRow>,
}

impl TryFrom<Save> for SaveRows {
    type Error = StoreError;

    fn try_from(save: Save) -> Result<Self, StoreError> {
        let Save { run, seen, events, at, claim } = save;
        let id = run.id.to_string();
        let place = Place { table: "runs", row: &id };
        let expected = seen.saturating_add(events.len() as u64);
        if run.seq != expected {
            return Err(place.wrong(format!("its sequence is {}, but its events make it {expected}", run.seq)));
        }
        let (asked, changed) = interactions(&run, &events)?;
        Ok(Self {
            run: run.id,
            seen: place.column(seen)?,
            claim,
            seq: place.column(run.seq)?,
            phase: phase_word(&run.phase),
            user: run.started.user_id.clone(),
            ready_since: matches!(run.phase, Phase::Active | Phase::Woken).then(|| time::column(at)),
            summary: serde_json::to_string(&RunSummary::of(&run)).map_err(|error| place.wrong(error))?,
            created_at: time::column(run.created_at),
            at: time::column(at),
            events: event_rows(&run, seen, &events, at)?,
            asked,
            changed,
        })
    }
}

/// The rows of `events`, each with its place and the step it belongs to.
fn event_rows(run: &Run, seen: u64, events: &[Event], at: Timestamp) -> Result<Vec<EventRow>, StoreError> {
    let begins_step = |event: &Event| matches!(event, Event::StepCompleted(_));
    let new_steps = events.iter().filter(|event| begins_step(event)).count();
    let mut step = u32::try_from(run.steps.len().saturating_sub(new_steps)).unwrap_or(u32::MAX);
    let rows = (seen.saturating_add(1)..).zip(events).map(|(seq, event)| {
        step = step.saturating_add(u32::from(begins_step(event)));
        EventRow::new(run.id, seq, at, (step > 0).then_some(step), event)
    });
    rows.collect()
}

/// The questions that `events` ask, and those that they change; all as they stand in `run`.
fn interactions(run: &Run, events: &[Event]) -> Result<(Vec<InteractionRow>, Vec<InteractionRow>), StoreError> {
    let (mut asked, mut changed) = (BTreeSet::new(), BTreeSet::new());
    for event in events {
        match event {
            Event::InteractionRequest { interaction_request } => asked.insert(interaction_request.id),
            Event::InteractionResponse { interaction_request_id, .. }
            | Event::WaitCompleted { interaction_request_id, .. } => changed.insert(*interaction_request_id),
            _ => false,
        };
    }
    if run.has_ended() {
        let withdrawn = run.interactions.values().filter(|one| one.status == Status::Cancelled);
        changed.extend(withdrawn.map(|one| one.id));
    }
    let changed = changed.difference(&asked).copied().collect();
    Ok((rows(run, &asked)?, rows(run, &changed)?))
}

fn rows(run: &Run, ids: &BTreeSet<InteractionId>) -> Result<Vec<InteractionRow>, StoreError> {
    let row = |id: &InteractionId| {
        let id_text = id.to_string();
        let missing = || Place { table: "interactions", row: &id_text }.wrong("its run does not know it");
        InteractionRow::try_from(run.interactions.get(id).ok_or_else(missing)?)
    };
    ids.iter().map(row).collect()
}
