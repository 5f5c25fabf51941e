//! What the inbox is told of the log. Each stretch of the log is read and put into words once, for all who follow.
//!
//! A stretch is kept for a moment, so that those who come back after a break, all at once, find it: nobody pays for readers but
//! by a look into memory.

use crate::runs::events::{Above, EventBody};
use crate::sign_in::{Sight, SignedIn};
use axum::body::Bytes;
use countersign_domain::interaction::Interaction;
use countersign_domain::run::{Event, Interactions, Recorded};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::Runtime;
use countersign_runtime::ports::{Logged, StoreError};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// Entries of the log in one stretch, and how many of them are read at a time.
const MOST_ENTRIES: u32 = 128;
const AT_ONCE: u32 = 16;
/// Bytes that a stretch may have, before it ends early. One entry more is always told.
const LONGEST: usize = 1024 * 1024;
/// How long a stretch is kept: what is erased meanwhile in another way than by a request to this node may be told so long.
const KEPT: Duration = Duration::from_secs(10);
/// Stretches that are kept, and how many bytes all of them may have.
const MOST_KEPT: usize = 256;
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// What was read of the log.
#[derive(Default)]
pub struct Inbox {
    /// By the place that they begin at.
    stretches: Mutex<BTreeMap<u64, Arc<Slot>>>,
}

struct Slot {
    since: Instant,
    stretch: OnceCell<Stretch>,
}

/// What the inbox is told of some entries.
#[derive(Clone)]
pub struct Stretch {
    /// Where the next one begins.
    pub end: u64,
    /// What is told.
    pub told: Arc<[Told]>,
    bytes: usize,
}

/// One thing that is told.
pub struct Told {
    /// How long the log was with it: the id by which a reader takes up after it.
    pub id: u64,
    /// Whose run it is about.
    user: Option<String>,
    whole: Bytes,
    /// The same for agents, where they are shown less.
    less: Option<Bytes>,
}

impl Told {
    /// What `who` is told of it; `None` if it is none of their business.
    pub fn to(&self, who: &SignedIn) -> Option<Bytes> {
        if !who.sees(self.user.as_deref()) {
            return None;
        }
        let less = self.less.as_ref().filter(|_| who.sight() == Sight::Agent);
        Some(less.unwrap_or(&self.whole).clone())
    }

    fn bytes(&self) -> usize {
        self.whole.len() + self.less.as_ref().map_or(0, Bytes::len)
    }
}

impl Inbox {
    /// The stretch that `from` is in; `None` if the log does not reach so far.
    pub async fn at(&self, runtime: &Runtime, from: u64) -> Result<Option<Stretch>, StoreError> {
        loop {
            let (begin, slot) = self.slot(from);
            // Of many who want it one reads, and where that one goes away, the next.
            let stretch = slot.stretch.get_or_try_init(async || read(runtime, begin).await).await;
            match stretch {
                Err(Unread::Store(error)) => return Err(error),
                Err(Unread::Nothing) => return Ok(None),
                Ok(stretch) if stretch.end > from => return Ok(Some(stretch.clone())),
                // It ended before: what came since is the next one.
                Ok(_) => {}
            }
        }
    }

    /// Forgets all that was read: something of it was erased.
    pub fn forget_all(&self) {
        self.lock().clear();
    }

