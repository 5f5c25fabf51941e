//! Claims: which worker holds which run, until when by the database's clock, under which fencing number.

use super::clock::NOW;
use super::connection::Connection;
use crate::failure::{of_postgres, of_row};
use crate::time;
use countersign_domain::RunId;
use countersign_runtime::ports::{Claim, StoreError};
use std::time::Duration;
use tokio_postgres::Row;
use uuid::Uuid;

/// The inner statement walks `runs_ready` in order, past those that are held, and past those that somebody is just taking.
pub(super) fn claiming() -> String {
    format!(
        "WITH next AS (
            SELECT key FROM runs
            WHERE ready_since IS NOT NULL AND (lease_until IS NULL OR lease_until <= {NOW}) AND id <> ALL ($2)
            ORDER BY ready_since, key
            LIMIT $3
            FOR UPDATE SKIP LOCKED
        )
        UPDATE runs SET lease_until = {NOW} + $1, fence = fence + 1, attempts = attempts + 1
        FROM next WHERE runs.key = next.key
        RETURNING id, fence, attempts, ready_since, runs.key"
    )
}

/// Takes at most so many runs that have been ready longest and are nobody's, and are not among `except`.
pub async fn claim(db: &Connection, lease: Duration, except: &[RunId], most: u32) -> Result<Vec<Claim>, StoreError> {
    let except: Vec<Uuid> = except.iter().map(|run| run.uuid()).collect();
    let rows = db.rows(claiming(), &[&time::span(lease), &except, &i64::from(most)]).await;
    let rows = rows.map_err(of_postgres("runs", "claim"))?;
    let taken: Result<Vec<_>, _> = rows.iter().map(claimed).collect();
    let mut taken = taken.map_err(of_row("runs", "claim"))?;
    // Rows are returned in whatever order they were changed.
    taken.sort_by_key(|(place, _)| *place);
    Ok(taken.into_iter().map(|(_, claim)| claim).collect())
}

/// A claim, and the place in the queue that it had.
fn claimed(row: &Row) -> Result<((i64, i64), Claim), tokio_postgres::Error> {
    let claim = of(RunId::new(row.try_get(0)?), row.try_get(1)?, row.try_get(2)?);
    Ok(((row.try_get(3)?, row.try_get(4)?), claim))
}

/// The claim that these columns say. None of them is ever below zero.
pub fn of(run: RunId, fence: i64, attempts: i64) -> Claim {
    Claim { run, fence: fence.unsigned_abs(), attempts: u32::try_from(attempts).unwrap_or(u32::MAX) }
}

/// Keeps `claim`. A lease that has run out is kept too, as long as nobody else has taken the run.
pub async fn renew(db: &Connection, claim: Claim, lease: Duration) -> Result<(), StoreError> {
    let sql =
        format!("UPDATE runs SET lease_until = {NOW} + $3 WHERE id = $1 AND fence = $2 AND lease_until IS NOT NULL");
    let changed = db.change(sql, &[&claim.run.uuid(), &fence(claim), &time::span(lease)]).await;
    let changed = changed.map_err(of_postgres("runs", claim.run))?;
    if changed == 0 { Err(StoreError::Fenced(claim.run)) } else { Ok(()) }
}

/// Gives `claim` back, if it is still held. Whoever gives a run back did not crash on it.
pub async fn release(db: &Connection, claim: Claim) -> Result<(), StoreError> {
    let sql = "
        UPDATE runs SET lease_until = NULL, attempts = greatest(attempts - 1, 0)
        WHERE id = $1 AND fence = $2 AND lease_until IS NOT NULL";
    let changed = db.change(sql, &[&claim.run.uuid(), &fence(claim)]).await;
    changed.map(|_| ()).map_err(of_postgres("runs", claim.run))
}

/// Lets go of all leases, and says of how many.
pub async fn release_all(db: &Connection) -> Result<u64, StoreError> {
    let sql = "UPDATE runs SET lease_until = NULL WHERE ready_since IS NOT NULL AND lease_until IS NOT NULL";
    db.change(sql, &[]).await.map_err(of_postgres("runs", "all"))
}

/// A fence that no column holds is nobody's.
pub fn fence(claim: Claim) -> i64 {
    i64::try_from(claim.fence).unwrap_or(-1)
}
