//! The secrets of runs that may still need them, sealed; and the runs with them.

use super::connection::{Connection, Failed};
use super::events::{event, fold_up};
use super::groups::{Groups, Together};
use super::pool::{Pool, Taken};
use super::steps::few;
use crate::failure::{also, of_postgres, of_row, unavailable};
use crate::vault::Vault;
use countersign_domain::run::{Recorded, Run};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{Asking, StoreError};
use std::sync::Arc;
use tokio_postgres::Row;
use uuid::Uuid;

/// Runs with more events are read by themselves: whoever asks for a short one does not wait for those.
const SHORT: i64 = 64;

/// The run, folded from its events, with its secrets.
pub async fn load(db: &Connection, run: RunId, vault: &Vault) -> Result<Option<Run>, StoreError> {
    let sql = "
        SELECT seen.seq, seen.at, seen.step, seen.type, seen.data, seen.texts, seen.salt, seen.commitment, seen.leaf,
            secrets.sealed
        FROM events AS seen LEFT JOIN secrets ON secrets.run = seen.run AND secrets.seq = seen.seq
        WHERE seen.run = (SELECT key FROM runs WHERE id = $1)
        ORDER BY seen.seq";
    let rows = db.rows(sql, &[&run.uuid()]).await.map_err(of_postgres("events", run))?;
    fold_up(run, rows.iter().map(|row| unmasked(row, run, vault)).collect::<Result<_, _>>()?)
}

/// The run that asks a question, in the same way. Read together with others, if it is short.
pub async fn asking(
    pool: &Pool,
    groups: &Arc<Groups<InteractionId>>,
    id: InteractionId,
    vault: &Vault,
) -> Result<Option<Asking>, StoreError> {
    let mut rows = groups.ask(pool, id).await?;
    if rows.is_empty() {
        let alone = of_asking(&*pool.take().await?, &[id], i64::MAX).await;
        rows = alone.map_err(of_postgres("interactions", id))?;
    }
    let Some(first) = rows.first() else { return Ok(None) };
    let run = RunId::new(first.try_get(10).map_err(of_row("interactions", id))?);
    let fence: i64 = first.try_get(11).map_err(of_row("interactions", id))?;
    let run = fold_up(run, rows.iter().map(|row| unmasked(row, run, vault)).collect::<Result<_, _>>()?)?;
    Ok(run.map(|run| Asking { run, fence: fence.unsigned_abs() }))
}

/// Events of the runs that ask these questions, of those that have at most so many: with what is sealed of them, and the place of
/// the question.
async fn of_asking(db: &Connection, asked: &[InteractionId], most: i64) -> Result<Vec<Row>, Failed> {
    let ids: Vec<Uuid> = asked.iter().map(|id| id.uuid()).collect();
    db.rows(of_asking_text(), &[&ids, &most]).await
}

pub(super) fn of_asking_text() -> String {
    format!(
        "SELECT seen.seq, seen.at, seen.step, seen.type, seen.data, seen.texts, seen.salt, seen.commitment, seen.leaf,
            secrets.sealed, runs.id, runs.fence, one.n
        FROM unnest($1::uuid[]) WITH ORDINALITY AS one (id, n)
            JOIN interactions ON interactions.id = one.id
            JOIN runs ON runs.key = interactions.run AND runs.seq <= $2
            JOIN events AS seen ON seen.run = interactions.run
            LEFT JOIN secrets ON secrets.run = seen.run AND secrets.seq = seen.seq
        WHERE {}
        ORDER BY one.n, seen.seq",
        few("one"),
    )
}

/// Runs whose questions are asked for at the same time are read together. Where nothing is given, as of those that are long, each is
/// to be read by itself.
impl Together for InteractionId {
    type Told = Result<Vec<Row>, StoreError>;

    fn about(&self) -> Option<Uuid> {
        None
    }

    async fn done(db: &Taken, group: &[Self]) -> Vec<Self::Told> {
        match of_asking(db, group, SHORT).await {
            Ok(rows) => by_question(rows, group.len()).into_iter().map(Ok).collect(),
            // Perhaps because of one of them.
            Err(Failed::Refused(_)) => group.iter().map(|_| Ok(vec![])).collect(),
            Err(failed) => group.iter().map(|_| Err(unavailable(failed.said()))).collect(),
        }
    }

    fn not_begun(error: &StoreError) -> Self::Told {
        Err(also(error))
    }

    fn broken_off() -> Self::Told {
        Err(unavailable("whoever was reading it has ended"))
    }
}

/// The rows of each. One that does not say whose it is leaves its run to be read by itself.
fn by_question(rows: Vec<Row>, many: usize) -> Vec<Vec<Row>> {
    let mut apart: Vec<Vec<Row>> = (0..many).map(|_| vec![]).collect();
    for row in rows {
        // The first one has the number one.
        let place = row.try_get::<_, i64>(12).ok().and_then(|n| usize::try_from(n - 1).ok());
        if let Some(of) = place.and_then(|place| apart.get_mut(place)) {
            of.push(row);
        }
    }
    apart
}

fn unmasked(row: &Row, run: RunId, vault: &Vault) -> Result<Recorded, StoreError> {
    let sealed: Option<&[u8]> = row.try_get(9).map_err(of_row("secrets", run))?;
    event(row, 0)?.unmasked(run, sealed, vault)
}
