//! Runs that were put to rest here lately. Most questions are answered soon, and where they were asked: then the run need not be
//! read back from what was just written.
//!
//! What is at hand is never the truth. Somebody else, also in another process, may have moved the run on since; a step that does
//! not follow from what is saved is refused, and whoever made it looks properly. So nobody has to be told of anything.
//!
//! Only runs whose whole life was saved here are at hand, so that it is known how much they hold, and that none of it is secret:
//! a secret is not kept in memory for somebody who may never answer.

use crate::rows::{EventRow, SaveRows};
use countersign_domain::audit::Payload;
use countersign_domain::interaction::Status;
use countersign_domain::run::{Phase, Run};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{Asking, Claim};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// What a run takes in memory, as measured of short ones: so much by itself, and so many times what is stored of its events.
const OF_ITSELF: usize = 2 << 10;
const TIMES: usize = 3;

/// What arguments take beside their text: each object has room for eleven members, each value is a few words, and they are held where
/// they were proposed and where they are asked about.
const OF_OBJECT: usize = 2 * 704;
const OF_VALUE: usize = 2 * 64;

/// Bytes that all of them may take.
const MOST: usize = 32 << 20;

/// Bytes of one run above which it is not kept: it would push many others out.
const LONGEST: usize = 256 << 10;

/// Steps that are known of.
const MOST_STEPS: usize = 1 << 14;

/// How long a run is kept, by a process that does something: it looks whenever a step is saved or a run is asked for. Nobody tells
/// when one is erased elsewhere.
const LONGEST_KEPT: Duration = Duration::from_hours(1);

/// Runs that were put to rest here lately.
#[derive(Debug, Default)]
pub struct Lately {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    lives: HashMap<RunId, Life>,
    /// Who asks what.
    asking: HashMap<InteractionId, RunId>,
    /// Steps in the order in which they were saved. A run goes with its last one.
    steps: VecDeque<Step>,
    /// Of the runs that are kept.
    bytes: usize,
}

#[derive(Debug)]
struct Step {
    run: RunId,
    seq: i64,
    since: Instant,
}

/// A run that was saved here from its first event on.
#[derive(Debug)]
struct Life {
    seq: i64,
    /// What it takes, or would take if it were kept.
    bytes: usize,
    /// The number of its last claim.
    fence: u64,
    /// The run, while it waits.
    run: Option<Arc<Run>>,
}

impl Lately {
    /// `step` was saved: it made this of the run, which was then taken so.
    pub fn saved(&self, step: &SaveRows, run: Arc<Run>, taken: Option<Claim>) {
        let mut known = self.known();
        let (before, fence) = match known.forget(step.run) {
            None if step.seen == 0 => (OF_ITSELF, 0),
            Some(life) if life.seq == step.seen => (life.bytes, life.fence),
            // Somebody else has saved a step of it.
            _ => return,
        };
        let bytes = step.events.iter().map(bytes_of).fold(before, usize::saturating_add);
        if step.is_last() || !step.sealed.is_empty() || bytes > LONGEST {
            return;
        }
        let fence = taken.or(step.claim).map_or(fence, |claim| claim.fence);
        let run = Some(run).filter(|run| run.phase == Phase::Waiting);
        known.learn(step.run, Life { seq: step.seq, bytes, fence, run });
        known.make_room();
    }

    /// Forgets a run in which something was erased.
    pub fn forget(&self, run: RunId) {
        self.known().forget(run);
    }

    /// The run that asks this, as it was put to rest. Told once: whoever comes again has reason to look.
    pub fn asking(&self, id: InteractionId) -> Option<Asking> {
        let mut known = self.known();
        known.make_room();
        let run = *known.asking.get(&id)?;
        let (run, fence) = known.tell(run)?;
        drop(known);
        Some(Asking { run: Arc::unwrap_or_clone(run), fence })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that an event takes in its run.
fn bytes_of(event: &EventRow) -> usize {
    let texts = if let Payload::Kept { texts, .. } = &event.payload { texts.as_str() } else { "" };
    let structure = texts.bytes().map(|byte| match byte {
        b'{' => OF_OBJECT,
        b'[' | b',' => OF_VALUE,
        _ => 0,
    });
    let length = event.data.len().saturating_add(texts.len());
    structure.fold(length.saturating_mul(TIMES), usize::saturating_add)
}

impl Life {
    /// Bytes that are kept of it.
    fn kept(&self) -> usize {
        if self.run.is_some() { self.bytes } else { 0 }
    }
}

impl Known {
    fn learn(&mut self, id: RunId, life: Life) {
        let asked = life.run.iter().flat_map(|run| run.interactions.values());
        let open = asked.filter(|asked| asked.status == Status::Open);
        self.asking.extend(open.map(|asked| (asked.id, id)));
        self.bytes = self.bytes.saturating_add(life.kept());
        self.steps.push_back(Step { run: id, seq: life.seq, since: Instant::now() });
        self.lives.insert(id, life);
    }

    /// Gives the run away, and stays with what is known of it.
    fn tell(&mut self, id: RunId) -> Option<(Arc<Run>, u64)> {
        let life = self.lives.get_mut(&id)?;
        let (kept, fence) = (life.kept(), life.fence);
        let run = life.run.take()?;
        self.bytes = self.bytes.saturating_sub(kept);
        self.asks_no_more(&run);
        Some((run, fence))
    }

    fn forget(&mut self, id: RunId) -> Option<Life> {
        self.tell(id);
        self.lives.remove(&id)
    }

    fn asks_no_more(&mut self, run: &Run) {
        for asked in run.interactions.keys() {
            self.asking.remove(asked);
        }
    }

    fn make_room(&mut self) {
        let is_old = |step: &Step| step.since.elapsed() > LONGEST_KEPT;
        while self.bytes > MOST || self.steps.len() > MOST_STEPS || self.steps.front().is_some_and(is_old) {
            let Some(Step { run, seq, .. }) = self.steps.pop_front() else { return };
            if self.lives.get(&run).is_some_and(|life| life.seq == seq) {
                self.forget(run);
            }
        }
    }
}
