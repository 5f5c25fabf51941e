//! Readers: a few connections beside the writer, used on threads that may block; what is short, right where it is asked for.

use super::connection::{self, Place};
use super::disk;
use super::pace::Pace;
use super::writer::{AtRest, Writer};
use crate::failure::unavailable;
use countersign_runtime::ports::StoreError;
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::coop::consume_budget;
use tokio::time::Instant;

/// Reads that are under way at once at the most.
const READERS: usize = 4;

/// So many rows are read, and made something of, in less than it takes to wake a thread a few times.
const FEW: i64 = 64;

/// How long to wait for another who carries the log over.
const PAUSE: Duration = Duration::from_millis(10);

/// The way to the readers.
#[derive(Debug, Clone)]
pub struct Readers {
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Pool {
    // The connections close before the folder that `place` may hold goes.
    idle: Mutex<Vec<Connection>>,
    places: Arc<Semaphore>,
    place: Place,
    /// How long it takes to read something short.
    short: Pace,
    writer: Writer,
}

impl Readers {
    /// Readers of the database at `place`, beside its writer. Each connection is opened when it is first needed.
    pub fn new(place: Place, writer: Writer) -> Self {
        let places = Arc::new(Semaphore::new(READERS));
        Self { pool: Arc::new(Pool { idle: Mutex::default(), places, place, short: Pace::default(), writer }) }
    }

    /// Does `work` on a connection of its own.
    pub async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let pool = Arc::clone(&self.pool);
        // Owned by the thread: it stays taken until the work is done, also if nobody waits for it any more.
        let taken = Arc::clone(&pool.places).acquire_owned().await.map_err(unavailable)?;
        tokio::task::spawn_blocking(move || pool.read(taken, work)).await.map_err(unavailable)?
    }

    /// Looks up something of which there are only a few rows, found by an index. That is over sooner than a thread has woken,
    /// unless the disk is slow.
    pub async fn look_up<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let pool = Arc::clone(&self.pool);
        match self.free().await {
            Some(taken) => pool.short.of(|| pool.look(taken, work)),
            None => self.read(move |db| pool.short.of(|| work(db))).await,
        }
    }

    /// The same for what is made of `rows` of which there may be many. They are asked for if they are at most so many: where none
    /// come they are read elsewhere, as many as there are.
    pub async fn look_up_all<R, T, Q, F>(&self, rows: Q, made: F) -> Result<T, StoreError>
    where
        R: Send + 'static,
        T: Send + 'static,
        Q: Fn(&Connection, i64) -> Result<Vec<R>, StoreError> + Send + 'static,
        F: FnOnce(Vec<R>) -> Result<T, StoreError> + Send + 'static,
    {
        let pool = Arc::clone(&self.pool);
        let found = match self.free().await {
            Some(taken) => pool.short.of(|| pool.look(taken, |db| rows(db, FEW)))?,
            None => vec![],
        };
        if !found.is_empty() {
            return made(found);
        }
        let all = move |db: &Connection| {
            let began = Instant::now();
            let found = rows(db, i64::MAX)?;
            if i64::try_from(found.len()).is_ok_and(|many| many <= FEW) {
                pool.short.took(began.elapsed());
            }
            made(found)
        };
        self.read(all).await
    }

    /// A place among the readers for what is short, if that is quick and one is free.
    async fn free(&self) -> Option<OwnedSemaphorePermit> {
        // What is done right away lets nobody else of the task's thread in.
        consume_budget().await;
        self.pool.short.is_quick().then(|| Arc::clone(&self.pool.places).try_acquire_owned().ok()).flatten()
    }
}

/// Looks at a connection that others use, and leaves it to them also if that ends in a panic.
fn unbroken<T>(db: AtRest<'_>, look: impl FnOnce(&Connection) -> T) -> T {
    let looked = catch_unwind(AssertUnwindSafe(|| look(&db)));
    drop(db);
    looked.unwrap_or_else(|panic| resume_unwind(panic))
}

impl Readers {
    /// Carries the write-ahead log over into the file and empties it, so that nothing of what was written over is left in it.
    pub async fn empty_log(&self) -> Result<(), StoreError> {
        let place = self.pool.place.clone();
        let job = move || {
            let db = connection::for_writing(&place)?;
            let is_busy =
                || db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).map(|busy| busy > 0);
            // SQLite waits for who reads, and not for who carries the log over at the same time.
            let until = Instant::now() + place.patience;
            loop {
                let busy = is_busy()?;
                if !busy || Instant::now() >= until {
                    return Ok(busy);
                }
                std::thread::sleep(PAUSE);
            }
        };
        let busy = tokio::task::spawn_blocking(job).await.map_err(unavailable)?;
        match busy {
            Ok(false) => Ok(()),
            Ok(true) => {
                Err(unavailable("somebody reads the database for so long that its log cannot be emptied: try again"))
            }
            Err(error) => Err(disk::failed(error, &self.pool.place.path)),
        }
    }
}

