//! The log: which event stands where, and what was signed over it.

use super::claims::count;
use super::events;
use super::house::HOUSE;
use crate::failure::{inconsistent, of_sqlite};
use crate::rows::frontier;
use countersign_domain::RunId;
use countersign_domain::audit::tree::Subtree;
use countersign_domain::audit::{Frontier, Hash, Leaf, Stream};
use countersign_runtime::ports::{LEAST_KEPT, Logged, SignedTree, StoreError};
use rusqlite::{Connection, OptionalExtension as _, Row};
use uuid::Uuid;

/// Notes that `many` events from `seq` on have no place yet.
pub fn enter(db: &Connection, run: i64, seq: i64, many: usize) -> Result<(), StoreError> {
    let many = i64::try_from(many).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT INTO unplaced (run, seq, many) VALUES (?1, ?2, ?3)")
        .and_then(|mut statement| statement.execute((run, seq, many)))
        .map_err(of_sqlite("unplaced", run))?;
    Ok(())
}

/// Gives the oldest of the events that have no place the next ones, and says how long the log is then.
pub fn place(db: &Connection, most: u32) -> Result<Frontier, StoreError> {
    let mut tree = tree(db)?;
    let waiting = waiting(db, most)?;
    let Some(last) = waiting.last().map(|one| one.0) else { return Ok(tree) };
    for (_, run, seq, many) in waiting {
        insert(db, tree.size(), run, seq, many)?;
        let mut made = vec![];
        for leaf in leaves(db, run, seq, many)? {
            tree.push_noting(leaf, |subtree, hash| made.push((subtree, hash)));
        }
        let made = made.iter().filter(|(subtree, _)| subtree.level >= LEAST_KEPT);
        made.into_iter().try_for_each(|(subtree, hash)| keep_subtree(db, *subtree, hash))?;
    }
    db.prepare_cached("DELETE FROM unplaced WHERE id <= ?1")
        .and_then(|mut statement| statement.execute([last]))
        .map_err(of_sqlite("unplaced", last))?;
    let hashes = tree.hashes().as_flattened();
    db.prepare_cached("UPDATE log_head SET size = ?1, frontier = ?2")
        .and_then(|mut statement| statement.execute((size(&tree), hashes)))
        .map_err(of_sqlite("log_head", "size"))?;
    Ok(tree)
}

fn size(tree: &Frontier) -> i64 {
    i64::try_from(tree.size()).unwrap_or(i64::MAX)
}

/// Some steps that have no place yet: their ids, runs, first events and how many those are.
fn waiting(db: &Connection, most: u32) -> Result<Vec<(i64, i64, i64, i64)>, StoreError> {
    let rows: rusqlite::Result<_> =
        db.prepare_cached("SELECT id, run, seq, many FROM unplaced ORDER BY id LIMIT ?1").and_then(|mut statement| {
            statement.query_map([most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?.collect()
        });
    rows.map_err(of_sqlite("unplaced", "list"))
}

fn insert(db: &Connection, place: u64, run: i64, seq: i64, many: i64) -> Result<(), StoreError> {
    let place = i64::try_from(place).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT INTO log (place, run, seq, many) VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut statement| statement.execute((place, run, seq, many)))
        .map_err(of_sqlite("log", place))?;
    Ok(())
}

fn leaves(db: &Connection, run: i64, seq: i64, many: i64) -> Result<Vec<Leaf>, StoreError> {
    let sql = "SELECT leaf FROM events WHERE run = ?1 AND seq >= ?2 AND seq < ?2 + ?3 ORDER BY seq";
    let rows: rusqlite::Result<Vec<Hash>> = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map((run, seq, many), |row| row.get(0))?.collect());
    let leaves: Vec<_> = rows.map_err(of_sqlite("events", run))?.into_iter().map(Leaf).collect();
    if i64::try_from(leaves.len()) != Ok(many) {
        return Err(inconsistent("unplaced", format_args!("{run}/{seq}"), "its events are not there"));
    }
    Ok(leaves)
}

fn keep_subtree(db: &Connection, subtree: Subtree, hash: &Hash) -> Result<(), StoreError> {
    let Subtree { level, index } = subtree;
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT INTO subtrees (level, place, hash) VALUES (?1, ?2, ?3)")
        .and_then(|mut statement| statement.execute((level, index, hash)))
        .map_err(of_sqlite("subtrees", index))?;
    Ok(())
}

/// The hash of a whole subtree, if it is kept.
pub fn subtree(db: &Connection, subtree: Subtree) -> Result<Option<Hash>, StoreError> {
    let index = i64::try_from(subtree.index).unwrap_or(i64::MAX);
    db.prepare_cached("SELECT hash FROM subtrees WHERE level = ?1 AND place = ?2")
        .and_then(|mut statement| statement.query_row((subtree.level, index), |row| row.get(0)).optional())
        .map_err(of_sqlite("subtrees", index))
}

