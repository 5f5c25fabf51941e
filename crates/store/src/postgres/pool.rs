//! The connections of one process: a few, shared, made when they are needed.
//!
//! A connection is put back only if the last thing asked of it was answered; any other is closed and never seen again.

use super::address::Address;
use super::clock::Clock;
use super::connection::{ConnectError, Connection};
use crate::failure::unavailable;
use countersign_runtime::ports::StoreError;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until, timeout};

/// Connections at the most. A server lets in a hundred unless it is told otherwise, and there may be several of us.
const MOST: usize = 16;

/// How long to wait for a connection that others use.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait after the first failure to connect, and at the most. It doubles from one to the next.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The next attempt is waited for if it is as near as this.
const SOON: Duration = Duration::from_secs(1);

/// The way to the connections. Clones share them.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    address: Address,
    // Of whoever opened the database: connections live there, whoever needs them, so that one who stops all else on a
    // thread of its own does not stop those that others use.
    home: Handle,
    clock: Clock,
    places: Arc<Semaphore>,
    idle: Mutex<Vec<Arc<Connection>>>,
    trouble: Mutex<Option<Trouble>>,
}

/// Since the last attempt to connect failed.
#[derive(Clone)]
struct Trouble {
    pause: Duration,
    until: Instant,
    why: ConnectError,
}

/// A connection that is in use by one only.
pub struct Taken {
    connection: Arc<Connection>,
    shared: Arc<Shared>,
    _place: OwnedSemaphorePermit,
}

impl Pool {
    /// A pool that begins with one connection.
    pub fn new(address: Address, clock: Clock, first: Connection) -> Self {
        let places = Arc::new(Semaphore::new(MOST));
        let idle = Mutex::new(vec![Arc::new(first)]);
        let home = Handle::current();
        Self { shared: Arc::new(Shared { address, home, clock, places, idle, trouble: Mutex::default() }) }
    }

    /// Where its connections live.
    pub fn home(&self) -> &Handle {
        &self.shared.home
    }

    /// The database's clock.
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// A connection to use. Whoever comes while the database cannot be reached waits for the next attempt, but not long.
    pub async fn take(&self) -> Result<Taken, StoreError> {
        let waited = timeout(PATIENCE, Arc::clone(&self.shared.places).acquire_owned()).await;
        let place = waited.map_err(|_| unavailable("all connections to the database are in use"))?;
        let place = place.map_err(unavailable)?;
        let connection = match self.shared.idle_one() {
            Some(connection) => connection,
            None => Arc::new(self.shared.connected().await.map_err(unavailable)?),
        };
        Ok(Taken { connection, shared: Arc::clone(&self.shared), _place: place })
    }
}

impl Shared {
    /// The one that was put back last, so that those not needed are left alone.
    fn idle_one(&self) -> Option<Arc<Connection>> {
        let mut idle = lock(&self.idle);
        while let Some(connection) = idle.pop() {
            if connection.is_sound() {
                return Some(connection);
            }
        }
        None
    }

    async fn connected(&self) -> Result<Connection, ConnectError> {
        let before = lock(&self.trouble).clone();
        if let Some(trouble) = &before {
            if trouble.until > Instant::now() + SOON {
                return Err(trouble.why.clone());
            }
            sleep_until(trouble.until).await;
        }
        let address = self.address.clone();
        let opened = self.home.spawn(async move { Connection::open(&address, None).await }).await;
        let opened = opened.unwrap_or_else(|_| Err(ConnectError::Closing { place: self.address.to_string() }));
        let mut trouble = lock(&self.trouble);
        match opened {
            Ok(greeted) => {
                self.clock.learn(greeted.reading);
                *trouble = None;
                Ok(greeted.connection)
            }
            Err(why) => {
                if trouble.is_none() {
                    tracing::warn!(%why, "there is no new connection to the database");
                }
                let pause = before.map_or(FIRST_PAUSE, |trouble| (trouble.pause * 2).min(LONGEST_PAUSE));
                *trouble = Some(Trouble { pause, until: Instant::now() + pause, why: why.clone() });
                Err(why)
            }
        }
    }
}

impl Deref for Taken {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.connection.is_sound() {
            lock(&self.shared.idle).push(Arc::clone(&self.connection));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