impl Pool {
    /// Does something short: by the connection that writes, if it rests.
    fn look<T>(
        &self,
        taken: OwnedSemaphorePermit,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.writer.at_rest() {
            Some(db) => {
                drop(taken);
                unbroken(db, work)
            }
            None => self.read(taken, work),
        }
    }

    fn read<T>(
        &self,
        taken: OwnedSemaphorePermit,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let db = self.connection()?;
        let outcome = work(&db);
        // One that was opened while the disk was in trouble may never get over it.
        if !outcome.as_ref().is_err_and(StoreError::passes) {
            self.put_back(db);
        }
        drop(taken);
        outcome
    }

    fn connection(&self) -> Result<Connection, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(
            || connection::for_reading(&self.place).map_err(|error| disk::failed(error, &self.place.path)),
            Ok,
        )
    }

    fn put_back(&self, db: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(db);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread::{ThreadId, current};

    fn readers() -> (Readers, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        drop(Connection::open(&path).unwrap());
        std::fs::write(&path, "").unwrap();
        let place = Place { path, patience: Duration::ZERO, folder: None };
        let writer = Writer::start(connection::for_writing(&place).unwrap(), place.clone()).unwrap();
        let readers = Readers::new(place, writer);
        readers.pool.short.took(Duration::ZERO);
        (readers, folder)
    }

    /// So many rows, if no more are asked for.
    fn rows(many: i64) -> impl Fn(&Connection, i64) -> Result<Vec<()>, StoreError> + Send + 'static {
        move |_, most| Ok(vec![(); if many <= most { usize::try_from(many).unwrap() } else { 0 }])
    }

    /// Who makes something of so many rows.
    async fn by(readers: &Readers, many: i64) -> ThreadId {
        let rows = rows(many);
        let made = move |rows: Vec<()>| {
            assert_eq!(i64::try_from(rows.len()), Ok(many));
            Ok(current().id())
        };
        readers.look_up_all(rows, made).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_is_short_is_looked_up_right_away_and_what_is_long_elsewhere() {
        let (readers, _folder) = readers();
        for many in [1, FEW] {
            assert_eq!(by(&readers, many).await, current().id());
        }
        for many in [0, FEW + 1, 10 * FEW] {
            assert_ne!(by(&readers, many).await, current().id());
        }
        // Neither does what is long make short things seem so.
        for _ in 0..8 {
            let long = |db: &Connection, most| {
                let found = rows(FEW + 1)(db, most)?;
                std::thread::sleep(Duration::from_millis(if found.is_empty() { 0 } else { 5 }));
                Ok(found)
            };
            readers.look_up_all(long, Ok).await.unwrap();
        }
        assert_eq!(by(&readers, 1).await, current().id());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_slow_disk_keeps_nobody_from_their_other_tasks() {
        let (readers, _folder) = readers();
        readers.pool.short.took(Duration::from_secs(1));
        assert_ne!(by(&readers, 1).await, current().id());
    }

    /// Whether this is the connection that writes: it has a table that no other sees.
    fn is_writers(db: &Connection) -> Result<bool, StoreError> {
        let sql = "SELECT count(*) > 0 FROM temp.sqlite_master";
        db.query_row(sql, [], |row| row.get(0)).map_err(unavailable)
    }

    async fn marked() -> (Readers, tempfile::TempDir) {
        let (readers, folder) = readers();
        let mark = |db: &Connection| db.execute_batch("CREATE TEMP TABLE mark (x)").map_err(unavailable);
        readers.pool.writer.write(mark).await.unwrap();
        rests(&readers).await;
        (readers, folder)
    }

    /// Waits until the writer, who tells before it rests, does.
    async fn rests(readers: &Readers) {
        while readers.pool.writer.at_rest().is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_is_short_is_read_where_was_written_and_beside_it_while_somebody_writes() {
        let (readers, _folder) = marked().await;
        assert!(readers.look_up(is_writers).await.unwrap());
        assert!(!readers.read(is_writers).await.unwrap());
        let (begun, goes_on) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let (at_work, released) = (Arc::clone(&begun), Arc::clone(&goes_on));
        let writer = readers.pool.writer.clone();
        let writing = tokio::spawn(async move {
            let wait = move |_: &Connection| {
                at_work.wait();
                released.wait();
                Ok(())
            };
            writer.write(wait).await
        });
        begun.wait();
        assert!(!readers.look_up(is_writers).await.unwrap());
        goes_on.wait();
        writing.await.unwrap().unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_panic_of_who_looks_something_up_breaks_nothing_for_who_writes() {
        let (readers, _folder) = marked().await;
        let broken = readers.clone();
        let looked = tokio::spawn(async move { broken.look_up::<(), _>(|_| panic!("of a test")).await });
        assert!(looked.await.unwrap_err().is_panic());
        readers.pool.writer.write(|_| Ok(())).await.unwrap();
        rests(&readers).await;
        assert!(readers.look_up(is_writers).await.unwrap());
    }
}
