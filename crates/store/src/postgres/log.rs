//! The log: which event stands where, and what was signed over it.

use super::connection::Connection;
use super::events;
use super::house::HOUSE;
use super::statement::Statement;
use crate::failure::{inconsistent, of_postgres, of_row};
use crate::rows::frontier;
use countersign_domain::RunId;
use countersign_domain::audit::tree::Subtree;
use countersign_domain::audit::{Frontier, Hash, Leaf, Stream};
use countersign_runtime::ports::{LEAST_KEPT, Logged, SignedTree, StoreError};
use tokio_postgres::Row;
use uuid::Uuid;

/// Gives the oldest of the events that have no place the next ones, and says what the tree is then.
///
/// Only who finds the log as long as it was writes: of two who place at the same moment one does.
pub async fn place(db: &Connection, most: u32) -> Result<Frontier, StoreError> {
    let before = tree(db).await?;
    let waiting = waiting(db, most).await?;
    if waiting.is_empty() {
        return Ok(before);
    }
    let (mut after, mut made, mut places) = (before.clone(), vec![], vec![]);
    for step in &waiting {
        places.push(column(after.size()));
        for leaf in step.leaves()? {
            after.push_noting(leaf, |subtree, hash| made.push((subtree, hash)));
        }
    }
    made.retain(|(subtree, _)| subtree.level >= LEAST_KEPT);
    let rows = written(db, &before, &after, &waiting, &places, &made).await?;
    if rows.is_empty() { tree(db).await } else { Ok(after) }
}

async fn written(
    db: &Connection,
    before: &Frontier,
    after: &Frontier,
    waiting: &[Step],
    places: &[i64],
    made: &[(Subtree, Hash)],
) -> Result<Vec<Row>, StoreError> {
    let mut values = Statement::default();
    let [old, new] = [values.value(column(before.size())), values.value(column(after.size()))];
    let hashes = values.value(after.hashes().as_flattened().to_vec());
    let id = values.column(waiting, |step| step.id);
    let [run, seq, many] = [
        values.column(waiting, |step| step.run),
        values.column(waiting, |step| step.seq),
        values.column(waiting, |step| step.many),
    ];
    let place = values.value(places.to_vec());
    let [level, index] = [
        values.column(made, |(subtree, _)| i64::from(subtree.level)),
        values.column(made, |(subtree, _)| column(subtree.index)),
    ];
    let hash = values.column(made, |(_, hash)| hash.to_vec());
    let sql = format!(
        "WITH head AS (
            UPDATE log_head SET size = {new}, frontier = {hashes} WHERE size = {old} RETURNING 1
        ), gone AS (
            DELETE FROM unplaced USING head WHERE id = ANY ({id})
        ), placed AS (
            INSERT INTO log (place, run, seq, many)
            SELECT step.* FROM head, unnest({place}::bigint[], {run}::bigint[], {seq}::bigint[], {many}::bigint[]) AS step
        ), kept AS (
            INSERT INTO subtrees (level, place, hash)
            SELECT one.* FROM head, unnest({level}::bigint[], {index}::bigint[], {hash}::bytea[]) AS one
        ) SELECT 1 FROM head"
    );
    values.rows(db, sql).await.map_err(of_postgres("log", "place"))
}

/// A step that has no place yet.
struct Step {
    id: i64,
    run: i64,
    seq: i64,
    many: i64,
    leaves: Vec<Vec<u8>>,
}

impl Step {
    fn leaves(&self) -> Result<Vec<Leaf>, StoreError> {
        let leaves: Vec<_> = self.leaves.iter().filter_map(|leaf| leaf.as_slice().try_into().ok().map(Leaf)).collect();
        if i64::try_from(leaves.len()) != Ok(self.many) {
            let step = format_args!("{}/{}", self.run, self.seq).to_string();
            return Err(inconsistent("unplaced", step, "its events are not there"));
        }
        Ok(leaves)
    }
}

async fn waiting(db: &Connection, most: u32) -> Result<Vec<Step>, StoreError> {
    let sql = "
        SELECT id, run, seq, many, ARRAY(
            SELECT leaf FROM events
            WHERE events.run = unplaced.run AND events.seq >= unplaced.seq AND events.seq < unplaced.seq + many
            ORDER BY events.seq
        )
        FROM unplaced ORDER BY id LIMIT $1";
    let rows = db.rows(sql, &[&i64::from(most)]).await.map_err(of_postgres("unplaced", "list"))?;
    let read = |row: &Row| {
        Ok(Step {
            id: row.try_get(0)?,
            run: row.try_get(1)?,
            seq: row.try_get(2)?,
            many: row.try_get(3)?,
            leaves: row.try_get(4)?,
        })
    };
    rows.iter().map(read).collect::<Result<_, _>>().map_err(of_row("unplaced", "list"))
}

/// The hash of a whole subtree, if it is kept.
pub async fn subtree(db: &Connection, subtree: Subtree) -> Result<Option<Hash>, StoreError> {
    let (level, index) = (i64::from(subtree.level), column(subtree.index));
    let sql = "SELECT hash FROM subtrees WHERE level = $1 AND place = $2";
    let rows = db.rows(sql, &[&level, &index]).await.map_err(of_postgres("subtrees", index))?;
    let Some(row) = rows.first() else { return Ok(None) };
    let hash: Vec<u8> = row.try_get(0).map_err(of_row("subtrees", index))?;
    let hash = hash.try_into().map_err(|_| inconsistent("subtrees", index, "it is no hash"))?;
    Ok(Some(hash))
}

