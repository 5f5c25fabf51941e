//! Whatever somebody does to the database file, whoever kept a copy of the checkpoints finds it.

use super::server::{Server, one_call};
use countersign_domain::audit::{Checkpoint, Frontier, SignerKey, Stream, hex};
use countersign_runtime::ports::{Log as _, Logged};
use countersign_store::Sqlite;
use serde_json::json;
use std::path::{Path, PathBuf};

/// A thousand with `COUNTERSIGN_FULL`, else a hundred.
fn many() -> u64 {
    if std::env::var_os("COUNTERSIGN_FULL").is_some() { 1_000 } else { 100 }
}

const WITHOUT_TRIGGERS: &str = "
    DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_removed; DROP TRIGGER texts_are_only_erased;
    DROP TRIGGER the_log_is_never_changed; DROP TRIGGER the_log_is_never_cut;
    DROP TRIGGER checkpoints_are_never_changed; DROP TRIGGER checkpoints_are_never_removed;";

/// Numbers that look like chance and are the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) % end
    }
}

/// A server that has stopped, with runs that were approved and rejected.
struct Lived {
    server: Server,
    database: PathBuf,
    /// The database as it was, the last time last.
    before: Vec<Vec<u8>>,
    /// The checkpoints as somebody else keeps them.
    anchored: PathBuf,
    key: SignerKey,
    events: u64,
    steps: u64,
}

impl Lived {
    async fn new() -> Self {
        let mut server = Server::new(one_call(), "");
        let database = server.path("data/countersign.db");
        let mut before = vec![];
        for decision in ["approve", "reject", "approve"] {
            let run = server.run().await;
            let id = server.open(1).await.remove(0)["id"].as_str().unwrap().to_owned();
            let body = json!({"request_id": id, "decision": decision, "reason": "because"});
            server.post(&server.approver, &format!("/api/interactions/{id}/respond"), body).await;
            server.until_status(&run, "completed").await;
            server.until("/api/audit/verify", |report| report["waiting"] == 0).await;
            server.stop();
            countersign_testkit::change_file(&database, "PRAGMA wal_checkpoint(TRUNCATE)");
            before.push(std::fs::read(&database).unwrap());
            server.start(None);
        }
        server.stop();
        let anchored = server.path("anchored");
        std::fs::copy(server.path("data/countersign.db.checkpoints"), &anchored).unwrap();
        let key = std::fs::read_to_string(server.path("data/countersign.db.key")).unwrap().trim().parse().unwrap();
        std::fs::write(&database, before.last().unwrap()).unwrap();
        let entries = entries(&database).await.unwrap();
        let steps = entries.len() as u64 / 4;
        Self { server, database, before, anchored, key, events: entries.len() as u64, steps }
    }

