//! Drives one run that a worker holds: what is next, do it, save it, until it sleeps or ends.

use crate::failpoint::failpoint;
use crate::path::Judged;
use crate::ports::{Claim, Order, Report, Save, StoreError};
use crate::{Runtime, news::News};
use countersign_domain::RunId;
use countersign_domain::run::{CallEntry, End, EndStatus, Failure, Input, Next, Refused, Ruling, Run, advance};
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

/// What is told of a call that was started and never reported.
const UNKNOWN: &str = "nobody knows what came of this call: it was started, and no report of the tool was saved. It was \
                       not run again. Find out what happened before you try once more.";

/// How long to wait before a database is asked again.
const AGAIN: Duration = Duration::from_secs(1);

impl Runtime {
    /// Drives the run until it sleeps or ends, or `stop` says that the worker goes home.
    pub(crate) async fn drive(&self, claim: Claim, stop: &(dyn Fn() -> bool + Send + Sync)) -> Result<(), DriveError> {
        let mut run = self.loaded(claim.run).await?;
        while !stop() {
            let now = self.inner.store.now().await?;
            let offered = match run.next() {
                Next::Nothing => return Ok(()),
                Next::Resume => self.offer(&run, Input::Resumed, claim, now).await,
                Next::Sleep => self.offer(&run, Input::Slept, claim, now).await,
                Next::Fail(failure) => self.offer(&run, Input::Failed(failure), claim, now).await,
                Next::Lost(call) => {
                    let end = End { status: EndStatus::Unknown, output: UNKNOWN.into(), latency_ms: None };
                    self.offer(&run, Input::Finished { call: call.proposal.call_id, end }, claim, now).await
                }
                Next::AskModel => {
                    failpoint("before_model");
                    let said = self.ask_model(&run).await.map_or_else(Input::Failed, Input::Said);
                    failpoint("after_model");
                    let saved = self.insist(&run, said, claim).await;
                    failpoint("after_step_saved");
                    saved
                }
                Next::Judge(call) => self.walk(&run, call, claim, now).await,
            };
            run = match offered {
                Ok(run) => run,
                // Somebody answered in the meantime: look again.
                Err(DriveError::Store(StoreError::Conflict(_))) => self.loaded(claim.run).await?,
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    /// Takes one call as far as it goes: refused, asked about, or executed.
    async fn walk(&self, run: &Run, entry: &CallEntry, claim: Claim, now: Timestamp) -> Result<Run, DriveError> {
        let call_id = entry.proposal.call_id;
        let Some(call) = entry.proposal.call() else {
            let failure = Failure { code: "UNREADABLE_CALL".into(), message: "a stored call cannot be read".into() };
            return self.offer(run, Input::Failed(failure), claim, now).await;
        };
        let judged = self.judge_in(run, entry, call, now);
        let allowed = judged.judgement.ruling == Ruling::Allow;
        let expires_at = now.saturating_add(signed(self.inner.settings.question_lasts)).unwrap_or(Timestamp::MAX);
        let input =
            Input::Judged { call: call_id, judgement: judged.judgement.clone(), fence: claim.fence, expires_at };
        failpoint("before_judgement_saved");
        let run = self.offer(run, input, claim, now).await?;
        if !allowed {
            failpoint("after_ask_saved");
            return Ok(run);
        }
        failpoint("after_tool_started");
        let end = self.execute(&judged, entry).await;
        failpoint("after_tool_ran");
        let run = self.insist(&run, Input::Finished { call: call_id, end }, claim).await?;
        failpoint("after_tool_finished");
        Ok(run)
    }

    /// Executes a call that was cleared and whose start is on disk.
    async fn execute(&self, judged: &Judged, entry: &CallEntry) -> End {
        let began = tokio::time::Instant::now();
        let report = self.report(judged, entry).await;
        let status = if report.failed { EndStatus::Error } else { EndStatus::Completed };
        let latency_ms = u64::try_from(began.elapsed().as_millis()).ok();
        End { status, output: report.output, latency_ms }
    }

    async fn report(&self, judged: &Judged, entry: &CallEntry) -> Report {
        let failed = |output: String| Report { output, failed: true };
        let call = &judged.call.call;
        let settings = &self.inner.settings;
        let Some(tool) = self.inner.tools.get(call.tool()).filter(|_| call.server().is_none()) else {
            return failed(format!("there is no tool `{}` here", call.name()));
        };
        if entry.proposal.definition() != Some(tool.definition().digest()) {
            return failed(format!(
                "`{}` is another tool than when this call was proposed: propose it anew",
                call.name()
            ));
        }
        let Some(key) = entry.proposal.key() else { return failed("this call has no key".into()) };
        let timeout = settings.tool_timeouts.get(&call.name()).copied().unwrap_or(settings.tool_timeout);
        let order = Order { call: &judged.call, key, timeout };
        // A tool ends by itself when its time is over; this is for one that does not.
        match tokio::time::timeout(timeout + Duration::from_secs(5), tool.execute(order)).await {
            Ok(report) => report,
            Err(_) => failed(format!("`{}` did not end within {} s", call.name(), timeout.as_secs())),
        }
    }

    /// Saves what follows from `input`, unless the run has moved on.
    async fn offer(&self, run: &Run, input: Input, claim: Claim, now: Timestamp) -> Result<Run, DriveError> {
        let step = advance(run, input, now).map_err(|refused| DriveError::Refused(run.id, refused))?;
        let save = Save { run: step.run.clone(), seen: run.seq, events: step.events, at: now, claim: Some(claim) };
        self.inner.store.save(save).await?;
        if step.run.has_ended() {
            failpoint("after_run_ended");
        }
        self.inner.newsroom.tell(News::Run(run.id));
        Ok(step.run)
    }

    /// Saves what happened outside and cannot be done again, however often the run moves on meanwhile.
    async fn insist(&self, run: &Run, input: Input, claim: Claim) -> Result<Run, DriveError> {
        let mut run = run.clone();
        let mut moved = false;
        loop {
            let tried = async {
                if moved {
                    run = self.loaded(claim.run).await?;
                }
                let now = self.inner.store.now().await?;
                self.offer(&run, input.clone(), claim, now).await
            };
            match tried.await {
                Err(DriveError::Store(StoreError::Conflict(_))) => moved = true,
                // It happened, and must not be forgotten because a disk is busy. A lost lease ends this from outside.
                Err(DriveError::Store(error @ StoreError::Unavailable(_))) => {
                    tracing::warn!(run = %claim.run, %error, "what happened is not saved yet: trying again");
                    tokio::time::sleep(AGAIN).await;
                }
                saved => return saved,
            }
        }
    }

    pub(crate) async fn loaded(&self, run: RunId) -> Result<Run, DriveError> {
        self.inner.store.load(run).await?.ok_or(DriveError::Gone(run))
    }
}

fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}
