//! The one writer: a thread that commits what waits together, and whoever comes when nothing does.
//!
//! A commit costs a flush of the disk, so all that has queued up while the last one was under way shares the next. One that
//! fails undoes nobody else's work. Whoever asked hears of it only after the commit. To wake a thread and be woken by it
//! takes about as long as a quick disk takes to flush: whoever comes alone to such a disk writes right away.

use super::connection::{LOG_PAGES, Place};
use super::disk;
use super::pace::Pace;
use crate::failure::{also, unavailable};
use countersign_runtime::ports::StoreError;
use rusqlite::hooks::Wal;
use rusqlite::{Connection, Row};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use tokio::task::coop::consume_budget;
use tokio::time::Instant;

/// Operations that may wait. Whoever comes after them waits to be let in.
const LONGEST_QUEUE: usize = 1_024;

/// Operations that share a commit at the most.
const LARGEST_GROUP: usize = 256;

/// The connection that writes, while nobody does.
pub type AtRest<'a> = MutexGuard<'a, Connection>;

/// The way to the writer.
#[derive(Debug, Clone)]
pub struct Writer {
    queue: mpsc::Sender<Box<dyn Operation>>,
    desk: Arc<Desk>,
}

/// Where is written, by one at a time.
#[derive(Debug)]
struct Desk {
    // The connection closes before the folder goes.
    db: Mutex<Connection>,
    _folder: Option<Arc<TempDir>>,
    path: PathBuf,
    patience: Duration,
    log: Arc<Log>,
    /// How long the disk takes to flush.
    flushes: Pace,
    /// Whether the thread has something to write: nobody is let in before it.
    is_wanted: AtomicBool,
}

/// The write-ahead log, as the last commit left it.
#[derive(Debug, Default)]
struct Log {
    pages: AtomicI32,
    /// Commits that wrote something.
    commits: AtomicU64,
}

impl Writer {
    /// Starts the thread. It ends when the last way to it is gone and all that was queued is done.
    pub fn start(mut db: Connection, place: Place) -> io::Result<Self> {
        let (queue, waiting) = mpsc::channel(LONGEST_QUEUE);
        let Place { path, folder, patience } = place;
        let log = Arc::new(Log::default());
        let seen = Arc::clone(&log);
        // In the place of the checkpoint that would be made in the middle of somebody's commit.
        let count = move |_: &mut Wal, pages| {
            seen.pages.store(pages, Ordering::Relaxed);
            seen.commits.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        db.wal_hook(Some(count)).map_err(io::Error::other)?;
        let desk = Arc::new(Desk {
            db: Mutex::new(db),
            _folder: folder,
            path,
            patience,
            log,
            flushes: Pace::default(),
            is_wanted: AtomicBool::new(false),
        });
        let at_work = Arc::clone(&desk);
        std::thread::Builder::new().name("store-writer".into()).spawn(move || at_work.write_all(waiting))?;
        Ok(Self { queue, desk })
    }

    /// Does `work` in a transaction, and answers after it is on disk. If it fails, nothing of it was done. It may be done
    /// again, where all that was done with it had to be undone.
    ///
    /// Whoever stops waiting does not stop the work.
    pub async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (job, answer) = Job::new(work);
        self.queued(Box::new(job), answer).await
    }

    /// The same for work that is short, and so need not wait for the thread where nothing else is written.
    pub async fn write_short<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        // What is done right away lets nobody else of the task's thread in.
        consume_budget().await;
        let (job, mut answer) = Job::new(work);
        let unwritten = if self.is_idle() { self.desk.write_alone(Box::new(job)) } else { Some(Box::new(job) as _) };
        match unwritten {
            Some(job) => self.queued(job, answer).await,
            None => answer.try_recv().map_err(|_| ended())?,
        }
    }

    /// The connection that writes, if nothing is written and nothing is about to be: for whoever reads something short. What was
    /// read and written last is still in its memory, unless another process has written since.
    pub fn at_rest(&self) -> Option<AtRest<'_>> {
        let may_read = self.is_idle() && !self.desk.is_wanted.load(Ordering::Relaxed);
        may_read.then(|| self.desk.db.try_lock().ok()).flatten().filter(|db| db.is_autocommit())
    }

    async fn queued<T>(&self, job: Box<dyn Operation>, answer: Answer<T>) -> Result<T, StoreError> {
        self.queue.send(job).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    fn is_idle(&self) -> bool {
        self.queue.capacity() == LONGEST_QUEUE
    }
}

impl Desk {
    fn write_all(&self, mut waiting: mpsc::Receiver<Box<dyn Operation>>) {
        while let Some(first) = waiting.blocking_recv() {
            self.is_wanted.store(true, Ordering::Relaxed);
            let locked = self.db.lock();
            self.is_wanted.store(false, Ordering::Relaxed);
            // Whoever broke it left the connection as nobody knows.
            let Ok(db) = locked else { return };
            let mut next = Some(first);
            while let Some(first) = next {
                let more = std::iter::from_fn(|| waiting.try_recv().ok());
                let group: Vec<_> = [first].into_iter().chain(more.take(LARGEST_GROUP - 1)).collect();
                self.commit(&db, group);
                self.empty_log(&db);
                next = waiting.try_recv().ok();
            }
        }
    }

