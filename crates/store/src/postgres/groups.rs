//! Steps that come at the same time are saved together: what a statement and a transaction cost is shared by them.
//!
//! Nobody waits for company. Whoever finds a turn free saves what there is, with their own step; whoever comes while all turns
//! are taken is saved by the next who has one.

use super::Failed;
use super::pool::Pool;
use super::save;
use crate::failure::also;
use crate::rows::SaveRows;
use countersign_runtime::ports::{Claim, StoreError};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, oneshot};

/// Statements that save at a time. With one, whoever holds a row that it waits for would hold up everybody.
const TURNS: usize = 2;

/// Steps that are saved together at the most.
const LARGEST_GROUP: usize = 64;

/// What becomes of a step.
#[derive(Debug)]
pub enum Told {
    /// It is saved, and the run was taken.
    Saved(Option<Claim>),
    /// It is not saved. By itself it is told why, or saved after all.
    Unsaved,
    /// Nobody knows whether it is saved.
    Unknown(String),
    /// The database could not be reached: nothing is saved.
    Unreached(StoreError),
}

/// Steps that wait for whoever saves them.
pub struct Groups {
    waiting: Mutex<VecDeque<Waiting>>,
    turns: Semaphore,
}

struct Waiting {
    step: Arc<SaveRows>,
    tell: oneshot::Sender<Told>,
}

impl Default for Groups {
    fn default() -> Self {
        Self { waiting: Mutex::default(), turns: Semaphore::new(TURNS) }
    }
}

impl Groups {
    /// Saves `step`, which does not go alone.
    pub async fn save(&self, pool: &Pool, step: &Arc<SaveRows>) -> Told {
        let (tell, mut told) = oneshot::channel();
        self.waiting().push_back(Waiting { step: Arc::clone(step), tell });
        // Whoever was saving it may have stopped in the middle.
        let gone = |_| Told::Unknown("whoever was saving it stopped".into());
        loop {
            tokio::select! {
                biased;
                told = &mut told => return told.unwrap_or_else(gone),
                turn = self.turns.acquire() => {
                    let saved = self.save_some(pool).await;
                    drop(turn);
                    if saved == 0 {
                        return told.await.unwrap_or_else(gone);
                    }
                }
            }
        }
    }

    /// Saves what waits, and tells everybody. Says how many there were.
    async fn save_some(&self, pool: &Pool) -> usize {
        // More may come while a connection is waited for.
        let taken = pool.take().await;
        let group = self.group();
        let db = match taken {
            Ok(db) => db,
            Err(error) => return tell(group, |_| Told::Unreached(also(&error))),
        };
        let all: Vec<_> = group.iter().map(|one| Arc::clone(&one.step)).collect();
        if all.is_empty() {
            return 0;
        }
        match save::save_all(&db, &all).await {
            Ok(saved) => tell(group, |place| saved.get(&place).map_or(Told::Unsaved, |claim| Told::Saved(*claim))),
            // Nothing of it was done, perhaps because of one of them: each by itself is told.
            Err(Failed::Refused(_)) => tell(group, |_| Told::Unsaved),
            Err(failed) => tell(group, |_| Told::Unknown(failed.said())),
        }
    }

    /// Those who have waited longest, each with a step of another run. Whoever has stopped waiting goes.
    fn group(&self) -> Vec<Waiting> {
        let (mut group, mut runs, mut later) = (vec![], HashSet::new(), VecDeque::new());
        let mut waiting = self.waiting();
        while group.len() < LARGEST_GROUP
            && let Some(next) = waiting.pop_front()
        {
            if next.tell.is_closed() {
                continue;
            }
            if runs.insert(next.step.run) {
                group.push(next);
            } else {
                later.push_back(next);
            }
        }
        later.append(&mut waiting);
        *waiting = later;
        group
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells each what `of` says of their place.
fn tell(group: Vec<Waiting>, of: impl Fn(usize) -> Told) -> usize {
    let many = group.len();
    for (place, one) in group.into_iter().enumerate() {
        // Whoever has stopped waiting is not told: that is no failure.
        let _ = one.tell.send(of(place));
    }
    many
}
