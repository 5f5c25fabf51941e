//! Saving steps by one statement, and what is to be said of each.

use super::clock::NOW;
use super::connection::{Connection, Failed};
use super::groups::Together;
use super::pool::Taken;
use super::statement::Statement;
use super::steps::Locked;
use super::{claims, events, receipts, steps};
use crate::failure::{also, inconsistent, of_postgres, of_row};
use crate::rows::{EventRow, SaveRows};
use countersign_runtime::ports::{Claim, StoreError};
use std::collections::HashMap;
use std::sync::Arc;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use uuid::Uuid;

/// What became of a step.
#[derive(Debug)]
pub enum Outcome {
    /// It is saved, and the run was taken.
    Saved(Option<Claim>),
    /// Nobody knows: the connection broke before the answer came.
    Unknown(Failed),
}

/// Whether it was tried before, and nobody knows what came of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    First,
    Again,
}

/// Saves a step, if nobody was faster.
pub async fn save(db: &Connection, step: &Arc<SaveRows>, attempt: Attempt) -> Result<Outcome, StoreError> {
    match save_all(db, std::slice::from_ref(step), Locked::WaitedFor).await {
        Ok(saved) => match saved.into_values().next() {
            Some(claim) => Ok(Outcome::Saved(claim)),
            None => unmoved(db, step, attempt).await,
        },
        Err(failed @ (Failed::Lost(_) | Failed::Silent)) => Ok(Outcome::Unknown(failed)),
        Err(failed) => {
            let otherwise = |failed| refusal(step, failed);
            Err(receipts::refusal(db, step.receipt.as_ref(), failed, otherwise).await)
        }
    }
}

/// What becomes of a step that may share its statement with others.
#[derive(Debug)]
pub enum Told {
    /// It is saved, and the run was taken.
    Saved(Option<Claim>),
    /// It was not saved together with others. By itself it may be, or is told why not.
    LeftOut,
    /// Nobody knows whether it is saved.
    Unknown(String),
    /// It is not saved.
    Failed(StoreError),
}

/// Steps that do not go alone are saved together.
impl Together for Arc<SaveRows> {
    type Told = Told;

    fn about(&self) -> Option<Uuid> {
        Some(self.run.uuid())
    }

    async fn done(db: &Taken, steps: &[Self]) -> Vec<Told> {
        let places = 0..steps.len();
        match save_all(db, steps, Locked::LeftOut).await {
            Ok(saved) => places.map(|n| saved.get(&n).map_or(Told::LeftOut, |claim| Told::Saved(*claim))).collect(),
            Err(failed @ (Failed::Lost(_) | Failed::Silent)) => places.map(|_| Told::Unknown(failed.said())).collect(),
            Err(failed) => match steps {
                [only] => vec![Told::Failed(refusal(only, failed))],
                // Nothing of it was done, perhaps because of one of them.
                _ => places.map(|_| Told::LeftOut).collect(),
            },
        }
    }

    /// Whoever has locked the run is waited for: meanwhile others go on in groups.
    async fn done_alone(db: &Taken, step: Self) -> Told {
        match save(db, &step, Attempt::First).await {
            Ok(Outcome::Saved(claim)) => Told::Saved(claim),
            Ok(Outcome::Unknown(failed)) => Told::Unknown(failed.said()),
            Err(error) => Told::Failed(error),
        }
    }

    fn not_begun(error: &StoreError) -> Told {
        Told::Failed(also(error))
    }

    fn broken_off() -> Told {
        Told::Unknown("whoever was saving it has ended".into())
    }
}

/// Saves those of `steps`, at least one, for which nobody was faster, each of another run. Gives the places of those that were saved, with the
/// claim if the run was taken.
async fn save_all(
    db: &Connection,
    steps: &[Arc<SaveRows>],
    locked: Locked,
) -> Result<HashMap<usize, Option<Claim>>, Failed> {
    let mut values = Statement::default();
    let sql = steps::statement(&mut values, steps, locked);
    let rows = values.rows(db, sql).await?;
    rows.iter().map(|row| saved(steps, row).map_err(Failed::Lost)).collect()
}

