//! A step whose answer was lost: nobody knows whether it was saved, so it is found out before anybody is told.
//!
//! It is saved once more. If the first attempt was carried out, the second one finds its events there; if it was not, the
//! second one is. And if the first is carried out only later, because what was sent lay in a buffer of the server, it
//! finds a run that has moved on or is held by somebody else, and changes nothing: both only ever write to the run as it was.

use super::pool::Pool;
use super::save::{self, Outcome};
use crate::failure::unavailable;
use crate::rows::SaveRows;
use countersign_runtime::ports::StoreError;

/// Attempts to save one step.
const ATTEMPTS: usize = 4;

/// Saves a step, though the connection may break on the way; or says that the database is unavailable, and then it is not
/// known whether it was saved. Whoever saves the same step again is told.
pub async fn save(pool: &Pool, rows: &SaveRows) -> Result<(), StoreError> {
    let mut lost = None;
    for _ in 0..ATTEMPTS {
        let db = pool.take().await?;
        match save::save(&db, rows).await? {
            Outcome::Saved => return Ok(()),
            Outcome::Unknown(why) => {
                tracing::warn!(run = %rows.run, why = why.said(), "it is not known whether a step was saved: looking");
                lost = Some(why);
            }
        }
    }
    Err(lost.map_or_else(|| unavailable("no attempt was made"), unavailable))
}
