//! Drives one run that a worker holds, until it sleeps or ends.
//!
//! One round: take in what came from outside, make all moves that follow from it, save them together, and only then act.
//! So a start is on disk before the tool is, and a step costs one flush however many moves it has. Whatever came from
//! outside is carried along until it is saved.

use crate::Runtime;
use crate::execute::{Bench, Start};
use crate::failpoint::{Moment, failpoint, passing};
use crate::news::{Called, News};
use crate::ports::{Claim, Save, StoreError};
use crate::spans;
use crate::worker::chain;
use countersign_domain::run::{
    Awaited, CallEntry, CallState, Draft, Event, Failure, Input, Message, Next, Refused, Ruling, Run, RunKind,
};
use countersign_domain::{CallId, RunId};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument as _;

/// Why a worker lets go of a run before it sleeps or ends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DriveError {
    /// The store did not take a step.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such run.
    #[error("run `{0}` is gone")]
    Gone(RunId),
    /// A step does not follow from where the run stands: a defect of ours.
    #[error("run `{0}`: {1}")]
    Refused(RunId, Refused),
}

/// How long to wait before a database is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// Claims in a row under which a run comes no further, before it is set aside.
pub(crate) const MOST_ATTEMPTS: u32 = 5;

/// How a worker left a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// It sleeps or has ended, and is nobody's.
    AtRest,
    /// There is something to do, for somebody else.
    AtWork,
}

/// A run that is being driven.
pub(crate) struct Drive {
    claim: Claim,
    /// The tools that are at work for it.
    bench: Bench,
    /// The run as it was last saved; `None` if it may have moved on.
    run: Option<Run>,
    /// What came from outside and is not saved yet.
    carried: Option<Input>,
    /// How many steps the run had when the model was asked last.
    steps: usize,
}

impl Drive {
    /// Whether something would be lost or stopped if the worker let go now.
    fn is_under_way(&self) -> bool {
        self.carried.is_some() || !self.bench.is_empty()
    }

    /// What a worker that goes home still does: whatever is at work is attended to.
    fn last_act(&self, run: &Run) -> Act {
        match run.next(&self.bench.executing()) {
            Next::Nothing => Act::Rest,
            _ if self.bench.is_empty() => Act::GoHome,
            _ => Act::Attend,
        }
    }
}

/// Whether `input` is part of the run already. A database that went away while it was being saved may have saved it and
/// not said so; and nobody else brings what the model said, or what a tool reports, to a run that is held here.
fn is_taken_in(input: &Input, run: &Run, steps: usize) -> bool {
    match input {
        Input::Said(_) => run.steps.len() > steps,
        Input::Finished { call, .. }
        | Input::Paused { call, .. }
        | Input::Unasked { call, .. }
        | Input::Waits { call, .. }
        | Input::Lost { call, .. } => {
            run.call(*call).is_some_and(|entry| !matches!(entry.state, CallState::Running { .. }))
        }
        _ => false,
    }
}

/// What is to be done once the moves are saved.
pub(crate) enum Act {
    /// Nothing: it sleeps or has ended.
    Rest,
    /// Nothing here: the worker goes home.
    GoHome,
    /// Ask the model.
    AskModel,
    /// See what the tools report.
    Attend,
}

impl Runtime {
    /// Takes up a run that is held by `claim`, with the calls whose start is on disk. What is known of it may be old: a step
    /// that does not follow from what is saved is refused, and then it is looked up.
    pub(crate) fn take_up(&self, claim: Claim, run: Option<Run>, starts: Vec<Start>, called: Called) -> Drive {
        let mut bench = Bench::new(self, called);
        if let Some(run) = &run {
            bench.start(starts, run);
        }
        Drive { claim, bench, run, carried: None, steps: 0 }
    }

