//! A step whose answer was lost: nobody knows whether it was saved, so it is found out before anybody is told.
//!
//! The server may still be at it, or not have begun: what was sent before the wire broke may lie in its buffers. So the
//! server's side of the broken connection is ended first; after that nothing can happen to the step any more, and it is
//! simply saved again: if it was saved the first time, the second attempt finds it there.

use super::connection::{Backend, Connection};
use super::pool::Pool;
use super::save::{self, Outcome};
use crate::failure::{of_postgres, unavailable};
use crate::rows::SaveRows;
use countersign_runtime::ports::StoreError;
use std::time::Duration;
use tokio::time::sleep;

/// Attempts to save one step.
const ATTEMPTS: usize = 4;

/// How often it is looked whether the server's side has ended, and the pause between two looks.
const LOOKS: usize = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// Saves a step, however often the connection breaks on the way; or says that it is not known whether it was saved, which
/// only happens while the database cannot be reached.
pub async fn save(pool: &Pool, rows: &SaveRows) -> Result<(), StoreError> {
    let mut lost = None;
    for _ in 0..ATTEMPTS {
        let db = pool.take().await?;
        if let Some((backend, _)) = &lost {
            end(&db, *backend).await?;
        }
        match save::save(&db, rows).await? {
            Outcome::Saved => return Ok(()),
            Outcome::Unknown(why) => {
                tracing::warn!(run = %rows.run, why = why.said(), "it is not known whether a step was saved: looking");
                lost = Some((db.backend(), why));
            }
        }
    }
    Err(lost.map_or_else(|| unavailable("no attempt was made"), |(_, why)| unavailable(why)))
}

/// Ends the server's side of a connection, and waits until it is gone. Its transaction has ended by then, one way or the other.
async fn end(db: &Connection, backend: Backend) -> Result<(), StoreError> {
    for _ in 0..LOOKS {
        if !ask_to_end(db, backend).await? {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
    Err(unavailable("the server's side of a broken connection does not end"))
}

/// Whether it was still there to be asked.
async fn ask_to_end(db: &Connection, backend: Backend) -> Result<bool, StoreError> {
    let sql = "
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid = $1 AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2";
    let rows = db.rows(sql, &[&backend.pid, &backend.started]).await;
    rows.map(|rows| !rows.is_empty()).map_err(of_postgres("runs", "broken connection"))
}
