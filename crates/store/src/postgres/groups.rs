//! Steps that come at the same time are saved together: what a statement and a transaction cost is shared by them.
//!
//! Nobody waits for company. Whoever comes while fewer than the most are saving has somebody begin, who saves what there is, and
//! what has come meanwhile, until nothing is left. That is done by tasks of their own: whoever asked may go away, or be held up,
//! and nobody else is.

use super::connection::Failed;
use super::pool::{Pool, Taken};
use super::save;
use super::steps::Locked;
use crate::failure::also;
use crate::rows::SaveRows;
use countersign_runtime::ports::{Claim, StoreError};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// How many save at a time: while one waits for the disk, another one has the processor.
const MOST_AT_WORK: usize = 2;

/// Steps that are saved together at the most.
const LARGEST_GROUP: usize = 64;

/// What becomes of a step.
#[derive(Debug)]
pub enum Told {
    /// It is saved, and the run was taken.
    Saved(Option<Claim>),
    /// It was not saved together with others. By itself it may be, or is told why not.
    LeftOut,
    /// Nobody knows whether it is saved.
    Unknown(String),
    /// It is not saved.
    Failed(StoreError),
}

/// Steps that wait to be saved, and how many are at it.
#[derive(Default)]
pub struct Groups {
    line: Mutex<Line>,
}

#[derive(Default)]
struct Line {
    waiting: VecDeque<Waiting>,
    at_work: usize,
}

struct Waiting {
    step: Arc<SaveRows>,
    tell: oneshot::Sender<Told>,
}

impl Groups {
    /// Saves `step`, which does not go alone.
    pub async fn save(self: &Arc<Self>, pool: &Pool, step: &Arc<SaveRows>) -> Told {
        let (tell, told) = oneshot::channel();
        if let Some(saver) = self.queue(Waiting { step: Arc::clone(step), tell }) {
            pool.home().spawn(saver.save_all(pool.clone()));
        }
        told.await.unwrap_or_else(|_| Told::Unknown("whoever was saving it has ended".into()))
    }

    /// Queues a step, and gives who is to save it, unless enough are at work.
    fn queue(self: &Arc<Self>, one: Waiting) -> Option<Saver> {
        let mut line = self.line();
        line.waiting.push_back(one);
        if line.at_work >= MOST_AT_WORK {
            return None;
        }
        line.at_work += 1;
        Some(Saver { groups: Arc::clone(self), is_at_work: true })
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of those who save.
struct Saver {
    groups: Arc<Groups>,
    is_at_work: bool,
}

impl Saver {
    /// Saves what waits until nothing does, and tells everybody.
    async fn save_all(mut self, pool: Pool) {
        let mut kept: Option<Taken> = None;
        while self.is_at_work {
            let db = match kept.take().filter(|db| db.is_sound()) {
                Some(db) => db,
                None => match pool.take().await {
                    Ok(db) => db,
                    Err(error) => return self.give_up(&error),
                },
            };
            let group = self.next_group();
            let told = save_group(&db, &group).await;
            // Whoever is told may come again at once: then there is a connection, and nobody at work who is about to go.
            self.go_if_done();
            kept = Some(db).filter(|_| self.is_at_work);
            for (one, told) in group.into_iter().zip(told) {
                // Whoever has stopped waiting is not told: that is no failure.
                let _ = one.tell.send(told);
            }
        }
    }

    /// Goes home where nobody waits: whoever comes next finds that out at the same moment.
    fn go_if_done(&mut self) {
        let mut line = self.groups.line();
        if line.waiting.is_empty() {
            line.at_work -= 1;
            self.is_at_work = false;
        }
    }

    /// Those who have waited longest, each with a step of another run. Whoever has stopped waiting goes.
    fn next_group(&self) -> Vec<Waiting> {
        let (mut group, mut runs, mut later) = (vec![], HashSet::new(), VecDeque::new());
        let mut line = self.groups.line();
        while group.len() < LARGEST_GROUP
            && let Some(next) = line.waiting.pop_front()
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
        later.append(&mut line.waiting);
        line.waiting = later;
        group
    }

    /// There is no connection. Where somebody else has one, they go on; otherwise all who wait are told.
    fn give_up(mut self, error: &StoreError) {
        let mut line = self.groups.line();
        line.at_work -= 1;
        self.is_at_work = false;
        let left = if line.at_work > 0 { VecDeque::new() } else { std::mem::take(&mut line.waiting) };
        drop(line);
        for one in left {
            let _ = one.tell.send(Told::Failed(also(error)));
        }
    }
}

impl Drop for Saver {
    /// Stopped in the middle: nobody waits for ever.
    fn drop(&mut self) {
        if self.is_at_work {
            let mut line = self.groups.line();
            line.at_work -= 1;
            line.waiting.clear();
        }
    }
}

/// Saves a group, and gives what is to be told to each.
async fn save_group(db: &Taken, group: &[Waiting]) -> Vec<Told> {
    let steps: Vec<_> = group.iter().map(|one| Arc::clone(&one.step)).collect();
    let places = 0..steps.len();
    match save::save_all(db, &steps, Locked::LeftOut).await {
        Ok(saved) => places.map(|n| saved.get(&n).map_or(Told::LeftOut, |claim| Told::Saved(*claim))).collect(),
        Err(failed @ (Failed::Lost(_) | Failed::Silent)) => places.map(|_| Told::Unknown(failed.said())).collect(),
        Err(failed) => match &*steps {
            [only] => vec![Told::Failed(save::refusal(only, failed))],
            // Nothing of it was done, perhaps because of one of them.
            _ => places.map(|_| Told::LeftOut).collect(),
        },
    }
}