    /// Drives the run until it sleeps or ends, or `stop` says that the worker goes home.
    pub(crate) async fn drive(
        &self,
        mut drive: Drive,
        stop: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<Left, DriveError> {
        loop {
            match self.round(&mut drive, stop).await {
                Ok(Some(left)) => return Ok(left),
                Ok(None) => {}
                // Somebody answered in the meantime: look again.
                Err(DriveError::Store(StoreError::Conflict(_))) => drive.run = None,
                // What happened must not be forgotten, nor what works be stopped, because a database is away for a while or
                // its disk is full; and to let go of a run would count as one more attempt that brought it no further. A
                // lost lease ends this from outside.
                Err(DriveError::Store(error)) if error.passes() && (drive.is_under_way() || !stop()) => {
                    tracing::warn!(run = %drive.claim.run, error = chain(&error), "the database is away: trying again");
                    drive.run = None;
                    tokio::time::sleep(AGAIN).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// One round: what came from outside, all moves that follow from it, and then the next act.
    async fn round(
        &self,
        drive: &mut Drive,
        stop: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<Option<Left>, DriveError> {
        let claim = drive.claim;
        let run = self.current(drive).await?;
        let now = self.inner.store.now().await?;
        let mut draft = Draft::of(run);
        if let Some(input) = drive.carried.clone() {
            let input = self.unless_unasked(&draft.run, input, now).await?;
            draft = match draft.take(input, now) {
                // Somebody has ended the run: there is nobody left to tell.
                Err(Refused::Ended) => return Ok(Some(Left::AtRest)),
                taken => taken.map_err(|refused| DriveError::Refused(claim.run, refused))?,
            };
        }
        let (draft, act, starts) = if stop() {
            let act = drive.last_act(&draft.run);
            (draft, act, vec![])
        } else {
            let draft = set_aside(draft, &drive.bench, claim, now)?;
            self.moves_and_script(draft, &drive.bench.executing(), claim.fence, now).await?
        };
        let run = self.keep(draft, claim, now).await?;
        drive.carried = None;
        match act {
            Act::Rest => return Ok(Some(Left::AtRest)),
            Act::GoHome => return Ok(Some(Left::AtWork)),
            Act::AskModel => {
                drive.steps = run.steps.len();
                let before = self.said_before(&run).await?;
                drive.carried = self.said(&run, before, &drive.bench, stop).await;
                drive.run = drive.carried.is_some().then(|| Arc::unwrap_or_clone(run));
            }
            Act::Attend => {
                drive.bench.start(starts, &run);
                drive.carried = drive.bench.attend().await;
                drive.run = drive.carried.is_some().then(|| Arc::unwrap_or_clone(run));
            }
        }
        Ok(None)
    }

    /// The run as it is now, and nothing carried to it that it has already.
    async fn current(&self, drive: &mut Drive) -> Result<Run, DriveError> {
        if let Some(run) = drive.run.take() {
            return Ok(run);
        }
        let id = drive.claim.run;
        let store = &self.inner.store;
        let run = match store.load(id).await {
            // Of a run that is set aside nothing that is sealed is needed, and nothing else is done with it.
            Err(StoreError::Sealed(_)) if drive.claim.attempts > MOST_ATTEMPTS && !drive.is_under_way() => {
                store.shown(id).await?
            }
            loaded => loaded?,
        };
        let run = run.ok_or(DriveError::Gone(id))?;
        let steps = drive.steps;
        drive.carried.take_if(|input| is_taken_in(input, &run, steps));
        Ok(run)
    }

    /// Makes all moves that need nobody: until the model or a tool is needed, or nothing is left but to wait.
    pub(crate) async fn moves(
        &self,
        mut draft: Draft,
        at_work: &BTreeSet<CallId>,
        fence: u64,
        now: Timestamp,
    ) -> Result<(Draft, Act, Vec<Start>), DriveError> {
        let run = draft.run.id;
        let mut starts: Vec<Start> = vec![];
        loop {
            let mut executing = at_work.clone();
            executing.extend(starts.iter().map(Start::call));
            let input = match draft.run.next(&executing) {
                Next::Nothing => return Ok((draft, Act::Rest, starts)),
                Next::AskModel => return Ok((draft, Act::AskModel, starts)),
                Next::Attend => return Ok((draft, Act::Attend, starts)),
                Next::Resume => Input::Resumed,
                Next::Sleep => Input::Slept,
                Next::Complete => Input::CallEnded,
                Next::Fail(failure) => Input::Failed(failure),
                Next::AwaitReport(call) => Input::Waits {
                    call: call.proposal.call_id,
                    awaited: Awaited::Report,
                    expires_at: self.reported_by(now),
                },
                Next::Lost(call) => Input::Lost {
                    call: call.proposal.call_id,
                    again: self.is_idempotent(call),
                    expires_at: self.ends(now),
                },
                Next::Judge(call) => {
                    let (input, start) = self.judged(&draft.run, call, fence, now).await?;
                    starts.extend(start);
                    input
                }
            };
            draft = draft.take(input, now).map_err(|refused| DriveError::Refused(run, refused))?;
        }
    }

    /// The same, and what follows from what a script says next. Nobody is waited for, so it is saved with what led to it. Whatever
    /// is wrong with what comes next does not keep what was from being saved.
    async fn moves_and_script(
        &self,
        draft: Draft,
        at_work: &BTreeSet<CallId>,
        fence: u64,
        now: Timestamp,
    ) -> Result<(Draft, Act, Vec<Start>), DriveError> {
        let (draft, act, starts) = self.moves(draft, at_work, fence, now).await?;
        if !matches!(act, Act::AskModel) || draft.events.is_empty() {
            return Ok((draft, act, starts));
        }
        let Ok(Some(said)) = self.at_hand(&draft.run).await else { return Ok((draft, act, starts)) };
        let said = said.map_or_else(Input::Failed, Input::Said);
        let Ok(further) = draft.clone().take(said, now) else { return Ok((draft, act, starts)) };
        match self.moves(further, at_work, fence, now).await {
            Ok(further) => Ok(further),
            Err(_) => Ok((draft, act, starts)),
        }
    }

    /// Judges a call, and says how it would be started if it may be made here.
    async fn judged(
        &self,
        run: &Run,
        entry: &CallEntry,
        fence: u64,
        now: Timestamp,
    ) -> Result<(Input, Option<Start>), DriveError> {
        let Some(call) = entry.call() else {
            let failure = Failure { code: "UNREADABLE_CALL".into(), message: "a stored call cannot be read".into() };
            return Ok((Input::Failed(failure), None));
        };
        let span = spans::judge(run, entry, &call.name());
        let judging = async {
            let judged = self.judge_in(run, entry, call, now).await?;
            let judged = self.unless_refused(run, entry, judged, now).await?;
            self.unless_crowded(run, entry, judged, now).await
        };
        let judged = judging.instrument(span.clone()).await?;
        spans::judged(&span, &judged.judgement.ruling);
        drop(span);
        failpoint("judged");
        let judgement = judged.judgement.clone();
        let (call, digest) = (entry.proposal.call_id, judgement.digest);
        let preview = match judgement.ruling {
            Ruling::Ask { .. } => self.preview(&judged.call).await,
            Ruling::Allow | Ruling::Deny { .. } => None,
        };
        let is_own = run.started.kind == RunKind::Agent;
        let is_made_here = is_own && judgement.ruling == Ruling::Allow;
        let start = is_made_here.then(|| Start {
            judged,
            proposal: entry.proposal.clone(),
            key: entry.key(),
            seen: run.seen(call, digest).cloned(),
        });
        // What is made elsewhere is made under nobody's claim.
        let fence = if is_own { fence } else { 0 };
        Ok((Input::Judged { call, judgement, preview, fence, expires_at: self.ends(now) }, start))
    }

    /// What the model says; `None` if the run has ended meanwhile, or the worker goes home: somebody else asks again.
    async fn said(
        &self,
        run: &Run,
        before: Vec<Message>,
        bench: &Bench,
        stop: &(dyn Fn() -> bool + Send + Sync),
    ) -> Option<Input> {
        failpoint("before_model");
        let asking = self.ask_model(run, before);
        tokio::pin!(asking);
        let out_of_time = tokio::time::sleep(run.time_left().unwrap_or(Duration::MAX));
        tokio::pin!(out_of_time);
        let said = loop {
            tokio::select! {
                said = &mut asking => break said,
                () = tokio::time::sleep(AGAIN) => if stop() { return None },
                () = &mut out_of_time => break Err(run.out_of_time()),
                // A letter waits until the model has spoken; for a run that was stopped it need not go on.
                () = bench.called() => {
                    let summary = self.inner.store.run(run.id).await;
                    if summary.is_ok_and(|run| run.is_some_and(|run| run.status.has_ended())) {
                        return None;
                    }
                }
            }
        };
        failpoint("after_model");
        Some(said.map_or_else(Input::Failed, Input::Said))
    }

    /// Saves what is new, if anything is.
    async fn keep(&self, draft: Draft, claim: Claim, now: Timestamp) -> Result<Arc<Run>, StoreError> {
        if draft.events.is_empty() {
            return Ok(Arc::new(draft.run));
        }
        let words: Vec<_> = draft.events.iter().map(Event::word).collect();
        let save = Save { claim: Some(claim), ..Save::of(draft, now) };
        let run = Arc::clone(&save.run);
        self.save(save).await?;
        self.inner.newsroom.tell(News::Run(run.id));
        passing(words, Moment::BeforeAck);
        Ok(run)
    }

    /// When a question that is asked at `now` ends.
    pub(crate) fn ends(&self, now: Timestamp) -> Timestamp {
        after(now, self.inner.standing().settings.question_lasts)
    }

    /// Until when a program outside that was allowed a call at `now` is to report.
    fn reported_by(&self, now: Timestamp) -> Timestamp {
        after(now, self.inner.standing().settings.report_within)
    }
}

fn after(now: Timestamp, span: Duration) -> Timestamp {
    let span = SignedDuration::try_from(span).unwrap_or(SignedDuration::MAX);
    now.saturating_add(span).unwrap_or(Timestamp::MAX)
}

/// The same, or set aside where whoever took the run up ended without a word too often.
fn set_aside(draft: Draft, bench: &Bench, claim: Claim, now: Timestamp) -> Result<Draft, DriveError> {
    let is_stuck = claim.attempts > MOST_ATTEMPTS && draft.events.is_empty() && bench.is_empty();
    if !is_stuck || draft.run.has_ended() {
        return Ok(draft);
    }
    let set_aside = draft.take(Input::SetAside { attempts: MOST_ATTEMPTS }, now);
    set_aside.map_err(|refused| DriveError::Refused(claim.run, refused))
}
