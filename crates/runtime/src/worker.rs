//! Workers: claim runs, drive them, keep their leases alive; and look after deadlines. A waiting run is nobody's.
//!
//! Whoever saves a step that wakes a run takes the run in the same transaction, if a worker is free, and hands it over: that
//! saves a claim. All else is found by looking.

use crate::Runtime;
use crate::deadlines::BATCH;
use crate::drive::{DriveError, Left};
use crate::news::Called;
use crate::ports::{Claim, StoreError};
use crate::{record, review, spans};
use countersign_domain::RunId;
use countersign_domain::run::Run;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, interval, sleep, timeout};
use tracing::{Instrument as _, Span};

/// How often workers look for work when nobody told them of any, and for deadlines.
const LOOK: Duration = Duration::from_secs(1);
/// How often old receipts are looked for.
const FORGET: Duration = Duration::from_hours(1);
/// How long runs may go on with what they are doing when the workers are stopped.
const GRACE: Duration = Duration::from_secs(10);

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
        let handed = runtime.inner.desk.open(runtime.inner.standing().settings.workers);
        all.spawn(claims(runtime.clone(), handed, stopped.clone()));
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

/// Where runs are handed over to workers of the same process.
pub(crate) struct Desk {
    places: Arc<Semaphore>,
    out: Mutex<Option<mpsc::UnboundedSender<Handed>>>,
    /// Whether there may be runs that nobody was free for.
    left: AtomicBool,
}

/// A run that was taken, and all that the worker needs who will drive it.
pub(crate) struct Handed {
    pub(crate) claim: Claim,
    /// The run as it was when it was taken, if that is known.
    pub(crate) run: Option<Run>,
    /// By which the worker hears what is done to the run from now on.
    pub(crate) called: Called,
    pub(crate) place: OwnedSemaphorePermit,
    /// What was being done when it was taken: the worker's doing follows from it.
    pub(crate) cause: Span,
}

impl Default for Desk {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(0)), out: Mutex::default(), left: AtomicBool::new(false) }
    }
}

impl Desk {
    /// From now on there are so many places.
    fn open(&self, places: usize) -> mpsc::UnboundedReceiver<Handed> {
        let (out, handed) = mpsc::unbounded_channel();
        *self.out.lock().unwrap_or_else(PoisonError::into_inner) = Some(out);
        self.places.add_permits(places);
        handed
    }

    /// A place for one more run, if one is free.
    pub(crate) fn place(&self) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok();
        if place.is_none() {
            self.left.store(true, Ordering::Release);
        }
        place
    }

    /// Hands a run over. If the workers have gone home, its lease runs out, and somebody else takes it.
    pub(crate) fn hand(&self, handed: Handed) {
        if let Some(out) = &*self.out.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = out.send(handed);
        }
    }

    fn close(&self) {
        self.places.close();
        *self.out.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

async fn claims(runtime: Runtime, mut handed: mpsc::UnboundedReceiver<Handed>, mut stopped: watch::Receiver<bool>) {
    let desk = &runtime.inner.desk;
    // Without it nothing can be judged, so nothing is taken up.
    while let Err(error) = runtime.know_policy().await {
        runtime.inner.tally.workers.now();
        tracing::error!(error = chain(&error), "cannot read the policy, so nothing is taken up");
        tokio::select! {
            () = sleep(LOOK) => {}
            _ = stopped.changed() => return desk.close(),
        }
    }
    let mut driven = JoinSet::new();
    // A run is taken from somebody else only: the clock may jump, and our own lease seem to be over. By the task that
    // drives it, so that one which ends in a panic is let go as well.
    let mut held: HashMap<Id, RunId> = HashMap::new();
    let mut look = true;
    while !*stopped.borrow() {
        runtime.inner.tally.workers.now();
        while let Some(ended) = driven.try_join_next_with_id() {
            held.remove(&task(ended));
        }
        if look || desk.left.load(Ordering::Acquire) {
            look = false;
            for handed in found(&runtime, &held).await {
                drive(&runtime, handed, &mut driven, &mut held, &stopped);
            }
        }
        tokio::select! {
            biased;
            _ = stopped.changed() => {}
            Some(handed) = handed.recv() => drive(&runtime, handed, &mut driven, &mut held, &stopped),
            Some(ended) = driven.join_next_with_id() => { held.remove(&task(ended)); }
            () = runtime.inner.newsroom.work.notified() => look = true,
            () = sleep(LOOK) => look = true,
        }
    }
    desk.close();
    // Taken by a transaction that was under way: given back at once.
    while let Ok(handed) = handed.try_recv() {
        drive(&runtime, handed, &mut driven, &mut held, &stopped);
    }
    let ended = async { while driven.join_next().await.is_some() {} };
    if timeout(GRACE, ended).await.is_err() {
        tracing::warn!("some runs were still at work; what they were doing is unknown");
    }
}

/// Runs that have something to do and are nobody's: as many as there are places.
async fn found(runtime: &Runtime, held: &HashMap<Id, RunId>) -> Vec<Handed> {
    let desk = &runtime.inner.desk;
    desk.left.store(false, Ordering::Release);
    let mut places: Vec<_> = std::iter::from_fn(|| Arc::clone(&desk.places).try_acquire_owned().ok()).collect();
    if places.is_empty() {
        // Whoever ends will make one, and this is asked again.
        desk.left.store(true, Ordering::Release);
        return vec![];
    }
    let own: Vec<RunId> = held.values().copied().collect();
    let most = u32::try_from(places.len()).unwrap_or(u32::MAX);
    match runtime.inner.store.claim(runtime.inner.standing().settings.lease, &own, most).await {
        Ok(claims) => {
            if claims.len() == places.len() {
                desk.left.store(true, Ordering::Release);
            }
            claims
                .into_iter()
                .zip(std::iter::from_fn(|| places.pop()))
                .map(|(claim, place)| {
                    let called = runtime.inner.newsroom.called(claim.run);
                    Handed { claim, run: None, called, place, cause: Span::none() }
                })
                .collect()
        }
        Err(error) => {
            tracing::error!(error = chain(&error), "cannot look for work");
            vec![]
        }
    }
}

fn drive(
    runtime: &Runtime,
    Handed { claim, run, called, place, cause }: Handed,
    driven: &mut JoinSet<()>,
    held: &mut HashMap<Id, RunId>,
    stopped: &watch::Receiver<bool>,
) {
    let (runtime, stopped) = (runtime.clone(), stopped.clone());
    let turn = spans::turn(&cause, claim.run);
    let work = async move {
        hold(&runtime, claim, run, called, stopped).await;
        drop(place);
    };
    let task = driven.spawn(work.instrument(turn));
    held.insert(task.id(), claim.run);
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
async fn hold(runtime: &Runtime, claim: Claim, run: Option<Run>, called: Called, stopped: watch::Receiver<bool>) {
    let lease = runtime.inner.standing().settings.lease;
    let stop = move || *stopped.borrow();
    let renewed = async {
        let mut beat = interval(lease / 3);
        beat.tick().await;
        loop {
            beat.tick().await;
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
        driven = runtime.drive(claim, run, called, &stop) => driven,
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
