//! Workers: claim runs, drive them, keep their leases alive; and look after deadlines. A waiting run is nobody's.
//!
//! Whoever saves a step that wakes a run takes the run in the same transaction, if a worker is free, and hands it over at the
//! desk: that saves a claim. All else is found by looking.

use crate::Runtime;
use crate::deadlines::BATCH;
use crate::desk::GRACE;
use crate::drive::{Drive, DriveError, Left};
use crate::ports::{Claim, StoreError};
use crate::{record, review};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, interval_at, sleep, timeout};

/// How often workers look for work when nobody told them of any, and for deadlines.
const LOOK: Duration = Duration::from_secs(1);
/// How often old receipts are looked for.
const FORGET: Duration = Duration::from_hours(1);

/// How long a worker takes to see that it has put its run to rest.
const MOMENT: Duration = Duration::from_millis(100);

/// The workers of this process. They stop when told to, or when this is dropped.
pub struct Workers {
    stop: watch::Sender<bool>,
    all: JoinSet<()>,
    closed: watch::Sender<bool>,
    record: JoinSet<()>,
}

impl Workers {
    /// Starts them.
    pub fn start(runtime: &Runtime) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut all = JoinSet::new();
        all.spawn(claims(runtime.clone(), stopped.clone()));
        all.spawn(upkeep(runtime.clone(), stopped.clone()));
        all.spawn(record::forget(runtime.clone(), stopped.clone()));
        all.spawn(review::keep(runtime.clone(), stopped.clone()));
        all.spawn(hints(runtime.clone(), stopped));
        let mut record = JoinSet::new();
        let (closed, close) = watch::channel(false);
        record.spawn(record::keep(runtime.clone(), close));
        Self { stop, all, closed, record }
    }

    /// Takes up no more runs, lets those go on that are at work for a while, and gives them back.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        let ended = async { while self.all.join_next().await.is_some() {} };
        if timeout(GRACE + LOOK, ended).await.is_err() {
            tracing::warn!("workers did not end in time");
        }
        // What they did last is in the record before it is closed.
        let _ = self.closed.send(true);
        let kept = async { while self.record.join_next().await.is_some() {} };
        if timeout(GRACE, kept).await.is_err() {
            tracing::warn!("the end of the log is not signed");
        }
    }
}

async fn claims(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    // Nothing is taken up by a policy that lacks what was changed before.
    while let Err(error) = runtime.refresh_policy().await {
        runtime.inner.tally.workers.now();
        tracing::error!(error = chain(&error), "cannot read the policy, so nothing is taken up");
        tokio::select! {
            () = sleep(LOOK) => {}
            _ = stopped.changed() => return,
        }
    }
    let duty = runtime.open_desk(runtime.inner.standing().settings.workers, stopped.clone());
    while !*stopped.borrow() {
        runtime.inner.tally.workers.now();
        for handed in runtime.found().await {
            runtime.hand(handed);
        }
        tokio::select! {
            biased;
            _ = stopped.changed() => {}
            () = runtime.inner.newsroom.work.notified() => {}
            () = sleep(LOOK) => {}
        }
    }
    duty.close().await;
}

/// Drives the run of `claim` and keeps its lease alive meanwhile. A lost lease ends the work at once.
pub(crate) async fn hold(
    runtime: &Runtime,
    claim: Claim,
    take_up: impl FnOnce() -> Drive + Send,
    stopped: watch::Receiver<bool>,
) {
    let lease = runtime.inner.standing().settings.lease;
    let mut beat = interval_at(Instant::now() + lease / 3, lease / 3);
    let drive = take_up();
    let stop = move || *stopped.borrow();
    let renewed = async {
        loop {
            // Also where a run that never waits for anything leaves no time for others.
            unconstrained(beat.tick()).await;
            match runtime.inner.store.renew(claim, lease).await {
                Ok(()) => {}
                Err(error @ StoreError::Fenced(_)) => {
                    // The step that put the run to rest may be our own: then the work ends by itself.
                    sleep(MOMENT).await;
                    return error;
                }
                Err(error) => tracing::warn!(run = %claim.run, error = chain(&error), "cannot renew the lease"),
            }
        }
    };
    let ended = tokio::select! {
        // Most runs are put to rest before a lease needs to be thought of.
        biased;
        driven = runtime.drive(drive, &stop) => driven,
        lost = renewed => Err(DriveError::Store(lost)),
    };
    match ended {
        Ok(Left::AtRest) => return,
        Ok(Left::AtWork) => {}
        Err(DriveError::Store(StoreError::Fenced(run))) => {
            tracing::warn!(%run, "this run is no longer held here: somebody else has taken or ended it");
            return;
        }
        Err(error) => {
            tracing::error!(run = %claim.run, error = chain(&error), "the run cannot go on now");
            // Not given back at once: it would be taken up, and fail, again and again.
            return;
        }
    }
    if let Err(error) = runtime.inner.store.release(claim).await {
        tracing::warn!(run = %claim.run, error = chain(&error), "cannot give the run back");
    }
}

async fn upkeep(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    let mut forgotten: Option<Instant> = None;
    while !*stopped.borrow() {
        if forgotten.is_none_or(|before| before.elapsed() > FORGET) {
            forgotten = Some(Instant::now());
            if let Err(error) = runtime.forget_receipts().await {
                tracing::error!(error = chain(&error), "cannot remove old receipts");
            }
        }
        match runtime.refresh_policy().await {
            Ok(()) => runtime.inner.tally.policy.now(),
            Err(error) => tracing::error!(error = chain(&error), "cannot look for changes of the policy"),
        }
        if look_at_deadlines(&runtime).await == Due::More {
            continue;
        }
        tokio::select! {
            () = sleep(LOOK) => {}
            _ = stopped.changed() => {}
        }
    }
}

/// Whether as many deadlines were kept as are at a time: then there are more.
async fn look_at_deadlines(runtime: &Runtime) -> Due {
    let (ended, reminded) = (runtime.end_overdue().await, runtime.remind().await);
    let mut left = Due::Nothing;
    for kept in [ended, reminded] {
        match kept {
            Ok(many) if many >= BATCH as usize => left = Due::More,
            Ok(_) => {}
            Err(error) => tracing::error!(error = chain(&error), "cannot look for deadlines"),
        }
    }
    left
}

/// Whether more is due than was done.
#[derive(PartialEq, Eq)]
enum Due {
    More,
    Nothing,
}

async fn hints(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    tokio::select! {
        () = runtime.pass_on_hints() => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

/// An error with its causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
