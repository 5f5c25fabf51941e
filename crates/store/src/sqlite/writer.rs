//! The one writer: a thread that owns the connection and commits what waits together.
//!
//! A commit costs a flush of the disk, so all that has queued up while the last one was under way shares the next. Each
//! operation stands behind a savepoint of its own: one that fails undoes nobody else's work. Whoever asked hears of it
//! only after the commit.

use crate::failure::unavailable;
use countersign_runtime::ports::StoreError;
use rusqlite::Connection;
use std::io;
use std::sync::Arc;
use tempfile::TempDir;
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
    pub fn start(db: Connection, folder: Option<Arc<TempDir>>) -> io::Result<Self> {
        let (queue, waiting) = mpsc::channel(LONGEST_QUEUE);
        let work = move || {
            write_all(&db, waiting);
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

    /// Nothing of the group is on disk: tell.
    fn lost(self: Box<Self>, cause: &Arc<rusqlite::Error>);
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

    fn lost(self: Box<Self>, cause: &Arc<rusqlite::Error>) {
        let _ = self.reply.send(Err(unavailable(Arc::clone(cause))));
    }
}

fn write_all(db: &Connection, mut waiting: mpsc::Receiver<Box<dyn Operation>>) {
    while let Some(first) = waiting.blocking_recv() {
        let mut group = vec![first];
        while group.len() < LARGEST_GROUP {
            let Ok(next) = waiting.try_recv() else { break };
            group.push(next);
        }
        commit(db, group);
    }
}

fn commit(db: &Connection, mut group: Vec<Box<dyn Operation>>) {
    match transaction(db, &mut group) {
        Ok(()) => group.into_iter().for_each(Operation::committed),
        Err(cause) => {
            tracing::warn!(%cause, writes = group.len(), "writes to the database were lost; those who asked were told");
            roll_back(db);
            let cause = Arc::new(cause);
            for operation in group {
                operation.lost(&cause);
            }
        }
    }
}

/// Where `SQLite` has rolled the whole transaction back by itself, as it does when the disk is full, the savepoint is gone
/// and the statement after it fails: then all is lost, and nobody is told otherwise.
fn transaction(db: &Connection, group: &mut [Box<dyn Operation>]) -> rusqlite::Result<()> {
    run(db, "BEGIN IMMEDIATE")?;
    for operation in group {
        run(db, "SAVEPOINT one")?;
        if operation.perform(db) == Fate::Undo {
            run(db, "ROLLBACK TO one")?;
        }
        run(db, "RELEASE one")?;
    }
    run(db, "COMMIT")
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
