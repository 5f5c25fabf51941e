//! What `PostgreSQL` itself allows: `pgbench` with a script that writes the rows which our steps write.

use crate::Failure;
use crate::bare::{Commit, Row};
use crate::engine::Database;
use crate::ours::CLIENTS;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A server for the benchmark, and its programs.
#[derive(Debug, Clone)]
pub struct Server {
    /// Without a database.
    url: String,
    programs: PathBuf,
}

impl Server {
    /// The one that `scripts/with-postgres` has started, if it did.
    pub fn given() -> Option<Self> {
        let url = std::env::var("COUNTERSIGN_TEST_POSTGRES").ok()?;
        Some(Self { url, programs: std::env::var_os("COUNTERSIGN_TEST_POSTGRES_BIN")?.into() })
    }

    /// An empty database of this name, in place of an earlier one. Gives its address.
    pub fn fresh(&self, name: &str) -> Result<String, Failure> {
        self.say(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
        self.say(&format!("CREATE DATABASE {name}"))?;
        Ok(format!("{}/{name}", self.url))
    }

    pub fn drop(&self, place: &str) -> Result<(), Failure> {
        let name = place.rsplit('/').next().unwrap_or_default();
        self.say(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).map(drop)
    }

    pub fn bytes(&self, place: &str) -> Result<f64, Failure> {
        let name = place.rsplit('/').next().unwrap_or_default();
        self.say("CHECKPOINT")?;
        Ok(self.say(&format!("SELECT pg_database_size('{name}')"))?.trim().parse()?)
    }

    pub fn record_bytes(&self, place: &str) -> Result<f64, Failure> {
        let sql = "
            SELECT (SELECT sum(pg_column_size(leaf) + coalesce(pg_column_size(salt), 0)) FROM events)
                + sum(pg_total_relation_size(name::regclass))
            FROM unnest(ARRAY['log', 'unplaced', 'subtrees', 'checkpoints']) AS name";
        let mut psql = Command::new(self.programs.join("psql"));
        Ok(told(psql.args(["-X", "-q", "-A", "-t", "-d", place, "-c", sql]))?.trim().parse()?)
    }

    /// Its version, and what of its settings matters here.
    pub fn described(&self) -> Result<String, Failure> {
        let show = |name: &str| self.say(&format!("SHOW {name}")).map(|shown| shown.trim().to_owned());
        let version = show("server_version")?;
        let version = version.split(' ').next().unwrap_or_default();
        Ok(format!(
            "PostgreSQL {version} with fsync {}, synchronous_commit {}, full_page_writes {}",
            show("fsync")?,
            show("synchronous_commit")?,
            show("full_page_writes")?
        ))
    }

    fn say(&self, sql: &str) -> Result<String, Failure> {
        let database = format!("{}/postgres", self.url);
        told(Command::new(self.programs.join("psql")).args(["-X", "-q", "-A", "-t", "-d", &database, "-c", sql]))
    }

    /// So many runs brought to the wait and from there to their end by as many clients as ours has, and some more to their end
    /// by one: how many a second.
    pub fn rates(&self, database: &Database, commits: [&[Commit]; 2], counts: [usize; 2]) -> Result<[f64; 3], Failure> {
        let Database { place, folder } = database;
        let [to_wait, to_end] = commits;
        let [many, single] = counts;
        let first = self.first_key(place)?;
        let waiting =
            self.rate(place, &folder.join("wait.sql"), to_wait, Clients { many: CLIENTS, runs: many, first })?;
        let ended = self.rate(place, &folder.join("end.sql"), to_end, Clients { many: CLIENTS, runs: many, first })?;
        let first = self.first_key(place)?;
        self.rate(place, &folder.join("wait.sql"), to_wait, Clients { many: CLIENTS, runs: single, first })?;
        let alone = self.rate(place, &folder.join("end.sql"), to_end, Clients { many: 1, runs: single, first })?;
        Ok([waiting, ended, alone])
    }

    /// The key that the next run is given.
    fn first_key(&self, place: &str) -> Result<i64, Failure> {
        let mut psql = Command::new(self.programs.join("psql"));
        let sql = "SELECT coalesce(max(key), 0) + 1 FROM runs";
        Ok(told(psql.args(["-X", "-q", "-A", "-t", "-d", place, "-c", sql]))?.trim().parse()?)
    }

    fn rate(&self, place: &str, file: &Path, commits: &[Commit], clients: Clients) -> Result<f64, Failure> {
        std::fs::write(file, script(commits, clients.many))?;
        let (many, each) = (clients.many.to_string(), clients.runs.div_ceil(clients.many).to_string());
        let mut pgbench = Command::new(self.programs.join("pgbench"));
        pgbench.args(["-n", "-M", "prepared", "-j", &clients.many.min(2).to_string(), "-c", &many, "-t", &each]);
        pgbench.args(["-D", "n=0", "-D", &format!("first={}", clients.first), "-f"]).arg(file).arg(place);
        let output = told(&mut pgbench)?;
        let line = output.lines().find(|line| line.starts_with("tps")).ok_or("pgbench told no rate")?;
        Ok(line.split(' ').nth(2).unwrap_or_default().parse()?)
    }
}

/// Who does how many runs, the first of which has this key.
struct Clients {
    many: usize,
    runs: usize,
    first: i64,
}

fn told(command: &mut Command) -> Result<String, Failure> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    Err(format!("{}: {}", command.get_program().display(), String::from_utf8_lossy(&output.stderr)).into())
}

