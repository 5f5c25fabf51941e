//! What models said beside questions.

use super::connection::Connection;
use super::interactions::ids;
use crate::failure::{of_postgres, of_row};
use crate::rows::AdviceRow;
use countersign_domain::interaction::Advice;
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::StoreError;
use std::collections::BTreeMap;
use tokio_postgres::Row;
use uuid::Uuid;

/// Keeps an advice while its question is open, unless one was given.
pub async fn keep(db: &Connection, row: &AdviceRow) -> Result<(), StoreError> {
    let sql = "
        INSERT INTO advice (interaction, status, text, model, at)
        SELECT id, $2::text, $3::text, $4::text, $5::bigint FROM interactions WHERE id = $1 AND status = 'open'
        ON CONFLICT (interaction) DO UPDATE
        SET status = excluded.status, text = excluded.text, model = excluded.model, at = excluded.at
        WHERE advice.status = 'none'";
    let AdviceRow { interaction, text, model, at } = row;
    db.rows(sql, &[interaction, &row.status(), text, model, at]).await.map_err(of_postgres("advice", interaction))?;
    Ok(())
}

/// What was said beside these questions.
pub async fn of(db: &Connection, of: &[InteractionId]) -> Result<BTreeMap<InteractionId, Advice>, StoreError> {
    let sql = "SELECT interaction, text, model, at FROM advice WHERE interaction = ANY ($1)";
    let of: Vec<Uuid> = of.iter().map(|id| id.uuid()).collect();
    let rows = db.rows(sql, &[&of]).await.map_err(of_postgres("advice", "list"))?;
    rows.iter().map(|row| read(row).map_err(of_row("advice", "list"))?.read()).collect()
}

fn read(row: &Row) -> Result<AdviceRow, tokio_postgres::Error> {
    Ok(AdviceRow { interaction: row.try_get(0)?, text: row.try_get(1)?, model: row.try_get(2)?, at: row.try_get(3)? })
}

/// Open questions beside which nothing was said, by their ids, with their runs.
pub async fn missing(
    db: &Connection,
    after: Option<InteractionId>,
    limit: u32,
) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let sql = "
        SELECT runs.id, found.id FROM interactions AS found JOIN runs ON runs.key = found.run
        WHERE found.id > $1 AND found.status = 'open' AND found.asks_people
            AND NOT EXISTS (SELECT 1 FROM advice WHERE interaction = found.id)
        ORDER BY found.id LIMIT $2";
    let after = after.map_or(Uuid::nil(), InteractionId::uuid);
    let rows = db.rows(sql, &[&after, &i64::from(limit)]).await;
    ids(&rows.map_err(of_postgres("interactions", "unadvised"))?)
}
