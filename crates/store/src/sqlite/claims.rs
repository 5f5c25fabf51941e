//! Claims: which worker holds which run, until when, under which fencing number.

use crate::failure::{inconsistent, of_sqlite};
use crate::time;
use countersign_runtime::ports::{Claim, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use std::time::Duration;

/// The inner statement walks `runs_ready` in order: past those that are held, of which there are as many as workers.
pub(super) const CLAIM: &str = "
    UPDATE runs SET lease_until = ?1, fence = fence + 1, attempts = attempts + 1
    WHERE id = (
        SELECT id FROM runs
        WHERE ready_since IS NOT NULL AND (lease_until IS NULL OR lease_until <= ?2)
            AND id NOT IN (SELECT value FROM json_each(?3))
        ORDER BY ready_since, id
        LIMIT 1
    )
    RETURNING id, fence";

pub(super) const RELEASE_ALL: &str =
    "UPDATE runs SET lease_until = NULL WHERE ready_since IS NOT NULL AND lease_until IS NOT NULL";

/// Takes the run that has been ready longest and is nobody's, and is not in `except`, a JSON list of ids.
pub fn claim(db: &Connection, lease: Duration, except: &str, now: Timestamp) -> Result<Option<Claim>, StoreError> {
    let taken = db.prepare_cached(CLAIM).and_then(|mut statement| {
        let row = statement.query_row((time::after(now, lease), time::column(now), except), |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
        });
        row.optional()
    });
    let Some((id, fence)) = taken.map_err(of_sqlite("runs", "claim"))? else { return Ok(None) };
    let run = id.parse().map_err(|error| inconsistent("runs", &id, error))?;
    let fence = u64::try_from(fence).map_err(|error| inconsistent("runs", &id, error))?;
    Ok(Some(Claim { run, fence }))
}

/// Keeps `claim`. A lease that has run out is kept too, as long as nobody else has taken the run.
pub fn renew(db: &Connection, claim: Claim, lease: Duration, now: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE runs SET lease_until = ?3 WHERE id = ?1 AND fence = ?2 AND lease_until IS NOT NULL";
    let changed = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.execute((claim.run.to_string(), fence(claim), time::after(now, lease))))
        .map_err(of_sqlite("runs", claim.run))?;
    if changed == 0 { Err(StoreError::Fenced(claim.run)) } else { Ok(()) }
}

/// Gives `claim` back, if it is still held. Whoever gives a run back did not crash on it.
pub fn release(db: &Connection, claim: Claim) -> Result<(), StoreError> {
    let sql = "
        UPDATE runs SET lease_until = NULL, attempts = max(attempts - 1, 0)
        WHERE id = ?1 AND fence = ?2 AND lease_until IS NOT NULL";
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute((claim.run.to_string(), fence(claim))))
        .map_err(of_sqlite("runs", claim.run))?;
    Ok(())
}

/// Lets go of all leases, and says of how many.
pub fn release_all(db: &Connection) -> Result<u64, StoreError> {
    let released = db.prepare_cached(RELEASE_ALL).and_then(|mut statement| statement.execute([]));
    released.map(|count| count as u64).map_err(of_sqlite("runs", "all"))
}

/// A fence that no column holds is nobody's.
fn fence(claim: Claim) -> i64 {
    i64::try_from(claim.fence).unwrap_or(-1)
}

/// Whether `claim` is still held: nobody has taken the run since, and it was not let go.
pub fn is_held(db: &Connection, claim: Claim) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND fence = ?2 AND lease_until IS NOT NULL)";
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.query_row((claim.run.to_string(), fence(claim)), |row| row.get(0)))
        .map_err(of_sqlite("runs", claim.run))
}