/// The tree as it is.
pub async fn tree(db: &Connection) -> Result<Frontier, StoreError> {
    let rows = db.rows("SELECT size, frontier FROM log_head", &[]).await.map_err(of_postgres("log_head", "size"))?;
    let row = rows.first().ok_or_else(|| inconsistent("log_head", "size", "it is not there"))?;
    let read = |row: &Row| Ok::<_, tokio_postgres::Error>((row.try_get::<_, i64>(0)?, row.try_get::<_, Vec<u8>>(1)?));
    let (size, hashes) = read(row).map_err(of_row("log_head", "size"))?;
    frontier(count("log_head", size)?, &hashes)
}

/// How many events there are.
pub async fn recorded(db: &Connection) -> Result<u64, StoreError> {
    counted(db, "events", "SELECT count(*) FROM events").await
}

/// How many events have no place yet.
pub async fn unplaced(db: &Connection) -> Result<u64, StoreError> {
    counted(db, "unplaced", "SELECT coalesce(sum(many), 0)::bigint FROM unplaced").await
}

async fn counted(db: &Connection, table: &'static str, sql: &'static str) -> Result<u64, StoreError> {
    let rows = db.rows(sql, &[]).await.map_err(of_postgres(table, "count"))?;
    let row = rows.first().ok_or_else(|| inconsistent(table, "count", "it is not there"))?;
    count(table, row.try_get(0).map_err(of_row(table, "count"))?)
}

/// What stands in the log from `from` on.
pub async fn entries(db: &Connection, from: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
    // A step that begins before `from` may reach beyond it.
    let sql = "
        SELECT log.place + seen.seq - log.seq, runs.id, log.run,
            seen.seq, seen.at, seen.step, seen.type, seen.data, seen.texts, seen.salt, seen.commitment, seen.leaf
        FROM (
            SELECT * FROM log WHERE place >= coalesce((SELECT max(place) FROM log WHERE place <= $1), 0)
            ORDER BY place LIMIT $2
        ) AS log
            JOIN events AS seen ON seen.run = log.run AND seen.seq >= log.seq AND seen.seq < log.seq + log.many
            LEFT JOIN runs ON runs.key = log.run
        WHERE log.place + seen.seq - log.seq >= $1
        ORDER BY log.place, seen.seq LIMIT $2";
    let rows = db.rows(sql, &[&column(from), &i64::from(limit)]).await.map_err(of_postgres("log", from))?;
    rows.iter().map(logged).collect()
}

/// The leaves of what stands there.
pub async fn leaves_from(db: &Connection, from: u64, limit: u32) -> Result<Vec<Leaf>, StoreError> {
    let sql = "
        SELECT seen.leaf
        FROM (
            SELECT * FROM log WHERE place >= coalesce((SELECT max(place) FROM log WHERE place <= $1), 0)
            ORDER BY place LIMIT $2
        ) AS log
            JOIN events AS seen ON seen.run = log.run AND seen.seq >= log.seq AND seen.seq < log.seq + log.many
        WHERE log.place + seen.seq - log.seq >= $1
        ORDER BY log.place, seen.seq LIMIT $2";
    let rows = db.rows(sql, &[&column(from), &i64::from(limit)]).await.map_err(of_postgres("log", from))?;
    let leaf = |row: &Row| {
        let leaf: &[u8] = row.try_get(0).map_err(of_row("log", from))?;
        leaf.try_into().map(Leaf).map_err(|_| inconsistent("events", from, "a leaf is no hash"))
    };
    rows.iter().map(leaf).collect()
}

fn logged(row: &Row) -> Result<Logged, StoreError> {
    let read = |row: &Row| Ok::<_, tokio_postgres::Error>((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
    let (place, id, run): (i64, Option<Uuid>, i64) = read(row).map_err(of_row("log", "place"))?;
    // A run that is not there any more has no name.
    let of = match id {
        None if run == HOUSE => Stream::House,
        id => Stream::Run(RunId::new(id.unwrap_or_default())),
    };
    let event = events::event(row, 3)?;
    let leaf = Leaf(event.leaf);
    Ok(Logged { place: count("log", place)?, entry: event.entry(of)?, leaf })
}

/// Keeps what was signed.
pub async fn keep_checkpoint(db: &Connection, signed: &SignedTree, at: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO checkpoints (size, note, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    let size = column(signed.size);
    db.change(sql, &[&size, &signed.note, &at]).await.map(|_| ()).map_err(of_postgres("checkpoints", size))
}

/// What was signed over more than `over` entries, the smallest tree first.
pub async fn checkpoints(db: &Connection, over: u64, limit: u32) -> Result<Vec<SignedTree>, StoreError> {
    let sql = "SELECT size, note FROM checkpoints WHERE size > $1 ORDER BY size LIMIT $2";
    let rows = db.rows(sql, &[&column(over), &i64::from(limit)]).await.map_err(of_postgres("checkpoints", "list"))?;
    rows.iter().map(signed).collect()
}

/// The newest of what was signed.
pub async fn newest_checkpoint(db: &Connection) -> Result<Option<SignedTree>, StoreError> {
    let sql = "SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1";
    let rows = db.rows(sql, &[]).await.map_err(of_postgres("checkpoints", "newest"))?;
    rows.first().map(signed).transpose()
}

fn signed(row: &Row) -> Result<SignedTree, StoreError> {
    let read = |row: &Row| Ok::<_, tokio_postgres::Error>((row.try_get(0)?, row.try_get(1)?));
    let (size, note) = read(row).map_err(of_row("checkpoints", "note"))?;
    Ok(SignedTree { size: count("checkpoints", size)?, note })
}

fn column(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn count(table: &'static str, column: i64) -> Result<u64, StoreError> {
    u64::try_from(column).map_err(|error| inconsistent(table, column, error))
}
