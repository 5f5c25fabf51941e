//! The same rows, in PostgreSQL.

use super::rows::{EVENTS, QUESTIONS, QuestionRow, RUNS, Rows, RunRow, WITH_EVENTS};
use countersign_domain::{InteractionId, RunId};
use tokio_postgres::{Client, Error, NoTls, Row};
use uuid::Uuid;

impl Rows {
    /// Those of the database at `url`.
    pub async fn of_postgres(url: &str) -> Result<Self, Error> {
        let (client, wire) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(wire);
        Ok(Self {
            runs: all(&client, RUNS, |row| Ok((RunId::new(row.try_get(0)?), run(row)?))).await?,
            with_events: all(&client, WITH_EVENTS, |row| Ok(RunId::new(row.try_get(0)?))).await?,
            events: count(&client.query_one(EVENTS, &[]).await?, 0)?,
            questions: all(&client, QUESTIONS, |row| Ok((InteractionId::new(row.try_get(0)?), question(row)?))).await?,
        })
    }
}

async fn all<T, C: FromIterator<T>>(
    client: &Client,
    sql: &str,
    read: impl Fn(&Row) -> Result<T, Error>,
) -> Result<C, Error> {
    client.query(sql, &[]).await?.iter().map(read).collect()
}

fn run(row: &Row) -> Result<RunRow, Error> {
    Ok(RunRow {
        seq: count(row, 1)?,
        phase: row.try_get(2)?,
        is_ready: row.try_get(3)?,
        is_leased: row.try_get(4)?,
        fence: count(row, 5)?,
    })
}

fn question(row: &Row) -> Result<QuestionRow, Error> {
    let run: Uuid = row.try_get(1)?;
    Ok(QuestionRow {
        run: RunId::new(run),
        status: row.try_get(2)?,
        expires_at: row.try_get(3)?,
        is_to_remind: row.try_get(4)?,
        is_decided: row.try_get(5)?,
    })
}

/// A number below zero counts nothing, and agrees with nothing.
fn count(row: &Row, column: usize) -> Result<u64, Error> {
    let number: i64 = row.try_get(column)?;
    Ok(u64::try_from(number).unwrap_or(u64::MAX))
}
