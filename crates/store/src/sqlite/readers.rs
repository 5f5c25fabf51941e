//! Readers: a few connections beside the writer, used on threads that may block; what is short, right where it is asked for.

use super::connection::{self, Place};
use super::disk;
use super::pace::Pace;
use crate::failure::unavailable;
use countersign_runtime::ports::StoreError;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Reads that are under way at once at the most.
const READERS: usize = 4;

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
}

impl Readers {
    /// Readers of the database at `place`. Each connection is opened when it is first needed.
    pub fn new(place: Place) -> Self {
        let places = Arc::new(Semaphore::new(READERS));
        Self { pool: Arc::new(Pool { idle: Mutex::default(), places, place, short: Pace::default() }) }
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
        let timed = move |db: &Connection| pool.short.of(|| work(db));
        let pool = &self.pool;
        let free = if pool.short.is_quick() { Arc::clone(&pool.places).try_acquire_owned().ok() } else { None };
        match free {
            Some(taken) => pool.read(taken, timed),
            None => self.read(timed).await,
        }
    }
}

impl Readers {
    /// Carries the write-ahead log over into the file and empties it, so that nothing of what was written over is left in it.
    pub async fn empty_log(&self) -> Result<(), StoreError> {
        let place = self.pool.place.clone();
        let job = move || {
            let db = connection::for_writing(&place)?;
            db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).map(|busy| busy > 0)
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
