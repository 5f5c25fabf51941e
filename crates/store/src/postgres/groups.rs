//! What is asked for at the same time is done together: what a statement and a transaction cost is shared by those who ask.
//!
//! Nobody waits for company. Whoever comes while nobody is at work does it right there, for themselves: to hand it over takes as long
//! as a statement does. Whoever comes meanwhile, and while fewer than the most are at work, has somebody begin, who does what there
//! is, and what has come since, until nothing is left. That is done by tasks of their own: whoever asked may go away, or be held
//! up, and nobody else is.

use super::pool::{Pool, Taken};
use countersign_runtime::ports::StoreError;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use uuid::Uuid;

/// How many are at work at a time: while one waits for the disk or the wire, another one has the processor.
const MOST_AT_WORK: usize = 2;

/// How many are done together at the most.
const LARGEST_GROUP: usize = 64;

/// Something that one statement does for several who ask.
pub trait Together: Sized + Send + Sync + 'static {
    /// What becomes of it.
    type Told: Send + 'static;

    /// What a group may have but once, if it is about such a thing.
    fn about(&self) -> Option<Uuid>;

    /// Does all of a group, and gives what is to be told to each.
    fn done(db: &Taken, group: &[Self]) -> impl Future<Output = Vec<Self::Told>> + Send;

    /// Does one thing that nobody else waits behind.
    fn done_alone(db: &Taken, one: Self) -> impl Future<Output = Self::Told> + Send {
        async { Self::done(db, &[one]).await.pop().unwrap_or_else(Self::broken_off) }
    }

    /// There is no connection, so nothing was done.
    fn not_begun(error: &StoreError) -> Self::Told;

    /// Whoever was doing it has ended before it was told what became of it.
    fn broken_off() -> Self::Told;
}

/// Those who wait, and how many are at work for them.
pub struct Groups<T: Together> {
    line: Mutex<Line<T>>,
}

struct Line<T: Together> {
    waiting: VecDeque<Waiting<T>>,
    at_work: usize,
    /// Whether somebody does something for themselves.
    is_one_alone: bool,
}

struct Waiting<T: Together> {
    what: T,
    tell: oneshot::Sender<T::Told>,
}

impl<T: Together> Default for Groups<T> {
    fn default() -> Self {
        Self { line: Mutex::new(Line { waiting: VecDeque::new(), at_work: 0, is_one_alone: false }) }
    }
}

impl<T: Together> Groups<T> {
    /// Has `what` done, together with what else there is.
    pub async fn ask(self: &Arc<Self>, pool: &Pool, what: T) -> T::Told {
        if let Some(_alone) = self.alone() {
            return match pool.take().await {
                Ok(db) => T::done_alone(&db, what).await,
                Err(error) => T::not_begun(&error),
            };
        }
        let (tell, told) = oneshot::channel();
        if let Some(worker) = self.queue(Waiting { what, tell }) {
            pool.home().spawn(worker.do_all(pool.clone()));
        }
        told.await.unwrap_or_else(|_| T::broken_off())
    }

    /// Leave to do something by oneself, if nobody is at work.
    fn alone(&self) -> Option<Alone<'_, T>> {
        let mut line = self.line();
        let may_go = line.at_work == 0 && line.waiting.is_empty() && !line.is_one_alone;
        line.is_one_alone |= may_go;
        may_go.then(|| Alone(self))
    }

    /// Queues something, and gives who is to do it, unless enough are at work.
    fn queue(self: &Arc<Self>, one: Waiting<T>) -> Option<Worker<T>> {
        let mut line = self.line();
        line.waiting.push_back(one);
        if line.at_work >= MOST_AT_WORK {
            return None;
        }
        line.at_work += 1;
        Some(Worker { groups: Arc::clone(self), is_at_work: true })
    }

    fn line(&self) -> MutexGuard<'_, Line<T>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who does something for themselves, until this is gone.
struct Alone<'a, T: Together>(&'a Groups<T>);

impl<T: Together> Drop for Alone<'_, T> {
    fn drop(&mut self) {
        self.0.line().is_one_alone = false;
    }
}

/// One of those at work.
struct Worker<T: Together> {
    groups: Arc<Groups<T>>,
    is_at_work: bool,
}

impl<T: Together> Worker<T> {
    /// Does what waits until nothing does, and tells everybody.
    async fn do_all(mut self, pool: Pool) {
        let mut kept: Option<Taken> = None;
        while self.is_at_work {
            let db = match kept.take().filter(|db| db.is_sound()) {
                Some(db) => db,
                None => match pool.take().await {
                    Ok(db) => db,
                    Err(error) => return self.give_up(&error),
                },
            };
            let (group, tell) = self.next_group();
            let told = if group.is_empty() { vec![] } else { T::done(&db, &group).await };
            // Whoever is told may come again at once: then there is a connection, and nobody at work who is about to go.
            self.go_if_done();
            kept = Some(db).filter(|_| self.is_at_work);
            for (tell, told) in tell.into_iter().zip(told) {
                // Whoever has stopped waiting is not told: that is no failure.
                let _ = tell.send(told);
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

    /// Those who have waited longest, but for what may not go together. Whoever has stopped waiting goes.
    fn next_group(&self) -> (Vec<T>, Vec<oneshot::Sender<T::Told>>) {
        let (mut group, mut all_tell, mut seen, mut later) = (vec![], vec![], HashSet::new(), VecDeque::new());
        let mut line = self.groups.line();
        while group.len() < LARGEST_GROUP
            && let Some(next) = line.waiting.pop_front()
        {
            if next.tell.is_closed() {
                continue;
            }
            if next.what.about().is_none_or(|about| seen.insert(about)) {
                group.push(next.what);
                all_tell.push(next.tell);
            } else {
                later.push_back(next);
            }
        }
        later.append(&mut line.waiting);
        line.waiting = later;
        (group, all_tell)
    }

    /// There is no connection. Where somebody else has one, they go on; otherwise all who wait are told.
    fn give_up(mut self, error: &StoreError) {
        let mut line = self.groups.line();
        line.at_work -= 1;
        self.is_at_work = false;
        let left = if line.at_work > 0 { VecDeque::new() } else { std::mem::take(&mut line.waiting) };
        drop(line);
        for one in left {
            let _ = one.tell.send(T::not_begun(error));
        }
    }
}

impl<T: Together> Drop for Worker<T> {
    /// Stopped in the middle: nobody waits for ever.
    fn drop(&mut self) {
        if self.is_at_work {
            let mut line = self.groups.line();
            line.at_work -= 1;
            line.waiting.clear();
        }
    }
}