    /// Writes one operation, and gives it back where that might take long.
    fn write_alone(&self, operation: Box<dyn Operation>) -> Option<Box<dyn Operation>> {
        let may_write = self.flushes.is_quick() && !self.log_is_long() && !self.is_wanted.load(Ordering::Relaxed);
        let Some(db) = may_write.then(|| self.db.try_lock().ok()).flatten() else { return Some(operation) };
        match self.begin_at_once(&db) {
            Ok(()) => self.commit_begun(&db, Ok(()), vec![operation]),
            // Another process writes, or there is trouble: the thread has time for either.
            Err(_) => return Some(operation),
        }
        None
    }

    /// Begins a transaction, if nobody else is at one.
    fn begin_at_once(&self, db: &Connection) -> rusqlite::Result<()> {
        db.busy_timeout(Duration::ZERO)?;
        let begun = run(db, BEGIN);
        db.busy_timeout(self.patience)?;
        begun
    }

    fn commit(&self, db: &Connection, group: Vec<Box<dyn Operation>>) {
        let begun = run(db, BEGIN).map_err(Broken::Said);
        self.commit_begun(db, begun, group);
    }

    /// Does the group in the transaction that was begun, and tells everybody.
    fn commit_begun(&self, db: &Connection, begun: Result<(), Broken>, mut group: Vec<Box<dyn Operation>>) {
        let transaction = Begun(db);
        let committed = begun.and_then(|()| perform(db, &mut group)).and_then(|()| self.flush(db));
        drop(transaction);
        let Err(broken) = committed else { return group.into_iter().for_each(Operation::committed) };
        let cause = match broken {
            Broken::By(cause) => cause,
            Broken::Said(error) => disk::failed(error, &self.path),
        };
        let why = std::error::Error::source(&cause).map(tracing::field::display);
        tracing::error!(%cause, why, writes = group.len(), "writes to the database were lost; those who asked were told");
        for operation in group {
            operation.lost(&cause);
        }
    }

    /// Commits, unless nothing is left to commit.
    fn flush(&self, db: &Connection) -> Result<(), Broken> {
        if db.is_autocommit() {
            return Ok(());
        }
        let (commits, began) = (self.log.commits.load(Ordering::Relaxed), Instant::now());
        run(db, "COMMIT")?;
        // Where nothing was written the disk was not asked.
        if self.log.commits.load(Ordering::Relaxed) != commits {
            self.flushes.took(began.elapsed());
        }
        Ok(())
    }

    fn log_is_long(&self) -> bool {
        self.log.pages.load(Ordering::Relaxed) >= LOG_PAGES
    }

    /// Carries a long log over into the file. Whoever reads what is in it keeps some of it there: that goes another time.
    fn empty_log(&self, db: &Connection) {
        if !self.log_is_long() {
            return;
        }
        let left = |row: &Row<'_>| Ok(row.get::<_, i32>(1)?.saturating_sub(row.get(2)?));
        match db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], left) {
            Ok(left) => self.log.pages.store(left, Ordering::Relaxed),
            Err(error) => tracing::debug!(%error, "the log of the database stays as long as it is"),
        }
    }
}

fn ended() -> StoreError {
    unavailable("the writer has ended")
}

/// Something to write, whatever it gives back.
trait Operation: Send {
    /// Does it, and says what is to become of it. What came of it before is forgotten.
    fn perform(&mut self, db: &Connection) -> Fate;

    /// It is on disk, or failed by itself: tell.
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
    work: F,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

/// Where is told what became of it.
type Answer<T> = oneshot::Receiver<Result<T, StoreError>>;

impl<T, F> Job<T, F> {
    fn new(work: F) -> (Self, Answer<T>) {
        let (reply, answer) = oneshot::channel();
        (Self { work, outcome: None, reply }, answer)
    }
}

impl<T, F> Operation for Job<T, F>
where
    T: Send,
    F: Fn(&Connection) -> Result<T, StoreError> + Send,
{
    fn perform(&mut self, db: &Connection) -> Fate {
        let outcome = (self.work)(db);
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

// Nobody else writes from here on.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// Does all of a group in a transaction that was begun. A savepoint before each has a copy made of every page that is written,
/// and hardly any fails: so there are none until one does, and then all is done anew.
fn perform(db: &Connection, group: &mut [Box<dyn Operation>]) -> Result<(), Broken> {
    for operation in &mut *group {
        if one(db, operation)? == Fate::Undo {
            run(db, "ROLLBACK")?;
            if group.len() == 1 {
                return Ok(());
            }
            run(db, BEGIN)?;
            return perform_apart(db, group);
        }
    }
    Ok(())
}

/// The same, where what one of them did is undone without the others.
fn perform_apart(db: &Connection, group: &mut [Box<dyn Operation>]) -> Result<(), Broken> {
    for operation in group {
        run(db, "SAVEPOINT one")?;
        if one(db, operation)? == Fate::Undo {
            run(db, "ROLLBACK TO one")?;
        }
        run(db, "RELEASE one")?;
    }
    Ok(())
}

/// Where `SQLite` has rolled the whole transaction back by itself all is lost, and nobody is told otherwise.
fn one(db: &Connection, operation: &mut Box<dyn Operation>) -> Result<Fate, Broken> {
    let fate = operation.perform(db);
    if db.is_autocommit() {
        let cause = operation.failure().map_or_else(|| unavailable("the transaction is gone"), also);
        return Err(Broken::By(cause));
    }
    Ok(fate)
}

/// A transaction. Nothing of it is left open, however it ends.
struct Begun<'a>(&'a Connection);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit()
            && let Err(error) = run(self.0, "ROLLBACK")
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }
}

fn run(db: &Connection, statement: &str) -> rusqlite::Result<()> {
    db.prepare_cached(statement)?.execute([]).map(|_| ())
}

#[cfg(test)]
mod tests;
