//! Opening: a first connection, the present schema, and the clock.

use super::Postgres;
use super::address::Address;
use super::clock::{self, Clock, NOW, Reading};
use super::connection::{Connection, Greeted};
use super::hints::Hints;
use super::migrate;
use super::pool::Pool;
use crate::OpenError;
use crate::vault::Vault;
use countersign_runtime::ports::StoreError;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// How long it is tried to find out what became of a step. Together with the longest silence it may outlast
/// a lease.
const PATIENCE: Duration = Duration::from_secs(20);

impl Postgres {
    /// Opens the database at `address`, and brings it to the present schema if need be.
    pub async fn open(address: Address) -> Result<Self, OpenError> {
        Self::open_with_patience(address, PATIENCE).await
    }

    /// The same, where it is tried for so long to find out what became of a step whose answer was lost.
    pub async fn open_with_patience(address: Address, patience: Duration) -> Result<Self, OpenError> {
        let Greeted { connection, reading } = Connection::open(&address, None).await?;
        let schema = migrate::migrate(&connection, &address.to_string()).await?;
        let hints = Hints::new(address.clone());
        let pool = Pool::new(address, Clock::new(reading), connection);
        let clock = Arc::new(Winding(tokio::spawn(wind(pool.clone()))));
        let vault = Arc::new(Vault::fleeting()?);
        let (steps, asking) = (Arc::default(), Arc::default());
        let (hints, lately) = (Arc::new(hints), Arc::default());
        Ok(Self { pool, steps, asking, hints, schema, vault, lately, patience, _clock: clock })
    }
}

/// The task that keeps the clock right, as long as somebody looks at it.
pub struct Winding(JoinHandle<()>);

impl Drop for Winding {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Asks the database for its time now and then. Where it does not answer, the clock runs on by itself.
async fn wind(pool: Pool) {
    loop {
        sleep(clock::EVERY).await;
        if let Err(error) = read_clock(&pool).await {
            tracing::debug!(%error, "the database does not tell the time");
        }
    }
}

async fn read_clock(pool: &Pool) -> Result<(), StoreError> {
    let db = pool.take().await?;
    let sql = format!("SELECT {NOW}");
    // The second answer took no longer than the way there and back: the statement was prepared by then.
    for _ in 0..2 {
        let sent = Instant::now();
        let rows = db.rows(sql.clone(), &[]).await.map_err(crate::failure::unavailable)?;
        let received = Instant::now();
        if let Some(shown) = rows.first().and_then(|row| row.try_get(0).ok()) {
            pool.clock().learn(Reading::between(sent, received, shown));
        }
    }
    Ok(())
}
