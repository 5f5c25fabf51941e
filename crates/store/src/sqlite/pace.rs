//! How long something takes lately: what is over before a thread has woken need not be given to one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::Instant;

/// As long as a thread of the runtime may be kept from its other tasks.
const QUICK: Duration = Duration::from_millis(1);

/// How much the latest counts: one part in so many.
const PARTS: u64 = 8;

/// A running mean, in nanoseconds.
#[derive(Debug)]
pub struct Pace(AtomicU64);

impl Default for Pace {
    /// Quick only when it was seen to be.
    fn default() -> Self {
        Self(AtomicU64::new(nanoseconds(QUICK)))
    }
}

impl Pace {
    /// Does it once more.
    pub fn of<T>(&self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        self.took(began.elapsed());
        done
    }

    /// It took so long.
    pub fn took(&self, time: Duration) {
        let mean = self.0.load(Ordering::Relaxed);
        // Of two at once one may not be counted: it is a guess anyway.
        self.0.store(mean - mean / PARTS + nanoseconds(time) / PARTS, Ordering::Relaxed);
    }

    /// Whether it may be done right here, while other threads attend to the other tasks.
    pub fn is_quick(&self) -> bool {
        self.0.load(Ordering::Relaxed) < nanoseconds(QUICK)
            && Handle::try_current().is_ok_and(|here| here.metrics().num_workers() > 1)
    }
}

/// Capped: whatever took for ever is made up for by a few that did not.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.min(QUICK * 8).as_nanos()).unwrap_or(u64::MAX)
}
