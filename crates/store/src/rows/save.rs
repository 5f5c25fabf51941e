//! All rows that one step writes, made before the database is touched.

use super::policy::mask_change;
use super::{ChangeRow, Ending, EventRow, HouseRow, InteractionRow, Place, ReceiptRow, phase_word};
use crate::vault::{SealedRow, Vault};
use crate::{json, salt, time};
use countersign_domain::run::{Event, Phase, Run};
use countersign_domain::secret::{Masker, Secrets};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{Claim, Remembered, RunSummary, SameCall, Save, StoreError, Take};
use jiff::Timestamp;
use std::collections::BTreeSet;
use uuid::Uuid;

/// A step, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaveRows {
    pub run: RunId,
    pub seen: i64,
    pub claim: Option<Claim>,
    pub seq: i64,
    pub phase: &'static str,
    pub user: Option<String>,
    pub session: Option<String>,
    /// The call of a program outside that it is.
    pub call: Option<Uuid>,
    /// What was taken away from the run, if more was with this step: JSON.
    pub narrowed: Option<String>,
    /// Since when there is something to do, if there was nothing before. `None`: there is nothing.
    pub ready_since: Option<i64>,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub ending: Option<String>,
    pub created_at: i64,
    pub at: i64,
    /// Whether a worker has brought the run further with it.
    pub progress: bool,
    /// How the saver takes the run.
    pub take: Option<Take>,
    pub events: Vec<EventRow>,
    /// Questions that are new.
    pub asked: Vec<InteractionRow>,
    /// Questions that stood before, as they stand now.
    pub changed: Vec<InteractionRow>,
    pub remember: Option<(SameCall, Remembered)>,
    pub policy: Vec<ChangeRow>,
    /// What happened outside of the run with it.
    pub house: Vec<HouseRow>,
    /// The secrets of its events.
    pub sealed: Vec<SealedRow>,
    /// The key under which a new run is made once.
    pub receipt: Option<ReceiptRow>,
}

impl SaveRows {
    /// Whether nothing comes after it.
    pub fn is_last(&self) -> bool {
        self.ending.is_some()
    }

    /// The words for its events.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(|event| event.kind.as_str())
    }
}

impl SaveRows {
    /// The rows for `save`. Its secrets are masked before anything else is made of it.
    pub fn new(save: Save, vault: &Vault) -> Result<Self, StoreError> {
        let Save { run, seen, mut events, at, claim, take, remember, mut policy, receipt } = save;
        let place = Place { table: "runs", row: &run.id };
        let expected = seen.saturating_add(events.len() as u64);
        if run.seq != expected {
            return Err(place.wrong(format!("its sequence is {}, but its events make it {expected}", run.seq)));
        }
        let mut masker = vault.masks().masker(run.id);
        let secrets = masker.mask(&mut events);
        for change in &mut policy {
            mask_change(change, &mut masker);
        }
        let ending = ending(&run.phase, &mut masker).map_err(|why| place.wrong(why))?;
        let sealed = keep(vault, &run, seen, secrets)?;
        let (asked, changed) = interactions(&run, &events)?;
        let policy: Vec<_> = policy.iter().map(ChangeRow::try_from).collect::<Result<_, _>>()?;
        let is_narrower = events.iter().any(|event| matches!(event, Event::PermissionsNarrowed { .. }));
        let narrowed = is_narrower.then(|| json::text_of(&run.narrowed)).transpose().map_err(|why| place.wrong(why))?;
        let progress = claim.is_some() && events.iter().any(Event::is_progress);
        Ok(Self {
            run: run.id,
            seen: place.column(seen)?,
            claim,
            seq: place.column(run.seq)?,
            phase: phase_word(&run.phase),
            user: run.started.user_id.clone(),
            session: run.started.session_id.clone(),
            call: run.outside().map(|outside| outside.call.proposal.call_id.uuid()),
            narrowed,
            ready_since: matches!(run.phase, Phase::Active | Phase::Woken).then(|| time::column(at)),
            input_tokens: place.column(run.usage.input_tokens)?,
            output_tokens: place.column(run.usage.output_tokens)?,
            ending,
            created_at: time::column(run.created_at),
            at: time::column(at),
            progress,
            take,
            events: event_rows(&run, seen, events, at)?,
            asked,
            changed,
            remember,
            house: policy.iter().map(HouseRow::try_from).collect::<Result<_, _>>()?,
            policy,
            sealed,
            receipt: receipt.map(ReceiptRow::from),
        })
    }
}

