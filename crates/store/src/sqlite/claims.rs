//! Claims: which worker holds which run, until when, under which fencing number.

use crate::failure::{inconsistent, of_sqlite};
use crate::time;
use countersign_domain::RunId;
use countersign_runtime::ports::{Claim, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, Row};
use std::time::Duration;
use uuid::Uuid;

/// The inner statement walks `runs_ready` in order: past those that are held, of which there are as many as workers.
pub(super) const CLAIM: &str = "
    UPDATE runs SET lease_until = ?1, fence = fence + 1, attempts = attempts + 1
    WHERE key IN (
        SELECT key FROM runs
        WHERE ready_since IS NOT NULL AND (lease_until IS NULL OR lease_until <= ?2)
            AND key NOT IN (SELECT key FROM runs WHERE id IN (SELECT unhex(value) FROM json_each(?3)))
        ORDER BY ready_since, key
        LIMIT ?4
    )
    RETURNING id, fence, attempts, ready_since, key";

pub(super) const RELEASE_ALL: &str =
    "UPDATE runs SET lease_until = NULL WHERE ready_since IS NOT NULL AND lease_until IS NOT NULL";

/// Takes at most so many runs that have been ready longest and are nobody's, and are not among `except`.
pub fn claim(
    db: &Connection,
    lease: Duration,
    except: &[RunId],
    most: u32,
    now: Timestamp,
) -> Result<Vec<Claim>, StoreError> {
    let except: Vec<String> = except.iter().map(|run| run.uuid().simple().to_string()).collect();
    let except = crate::json::text_of(&except).map_err(|why| inconsistent("runs", "claim", why))?;
    let taken: rusqlite::Result<Vec<_>> = db.prepare_cached(CLAIM).and_then(|mut statement| {
        let place = |row: &Row<'_>| Ok((row.get::<_, i64>(3)?, row.get::<_, i64>(4)?, claimed(row)?));
        statement.query_map((time::after(now, lease), time::column(now), except, most), place)?.collect()
    });
    let mut taken = taken.map_err(of_sqlite("runs", "claim"))?;
    // Rows are returned in whatever order they were changed.
    taken.sort_by_key(|(ready_since, key, _)| (*ready_since, *key));
    Ok(taken.into_iter().map(|(_, _, claim)| claim).collect())
}

fn claimed(row: &Row<'_>) -> rusqlite::Result<Claim> {
    let id: [u8; 16] = row.get(0)?;
    Ok(Claim { run: RunId::new(Uuid::from_bytes(id)), fence: count(row, 1)?, attempts: row.get(2)? })
}

/// A column that is never below zero.
pub fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

/// Keeps `claim`. A lease that has run out is kept too, as long as nobody else has taken the run.
pub fn renew(db: &Connection, claim: Claim, lease: Duration, now: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE runs SET lease_until = ?3 WHERE id = ?1 AND fence = ?2 AND lease_until IS NOT NULL";
    let changed = db
        .prepare_cached(sql)
        .and_then(|mut statement| {
            statement.execute((claim.run.uuid().as_bytes(), fence(claim), time::after(now, lease)))
        })
        .map_err(of_sqlite("runs", claim.run))?;
    if changed == 0 { Err(StoreError::Fenced(claim.run)) } else { Ok(()) }
}

/// Gives `claim` back, if it is still held. Whoever gives a run back did not crash on it.
pub fn release(db: &Connection, claim: Claim) -> Result<(), StoreError> {
    let sql = "
        UPDATE runs SET lease_until = NULL, attempts = max(attempts - 1, 0)
        WHERE id = ?1 AND fence = ?2 AND lease_until IS NOT NULL";
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute((claim.run.uuid().as_bytes(), fence(claim))))
        .map_err(of_sqlite("runs", claim.run))?;
    Ok(())
}

/// Lets go of all leases, and says of how many.
pub fn release_all(db: &Connection) -> Result<u64, StoreError> {
    let released = db.prepare_cached(RELEASE_ALL).and_then(|mut statement| statement.execute([]));
    released.map(|count| count as u64).map_err(of_sqlite("runs", "all"))
}

/// A fence that no column holds is nobody's.
pub fn fence(claim: Claim) -> i64 {
    i64::try_from(claim.fence).unwrap_or(-1)
}
