//! How the database is: whether it can be written, and how much is open in it.

use super::connection::Connection;
use crate::failure::{inconsistent, of_postgres, of_row};
use countersign_runtime::ports::{Counts, StoreError};

/// Writes what stands there already.
pub async fn touch(db: &Connection) -> Result<(), StoreError> {
    let rows = db.rows("UPDATE log_head SET size = size RETURNING 1", &[]).await;
    rows.map(drop).map_err(of_postgres("log_head", "size"))
}

/// How much there is to do and to answer.
pub async fn standing(db: &Connection) -> Result<Counts, StoreError> {
    let sql = "
        SELECT (SELECT count(*) FROM interactions WHERE status = 'open' AND asks_people),
            (SELECT count(*) FROM runs WHERE ready_since IS NOT NULL),
            (SELECT count(*) FROM (
                SELECT run FROM interactions WHERE status = 'open' AND asks_people
                UNION SELECT run FROM interactions WHERE status = 'open' AND NOT asks_people
            ) AS asking
                JOIN runs ON runs.key = asking.run WHERE runs.phase = 'waiting'),
            (SELECT coalesce(sum(many), 0)::bigint FROM unplaced)";
    let rows = db.rows(sql, &[]).await.map_err(of_postgres("runs", "count"))?;
    let row = rows.first().ok_or_else(|| inconsistent("runs", "count", "it is not there"))?;
    let number = |column: usize| row.try_get::<_, i64>(column).map(i64::unsigned_abs).map_err(of_row("runs", "count"));
    Ok(Counts { open_questions: number(0)?, ready_runs: number(1)?, waiting_runs: number(2)?, unplaced: number(3)? })
}
