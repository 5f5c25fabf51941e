//! Executes calls that were cleared and whose start is on disk, several at once, and gives their reports back.

use crate::failpoint::failpoint;
use crate::news::Called;
use crate::path::Judged;
use crate::ports::{Order, Outcome, Report, Until, Wait};
use crate::spans;
use crate::{Known, Runtime};
use countersign_domain::describe::Described;
use countersign_domain::interaction::{Answer, Preview};
use countersign_domain::run::{CallEntry, End, EndStatus, Input, Proposal, Run};
use countersign_domain::{CallId, Digest};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep, timeout};
use tracing::{Instrument as _, Span};

/// How much longer than its time a tool may take before it is left alone.
const SLACK: Duration = Duration::from_secs(5);
/// How long a tool may take to tell what a call would do, before somebody is asked without.
const LONGEST_PREVIEW: Duration = Duration::from_secs(5);
/// How often a worker that attends to tools looks whether something else has happened to the run.
const LOOK: Duration = Duration::from_secs(1);

/// A call to be executed.
pub(crate) struct Start {
    /// The call as it was judged.
    pub(crate) judged: Judged,
    /// The call as it was proposed.
    pub(crate) proposal: Proposal,
    /// The key under which it is executed.
    pub(crate) key: Option<Digest>,
    /// What was shown to whoever approved it.
    pub(crate) seen: Option<Preview>,
}

impl Start {
    pub(crate) fn call(&self) -> CallId {
        self.proposal.call_id
    }
}

/// The calls of one run that are being executed. Those that are not done when it is dropped are stopped.
pub(crate) struct Bench {
    runtime: Runtime,
    called: Called,
    tasks: JoinSet<Did>,
    calls: BTreeMap<Id, CallId>,
    /// What ended as soon as it began, and was not carried to the run yet.
    done: VecDeque<(CallId, Did)>,
}

/// What an execution came to.
enum Did {
    Report(End),
    /// It broke down, or did not end: nobody knows how far it came.
    Nobody,
    Ask(countersign_domain::run::Question),
    Wait(Wait),
}

impl Bench {
    pub(crate) fn new(runtime: &Runtime, called: Called) -> Self {
        let (tasks, calls, done) = (JoinSet::new(), BTreeMap::new(), VecDeque::new());
        Self { runtime: runtime.clone(), called, tasks, calls, done }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.done.is_empty()
    }

    pub(crate) fn executing(&self) -> BTreeSet<CallId> {
        self.calls.values().chain(self.done.iter().map(|(call, _)| call)).copied().collect()
    }

    /// Starts calls whose start is on disk. Each is begun right here, and becomes a task once it waits for something: to wake
    /// another thread for what is done at once takes longer than to do it.
    pub(crate) fn start(&mut self, starts: Vec<Start>, run: &Run) {
        for start in starts {
            let (runtime, call) = (self.runtime.clone(), start.call());
            let answers: Vec<Answer> = run.answers(call).into_iter().cloned().collect();
            let span = spans::execute(run.id, call, &start.judged.call.call.name());
            let work = async move { runtime.execute(&start, &answers).await };
            let mut work = Box::pin(work.instrument(span));
            // Nobody hears what wakes it now: the task looks for itself first.
            let begun = || work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            match catch_unwind(AssertUnwindSafe(begun)) {
                Ok(Poll::Ready(did)) => self.done.push_back((call, did)),
                Ok(Poll::Pending) => drop(self.calls.insert(self.tasks.spawn(work).id(), call)),
                Err(_) => self.done.push_back((call, broken(call))),
            }
        }
    }

    /// Ends when somebody did something to the run.
    pub(crate) async fn called(&self) {
        self.called.again().await;
    }

    /// Waits for a report, which is then carried to the run; `None` if something else may have happened to it.
    pub(crate) async fn attend(&mut self) -> Option<Input> {
        if let Some((call, did)) = self.done.pop_front() {
            return Some(self.carried(call, did).await);
        }
        tokio::select! {
            Some(ended) = self.tasks.join_next_with_id() => {
                let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
                let call = self.calls.remove(&id)?;
                let did = ended.map_or_else(|_| broken(call), |(_, did)| did);
                Some(self.carried(call, did).await)
            }
            () = self.called.again() => None,
            () = sleep(LOOK) => None,
        }
    }

