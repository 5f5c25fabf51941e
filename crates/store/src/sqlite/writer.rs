//! The one writer: a thread that owns the connection and commits what waits together.
//!
//! A commit costs a flush of the disk, so all that has queued up while the last one was under way shares the next. Each
//! operation stands behind a savepoint of its own: one that fails undoes nobody else's work. Whoever asked hears of it
//! only after the commit.

use super::connection::Place;
use super::disk;
use crate::failure::{also, unavailable};
use countersign_runtime::ports::StoreError;
use rusqlite::Connection;
use std::io;
use std::path::Path;
use tokio::sync::{mpsc, oneshot};

/// Operations that may wait. Whoever comes after them waits to be let in.
const LONGEST_QUEUE: usize = 1_024;

/// Operations that share a commit at the most.
const LARGEST_GROUP: usize = 256;

/// The way to the writer.
#[derive(Debug, Clone)]
pub struct Writer {
    queue: mpsc::Sender<Box<dyn Operation>>,
}

impl Writer {
    /// Starts the thread. It ends when the last way to it is gone and all that was queued is done.
    pub fn start(db: Connection, place: Place) -> io::Result<Self> {
        let (queue, waiting) = mpsc::channel(LONGEST_QUEUE);
        let Place { path, folder, .. } = place;
        let work = move || {
            write_all(&db, &path, waiting);
            // The connection closes before the folder goes.
            drop(db);
            drop(folder);
        };
        std::thread::Builder::new().name("store-writer".into()).spawn(work)?;
        Ok(Self { queue })
    }

    /// Does `work` in a transaction, and answers after it is on disk. If it fails, nothing of it was done.
    ///
    /// Whoever stops waiting does not stop the work.
    pub async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Job { work: Some(work), outcome: None, reply };
        self.queue.send(Box::new(job)).await.map_err(|_| unavailable("the writer has ended"))?;
        answer.await.map_err(|_| unavailable("the writer has ended"))?
    }
}

/// Something to write, whatever it gives back.
trait Operation: Send {
    /// Does it, and says what is to become of it.
    fn perform(&mut self, db: &Connection) -> Fate;

    /// It is on disk: tell.
    fn committed(self: Box<Self>);

    /// Nothing of the group is on disk: tell. Whoever broke it knows better why.
    fn lost(self: Box<Self>, cause: &StoreError);

    /// What went wrong with it, if anything did.
    fn failure(&self) -> Option<&StoreError>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Keep,
    Undo,
}

struct Job<T, F> {
    work: Option<F>,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Operation for Job<T, F>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<T, StoreError> + Send,
{
    fn perform(&mut self, db: &Connection) -> Fate {
        let Some(work) = self.work.take() else { return Fate::Undo };
        let outcome = work(db);
        let fate = if outcome.is_ok() { Fate::Keep } else { Fate::Undo };
        self.outcome = Some(outcome);
        fate
    }

    // Whoever has stopped waiting is not told: that is no failure.
    fn committed(self: Box<Self>) {
        let nothing = || Err(unavailable("the operation was never performed"));
        let _ = self.reply.send(self.outcome.unwrap_or_else(nothing));
    }

    fn lost(self: Box<Self>, cause: &StoreError) {
        let _ = self.reply.send(Err(also(cause)));
    }

    fn failure(&self) -> Option<&StoreError> {
        self.outcome.as_ref()?.as_ref().err()
    }
}

fn write_all(db: &Connection, path: &Path, mut waiting: mpsc::Receiver<Box<dyn Operation>>) {
    while let Some(first) = waiting.blocking_recv() {
        let mut group = vec![first];
        while group.len() < LARGEST_GROUP {
            let Ok(next) = waiting.try_recv() else { break };
            group.push(next);
        }
        commit(db, path, group);
    }
}

fn commit(db: &Connection, path: &Path, mut group: Vec<Box<dyn Operation>>) {
    match transaction(db, &mut group) {
        Ok(()) => group.into_iter().for_each(Operation::committed),
        Err(broken) => {
            roll_back(db);
            let cause = match broken {
                Broken::By(cause) => cause,
                Broken::Said(error) => disk::failed(error, path),
            };
            let why = std::error::Error::source(&cause).map(tracing::field::display);
            tracing::error!(%cause, why, writes = group.len(), "writes to the database were lost; those who asked were told");
            for operation in group {
                operation.lost(&cause);
            }
        }
    }
}

/// Why a group is lost.
enum Broken {
    /// One of its operations failed in a way that undid all of them, as a disk that is full in the middle of one does.
    By(StoreError),
    /// `SQLite` said so.
    Said(rusqlite::Error),
}

impl From<rusqlite::Error> for Broken {
    fn from(error: rusqlite::Error) -> Self {
        Self::Said(error)
    }
}

/// Where `SQLite` has rolled the whole transaction back by itself all is lost, and nobody is told otherwise.
fn transaction(db: &Connection, group: &mut [Box<dyn Operation>]) -> Result<(), Broken> {
    run(db, "BEGIN IMMEDIATE")?;
    for operation in group {
        run(db, "SAVEPOINT one")?;
        let fate = operation.perform(db);
        if db.is_autocommit() {
            let cause = operation.failure().map_or_else(|| unavailable("the transaction is gone"), also);
            return Err(Broken::By(cause));
        }
        if fate == Fate::Undo {
            run(db, "ROLLBACK TO one")?;
        }
        run(db, "RELEASE one")?;
    }
    Ok(run(db, "COMMIT")?)
}

fn roll_back(db: &Connection) {
    if !db.is_autocommit()
        && let Err(error) = run(db, "ROLLBACK")
    {
        tracing::error!(%error, "a transaction could not be rolled back");
    }
}

fn run(db: &Connection, statement: &str) -> rusqlite::Result<()> {
    db.prepare_cached(statement)?.execute([]).map(|_| ())
}

#[cfg(test)]
mod tests;
