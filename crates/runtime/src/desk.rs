//! Where runs that were taken are handed over to workers of the same process, each a task that drives one run.

use crate::Runtime;
use crate::execute::Start;
use crate::news::Called;
use crate::ports::Claim;
use crate::spans;
use crate::worker::{chain, hold};
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
#[derive(Default)]
pub(crate) struct Desk {
    /// There while anybody works.
    shift: Mutex<Option<Shift>>,
    /// Whether there may be runs that nobody was free for.
    left: AtomicBool,
}

/// The workers.
struct Shift {
    /// Where they work, wherever they are handed something.
    floor: Handle,
    places: Arc<Semaphore>,
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
    place: Place,
    /// By which the worker hears what is done to the run from now on.
    called: Called,
}

/// A place of a worker. Once it is given back, whoever looks for runs hears of it, if there may be any.
struct Place {
    runtime: Runtime,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(self.permit.take());
        if self.runtime.inner.desk.left.load(Ordering::Acquire) {
            self.runtime.inner.newsroom.work.notify_one();
        }
    }
}

impl Desk {
    fn shift(&self) -> MutexGuard<'_, Option<Shift>> {
        self.shift.lock().unwrap_or_else(PoisonError::into_inner)
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
    places: Arc<Semaphore>,
    many: u32,
}

impl OnDuty<'_> {
    /// Lets those end who have a place, and whoever is about to be handed a run. Nobody else is given one any more: the workers
    /// were told to stop.
    pub(crate) async fn close(self) {
        if timeout(GRACE, self.places.acquire_many(self.many)).await.is_err() {
            tracing::warn!("some runs were still at work; what they were doing is unknown");
        }
    }
}

impl Drop for OnDuty<'_> {
    fn drop(&mut self) {
        let own = self.desk.shift().take_if(|shift| Arc::ptr_eq(&shift.places, &self.places));
        drop(own);
    }
}

impl Runtime {
    /// Opens the desk: from now on there are so many places.
    pub(crate) fn open_desk(&self, places: usize, stopped: watch::Receiver<bool>) -> OnDuty<'_> {
        let many = u32::try_from(places).unwrap_or(u32::MAX);
        let places = Arc::new(Semaphore::new(places));
        *self.inner.desk.shift() = Some(Shift {
            floor: Handle::current(),
            places: Arc::clone(&places),
            driven: JoinSet::new(),
            held: HashMap::new(),
            stopped,
        });
        OnDuty { desk: &self.inner.desk, places, many }
    }

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
        has_to_do.then(|| self.places(1).pop()).flatten().map(|place| self.seat_at(place, run.id))
    }

    fn seat_at(&self, place: Place, run: RunId) -> Seat {
        Seat { place, called: self.inner.newsroom.called(run) }
    }

    /// So many places, or as many as are free. If there is none, whoever looks for runs hears of the next one.
    fn places(&self, most: usize) -> Vec<Place> {
        let desk = &self.inner.desk;
        let free =
            desk.shift().as_ref().filter(|shift| !*shift.stopped.borrow()).map(|shift| Arc::clone(&shift.places));
        let permit = || Arc::clone(free.as_ref()?).try_acquire_owned().ok();
        let place = |permit| Place { runtime: self.clone(), permit: Some(permit) };
        let places: Vec<_> = std::iter::from_fn(permit).take(most).map(place).collect();
        if places.is_empty() {
            desk.left.store(true, Ordering::Release);
        }
        places
    }

    /// Runs that have something to do and are nobody's, for half of the free places: the others are for whoever comes with a
    /// run meanwhile. Where there may be more, they are looked for again.
    pub(crate) async fn found(&self) -> Vec<Handed> {
        let desk = &self.inner.desk;
        desk.left.store(false, Ordering::Release);
        let free = desk.shift().as_ref().map_or(0, |shift| shift.places.available_permits());
        let mut places = self.places(free.div_ceil(2));
        if places.is_empty() {
            self.look_again();
            return vec![];
        }
        let (own, most) = (desk.held(), u32::try_from(places.len()).unwrap_or(u32::MAX));
        let claims = match self.inner.store.claim(self.inner.standing().settings.lease, &own, most).await {
            Ok(claims) => claims,
            Err(error) => {
                tracing::error!(error = chain(&error), "cannot look for work");
                return vec![];
            }
        };
        if claims.len() == places.len() {
            self.look_again();
        }
        let handed = |(claim, place): (Claim, Place)| {
            let seat = self.seat_at(place, claim.run);
            Handed { claim, run: None, starts: vec![], seat, cause: Span::none() }
        };
        claims.into_iter().zip(std::iter::from_fn(|| places.pop())).map(handed).collect()
    }

    /// Has runs looked for again: now if there is a free place, or once there is one.
    fn look_again(&self) {
        let desk = &self.inner.desk;
        desk.left.store(true, Ordering::Release);
        if desk.shift().as_ref().is_some_and(|shift| shift.places.available_permits() > 0) {
            self.inner.newsroom.work.notify_one();
        }
    }

    /// Hands a run over to a worker. If all have gone home, its lease runs out and somebody else takes it, and what was started
    /// with it is in doubt.
    pub(crate) fn hand(&self, handed: Handed) {
        let mut shift = self.inner.desk.shift();
        let Some(shift) = &mut *shift else { return };
        shift.see_off();
        let Handed { claim, run, starts, seat: Seat { place, called }, cause } = handed;
        let (runtime, stopped) = (self.clone(), shift.stopped.clone());
        let turn = spans::turn(&cause, claim.run);
        let work = async move {
            hold(&runtime, claim, || runtime.take_up(claim, run, starts, called), stopped).await;
            drop(place);
        };
        let task = shift.driven.spawn_on(work.instrument(turn), &shift.floor);
        shift.held.insert(task.id(), claim.run);
    }
}
