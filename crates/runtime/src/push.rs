//! Saves steps. What somebody did to a run from outside is saved with the claim of a worker who is free, and handed over.

use crate::Runtime;
use crate::desk::{Handed, Seat};
use crate::execute::Start;
use crate::failpoint::{Moment, passing};
use crate::news::News;
use crate::ports::{Claim, Save, StoreError, Take};
use crate::spans;
use crate::tally::Tick;
use countersign_domain::run::{Event, Phase};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::runtime::Handle;
use tokio::time::Instant;
use tracing::{Instrument as _, Span};

/// How a run goes on once a step of it is saved.
pub(crate) struct Onward {
    /// Where somebody is free to drive it.
    pub(crate) seat: Option<Seat>,
    /// The number that their claim will have, if that is known.
    pub(crate) fence: Option<u64>,
    /// The calls that the step starts.
    pub(crate) starts: Vec<Start>,
}

/// Does something to its end, though whoever waits for it goes away: a run that was taken is handed over, and what is started is
/// made. It is done here; what is left of it when this is dropped becomes a task.
pub(crate) struct SeenThrough<T: Send + 'static> {
    doing: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
    floor: Handle,
}

impl<T: Send + 'static> SeenThrough<T> {
    pub(crate) fn new(doing: impl Future<Output = T> + Send + 'static) -> Self {
        Self { doing: Some(Box::pin(doing.in_current_span())), floor: Handle::current() }
    }
}

impl<T: Send + 'static> Future for SeenThrough<T> {
    /// What came of it, or what it ended in: a panic.
    type Output = std::thread::Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(doing) = &mut self.doing else { return Poll::Pending };
        let polled = catch_unwind(AssertUnwindSafe(|| doing.as_mut().poll(context)));
        let ended = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(came)) => Ok(came),
            Err(panic) => Err(panic),
        };
        self.doing = None;
        Poll::Ready(ended)
    }
}

impl<T: Send + 'static> Drop for SeenThrough<T> {
    fn drop(&mut self) {
        if let Some(doing) = self.doing.take() {
            self.floor.spawn(async move { drop(doing.await) });
        }
    }
}

impl Runtime {
    /// Saves what somebody did to a run from outside, and sees to it that the run goes on, here if a worker is free.
    pub(crate) async fn push(&self, save: Save) -> Result<(), StoreError> {
        // The number of the first claim of a run is known.
        let fence = (save.seen == 0).then_some(1);
        let onward = Onward { seat: self.seat(&save.run), fence, starts: vec![] };
        let runtime = self.clone();
        let pushed = SeenThrough::new(async move { runtime.push_onward(save, onward).await }).await;
        pushed.unwrap_or_else(|panic| resume_unwind(panic))
    }

    pub(crate) async fn push_onward(&self, save: Save, onward: Onward) -> Result<(), StoreError> {
        let Onward { seat, fence, starts } = onward;
        let newsroom = &self.inner.newsroom;
        let (run, ready) = (Arc::clone(&save.run), matches!(save.run.phase, Phase::Active | Phase::Woken));
        let id = run.id;
        let take = seat.as_ref().map(|_| Take { lease: self.inner.standing().settings.lease, fence });
        let changes_policy = !save.policy.is_empty();
        let words: Vec<_> = save.events.iter().map(Event::word).collect();
        let taken = self.save(Save { take, ..save }).await?;
        let is_handed_over = taken.is_some();
        match (taken, seat) {
            (Some(claim), Some(seat)) => {
                let run = Some(Arc::unwrap_or_clone(run));
                self.hand(Handed { claim, run, starts, seat, cause: Span::current() });
            }
            // Nobody was free, or somebody holds it: whoever comes free looks.
            _ if ready => newsroom.work.notify_one(),
            _ => {}
        }
        if changes_policy && let Err(error) = self.refresh_policy().await {
            // The next look at it will do.
            tracing::warn!(%error, "cannot read the policy that was just changed");
        }
        // Whoever was handed the run knows.
        if is_handed_over {
            newsroom.tell(News::Run(id));
        } else {
            newsroom.tell_driver(id);
        }
        passing(words, Moment::BeforeAck);
        Ok(())
    }

    /// Saves a step, and counts it. What is asked in it may be reviewed from then on.
    pub(crate) async fn save(&self, save: Save) -> Result<Option<Claim>, StoreError> {
        let (ticks, began) = (Tick::of(&save.run, &save.events), Instant::now());
        let asked = self.to_review(&save);
        let span = spans::save(save.run.id, save.events.len());
        let saved = self.inner.store.save(save).instrument(span.clone()).await;
        if let Err(error) = &saved {
            spans::unsaved(&span, error);
        }
        let taken = saved?;
        self.inner.tally.saved(ticks, began.elapsed());
        self.inner.asked.add(asked);
        Ok(taken)
    }

    /// The same for a run as it is shown. It is handed to nobody: whoever takes it up must read what is sealed in it.
    pub(crate) async fn put(&self, save: Save) -> Result<(), StoreError> {
        let id = save.run.id;
        self.save(save).await?;
        self.inner.newsroom.work.notify_one();
        self.inner.newsroom.tell_driver(id);
        Ok(())
    }
}