/// Each step is one statement, as it is in our store. A client takes every so-many-th run.
fn script(commits: &[Commit], clients: usize) -> String {
    let mut script = format!("\\set key :first + :n * {clients} + :client_id\n\\set n :n + 1\n");
    for commit in commits {
        script.push_str(&statement(commit));
    }
    script
}

fn statement(commit: &Commit) -> String {
    let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    let if_so = |so: bool, value: &str| if so { value.to_owned() } else { "NULL".into() };
    let ready = if_so(commit.phase() == "active", now);
    let lease = if_so(commit.takes(), now);
    let ending = if_so(commit.phase() == "completed", r#"'{"output":"done"}'"#);
    let (seq, phase) = (commit.seq(), commit.phase());
    let moved = if commit.begins() {
        format!(
            "INSERT INTO runs (key, id, seq, phase, \"user\", session, ready_since, lease_until, created_at, updated_at)
            OVERRIDING SYSTEM VALUE
            VALUES (:key, gen_random_uuid(), {seq}, '{phase}', 'alice', 'ses_' || md5(:key::text), {ready}, {lease}, {now},
            {now}) RETURNING key"
        )
    } else {
        format!(
            "UPDATE runs SET seq = {seq}, phase = '{phase}', ready_since = {ready}, lease_until = {lease}, ending = {ending},
            updated_at = {now} WHERE key = :key RETURNING key"
        )
    };
    let mut rows = String::new();
    for Row { seq, step, kind, data, texts, salt, leaf } in &commit.events {
        let comma = if rows.is_empty() { "" } else { ", " };
        let step = step.map_or_else(|| "NULL::bigint".into(), |step| step.to_string());
        // A colon would begin the name of a variable.
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''").replace(':', "'||chr(58)||'"));
        let bytes = |bytes: &[u8]| {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("decode('{hex}', 'hex')")
        };
        let data = quoted(data);
        let texts = texts.as_ref().map_or_else(|| "NULL".into(), |texts| quoted(texts));
        let salt = salt.as_ref().map_or_else(|| "NULL".into(), |salt| bytes(salt));
        let leaf = bytes(leaf);
        let _ = write!(rows, "{comma}({seq}, {now}, {step}, '{kind}', {data}, {texts}, {salt}, {leaf})");
    }
    let mut parts = vec![format!("moved AS ({moved})")];
    parts.push(format!(
        "added AS (INSERT INTO events (run, seq, at, step, type, data, texts, salt, leaf)
        SELECT key, seq, at, step, type, data, texts::text, salt::bytea, leaf
        FROM moved, (VALUES {rows}) AS event (seq, at, step, type, data, texts, salt, leaf))"
    ));
    let (after, to) = commit.span();
    parts.push(format!(
        "entered AS (INSERT INTO unplaced (run, seq, many) SELECT key, {after} + 1, {to} - {after} FROM moved)"
    ));
    if commit.asks() {
        parts.push(format!(
            "asked AS (INSERT INTO interactions (id, run, status, expires_at, remind_at, asker)
            SELECT gen_random_uuid(), key, 'open', {now}, {now}, 1 FROM moved)"
        ));
    }
    if commit.answers() {
        let sql = "changed AS (UPDATE interactions
            SET status = 'answered', remind_at = NULL, decided = hashint8extended(key, 0) FROM moved WHERE run = key)";
        parts.push(sql.into());
    }
    format!("WITH {} SELECT key FROM moved;\n", parts.join(", ").replace('\n', " "))
}