    fn restore(&self, file: &[u8]) {
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", self.database.display()));
        }
        std::fs::write(&self.database, file).unwrap();
        // Whoever has the machine has the file beside the database too.
        std::fs::write(self.server.path("data/countersign.db.checkpoints"), "").unwrap();
    }

    fn change(&self, sql: &str) {
        countersign_testkit::change_file(&self.database, &format!("{WITHOUT_TRIGGERS} {sql}"));
    }

    /// What is wrong with it, as the program says; `None` if nothing is.
    fn wrong(&self) -> Option<String> {
        let mut verify = self.server.program();
        verify.args(["audit", "verify", "--db", &self.server.db(), "--checkpoints"]).arg(&self.anchored);
        let output = verify.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => None,
            // What cannot even be read any more is told as such.
            Some(1 | 2) => Some(said.into_owned()),
            _ => panic!("{said}"),
        }
    }

    /// Makes hashes, tree and signature fit what the database says now, as whoever has the key can.
    async fn resign(&self) {
        let mut tree = Frontier::default();
        let mut sql = String::new();
        for logged in entries(&self.database).await.unwrap() {
            let leaf = logged.entry.leaf();
            tree.push(leaf);
            let run = match logged.entry.of {
                Stream::House => "0".to_owned(),
                Stream::Run(run) => {
                    format!("(SELECT key FROM runs WHERE id = x'{}')", run.to_string().trim_start_matches("run_"))
                }
            };
            let seq = logged.entry.seq;
            sql += &format!("UPDATE events SET leaf = x'{}' WHERE run = {run} AND seq = {seq};", hex(&leaf.0));
        }
        let note =
            Checkpoint::new(self.key.verifier().name(), tree.size(), tree.root()).unwrap().sign(&self.key).unwrap();
        let frontier = hex(tree.hashes().as_flattened());
        sql += &format!(
            "UPDATE log_head SET size = {size}, frontier = x'{frontier}'; DELETE FROM checkpoints;
            INSERT INTO checkpoints (size, note, at) VALUES ({size}, '{note}', 0)",
            size = tree.size()
        );
        countersign_testkit::change_file(&self.database, &sql);
    }

    /// One change to one event: always something else than it was.
    fn edit(&self, chance: &mut Chance) -> String {
        let column = match chance.below(8) {
            0 => "at = at + 1",
            1 => "step = coalesce(step, 0) + 1",
            2 => "type = type || 's'",
            3 => "data = data || ' '",
            4 => "data = substr(data, 1, length(data) / 2) || '~' || substr(data, length(data) / 2 + 2)",
            5 => "texts = substr(texts, 1, length(texts) / 2) || '~' || substr(texts, length(texts) / 2 + 2)",
            6 => "salt = randomblob(16)",
            _ => "leaf = randomblob(32)",
        };
        let which =
            if column.starts_with("texts") || column.starts_with("salt") { "texts IS NOT NULL" } else { "true" };
        let number = chance.below(self.events);
        format!(
            "UPDATE events SET {column} WHERE rowid = (
                SELECT rowid FROM events WHERE {which} ORDER BY run, seq
                LIMIT 1 OFFSET {number} % (SELECT count(*) FROM events WHERE {which}))"
        )
    }

    /// Does one thing to the database, and says what.
    async fn tamper(&self, chance: &mut Chance) -> String {
        let now = self.before.last().unwrap();
        let (first, second) = (chance.below(self.steps), chance.below(self.steps - 1));
        let second = second + u64::from(second >= first);
        let row = |number: u64| format!("(SELECT place FROM log ORDER BY place LIMIT 1 OFFSET {number})");
        let kind = chance.below(7);
        let sql = match kind {
            0 | 1 => self.edit(chance),
            2 if chance.below(2) == 0 => format!("DELETE FROM log WHERE place = {}", row(first)),
            2 => {
                let number = chance.below(self.events);
                format!("DELETE FROM events WHERE rowid = (SELECT rowid FROM events LIMIT 1 OFFSET {number})")
            }
            3 if chance.below(2) == 0 => format!(
                "INSERT INTO log SELECT (SELECT size FROM log_head), run, seq, many FROM log WHERE place = {}",
                row(first)
            ),
            3 => "INSERT INTO events SELECT run, seq + 1000, at, step, type, data, texts, salt, commitment, leaf
                FROM events WHERE run > 0 LIMIT 1"
                .into(),
            4 => format!(
                "CREATE TEMP TABLE two AS SELECT * FROM log WHERE place IN ({a}, {b});
                UPDATE log SET (run, seq, many) = (SELECT run, seq, many FROM two WHERE two.place <> log.place)
                WHERE place IN (SELECT place FROM two)",
                a = row(first),
                b = row(second)
            ),
            5 => format!("DELETE FROM log WHERE place >= {}", row(first)),
            _ => {
                let old = chance.below(self.before.len() as u64 - 1);
                self.restore(&self.before[usize::try_from(old).unwrap()]);
                return format!("rolled back to {old}");
            }
        };
        self.restore(now);
        self.change(&sql);
        // Half of them make all of it fit again, the signature too, where what they did can still be read.
        let fits = !sql.contains("leaf =") && !sql.contains("INSERT INTO events");
        if chance.below(2) == 0 && fits && entries(&self.database).await.is_some() {
            self.resign().await;
            return format!("{sql}; signed anew");
        }
        sql
    }
}

/// What the log of a database holds, if it can be read. From a copy: whoever opened the database itself might still be closing it
/// when the next one writes over it.
async fn entries(database: &Path) -> Option<Vec<Logged>> {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("countersign.db");
    std::fs::copy(database, &copy).unwrap();
    Sqlite::open(&copy).ok()?.entries(0, 1_000).await.ok()
}

#[tokio::test]
async fn every_tampering_is_found_by_whoever_kept_the_checkpoints() {
    let lived = Lived::new().await;
    lived.restore(lived.before.last().unwrap());
    assert_eq!(lived.wrong(), None, "what nobody touched is whole");
    let seed = countersign_testkit::seed();
    for number in 0..many() {
        let mut chance = Chance(seed.wrapping_add(number << 32));
        let done = lived.tamper(&mut chance).await;
        assert!(lived.wrong().is_some(), "number {number} of seed {seed} was not found: {done}");
    }
}
