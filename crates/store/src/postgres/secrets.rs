//! The secrets of runs that may still need them, sealed; and the runs with them.

use super::connection::Connection;
use super::events::{event, fold_up};
use crate::failure::{of_postgres, of_row};
use crate::vault::Vault;
use countersign_domain::run::{Recorded, Run};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{Asking, StoreError};
use tokio_postgres::Row;

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

/// The run that asks a question, in the same way.
pub async fn asking(db: &Connection, id: InteractionId, vault: &Vault) -> Result<Option<Asking>, StoreError> {
    let sql = "
        SELECT seen.seq, seen.at, seen.step, seen.type, seen.data, seen.texts, seen.salt, seen.commitment, seen.leaf,
            secrets.sealed, runs.id, runs.fence
        FROM interactions
            JOIN runs ON runs.key = interactions.run
            JOIN events AS seen ON seen.run = interactions.run
            LEFT JOIN secrets ON secrets.run = seen.run AND secrets.seq = seen.seq
        WHERE interactions.id = $1
        ORDER BY seen.seq";
    let rows = db.rows(sql, &[&id.uuid()]).await.map_err(of_postgres("interactions", id))?;
    let Some(first) = rows.first() else { return Ok(None) };
    let run = RunId::new(first.try_get(10).map_err(of_row("interactions", id))?);
    let fence: i64 = first.try_get(11).map_err(of_row("interactions", id))?;
    let run = fold_up(run, rows.iter().map(|row| unmasked(row, run, vault)).collect::<Result<_, _>>()?)?;
    Ok(run.map(|run| Asking { run, fence: fence.unsigned_abs() }))
}

fn unmasked(row: &Row, run: RunId, vault: &Vault) -> Result<Recorded, StoreError> {
    let sealed: Option<&[u8]> = row.try_get(9).map_err(of_row("secrets", run))?;
    event(row, 0)?.unmasked(run, sealed, vault)
}
