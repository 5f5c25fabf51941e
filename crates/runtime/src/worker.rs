//! Workers: claim a run, drive it, keep the lease alive; and look after deadlines. A waiting run is nobody's.

use crate::Runtime;
use crate::drive::DriveError;
use crate::ports::{Claim, StoreError};
use countersign_domain::RunId;
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{interval, sleep, timeout};

/// How often workers look for work when nobody told them of any, and for deadlines.
const LOOK: Duration = Duration::from_secs(1);
/// How long runs may go on with what they are doing when the workers are stopped.
const GRACE: Duration = Duration::from_secs(10);

/// The workers of this process. They stop when told to, or when this is dropped.
pub struct Workers {
    stop: watch::Sender<bool>,
    all: JoinSet<()>,
}

impl Workers {
    /// Starts them.
    pub fn start(runtime: &Runtime) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut all = JoinSet::new();
        all.spawn(claims(runtime.clone(), stopped.clone()));
        all.spawn(deadlines(runtime.clone(), stopped.clone()));
        all.spawn(hints(runtime.clone(), stopped));
        Self { stop, all }
    }

    /// Takes up no more runs, lets those go on that are at work for a while, and gives them back.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        let ended = async { while self.all.join_next().await.is_some() {} };
        if timeout(GRACE + LOOK, ended).await.is_err() {
            tracing::warn!("workers did not end in time");
        }
    }
}

async fn claims(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    let settings = runtime.inner.settings.clone();
    let mut driven = JoinSet::new();
    // A run is taken from somebody else only: the clock may jump, and our own lease seem to be over. By the task that
    // drives it, so that one which ends in a panic is let go as well.
    let mut held: HashMap<Id, RunId> = HashMap::new();
    while !*stopped.borrow() {
        while let Some(ended) = driven.try_join_next_with_id() {
            held.remove(&task(ended));
        }
        if driven.len() >= settings.workers {
            if let Some(ended) = driven.join_next_with_id().await {
                held.remove(&task(ended));
            }
            continue;
        }
        let own: Vec<RunId> = held.values().copied().collect();
        match runtime.inner.store.claim(settings.lease, &own).await {
            Ok(Some(claim)) => {
                let (runtime, stopped) = (runtime.clone(), stopped.clone());
                let task = driven.spawn(async move { hold(&runtime, claim, stopped).await });
                held.insert(task.id(), claim.run);
            }
            Ok(None) => {
                tokio::select! {
                    () = runtime.inner.newsroom.work.notified() => {}
                    () = sleep(LOOK) => {}
                    _ = stopped.changed() => {}
                }
            }
            Err(error) => {
                tracing::error!(error = chain(&error), "cannot look for work");
                sleep(LOOK).await;
            }
        }
    }
    let ended = async { while driven.join_next().await.is_some() {} };
    if timeout(GRACE, ended).await.is_err() {
        tracing::warn!("some runs were still at work; what they were doing is unknown");
    }
}

/// The task that ended, however it did.
fn task(ended: Result<(Id, ()), JoinError>) -> Id {
    match ended {
        Ok((id, ())) => id,
        Err(error) => {
            tracing::error!(%error, "driving a run ended in a panic");
            error.id()
        }
    }
}

/// Drives the run of `claim` and keeps its lease alive meanwhile. A lost lease ends the work at once.
async fn hold(runtime: &Runtime, claim: Claim, stopped: watch::Receiver<bool>) {
    let lease = runtime.inner.settings.lease;
    let stop = move || *stopped.borrow();
    let renewed = async {
        let mut beat = interval(lease / 3);
        beat.tick().await;
        loop {
            beat.tick().await;
            match runtime.inner.store.renew(claim, lease).await {
                Ok(()) => {}
                Err(error @ StoreError::Fenced(_)) => return error,
                Err(error) => tracing::warn!(run = %claim.run, error = chain(&error), "cannot renew the lease"),
            }
        }
    };
    let ended = tokio::select! {
        driven = runtime.drive(claim, &stop) => driven,
        lost = renewed => Err(DriveError::Store(lost)),
    };
    match ended {
        Ok(()) => {}
        Err(DriveError::Store(StoreError::Fenced(run))) => {
            tracing::warn!(%run, "another worker has taken this run");
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

async fn deadlines(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        if let Err(error) = runtime.end_overdue().await {
            tracing::error!(error = chain(&error), "cannot look for deadlines");
        }
        tokio::select! {
            () = sleep(LOOK) => {}
            _ = stopped.changed() => {}
        }
    }
}

async fn hints(runtime: Runtime, mut stopped: watch::Receiver<bool>) {
    tokio::select! {
        () = runtime.pass_on_hints() => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