fn saved(steps: &[Arc<SaveRows>], row: &Row) -> Result<(usize, Option<Claim>), tokio_postgres::Error> {
    let (n, is_taken): (i32, bool) = (row.try_get(0)?, row.try_get(1)?);
    let (fence, attempts): (i64, i64) = (row.try_get(2)?, row.try_get(3)?);
    let place = usize::try_from(n).unwrap_or(usize::MAX);
    Ok((place, steps.get(place).filter(|_| is_taken).map(|step| claims::of(step.run, fence, attempts))))
}

/// Why a statement that saves a step was refused.
fn refusal(save: &SaveRows, failed: Failed) -> StoreError {
    match failed.code() {
        Some(&SqlState::DIVISION_BY_ZERO) => {
            inconsistent("interactions", save.run, "a question that changed is not there")
        }
        _ => of_postgres("runs", save.run)(failed),
    }
}

/// Why the run did not move: it has the very step already, somebody else holds it, or somebody else was first.
///
/// Who tries again may find what they saved the first time. So may a worker who was not told what became of a step: it
/// comes again with the same one, and with no other under the same claim. Whether it then took the run is known only by the
/// number that it was to have; where there is none, nobody is said to have: the lease runs out, and the run is claimed.
async fn unmoved(db: &Connection, save: &SaveRows, attempt: Attempt) -> Result<Outcome, StoreError> {
    let hold = hold(db, save).await?;
    let is_own = save.claim.is_some_and(|claim| hold.fence == Some(claims::fence(claim)));
    let may_be_there = is_own || (attempt == Attempt::Again && save.claim.is_none());
    if may_be_there && is_written(db, save, is_own).await? {
        return Ok(Outcome::Saved(hold.taken_by(save)));
    }
    if let Some(receipt) = &save.receipt
        && let Some(before) = receipts::one(db, &receipt.by, &receipt.key).await?
    {
        return Err(StoreError::Made(Box::new(before)));
    }
    if save.claim.is_some() && !(is_own && hold.is_leased) {
        return Err(StoreError::Fenced(save.run));
    }
    Err(StoreError::Conflict(save.run))
}

/// Who holds a run.
struct Hold {
    fence: Option<i64>,
    is_leased: bool,
    /// Whether the lease is not over.
    is_current: bool,
}

impl Hold {
    /// Whoever knew the number under which they would take the run, and wrote the step, holds it while it has that number.
    fn taken_by(&self, save: &SaveRows) -> Option<Claim> {
        let fence = i64::try_from(save.take?.fence?).ok()?;
        (self.is_current && self.fence == Some(fence)).then(|| claims::of(save.run, fence, 1))
    }
}

async fn hold(db: &Connection, save: &SaveRows) -> Result<Hold, StoreError> {
    let sql =
        format!("SELECT fence, lease_until IS NOT NULL, coalesce(lease_until > {NOW}, false) FROM runs WHERE id = $1");
    let rows = db.rows(sql, &[&save.run.uuid()]).await.map_err(of_postgres("runs", save.run))?;
    let Some(row) = rows.first() else { return Ok(Hold { fence: None, is_leased: false, is_current: false }) };
    let read = |row: &Row| Ok(Hold { fence: row.try_get(0)?, is_leased: row.try_get(1)?, is_current: row.try_get(2)? });
    read(row).map_err(of_row("runs", save.run))
}

/// Whether the events of the step are there, as they would be written: at the same time, or at any under the same claim.
async fn is_written(db: &Connection, save: &SaveRows, at_any_time: bool) -> Result<bool, StoreError> {
    let many = i64::try_from(save.events.len()).unwrap_or(i64::MAX);
    let there = events::listed(db, save.run, save.seen, many).await?;
    let is_same =
        |(there, ours): (&EventRow, &EventRow)| (at_any_time || there.at == ours.at) && there.says_the_same(ours);
    Ok(there.len() == save.events.len() && there.iter().zip(&save.events).all(is_same))
}
