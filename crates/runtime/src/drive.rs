//! Drives one run that a worker holds, until it sleeps or ends.
//!
//! One round: take in what came from outside, make all moves that follow from it, save them together, and only then act.
//! So a start is on disk before the tool is, and a step costs one flush however many moves it has. Whatever came from
//! outside is carried along until it is saved.

use crate::execute::{Bench, Start};
use crate::failpoint::{Moment, failpoint, passing};
use crate::ports::{Claim, Save, StoreError};
use crate::{Runtime, news::News};
use countersign_domain::RunId;
use countersign_domain::run::{CallEntry, Draft, Event, Failure, Input, Next, Refused, Ruling, Run};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

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

/// What is to be done once the moves are saved.
enum Act {
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
    /// Drives the run until it sleeps or ends, or `stop` says that the worker goes home.
    pub(crate) async fn drive(
        &self,
        claim: Claim,
        stop: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<Left, DriveError> {
        let mut run = self.loaded(claim.run).await?;
        let mut bench = Bench::new(self, claim.run);
        let mut carried: Option<Input> = None;
        loop {
            let now = self.inner.store.now().await?;
            let mut draft = Draft::of(run);
            if let Some(input) = &carried {
                match draft.take(input.clone(), now) {
                    // Somebody has ended the run: there is nobody left to tell.
                    Err(Refused::Ended) => return Ok(Left::AtRest),
                    taken => taken.map_err(|refused| DriveError::Refused(claim.run, refused))?,
                }
            }
            let (act, starts) = if stop() {
                (if bench.is_empty() { Act::GoHome } else { Act::Attend }, vec![])
            } else {
                self.moves(&mut draft, &bench, claim, now).await?
            };
            match self.keep(draft, claim, now).await {
                Ok(kept) => run = kept,
                // Somebody answered in the meantime: look again.
                Err(StoreError::Conflict(_)) => {
                    run = self.loaded(claim.run).await?;
                    continue;
                }
                // What happened must not be forgotten because a disk is busy. A lost lease ends this from outside.
                Err(error @ StoreError::Unavailable(_)) if carried.is_some() => {
                    tracing::warn!(run = %claim.run, %error, "what happened is not saved yet: trying again");
                    run = self.loaded_at_last(claim.run).await?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            carried = match act {
                Act::Rest => return Ok(Left::AtRest),
                Act::GoHome => return Ok(Left::AtWork),
                Act::AskModel => Some(self.said(&run).await),
                Act::Attend => {
                    bench.start(starts, &run);
                    bench.attend().await
                }
            };
            if carried.is_none() {
                run = self.loaded(claim.run).await?;
            }
        }
    }

    /// Makes all moves that need nobody: until the model or a tool is needed, or nothing is left but to wait.
    async fn moves(
        &self,
        draft: &mut Draft,
        bench: &Bench,
        claim: Claim,
        now: Timestamp,
    ) -> Result<(Act, Vec<Start>), DriveError> {
        let refused = |refused| DriveError::Refused(claim.run, refused);
        if claim.attempts > MOST_ATTEMPTS && draft.events.is_empty() && bench.is_empty() && !draft.run.has_ended() {
            draft.take(Input::SetAside { attempts: MOST_ATTEMPTS }, now).map_err(refused)?;
        }
        let mut starts: Vec<Start> = vec![];
        loop {
            let mut executing = bench.executing();
            executing.extend(starts.iter().map(Start::call));
            let input = match draft.run.next(&executing) {
                Next::Nothing => return Ok((Act::Rest, starts)),
                Next::AskModel => return Ok((Act::AskModel, starts)),
                Next::Attend => return Ok((Act::Attend, starts)),
                Next::Resume => Input::Resumed,
                Next::Sleep => Input::Slept,
                Next::Fail(failure) => Input::Failed(failure),
                Next::Lost(call) => Input::Lost {
                    call: call.proposal.call_id,
                    again: self.is_idempotent(call),
                    expires_at: self.ends(now),
                },
                Next::Judge(call) => {
                    let (input, start) = self.judged(&draft.run, call, claim, now).await?;
                    starts.extend(start);
                    input
                }
            };
            draft.take(input, now).map_err(refused)?;
        }
    }

    /// Judges a call, and says how it would be started if it may be made.
    async fn judged(
        &self,
        run: &Run,
        entry: &CallEntry,
        claim: Claim,
        now: Timestamp,
    ) -> Result<(Input, Option<Start>), DriveError> {
        let Some(call) = entry.proposal.call() else {
            let failure = Failure { code: "UNREADABLE_CALL".into(), message: "a stored call cannot be read".into() };
            return Ok((Input::Failed(failure), None));
        };
        let judged = self.judge_in(run, entry, call, now).await?;
        failpoint("judged");
        let judgement = judged.judgement.clone();
        let start = (judgement.ruling == Ruling::Allow).then(|| Start { judged, proposal: entry.proposal.clone() });
        let call = entry.proposal.call_id;
        Ok((Input::Judged { call, judgement, fence: claim.fence, expires_at: self.ends(now) }, start))
    }

    async fn said(&self, run: &Run) -> Input {
        failpoint("before_model");
        let said = self.ask_model(run).await.map_or_else(Input::Failed, Input::Said);
        failpoint("after_model");
        said
    }

    /// Saves what is new, if anything is.
    async fn keep(&self, draft: Draft, claim: Claim, now: Timestamp) -> Result<Run, StoreError> {
        if draft.events.is_empty() {
            return Ok(draft.run);
        }
        let run = draft.run.clone();
        let words: Vec<_> = draft.events.iter().map(Event::word).collect();
        self.inner.store.save(Save { claim: Some(claim), ..Save::of(draft, now) }).await?;
        self.inner.newsroom.tell(News::Run(run.id));
        passing(words, Moment::BeforeAck);
        Ok(run)
    }

    /// When a question that is asked at `now` ends.
    pub(crate) fn ends(&self, now: Timestamp) -> Timestamp {
        let lasts = SignedDuration::try_from(self.inner.settings.question_lasts).unwrap_or(SignedDuration::MAX);
        now.saturating_add(lasts).unwrap_or(Timestamp::MAX)
    }

    async fn loaded(&self, run: RunId) -> Result<Run, DriveError> {
        self.inner.store.load(run).await?.ok_or(DriveError::Gone(run))
    }

    /// The same, however long the database takes to answer.
    async fn loaded_at_last(&self, run: RunId) -> Result<Run, DriveError> {
        loop {
            tokio::time::sleep(AGAIN).await;
            match self.loaded(run).await {
                Err(DriveError::Store(error @ StoreError::Unavailable(_))) => {
                    tracing::warn!(%run, %error, "cannot look what became of the run: trying again");
                }
                loaded => return loaded,
            }
        }
    }
}
