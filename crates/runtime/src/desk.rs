//! Where runs that were taken are handed over to workers of the same process, each a task that drives one run.

use crate::Runtime;
use crate::execute::Start;
use crate::news::Called;
use crate::ports::Claim;
use crate::spans;
use crate::worker::hold;
use countersign_domain::RunId;
use countersign_domain::run::{Phase, Run};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{Id, JoinSet};
use tokio::time::timeout;
use tracing::{Instrument as _, Span};

/// How long runs may go on with what they are doing when the workers are stopped.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// The places of workers, and who has one.
pub(crate) struct Desk {
    places: Arc<Semaphore>,
    /// There while anybody works.
    shift: Mutex<Option<Shift>>,
    /// Whether there may be runs that nobody was free for.
    left: AtomicBool,
}

/// The workers.
struct Shift {
    /// Where they work, wherever they are handed something.
    floor: Handle,
    driven: JoinSet<()>,
    /// A run is taken from somebody else only: the clock may jump, and our own lease seem to be over. By the task that drives
    /// it, so that one which ends in a panic is let go as well.
    held: HashMap<Id, RunId>,
    stopped: watch::Receiver<bool>,
}

/// A run that was taken, and all that the worker needs who will drive it.
pub(crate) struct Handed {
    pub(crate) claim: Claim,
    /// The run as it was when it was taken, if that is known.
    pub(crate) run: Option<Run>,
    /// Calls whose start was saved with the step by which it was taken.
    pub(crate) starts: Vec<Start>,
    pub(crate) seat: Seat,
    /// What was being done when it was taken: the worker's doing follows from it.
    pub(crate) cause: Span,
}

/// What a worker needs before a run is taken for them.
pub(crate) struct Seat {
    pub(crate) place: OwnedSemaphorePermit,
    /// By which the worker hears what is done to the run from now on.
    pub(crate) called: Called,
}

impl Default for Desk {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(0)), shift: Mutex::default(), left: AtomicBool::new(false) }
    }
}

impl Desk {
    /// From now on there are so many places.
    pub(crate) fn open(&self, places: usize, stopped: watch::Receiver<bool>) -> OnDuty<'_> {
        *self.shift() = Some(Shift { floor: Handle::current(), driven: JoinSet::new(), held: HashMap::new(), stopped });
        self.places.forget_permits(Semaphore::MAX_PERMITS);
        self.places.add_permits(places);
        OnDuty { desk: self }
    }

    fn shift(&self) -> MutexGuard<'_, Option<Shift>> {
        self.shift.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more run, if one is free.
    fn place(&self) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok().filter(|_| self.shift().is_some());
        if place.is_none() {
            self.left.store(true, Ordering::Release);
        }
        place
    }

    /// All places that are free. Where there are none, it is told once there is one.
    pub(crate) fn free(&self) -> Vec<OwnedSemaphorePermit> {
        self.left.store(false, Ordering::Release);
        let places: Vec<_> = std::iter::from_fn(|| Arc::clone(&self.places).try_acquire_owned().ok()).collect();
        if places.is_empty() {
            self.more();
        }
        places
    }

    /// Has it told when a place comes free: there may be more to do.
    pub(crate) fn more(&self) {
        self.left.store(true, Ordering::Release);
    }

    /// The runs that are driven here.
    pub(crate) fn held(&self) -> Vec<RunId> {
        let mut shift = self.shift();
        let Some(shift) = &mut *shift else { return vec![] };
        shift.see_off();
        shift.held.values().copied().collect()
    }
}

impl Shift {
    /// Has whoever ended go.
    fn see_off(&mut self) {
        while let Some(ended) = self.driven.try_join_next_with_id() {
            let id = match ended {
                Ok((id, ())) => id,
                Err(error) => {
                    tracing::error!(%error, "driving a run ended in a panic");
                    error.id()
                }
            };
            self.held.remove(&id);
        }
    }
}

/// The desk while it is open. Once this is gone, whoever is at work is stopped.
pub(crate) struct OnDuty<'a> {
    desk: &'a Desk,
}

impl OnDuty<'_> {
    /// Gives nobody a place any more, and lets those end who have one.
    pub(crate) async fn close(self) {
        self.desk.places.close();
        let Some(mut shift) = self.desk.shift().take() else { return };
        let ended = async { while shift.driven.join_next().await.is_some() {} };
        if timeout(GRACE, ended).await.is_err() {
            tracing::warn!("some runs were still at work; what they were doing is unknown");
        }
    }
}

impl Drop for OnDuty<'_> {
    fn drop(&mut self) {
        let shift = self.desk.shift().take();
        drop(shift);
    }
}

impl Runtime {
    /// A seat for a run that is about to be saved, if it has something to do then and a worker is free. What is driven here
    /// stays with whoever drives it, whatever the clock says of the lease.
    pub(crate) fn seat(&self, run: &Run) -> Option<Seat> {
        if self.inner.newsroom.is_driven(run.id) { None } else { self.seat_of_nobodys(run) }
    }

    /// The same for a run that waited: whoever is still about to leave it has nothing to do with it any more.
    ///
    /// From before it can be seen that the run was taken, so that nothing is done to it that its worker does not hear of.
    pub(crate) fn seat_of_nobodys(&self, run: &Run) -> Option<Seat> {
        let has_to_do = matches!(run.phase, Phase::Active | Phase::Woken);
        let place = has_to_do.then(|| self.inner.desk.place()).flatten()?;
        Some(Seat { place, called: self.inner.newsroom.called(run.id) })
    }

    /// Hands a run over to a worker. If all have gone home, its lease runs out, and somebody else takes it.
    pub(crate) fn hand(&self, handed: Handed) {
        let mut shift = self.inner.desk.shift();
        let Some(shift) = &mut *shift else { return };
        shift.see_off();
        let Handed { claim, run, starts, seat: Seat { place, called }, cause } = handed;
        let (runtime, stopped) = (self.clone(), shift.stopped.clone());
        let turn = spans::turn(&cause, claim.run);
        let work = async move {
            hold(&runtime, claim, runtime.take_up(claim, run, starts, called), stopped).await;
            drop(place);
            if runtime.inner.desk.left.load(Ordering::Acquire) {
                runtime.inner.newsroom.work.notify_one();
            }
        };
        let task = shift.driven.spawn_on(work.instrument(turn), &shift.floor);
        shift.held.insert(task.id(), claim.run);
    }
}
