//! Erasing what was written in a run. That something was stays provable by the hash of it.

use super::connection::Connection;
use super::house;
use super::statement::Statement;
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::rows::{HouseRow, erased};
use countersign_domain::RunId;
use countersign_runtime::ports::StoreError;

/// Erases the texts of all events of `run` and what models said beside its questions, and notes that it `happened`.
pub async fn erase(db: &Connection, run: RunId, happened: HouseRow) -> Result<u64, StoreError> {
    let found =
        db.rows("SELECT ending FROM runs WHERE id = $1", &[&run.uuid()]).await.map_err(of_postgres("runs", run))?;
    let row = found.first().ok_or_else(|| inconsistent("runs", run, "it is not there"))?;
    let ending: Option<String> = row.try_get(0).map_err(of_row("runs", run))?;
    let ending = ending.as_deref().map(erased).transpose()?;
    let mut values = Statement::default();
    let [id, ending] = [values.value(run.uuid()), values.value(ending)];
    let parts = [
        vec![
            format!("ended AS (UPDATE runs SET ending = {ending} WHERE id = {id} RETURNING key)"),
            "erased AS (
                UPDATE events
                SET texts = NULL, salt = NULL, commitment = sha256(salt || convert_to(texts, 'UTF8'))
                FROM ended WHERE events.run = ended.key AND texts IS NOT NULL
                RETURNING 1
            )"
            .to_owned(),
            "unadvised AS (
                DELETE FROM advice USING ended, interactions
                WHERE interactions.run = ended.key AND advice.interaction = interactions.id
            )"
            .to_owned(),
        ],
        house::adding(&mut values, &[happened], "FROM (SELECT 1 FROM erased LIMIT 1) AS something").to_vec(),
    ];
    let sql = format!("WITH {} SELECT count(*) FROM erased", parts.concat().join(", "));
    let rows = values.rows(db, sql).await.map_err(of_postgres("events", run))?;
    let row = rows.first().ok_or_else(|| inconsistent("events", run, "nothing was said of it"))?;
    let many: i64 = row.try_get(0).map_err(of_row("events", run))?;
    Ok(many.unsigned_abs())
}

/// Some runs that ended before then and in which something is written, the oldest first.
pub async fn written_before(db: &Connection, before: i64, limit: u32) -> Result<Vec<RunId>, StoreError> {
    let sql = "
        SELECT id FROM runs
        WHERE phase NOT IN ('active', 'woken', 'waiting') AND updated_at < $1
            AND EXISTS (SELECT 1 FROM events WHERE run = runs.key AND texts IS NOT NULL)
        ORDER BY key LIMIT $2";
    let rows = db.rows(sql, &[&before, &i64::from(limit)]).await.map_err(of_postgres("runs", "written"))?;
    let ids: Result<Vec<_>, _> = rows.iter().map(|row| row.try_get(0).map(RunId::new)).collect();
    ids.map_err(of_row("runs", "written"))
}

/// Takes what was erased off the tables. It is out of reach already: if this fails, the database does it in its own time.
pub async fn sweep(db: &Connection) {
    if let Err(failed) = db.long_batch("VACUUM events, runs, advice").await {
        tracing::warn!(why = failed.said(), "what was erased is still in the files of the database");
    }
}
