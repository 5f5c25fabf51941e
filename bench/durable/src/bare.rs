//! What `SQLite` itself allows: a loop that writes the rows which our steps write, and nothing else.
//!
//! The same tables, the same number of rows and bytes, the same settings, so many runs to a commit as there are clients. It
//! reads nothing, judges nothing, hands nothing over.

use crate::Failure;
use crate::ours::CLIENTS;
use crate::watched::Step;
use countersign_domain::RunId;
use rusqlite::{Connection, params};
use std::path::Path;
use std::time::{Duration, Instant};

/// A step, as rows.
#[derive(Debug, Clone)]
pub struct Commit {
    step: Step,
    pub events: Vec<Row>,
}

/// An event.
#[derive(Debug, Clone)]
pub struct Row {
    pub seq: i64,
    pub step: Option<i64>,
    pub kind: String,
    pub data: String,
    pub texts: Option<String>,
    pub salt: Option<Vec<u8>>,
    pub leaf: Vec<u8>,
}

impl Commit {
    /// The rows that these steps of `run` have written to the database at `path`.
    pub fn all(path: &Path, run: RunId, steps: &[Step]) -> Result<Vec<Self>, Failure> {
        let db = Connection::open(path)?;
        let sql =
            "SELECT events.seq, step, type, data, texts, salt, leaf FROM events JOIN runs ON runs.key = events.run
            WHERE runs.id = ?1 AND events.seq > ?2 AND events.seq <= ?3 ORDER BY events.seq";
        let mut statement = db.prepare(sql)?;
        let mut commits = vec![];
        for step in steps {
            let (after, to) = step.events;
            let rows = statement.query_map(params![run.uuid().as_bytes(), after, to], |row| {
                Ok(Row {
                    seq: row.get(0)?,
                    step: row.get(1)?,
                    kind: row.get(2)?,
                    data: row.get(3)?,
                    texts: row.get(4)?,
                    salt: row.get(5)?,
                    leaf: row.get(6)?,
                })
            })?;
            commits.push(Self { step: step.clone(), events: rows.collect::<Result<_, _>>()? });
        }
        Ok(commits)
    }

    /// The event before its first, and its last.
    pub fn span(&self) -> (i64, i64) {
        self.step.events
    }

    pub fn begins(&self) -> bool {
        self.step.events.0 == 0
    }

    pub fn asks(&self) -> bool {
        self.step.waits
    }

    pub fn answers(&self) -> bool {
        self.events.iter().any(|event| event.kind == "interaction_response")
    }

    pub fn takes(&self) -> bool {
        self.step.taken
    }

    pub fn seq(&self) -> i64 {
        self.step.events.1
    }

    pub fn phase(&self) -> &'static str {
        match &self.step {
            step if step.waits => "waiting",
            step if step.ends => "completed",
            _ => "active",
        }
    }
}

/// Writes the steps of runs, one group after another.
pub struct Bare {
    db: Connection,
    /// What tells the ids of this one from those of others.
    next: u128,
}

impl Bare {
    /// Over a database that our store has made, and nobody else has open.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let db = Connection::open(path)?;
        for (pragma, value) in
            [("journal_mode", "WAL"), ("synchronous", "FULL"), ("foreign_keys", "ON"), ("secure_delete", "ON")]
        {
            db.pragma_update(None, pragma, value)?;
        }
        db.pragma_update(None, "journal_size_limit", 64 << 20)?;
        db.pragma_update(None, "wal_autocheckpoint", 4_000)?;
        db.set_prepared_statement_cache_capacity(64);
        Ok(Self { db, next: 1 << 64 })
    }

    /// So many runs, each with all of `commits`, as many to a commit as there are clients. Gives their ids and the time.
    pub fn write(&mut self, commits: &[Commit], count: usize) -> Result<(Vec<u128>, Duration), Failure> {
        let ids: Vec<u128> = (0..count as u128).map(|number| self.next + number).collect();
        self.next += count as u128;
        let spent = self.write_to(commits, &ids, CLIENTS)?;
        Ok((ids, spent))
    }

    /// All of `commits` to each of these runs, so many runs to a commit.
    pub fn write_to(&self, commits: &[Commit], ids: &[u128], together: usize) -> Result<Duration, Failure> {
        let begin = Instant::now();
        for group in ids.chunks(together) {
            for commit in commits {
                self.run("BEGIN IMMEDIATE")?;
                group.iter().try_for_each(|id| self.step(commit, *id))?;
                self.run("COMMIT")?;
            }
        }
        Ok(begin.elapsed())
    }

    fn run(&self, sql: &str) -> rusqlite::Result<()> {
        self.db.prepare_cached(sql)?.execute([]).map(drop)
    }

    fn step(&self, commit: &Commit, id: u128) -> rusqlite::Result<()> {
        let (bytes, now) = (id.to_be_bytes(), 1_700_000_000_000_000_i64);
        let ready = (commit.phase() == "active").then_some(now);
        let lease = commit.takes().then_some(now);
        let ending = (commit.phase() == "completed").then_some(r#"{"output":"done"}"#);
        let key: i64 = if commit.begins() {
            let sql =
                "INSERT INTO runs (id, seq, phase, user, session, ready_since, lease_until, created_at, updated_at)
                VALUES (?1, ?2, ?3, 'alice', ?4, ?5, ?6, ?7, ?7)";
            let session = format!("ses_{id:032x}");
            let row = params![bytes, commit.seq(), commit.phase(), session, ready, lease, now];
            self.db.prepare_cached(sql)?.insert(row)?
        } else {
            // Without a RETURNING, which would cost more than all else here.
            let key: i64 = self
                .db
                .prepare_cached("SELECT key FROM runs WHERE id = ?1")?
                .query_row(params![bytes], |row| row.get(0))?;
            let sql =
                "UPDATE runs SET seq = ?2, phase = ?3, ready_since = ?4, lease_until = ?5, ending = ?6, updated_at = ?7
                WHERE key = ?1";
            let row = params![key, commit.seq(), commit.phase(), ready, lease, ending, now];
            self.db.prepare_cached(sql)?.execute(row)?;
            key
        };
        for Row { seq, step, kind, data, texts, salt, leaf } in &commit.events {
            let sql = "INSERT INTO events (run, seq, at, step, type, data, texts, salt, leaf)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
            self.db.prepare_cached(sql)?.execute(params![key, seq, now, step, kind, data, texts, salt, leaf])?;
        }
        let (after, to) = commit.step.events;
        let sql = "INSERT INTO unplaced (run, seq, many) VALUES (?1, ?2, ?3)";
        self.db.prepare_cached(sql)?.execute(params![key, after + 1, to - after])?;
        if commit.asks() {
            let sql = "INSERT INTO interactions (id, run, status, expires_at, remind_at, asker)
                VALUES (?1, ?2, 'open', ?3, ?3, 1)";
            self.db.prepare_cached(sql)?.execute(params![question(id).to_be_bytes(), key, now])?;
        }
        if commit.answers() {
            let sql = "UPDATE interactions SET status = 'answered', remind_at = NULL, decided = ?2 WHERE id = ?1";
            let asked = question(id);
            self.db.prepare_cached(sql)?.execute(params![asked.to_be_bytes(), asked as i64])?;
        }
        Ok(())
    }
}

/// The id of the question that a run asks: like any hash, anywhere among the others.
fn question(run: u128) -> u128 {
    run.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
}
