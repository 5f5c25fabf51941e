//! A real server, started, killed and started again.

use super::model::FakeModel;
use crate::sound::{sound, sound_on_postgres};
use countersign_testkit::Postgres;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A server with a database, a configuration and a fake model of its own.
pub struct Server {
    folder: TempDir,
    /// The database, if it is none of its own folder.
    pub postgres: Option<Postgres>,
    /// What a program is started with that is to see the database.
    within: Vec<String>,
    pub child: Option<Child>,
    /// Where it listens.
    pub base: String,
    /// The sign-in link of its first start.
    pub link: Option<String>,
    pub model: FakeModel,
    http: Client,
    pub approver: String,
    pub operator: String,
    /// How often a test has started it again.
    pub restarts: u32,
    /// Whether its log is kept in the file `log`.
    pub logs: bool,
    /// What it is told to listen on.
    pub listen: &'static str,
    /// What else is in its environment.
    pub env: Vec<(&'static str, String)>,
}

/// How long anything may take before a test gives up. Generous: it only decides how long a failure takes.
const PATIENCE: Duration = Duration::from_mins(2);

/// Puts a disk of one megabyte at the first argument, where only this process sees it, and runs the rest.
const WITH_SMALL_DISK: &str = r#"mount -t tmpfs -o size=1m tmpfs "$1" && shift && exec "$@""#;

impl Server {
    /// A server on which the model proposes `turns`, one after the other, with `more` in its configuration.
    pub fn new(turns: Vec<Value>, more: &str) -> Self {
        Self::with(turns, more, None)
    }

    /// The same, whose agent has these settings more, and whose model costs something.
    pub fn of_agent(turns: Vec<Value>, agent: &str, more: &str) -> Self {
        Self::of_agent_on(None, turns, agent, more)
    }

    /// The same, perhaps on PostgreSQL.
    pub fn of_agent_on(postgres: Option<Postgres>, turns: Vec<Value>, agent: &str, more: &str) -> Self {
        let mut server = Self::not_started(postgres, turns, more);
        let path = server.path("countersign.yaml");
        let config = std::fs::read_to_string(&path).unwrap();
        let config = config.replace("file_write] }", &format!("file_write, wait], {agent} }}"));
        assert!(config.contains(agent), "{config}");
        let config = config.replace("\"sk-hidden\" }", "\"sk-hidden\", price: { input: 1, output: 10 } }");
        std::fs::write(path, config).unwrap();
        server.start(None);
        server.make_tokens();
        server
    }

    /// The same, which dies when it passes `failpoint`, and does not wait long for the lease of one that died.
    pub fn doomed(postgres: Option<Postgres>, turns: Vec<Value>, more: &str, failpoint: &str) -> Self {
        let mut server = Self::not_started(postgres, turns, more);
        server.env.push(("COUNTERSIGN_LEASE_MS", "900".into()));
        server.start(Some(failpoint));
        server.make_tokens();
        server
    }

    /// The same, which keeps everything in PostgreSQL, and dies when it passes `failpoint`.
    pub fn on_postgres(turns: Vec<Value>, more: &str, failpoint: Option<&str>) -> Self {
        Self::on(Some(Postgres::for_test()), turns, more, failpoint)
    }

    /// The same, which dies when it passes `failpoint`.
    pub fn with(turns: Vec<Value>, more: &str, failpoint: Option<&str>) -> Self {
        Self::on(None, turns, more, failpoint)
    }

    /// The same, on `postgres` if that is given, with its log in a file.
    pub fn logging(postgres: Option<Postgres>, turns: Vec<Value>, more: &str) -> Self {
        let mut server = Self::not_started(postgres, turns, more);
        server.logs = true;
        server.start(None);
        server.make_tokens();
        server
    }

    fn on(postgres: Option<Postgres>, turns: Vec<Value>, more: &str, failpoint: Option<&str>) -> Self {
        let mut server = Self::not_started(postgres, turns, more);
        server.start(failpoint);
        server.make_tokens();
        server
    }

