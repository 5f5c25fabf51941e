//! What models said beside questions.

use super::interactions;
use crate::failure::of_sqlite;
use crate::rows::AdviceRow;
use countersign_domain::interaction::Advice;
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::StoreError;
use rusqlite::{Connection, OptionalExtension, Row};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Keeps an advice while its question is open, unless one was given.
pub fn keep(db: &Connection, row: &AdviceRow) -> Result<(), StoreError> {
    let sql = "
        INSERT INTO advice (interaction, status, text, model, at)
        SELECT id, ?2, ?3, ?4, ?5 FROM interactions WHERE id = ?1 AND status = 'open'
        ON CONFLICT (interaction) DO UPDATE
        SET status = excluded.status, text = excluded.text, model = excluded.model, at = excluded.at
        WHERE advice.status = 'none'";
    let AdviceRow { interaction, text, model, at } = row;
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute((interaction.as_bytes(), row.status(), text, model, at)))
        .map_err(of_sqlite("advice", interaction))?;
    Ok(())
}

/// What was said beside these questions.
pub fn of(db: &Connection, ids: &[InteractionId]) -> Result<BTreeMap<InteractionId, Advice>, StoreError> {
    let mut found = BTreeMap::new();
    for id in ids {
        if let Some(row) = one(db, *id)? {
            found.extend([row.read()?]);
        }
    }
    Ok(found)
}

fn one(db: &Connection, id: InteractionId) -> Result<Option<AdviceRow>, StoreError> {
    let read = |row: &Row<'_>| {
        let interaction: [u8; 16] = row.get(0)?;
        let interaction = Uuid::from_bytes(interaction);
        Ok(AdviceRow { interaction, text: row.get(1)?, model: row.get(2)?, at: row.get(3)? })
    };
    db.prepare_cached("SELECT interaction, text, model, at FROM advice WHERE interaction = ?1")
        .and_then(|mut statement| statement.query_row([id.uuid().as_bytes()], read).optional())
        .map_err(of_sqlite("advice", id))
}

/// Open questions beside which nothing was said, by their ids, with their runs.
pub fn missing(
    db: &Connection,
    after: Option<InteractionId>,
    limit: u32,
) -> Result<Vec<(RunId, InteractionId)>, StoreError> {
    let sql = "
        SELECT runs.id, found.id FROM interactions AS found JOIN runs ON runs.key = found.run
        WHERE found.id > ?1 AND found.status = 'open' AND found.asks_people = 1
            AND NOT EXISTS (SELECT 1 FROM advice WHERE interaction = found.id)
        ORDER BY found.id LIMIT ?2";
    let after = after.map_or(Uuid::nil(), InteractionId::uuid);
    let found: rusqlite::Result<Vec<_>> = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map((after.as_bytes(), limit), interactions::row)?.collect());
    found.map_err(of_sqlite("interactions", "unadvised"))
}