/// Seals what is still needed: of a run that ends nothing is, and one that waits is looked up when it goes on.
fn keep(vault: &Vault, run: &Run, seen: u64, secrets: Vec<Secrets>) -> Result<Vec<SealedRow>, StoreError> {
    let at_work = matches!(run.phase, Phase::Active | Phase::Woken);
    let mut sealed = vec![];
    if !run.has_ended() {
        for (seq, secrets) in (seen.saturating_add(1)..).zip(secrets).filter(|(_, secrets)| !secrets.is_empty()) {
            sealed.push(vault.seal(run.id, i64::try_from(seq).unwrap_or(i64::MAX), &secrets)?);
            if at_work {
                vault.masks().remember(run.id, secrets);
            }
        }
    }
    if !at_work {
        vault.masks().forget(run.id);
    }
    Ok(sealed)
}

/// What lists show of the end of a run.
fn ending(phase: &Phase, masker: &mut Masker) -> Result<Option<String>, String> {
    let mut shown = phase.clone();
    match &mut shown {
        Phase::Active | Phase::Woken | Phase::Waiting => return Ok(None),
        Phase::Completed { output } => masker.mask_words(output),
        Phase::Failed(error) | Phase::SetAside(error) => masker.mask_words(&mut error.message),
        Phase::Cancelled { reason, .. } => reason.iter_mut().for_each(|reason| masker.mask_words(reason)),
    }
    let (output, error) = RunSummary::ending(&shown);
    json::text_of(&Ending { output, error }).map(Some)
}

/// The rows of `events`, each with its place and the step it belongs to.
fn event_rows(run: &Run, seen: u64, events: Vec<Event>, at: Timestamp) -> Result<Vec<EventRow>, StoreError> {
    let begins_step = |event: &Event| matches!(event, Event::StepCompleted(_));
    let new_steps = events.iter().filter(|event| begins_step(event)).count();
    let mut step = u32::try_from(run.steps.len().saturating_sub(new_steps)).unwrap_or(u32::MAX);
    let salts = salt::some(events.len())?;
    let rows = (seen.saturating_add(1)..).zip(events).zip(salts).map(|((seq, event), salt)| {
        step = step.saturating_add(u32::from(begins_step(&event)));
        EventRow::new(run.id, seq, at, (step > 0).then_some(step), event, salt)
    });
    rows.collect()
}

/// The questions that `events` ask, and those that they change; all as they stand in `run`.
fn interactions(run: &Run, events: &[Event]) -> Result<(Vec<InteractionRow>, Vec<InteractionRow>), StoreError> {
    let (mut asked, mut changed) = (BTreeSet::new(), BTreeSet::new());
    for event in events {
        match event {
            Event::InteractionRequest(request) => asked.insert(request.id),
            Event::InteractionResponse { interaction_request_id, .. }
            | Event::Reminder { interaction_request_id }
            | Event::WaitCompleted { interaction_request_id, .. } => changed.insert(*interaction_request_id),
            _ => false,
        };
    }
    let changed = changed.difference(&asked).copied().collect();
    Ok((rows(run, &asked)?, rows(run, &changed)?))
}

fn rows(run: &Run, ids: &BTreeSet<InteractionId>) -> Result<Vec<InteractionRow>, StoreError> {
    let row = |id: &InteractionId| {
        let missing = || Place { table: "interactions", row: id }.wrong("its run does not know it");
        run.interaction(*id).map(|asked| InteractionRow::new(run, asked)).ok_or_else(missing)
    };
    ids.iter().map(row).collect()
}
