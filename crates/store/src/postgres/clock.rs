//! The database's clock, told without asking it each time.
//!
//! Each time it is asked, half the round trip is what nobody knows. The answer is then carried on by the clock of this
//! machine, which runs as fast, give or take a little: so the doubt grows, until a better answer takes its place.

use jiff::Timestamp;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How often the database is asked.
pub const EVERY: Duration = Duration::from_secs(5);

/// One part in so many by which two clocks may differ in speed.
const DRIFT: u32 = 5_000;

/// The time as a column has it, by the database's clock.
pub const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// What the database's clock shows.
#[derive(Debug)]
pub struct Clock {
    kept: Mutex<Reading>,
}

/// What it showed when it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The middle of the round trip.
    pub at: Instant,
    /// Half of it.
    pub doubt: Duration,
    /// Microseconds since 1970.
    pub shown: i64,
}

impl Reading {
    /// The reading that was asked for at `sent` and was there at `received`.
    pub fn between(sent: Instant, received: Instant, shown: i64) -> Self {
        let doubt = received.saturating_duration_since(sent) / 2;
        Self { at: sent + doubt, doubt, shown }
    }

    /// What is shown at `when`.
    fn carried_to(self, when: Instant) -> i64 {
        let (later, earlier) = (when.saturating_duration_since(self.at), self.at.saturating_duration_since(when));
        self.shown.saturating_add(micros(later)).saturating_sub(micros(earlier))
    }

    /// The better one of two.
    fn or(self, newer: Self) -> Self {
        let grown = self.doubt + newer.at.saturating_duration_since(self.at) / DRIFT;
        let apart = Duration::from_micros(self.carried_to(newer.at).abs_diff(newer.shown));
        // Where both cannot be right, one of the clocks was set: then only the newer one is.
        if newer.doubt <= grown || apart > newer.doubt + grown { newer } else { self }
    }
}

impl Clock {
    pub fn new(first: Reading) -> Self {
        Self { kept: Mutex::new(first) }
    }

    /// Takes another reading into account.
    pub fn learn(&self, newer: Reading) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = kept.or(newer);
    }

    /// What it shows now.
    pub fn now(&self) -> Timestamp {
        let kept = *self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        crate::time::at(kept.carried_to(Instant::now())).unwrap_or(Timestamp::MAX)
    }
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn reading(at: Instant, doubt: Duration, shown: i64) -> Reading {
        Reading { at, doubt, shown }
    }

    #[test]
    fn half_the_round_trip_is_in_doubt() {
        let sent = Instant::now();
        let read = Reading::between(sent, sent + 10 * MS, 1_000_000);
        assert_eq!(read, reading(sent + 5 * MS, 5 * MS, 1_000_000));
        assert_eq!(read.carried_to(sent + 7 * MS), 1_002_000);
        assert_eq!(read.carried_to(sent), 995_000);
    }

    #[test]
    fn a_slow_answer_does_not_replace_a_quick_one_until_it_is_old() {
        let start = Instant::now();
        let quick = reading(start, MS, 0);
        let slow = |after: Duration| reading(start + after, 20 * MS, micros(after) + 8_000);
        assert_eq!(quick.or(slow(EVERY)), quick);
        let late = slow(Duration::from_mins(10));
        assert_eq!(quick.or(late), late);
        let quicker = reading(start + EVERY, MS / 2, micros(EVERY));
        assert_eq!(quick.or(quicker), quicker);
    }

    #[test]
    fn a_clock_that_was_set_is_believed() {
        let start = Instant::now();
        let before = reading(start, MS, 0);
        let back = reading(start + EVERY, 50 * MS, -1_000_000);
        assert_eq!(before.or(back), back);
    }
}