    /// What a call came to, as the run is told.
    async fn carried(&self, call: CallId, did: Did) -> Input {
        let now = self.runtime.now_at_last().await;
        let expires_at = self.runtime.ends(now);
        match did {
            Did::Nobody => Input::Lost { call, again: false, expires_at },
            Did::Report(end) => Input::Finished { call, end, expires_at },
            Did::Ask(question) => Input::Paused { call, question, expires_at },
            Did::Wait(Wait { awaited, until }) => {
                let expires_at = until.map_or(expires_at, |until| ends(until, now));
                Input::Waits { call, awaited, expires_at }
            }
        }
    }
}

/// A tool that ended in a panic, whose words are told where all panics are.
fn broken(call: CallId) -> Did {
    tracing::error!(%call, "a tool ended in a panic");
    Did::Nobody
}

/// A word for what came of an execution.
fn status(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        None => "unknown",
        Some(Outcome::Ask(_) | Outcome::Wait(_)) => "paused",
        Some(Outcome::Done(Report { failed: true, .. })) => "error",
        Some(Outcome::Done(Report { failed: false, .. })) => "completed",
    }
}

/// When a wait that begins at `now` ends.
fn ends(until: Until, now: Timestamp) -> Timestamp {
    match until {
        Until::At(time) => time,
        Until::In(span) => {
            let span = SignedDuration::try_from(span).unwrap_or(SignedDuration::MAX);
            now.saturating_add(span).unwrap_or(Timestamp::MAX)
        }
    }
}

impl Runtime {
    /// Whether executing a call once more does no harm.
    pub(crate) fn is_idempotent(&self, entry: &CallEntry) -> bool {
        let Some(call) = entry.call() else { return false };
        let standing = self.inner.standing();
        standing
            .settings
            .idempotent
            .get(&call.name())
            .copied()
            .or_else(|| self.inner.rulebook.is_idempotent(&call))
            .unwrap_or_else(|| {
                standing.tool(call.server(), call.tool()).is_some_and(|known| known.tool.is_idempotent())
            })
    }

    /// What a call would do, as whoever is asked about it is shown. A tool that cannot tell in time tells nothing.
    pub(crate) async fn preview(&self, call: &Described) -> Option<Preview> {
        let standing = self.inner.standing();
        let known = standing.tool(call.call.server(), call.call.tool())?;
        timeout(LONGEST_PREVIEW, known.tool.preview(call)).await.ok().flatten()
    }

    async fn execute(&self, start: &Start, answers: &[Answer]) -> Did {
        let began = Instant::now();
        failpoint("before_tool");
        let outcome = self.outcome(start, answers).await;
        failpoint("after_tool");
        Span::current().record("countersign.status", status(outcome.as_ref()));
        let Some(outcome) = outcome else { return Did::Nobody };
        match outcome {
            Outcome::Ask(question) => Did::Ask(question),
            Outcome::Wait(wait) => Did::Wait(wait),
            Outcome::Done(report) => Did::Report(End {
                status: if report.failed { EndStatus::Error } else { EndStatus::Completed },
                output: report.output,
                latency_ms: u64::try_from(began.elapsed().as_millis()).ok(),
            }),
        }
    }

    /// What came of it; `None` if it did not end though its time was over.
    async fn outcome(&self, start: &Start, answers: &[Answer]) -> Option<Outcome> {
        let failed = |output: String| Some(Outcome::Done(Report { output, failed: true }));
        let call = &start.judged.call.call;
        let standing = self.inner.standing();
        let settings = &standing.settings;
        let Some(Known { tool, digest, .. }) = standing.tool(call.server(), call.tool()) else {
            return failed(format!("there is no tool `{}` here", call.name()));
        };
        if start.proposal.definition() != Some(*digest) {
            return failed(format!(
                "`{}` is another tool than when this call was proposed: propose it anew",
                call.name()
            ));
        }
        let Some(key) = start.key else { return failed("this call has no key".into()) };
        let own = || self.inner.rulebook.timeout(call);
        let allowed = settings.tool_timeouts.get(&call.name()).copied().or_else(own).unwrap_or(settings.tool_timeout);
        let order = Order { call: &start.judged.call, key, timeout: allowed, answers, seen: start.seen.as_ref() };
        // A tool ends by itself when its time is over; this is for one that does not.
        let outcome = timeout(allowed + SLACK, tool.execute(order)).await.ok();
        if outcome.is_none() {
            tracing::error!(tool = call.name(), "a tool did not end in its time, and was left alone");
        }
        outcome
    }

    /// The time by the database's clock, however long it takes to tell.
    async fn now_at_last(&self) -> Timestamp {
        loop {
            match self.inner.store.now().await {
                Ok(now) => return now,
                Err(_) => sleep(LOOK).await,
            }
        }
    }
}
