//! A step whose answer was lost: nobody knows whether it was saved, so it is found out before anybody is told.
//!
//! It is saved once more. If the first attempt was carried out, the second one finds its events there; if it was not, the
//! second one is. And if the first is carried out only later, because what was sent lay in a buffer of the server, it
//! finds a run that has moved on or is held by somebody else, and changes nothing: both only ever write to the run as it was.

use super::groups::Groups;
use super::pool::Pool;
use super::save::{self, Attempt, Outcome, Told};
use super::steps::goes_alone;
use crate::failure::unavailable;
use crate::rows::SaveRows;
use countersign_runtime::ports::{Claim, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// How long to wait between two attempts to reach a database that is away.
const PAUSE: Duration = Duration::from_millis(200);

/// Saves a step, though the connection may break on the way; together with others, where that can be.
///
/// A database that cannot be reached in the first place is unavailable, and nothing was saved. Only one that goes away at
/// the moment of saving and stays away for longer than `patience` leaves it unknown.
pub async fn save(
    pool: &Pool,
    groups: &Arc<Groups<Arc<SaveRows>>>,
    step: &Arc<SaveRows>,
    patience: Duration,
) -> Result<Option<Claim>, StoreError> {
    if step.claim.is_some_and(|claim| claim.run != step.run) {
        return Err(StoreError::Fenced(step.run));
    }
    let told = if goes_alone(step) { Told::LeftOut } else { groups.ask(pool, Arc::clone(step)).await };
    let why = match told {
        Told::Saved(claim) => return Ok(claim),
        Told::Failed(error) => return Err(error),
        Told::Unknown(why) => why,
        Told::LeftOut => match save::save(&*pool.take().await?, step, Attempt::First).await? {
            Outcome::Saved(claim) => return Ok(claim),
            Outcome::Unknown(why) => why.said(),
        },
    };
    tracing::warn!(run = %step.run, why, "it is not known whether a step was saved: looking");
    match timeout(patience, found_out(pool, step)).await {
        Ok(found) => found,
        Err(_) => Err(unavailable(why)),
    }
}

async fn found_out(pool: &Pool, step: &Arc<SaveRows>) -> Result<Option<Claim>, StoreError> {
    loop {
        let again = async { save::save(&*pool.take().await?, step, Attempt::Again).await };
        match again.await {
            Ok(Outcome::Saved(claim)) => return Ok(claim),
            Ok(Outcome::Unknown(_)) => sleep(PAUSE).await,
            Err(error) if error.passes() => sleep(PAUSE).await,
            Err(refused) => return Err(refused),
        }
    }
}