    /// The same, whose database is on a disk of one megabyte that nobody else sees; if this system lets one put up disks.
    pub fn on_small_disk(turns: Vec<Value>) -> Option<Self> {
        let mut server = Self::not_started(None, turns, "");
        std::fs::create_dir(server.path("data")).unwrap();
        let disk = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", WITH_SMALL_DISK, "sh"];
        server.within = disk.map(str::to_owned).to_vec();
        server.within.push(server.path("data").to_str().unwrap().to_owned());
        if !server.command("true").status().is_ok_and(|status| status.success()) {
            return None;
        }
        server.start(None);
        let pid = server.child.as_ref().unwrap().id().to_string();
        let there = ["nsenter", "--target", &pid, "--user", "--mount", "--preserve-credentials", "--"];
        server.within = there.map(str::to_owned).to_vec();
        server.make_tokens();
        Some(server)
    }

    /// Checks what holds in every database. Nothing may be going on.
    pub async fn sound(&self) {
        if let Some(postgres) = &self.postgres {
            return sound_on_postgres(&postgres.url()).await;
        }
        if self.within.is_empty() {
            return sound(&self.path("data/countersign.db")).await;
        }
        // Only the server sees the disk: a copy is looked at.
        let copy = tempfile::tempdir().unwrap();
        for name in ["countersign.db", "countersign.db-wal"] {
            std::fs::copy(self.seen_by_server(name), copy.path().join(name)).unwrap();
        }
        sound(&copy.path().join("countersign.db")).await;
    }

    /// A file in the database's folder, as the server sees it.
    pub fn seen_by_server(&self, name: &str) -> PathBuf {
        let pid = self.child.as_ref().unwrap().id();
        let path = self.path("data").join(name);
        Path::new(&format!("/proc/{pid}/root")).join(path.strip_prefix("/").unwrap())
    }

    /// The same, before it is started and has tokens.
    pub fn not_started(postgres: Option<Postgres>, turns: Vec<Value>, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let model = FakeModel::start(turns);
        let config = format!(
            "models:\n  fake: {{ provider: openai, model: fake-1, base_url: \"{}\", api_key: \"sk-hidden\" }}\n\
             agents:\n  worker: {{ model: fake, tools: [ask_user, bash, file_edit, file_read, file_write] }}\n{more}\n",
            model.base
        );
        std::fs::write(folder.path().join("countersign.yaml"), config).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().no_proxy().build().unwrap();
        Self {
            folder,
            postgres,
            within: vec![],
            child: None,
            base: String::new(),
            link: None,
            model,
            http,
            approver: String::new(),
            operator: String::new(),
            restarts: 0,
            logs: false,
            listen: "127.0.0.1:0",
            env: vec![],
        }
    }

    pub fn make_tokens(&mut self) {
        self.approver = self.token(&["--kind", "user", "--name", "kim", "--role", "approver"]);
        self.operator = self.token(&["--kind", "user", "--name", "root", "--role", "operator"]);
    }

    /// Starts it, which is when it says that it listens.
    pub fn start(&mut self, failpoint: Option<&str>) {
        let mut command = self.program();
        command.args(["serve", "--config"]).arg(self.path("countersign.yaml"));
        command
            .args(["--listen", self.listen, "--db", &self.db()])
            .stdout(Stdio::piped())
            .envs(self.env.iter().cloned());
        match failpoint {
            Some(failpoint) => command.env("COUNTERSIGN_FAILPOINT", failpoint),
            None => command.env_remove("COUNTERSIGN_FAILPOINT"),
        };
        if self.logs {
            let log = OpenOptions::new().append(true).create(true).open(self.path("log")).unwrap();
            command.stderr(log);
        }
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        self.base = line_after(&mut lines, "listening on ");
        if self.link.is_none() {
            self.link = Some(line_after(&mut lines, "sign in: "));
        }
        self.child = Some(child);
    }

    /// Replaces `old` in its configuration by `new`.
    pub fn rewrite(&self, old: &str, new: &str) {
        let path = self.path("countersign.yaml");
        let config = std::fs::read_to_string(&path).unwrap();
        assert!(config.contains(old), "{config}");
        std::fs::write(path, config.replace(old, new)).unwrap();
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: &str) {
        let pid = self.child.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// Whether it still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.as_mut().is_some_and(|child| child.try_wait().unwrap().is_none())
    }

    /// Whether it was killed, as a failpoint does.
    pub fn was_killed(&mut self) -> bool {
        let status = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
        status.is_some_and(|status| status.signal() == Some(9))
    }