/// The tree as it is.
pub fn tree(db: &Connection) -> Result<Frontier, StoreError> {
    let (size, hashes): (u64, Vec<u8>) = db
        .prepare_cached("SELECT size, frontier FROM log_head")
        .and_then(|mut statement| statement.query_row([], |row| Ok((count(row, 0)?, row.get(1)?))))
        .map_err(of_sqlite("log_head", "size"))?;
    frontier(size, &hashes)
}

/// How many events there are.
pub fn recorded(db: &Connection) -> Result<u64, StoreError> {
    db.prepare_cached("SELECT count(*) FROM events")
        .and_then(|mut statement| statement.query_row([], |row| count(row, 0)))
        .map_err(of_sqlite("events", "count"))
}

/// How many events have no place yet.
pub fn unplaced(db: &Connection) -> Result<u64, StoreError> {
    db.prepare_cached("SELECT coalesce(sum(many), 0) FROM unplaced")
        .and_then(|mut statement| statement.query_row([], |row| count(row, 0)))
        .map_err(of_sqlite("unplaced", "count"))
}

/// What stands in the log from `from` on.
pub fn entries(db: &Connection, from: u64, limit: u32) -> Result<Vec<Logged>, StoreError> {
    // A step that begins before `from` may reach beyond it.
    let sql = "
        SELECT log.place + seen.seq - log.seq, runs.id, log.run,
            seen.seq, seen.at, seen.step, seen.type, seen.data, seen.texts, seen.salt, seen.commitment, seen.leaf
        FROM log
            JOIN events AS seen ON seen.run = log.run AND seen.seq >= log.seq AND seen.seq < log.seq + log.many
            LEFT JOIN runs ON runs.key = log.run
        WHERE log.place >= coalesce((SELECT max(place) FROM log WHERE place <= ?1), 0)
            AND log.place + seen.seq - log.seq >= ?1
        ORDER BY log.place, seen.seq LIMIT ?2";
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let rows: rusqlite::Result<Vec<_>> =
        db.prepare_cached(sql).and_then(|mut statement| statement.query_map((from, limit), logged)?.collect());
    let rows = rows.map_err(of_sqlite("log", from))?;
    rows.into_iter()
        .map(|(place, of, event)| {
            let leaf = Leaf(event.leaf);
            Ok(Logged { place, entry: event.entry(of)?, leaf })
        })
        .collect()
}

/// The leaves of what stands there.
pub fn leaves_from(db: &Connection, from: u64, limit: u32) -> Result<Vec<Leaf>, StoreError> {
    let sql = "
        SELECT seen.leaf FROM log
            JOIN events AS seen ON seen.run = log.run AND seen.seq >= log.seq AND seen.seq < log.seq + log.many
        WHERE log.place >= coalesce((SELECT max(place) FROM log WHERE place <= ?1), 0)
            AND log.place + seen.seq - log.seq >= ?1
        ORDER BY log.place, seen.seq LIMIT ?2";
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let rows: rusqlite::Result<Vec<Hash>> = db
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_map((from, limit), |row| row.get(0))?.collect());
    Ok(rows.map_err(of_sqlite("log", from))?.into_iter().map(Leaf).collect())
}

fn logged(row: &Row<'_>) -> rusqlite::Result<(u64, Stream, crate::rows::EventRow)> {
    let (id, run): (Option<[u8; 16]>, i64) = (row.get(1)?, row.get(2)?);
    // A run that is not there any more has no name.
    let of = match id {
        None if run == HOUSE => Stream::House,
        id => Stream::Run(RunId::new(Uuid::from_bytes(id.unwrap_or_default()))),
    };
    Ok((count(row, 0)?, of, events::row(row, 3)?))
}

/// Keeps what was signed.
pub fn keep_checkpoint(db: &Connection, signed: &SignedTree, at: i64) -> Result<(), StoreError> {
    let size = i64::try_from(signed.size).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT INTO checkpoints (size, note, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
        .and_then(|mut statement| statement.execute((size, &signed.note, at)))
        .map_err(of_sqlite("checkpoints", size))?;
    Ok(())
}

/// What was signed over more than `over` entries, the smallest tree first.
pub fn checkpoints(db: &Connection, over: u64, limit: u32) -> Result<Vec<SignedTree>, StoreError> {
    let sql = "SELECT size, note FROM checkpoints WHERE size > ?1 ORDER BY size LIMIT ?2";
    let over = i64::try_from(over).unwrap_or(i64::MAX);
    let rows: rusqlite::Result<_> = db.prepare_cached(sql).and_then(|mut statement| {
        let read = |row: &Row<'_>| Ok(SignedTree { size: count(row, 0)?, note: row.get(1)? });
        statement.query_map((over, limit), read)?.collect()
    });
    rows.map_err(of_sqlite("checkpoints", "list"))
}

/// The newest of what was signed.
pub fn newest_checkpoint(db: &Connection) -> Result<Option<SignedTree>, StoreError> {
    db.prepare_cached("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1")
        .and_then(|mut statement| {
            statement.query_row([], |row| Ok(SignedTree { size: count(row, 0)?, note: row.get(1)? })).optional()
        })
        .map_err(of_sqlite("checkpoints", "newest"))
}