    /// The stretch that `from` is in, as far as is known, or else where it will be.
    fn slot(&self, from: u64) -> (u64, Arc<Slot>) {
        let mut stretches = self.lock();
        stretches.retain(|_, slot| slot.since.elapsed() < KEPT);
        let before = stretches.range(..=from).next_back();
        // Many who come back at different places find the same stretches.
        let mut begin = from - from % u64::from(MOST_ENTRIES);
        if let Some((start, slot)) = before {
            match slot.stretch.get() {
                Some(stretch) if stretch.end <= from => begin = begin.max(stretch.end),
                None if *start < begin => {}
                _ => return (*start, Arc::clone(slot)),
            }
        }
        forget(&mut stretches);
        let slot = Arc::new(Slot { since: Instant::now(), stretch: OnceCell::new() });
        match stretches.entry(begin) {
            Entry::Occupied(known) => (begin, Arc::clone(known.get())),
            Entry::Vacant(place) => (begin, Arc::clone(place.insert(slot))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Slot>>> {
        self.stretches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room: what is old goes, and then what is oldest.
fn forget(stretches: &mut BTreeMap<u64, Arc<Slot>>) {
    stretches.retain(|_, slot| slot.since.elapsed() < KEPT);
    let bytes = |slot: &Slot| slot.stretch.get().map_or(0, |stretch| stretch.bytes);
    while stretches.len() >= MOST_KEPT || stretches.values().map(|slot| bytes(slot)).sum::<usize>() > MOST_BYTES {
        let oldest = stretches.iter().min_by_key(|(_, slot)| slot.since).map(|(begin, _)| *begin);
        let Some(oldest) = oldest else { return };
        stretches.remove(&oldest);
    }
}

/// Why there is no stretch.
enum Unread {
    Nothing,
    Store(StoreError),
}

impl From<StoreError> for Unread {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Reads the stretch that begins there.
async fn read(runtime: &Runtime, begin: u64) -> Result<Stretch, Unread> {
    let mut stretch = Draft { end: begin, told: vec![], bytes: 0, runs: BTreeMap::new() };
    while stretch.end - begin < u64::from(MOST_ENTRIES) && stretch.bytes < LONGEST {
        let entries = runtime.store().entries(stretch.end, AT_ONCE).await?;
        if entries.is_empty() {
            break;
        }
        for logged in &entries {
            if stretch.bytes >= LONGEST {
                break;
            }
            stretch.add(runtime, logged).await?;
        }
    }
    if stretch.end == begin {
        return Err(Unread::Nothing);
    }
    Ok(Stretch { end: stretch.end, told: stretch.told.into(), bytes: stretch.bytes })
}

/// A stretch that is being read.
struct Draft {
    end: u64,
    told: Vec<Told>,
    bytes: usize,
    /// What is above the runs that it is about, and their questions.
    runs: BTreeMap<RunId, (Above, Interactions)>,
}

impl Draft {
    /// Adds what the inbox is told of an entry.
    async fn add(&mut self, runtime: &Runtime, logged: &Logged) -> Result<(), StoreError> {
        self.end = logged.place + 1;
        let Some((place, recorded)) = of_inbox(logged) else { return Ok(()) };
        let Some(id) = question(&recorded.event) else { return Ok(()) };
        let (above, asked) = match self.runs.entry(recorded.run) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let run = match runtime.store().shown(recorded.run).await {
                    // One run that cannot be read must not keep all others from being told.
                    Err(error @ StoreError::Inconsistent { .. }) => {
                        tracing::error!(run = %recorded.run, %error, "the inbox is not told of a run");
                        None
                    }
                    shown => shown?,
                };
                let above = match Above::of(runtime, run.as_ref().and_then(|run| run.started.parent_run_id)).await {
                    Err(error @ StoreError::Inconsistent { .. }) => {
                        tracing::error!(run = %recorded.run, %error, "the run above a run cannot be read");
                        Above::default()
                    }
                    above => above?,
                };
                unknown.insert((above, run.map(|run| run.interactions).unwrap_or_default()))
            }
        };
        // What waits for no person is in nobody's inbox.
        let Some(of) = asked.get(&id).filter(|asked| asked.purpose.is_for_people()) else { return Ok(()) };
        let user = of.asked_by.user_id.clone();
        let is_less = of.result.is_some() && matches!(recorded.event, Event::InteractionRequest(_));
        let shown_less = || BTreeMap::from([(id, Box::new(Sight::Agent.of(Interaction::clone(of))))]);
        let less = is_less.then(|| frame(place + 1, &recorded, *above, &shown_less()));
        let told = Told { id: place + 1, user, whole: frame(place + 1, &recorded, *above, asked), less };
        self.bytes += told.bytes();
        self.told.push(told);
        Ok(())
    }
}

/// What of the log is about questions, with its place.
fn of_inbox(logged: &Logged) -> Option<(u64, Recorded)> {
    if !matches!(
        logged.entry.kind.as_str(),
        "interaction_request" | "interaction_response" | "reminder" | "wait_completed"
    ) {
        return None;
    }
    match logged.entry.recorded() {
        Ok(recorded) => recorded.map(|recorded| (logged.place, recorded)),
        Err(error) => {
            tracing::error!(place = logged.place, %error, "the inbox is not told of an entry");
            None
        }
    }
}

/// The question that an event is about.
const fn question(event: &Event) -> Option<InteractionId> {
    match event {
        Event::InteractionRequest(asked) => Some(asked.id),
        Event::InteractionResponse { interaction_request_id: id, .. }
        | Event::Reminder { interaction_request_id: id }
        | Event::WaitCompleted { interaction_request_id: id, .. } => Some(*id),
        _ => None,
    }
}

/// An event as it goes over the wire.
fn frame(id: u64, recorded: &Recorded, above: Above, asked: &Interactions) -> Bytes {
    let body = EventBody::new(recorded.clone(), above, asked);
    let text = serde_json::to_string(&body).unwrap_or_default();
    format!("id: {id}\nevent: {}\ndata: {text}\n\n", recorded.event.word()).into()
}