    /// Kills it with no warning.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let asked = Command::new("kill").arg(child.id().to_string()).status().unwrap();
            assert!(asked.success() && child.wait().unwrap().success());
        }
    }

    /// `countersign`, in this server's folder.
    pub fn program(&self) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_countersign"));
        command.current_dir(self.path("work")).env("HOME", self.folder.path()).env_remove("COUNTERSIGN_TOKEN");
        command
    }

    /// `program`, where the database is.
    fn command(&self, program: &str) -> Command {
        let mut words = self.within.iter().map(String::as_str).chain([program]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        command
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn db(&self) -> String {
        match &self.postgres {
            Some(database) => database.url(),
            None => format!("sqlite://{}", self.path("data/countersign.db").display()),
        }
    }

    /// A new token.
    pub fn token(&self, arguments: &[&str]) -> String {
        let made =
            self.program().args(["token", "create"]).args(arguments).args(["--db", &self.db()]).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    }

    /// A request with a token, and its answer, if the server lived to give one.
    pub async fn try_send(
        &self,
        token: &str,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Option<(u16, Value)> {
        let mut request = self.http.request(method, format!("{}{path}", self.base)).timeout(PATIENCE);
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        let text = response.text().await.ok()?;
        Some((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        self.try_send(&self.operator, Method::GET, path, None).await.expect("an answer")
    }

    pub async fn post(&self, token: &str, path: &str, body: Value) -> (u16, Value) {
        self.try_send(token, Method::POST, path, Some(&body)).await.expect("an answer")
    }

    /// A plain HTTP client.
    pub fn http(&self) -> &Client {
        &self.http
    }

    /// A stream of events after `after`.
    pub async fn stream(&self, run: &str, after: u64) -> Response {
        let request = self.http.get(format!("{}/api/runs/{run}/events", self.base)).bearer_auth(&self.operator);
        let request = request.header("accept", "text/event-stream").header("last-event-id", after.to_string());
        request.send().await.unwrap()
    }

    /// Starts a run of the worker for `kim`, and gives its id.
    pub async fn run(&self) -> String {
        let body = json!({"agent": "worker", "input": "do it", "user_id": "kim"});
        let (status, run) = self.post(&self.operator, "/api/runs", body).await;
        assert_eq!(status, 201, "{run}");
        run["id"].as_str().unwrap().to_owned()
    }

    /// Waits until all that happened is in the log and some of it is signed, and gives what verifying it finds.
    pub async fn verified(&self) -> Value {
        self.until("/api/audit/verify", |report| report["waiting"] == 0 && report["checkpoints"] != 0).await
    }

    /// Waits until `done` says so of what stands at `path`.
    pub async fn until(&self, path: &str, done: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        for _ in 0..(PATIENCE.as_millis() / 50) {
            if let Some((200, value)) = self.try_send(&self.operator, Method::GET, path, None).await {
                if done(&value) {
                    return value;
                }
                last = value;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{path} stayed {last:#}");
    }

    /// Waits until so many questions are open, and gives them.
    pub async fn open(&self, many: usize) -> Vec<Value> {
        let page = self.until("/api/interactions", |page| page["items"].as_array().unwrap().len() == many).await;
        page["items"].as_array().unwrap().clone()
    }

    /// Waits until the run has this status.
    pub async fn until_status(&self, run: &str, status: &str) -> Value {
        self.until(&format!("/api/runs/{run}"), |run| run["status"] == status).await
    }

    /// All events of a run, checked to be without gaps.
    pub async fn events(&self, run: &str) -> Vec<Value> {
        let (_, page) = self.get(&format!("/api/runs/{run}/events?limit=1000")).await;
        let events = page["items"].as_array().unwrap().clone();
        for (i, event) in events.iter().enumerate() {
            assert_eq!(event["seq"], i + 1, "{events:#?}");
        }
        events
    }

    /// How many lines the tool has written into the file it counts in.
    pub fn counted(&self) -> usize {
        std::fs::read_to_string(self.path("work/count")).map_or(0, |text| text.lines().count())
    }
}

/// A conversation in which the model proposes one call that counts itself, and then has a last word.
pub fn one_call() -> Vec<Value> {
    vec![json!([{"tool": "bash", "args": {"command": "echo ran >> count"}}]), json!("all done")]
}

/// How many events are of this type.
pub fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["type"] == kind).count()
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn line_after(lines: &mut BufReader<ChildStdout>, prefix: &str) -> String {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    line.trim().strip_prefix(prefix).unwrap_or_else(|| panic!("expected `{prefix}…`, got `{line}`")).to_owned()
}
