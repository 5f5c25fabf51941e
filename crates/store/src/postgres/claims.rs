//! Claims: which worker holds which run, until when by the database's clock, under which fencing number.

use super::clock::NOW;
use super::connection::Connection;
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::time;
use countersign_domain::RunId;
use countersign_runtime::ports::{Claim, StoreError};
use std::time::Duration;

/// Takes the run that has been ready longest and is nobody's, and is not one of `except`.
///
/// The inner statement walks `runs_ready` in order, past those that are held, and past those that somebody is just taking.
pub async fn claim(db: &Connection, lease: Duration, except: &[RunId]) -> Result<Option<Claim>, StoreError> {
    let sql = format!(
        "WITH next AS (
            SELECT id FROM runs
            WHERE ready_since IS NOT NULL AND (lease_until IS NULL OR lease_until <= {NOW}) AND id <> ALL ($2)
            ORDER BY ready_since, id
            LIMIT 1
            FOR UPDATE SKIP LOCKED
        )
        UPDATE runs SET lease_until = {NOW} + $1, fence = fence + 1, attempts = attempts + 1
        FROM next WHERE runs.id = next.id
        RETURNING runs.id, fence"
    );
    let except: Vec<String> = except.iter().map(ToString::to_string).collect();
    let rows = db.rows(sql, &[&time::span(lease), &except]).await.map_err(of_postgres("runs", "claim"))?;
    let Some(row) = rows.first() else { return Ok(None) };
    let id: String = row.try_get(0).map_err(of_row("runs", "claim"))?;
    let fence: i64 = row.try_get(1).map_err(of_row("runs", &id))?;
    let run = id.parse().map_err(|error| inconsistent("runs", &id, error))?;
    let fence = u64::try_from(fence).map_err(|error| inconsistent("runs", &id, error))?;
    Ok(Some(Claim { run, fence }))
}

/// Keeps `claim`. A lease that has run out is kept too, as long as nobody else has taken the run.
pub async fn renew(db: &Connection, claim: Claim, lease: Duration) -> Result<(), StoreError> {
    let sql =
        format!("UPDATE runs SET lease_until = {NOW} + $3 WHERE id = $1 AND fence = $2 AND lease_until IS NOT NULL");
    let changed = db
        .change(sql, &[&claim.run.to_string(), &fence(claim), &time::span(lease)])
        .await
        .map_err(of_postgres("runs", claim.run))?;
    if changed == 0 { Err(StoreError::Fenced(claim.run)) } else { Ok(()) }
}

/// Gives `claim` back, if it is still held. Whoever gives a run back did not crash on it.
pub async fn release(db: &Connection, claim: Claim) -> Result<(), StoreError> {
    let sql = "
        UPDATE runs SET lease_until = NULL, attempts = greatest(attempts - 1, 0)
        WHERE id = $1 AND fence = $2 AND lease_until IS NOT NULL";
    let changed = db.change(sql, &[&claim.run.to_string(), &fence(claim)]).await;
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
