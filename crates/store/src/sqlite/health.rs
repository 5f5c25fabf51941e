//! How the database is: whether it can be written, and how much is open in it.

use super::claims::count;
use crate::failure::of_sqlite;
use countersign_runtime::ports::{Counts, StoreError};
use rusqlite::{Connection, Row};

/// Writes what stands there already.
pub fn touch(db: &Connection) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE log_head SET size = size")
        .and_then(|mut statement| statement.execute([]))
        .map_err(of_sqlite("log_head", "size"))?;
    Ok(())
}

/// How much there is to do and to answer.
pub fn standing(db: &Connection) -> Result<Counts, StoreError> {
    let sql = "
        SELECT (SELECT count(*) FROM interactions WHERE status = 'open' AND asks_people = 1),
            (SELECT count(*) FROM runs WHERE ready_since IS NOT NULL),
            (SELECT count(*) FROM (
                SELECT run FROM interactions WHERE status = 'open' AND asks_people = 1
                UNION SELECT run FROM interactions WHERE status = 'open' AND asks_people = 0
            ) AS asking
                JOIN runs ON runs.key = asking.run WHERE runs.phase = 'waiting'),
            (SELECT coalesce(sum(many), 0) FROM unplaced)";
    let read = |row: &Row<'_>| {
        Ok(Counts {
            open_questions: count(row, 0)?,
            ready_runs: count(row, 1)?,
            waiting_runs: count(row, 2)?,
            unplaced: count(row, 3)?,
        })
    };
    db.prepare_cached(sql).and_then(|mut statement| statement.query_row([], read)).map_err(of_sqlite("runs", "count"))
}
