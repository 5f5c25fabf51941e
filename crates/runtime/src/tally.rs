//! What this process has done and how it is, in numbers: for whoever watches over it. Nobody's names, and nothing that anybody
//! wrote.

use crate::Runtime;
use countersign_domain::run::{Event, Ruling, Run, WaitOutcome};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long something may not have been heard of before it counts as gone.
const SILENT: Duration = Duration::from_secs(10);

/// What this process has done since it started.
#[derive(Debug, Default)]
pub struct Tally {
    /// Calls that were judged, by verdict: `allow`, `ask`, `deny`.
    pub judged: [Count; 3],
    /// Questions that were put to people.
    pub asked: Count,
    /// Questions that people were asked, by how they ended: `answered`, `expired`, `cancelled`.
    pub settled: [Count; 3],
    /// How long answers took, in seconds.
    pub answering: Histogram,
    /// Runs, by what became of them: `started`, `completed`, `failed`, `cancelled`, `set_aside`.
    pub runs: [Count; 5],
    /// How long it took to save a step, in seconds.
    pub saving: Histogram,
    /// When workers last looked for something to do, and when the policy was last read.
    pub(crate) workers: Heard,
    pub(crate) policy: Heard,
}

/// The words for what is counted, in the order of the counts.
pub const VERDICTS: [&str; 3] = ["allow", "ask", "deny"];
/// How questions end.
pub const ENDS: [&str; 3] = ["answered", "expired", "cancelled"];
/// What becomes of runs.
pub const RUNS: [&str; 5] = ["started", "completed", "failed", "cancelled", "set_aside"];
/// The buckets of a histogram.
pub const BUCKETS: usize = 8;
/// Up to how many seconds answers take, bucket by bucket.
pub const ANSWERING: [f64; BUCKETS] = [1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3_600.0, 86_400.0];
/// Up to how many seconds it takes to save a step, bucket by bucket.
pub const SAVING: [f64; BUCKETS] = [0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 2.0];

/// How often something happened.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// So often.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Never yet.
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Once more.
    pub fn add(&self) {
        self.add_many(1);
    }

    /// So often more.
    pub fn add_many(&self, many: usize) {
        self.0.fetch_add(many as u64, Ordering::Relaxed);
    }
}

/// How long things took.
#[derive(Debug, Default)]
pub struct Histogram {
    /// How many took no longer than each bound, and longer than the one before.
    pub buckets: [Count; BUCKETS],
    /// How many there were.
    pub all: Count,
    microseconds: AtomicU64,
}

impl Histogram {
    fn add(&self, bounds: &[f64; BUCKETS], took: Duration) {
        let seconds = took.as_secs_f64();
        if let Some((_, bucket)) = bounds.iter().zip(&self.buckets).find(|(bound, _)| seconds <= **bound) {
            bucket.add();
        }
        self.all.add();
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.microseconds.fetch_add(took, Ordering::Relaxed);
    }

    /// All of them together, in seconds.
    pub fn sum(&self) -> f64 {
        Duration::from_micros(self.microseconds.load(Ordering::Relaxed)).as_secs_f64()
    }
}

/// When something was last heard of.
#[derive(Debug, Default)]
pub(crate) struct Heard(Mutex<Option<Instant>>);

impl Heard {
    pub(crate) fn now(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is_recent(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|heard| heard.elapsed() < SILENT)
    }
}

/// What one event counts as, by its place among the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tick {
    Judged(usize),
    Asked,
    /// How a question ended, and how long its answer took.
    Settled(usize, Option<Duration>),
    Run(usize),
}

impl Tick {
    /// What the events of a step count as.
    pub(crate) fn of(run: &Run, events: &[Event]) -> Vec<Self> {
        events.iter().filter_map(|event| Self::of_event(run, event)).collect()
    }

    fn of_event(run: &Run, event: &Event) -> Option<Self> {
        Some(match event {
            Event::ToolJudged { judgement, .. } => Self::Judged(match judgement.ruling {
                Ruling::Allow => 0,
                Ruling::Ask { .. } => 1,
                Ruling::Deny { .. } => 2,
            }),
            Event::InteractionRequest(asked) if asked.purpose.is_for_people() => Self::Asked,
            Event::WaitCompleted { interaction_request_id: id, outcome } => {
                let asked = run.interaction(*id).filter(|asked| asked.purpose.is_for_people())?;
                match outcome {
                    WaitOutcome::Answered | WaitOutcome::Came => {
                        let took = asked.answer.as_ref()?.responded_at.duration_since(asked.created_at);
                        Self::Settled(0, Some(Duration::try_from(took).unwrap_or_default()))
                    }
                    WaitOutcome::Expired | WaitOutcome::Defaulted => Self::Settled(1, None),
                    WaitOutcome::Cancelled => Self::Settled(2, None),
                }
            }
            Event::RunStarted(_) => Self::Run(0),
            Event::RunCompleted { .. } => Self::Run(1),
            Event::RunFailed { .. } => Self::Run(2),
            Event::RunCancelled { .. } => Self::Run(3),
            Event::RunSetAside { .. } => Self::Run(4),
            _ => return None,
        })
    }
}

impl Tally {
    /// A step was saved, which took so long.
    pub(crate) fn saved(&self, ticks: Vec<Tick>, took: Duration) {
        self.saving.add(&SAVING, took);
        for tick in ticks {
            let count = match tick {
                Tick::Judged(verdict) => self.judged.get(verdict),
                Tick::Asked => Some(&self.asked),
                Tick::Settled(end, took) => {
                    if let Some(took) = took {
                        self.answering.add(&ANSWERING, took);
                    }
                    self.settled.get(end)
                }
                Tick::Run(end) => self.runs.get(end),
            };
            if let Some(count) = count {
                count.add();
            }
        }
    }
}

/// How many follow what happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Followers {
    /// The inbox.
    pub inbox: usize,
    /// Runs.
    pub runs: usize,
}

impl Runtime {
    /// What this process has done since it started.
    pub fn tally(&self) -> &Tally {
        &self.inner.tally
    }

    /// How many follow what happens.
    pub fn followers(&self) -> Followers {
        let newsroom = &self.inner.newsroom;
        Followers { inbox: newsroom.tail.followers(), runs: newsroom.followers() }
    }

    /// Whether the workers of this process are at it.
    pub fn workers_are_alive(&self) -> bool {
        self.inner.tally.workers.is_recent()
    }

    /// Whether the policy was read a moment ago.
    pub fn policy_is_read(&self) -> bool {
        self.inner.tally.policy.is_recent()
    }
}
