//! A real server that is killed at named places and started again, and a person in front of it who does not give up.

use countersign_testkit::Postgres;
use reqwest::{Client, Method};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Where a victim keeps what it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

pub struct Victim {
    folder: TempDir,
    postgres: Option<Postgres>,
    child: Option<Child>,
    base: String,
    http: Client,
    token: String,
    /// Where it dies next, one for each start.
    doomed: VecDeque<String>,
    /// How often it died.
    pub deaths: usize,
}

/// How long the server waits for the lease of one that died.
const LEASE_MS: &str = "900";

const CONFIG: &str = "
hitl: { on_reject: stop }
models: { script: { provider: scripted, script: plan.yaml } }
agents: { worker: { model: script } }
policy:
  rules:
    - { tool: 'bash(echo allowed*)', effect: allow }
  overrides: { file_read: { result: always } }
";

const PLAN: &str = "
scenarios:
  - when: [question]
    replies:
      - { say: '', calls: [{ tool: ask_user, args: { title: 'Which colour?', type: input } }] }
      - { say: done }
  - when: [review]
    replies:
      - { say: '', calls: [{ tool: file_read, args: { file_path: note } }] }
      - { say: done }
  - when: [slow]
    replies:
      - { say: '', calls: [{ tool: bash, args: { command: 'sleep 1; echo slow >> count' } }] }
      - { say: done }
  - when: [thinking]
    replies:
      - { say: '', calls: [{ tool: bash, args: { command: 'echo thinking >> count' } }], delay_ms: 1500 }
      - { say: done }
  - when: [twice]
    replies:
      - say: ''
        calls:
          - { tool: bash, args: { command: 'echo twice >> count # 1' } }
          - { tool: bash, args: { command: 'echo twice >> count # 2' } }
      - { say: done }
  - when: [letter]
    replies:
      - { say: '', calls: [{ tool: bash, args: { command: 'echo letter >> count' } }] }
      - { say: done }
  - when: [overlooked]
    replies:
      - { say: '', calls: [{ tool: bash, args: { command: 'echo overlooked >> count' } }] }
      - { say: done }
  - when: [reject]
    replies:
      - { say: '', calls: [{ tool: bash, args: { command: 'echo reject >> count' } }] }
      - { say: done }
  - when: [cancel]
    replies:
      - { say: '', calls: [{ tool: bash, args: { command: 'echo cancel >> count' } }] }
      - { say: done }
  - when: [approve]
    replies:
      - { say: '', calls: [{ tool: bash, args: { command: 'echo approve >> count' } }] }
      - { say: done }
";

impl Victim {
    /// A server that dies at the first of `doomed`, started again at the second, and so on. Questions stay open for so long.
    pub fn asking(engine: Engine, doomed: Vec<String>, timeout: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = CONFIG.replace("on_reject: stop", &format!("on_reject: stop, timeout: {timeout}"));
        std::fs::write(folder.path().join("countersign.yaml"), config).unwrap();
        std::fs::write(folder.path().join("plan.yaml"), PLAN).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        std::fs::write(folder.path().join("work/note"), "a note\n").unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut victim = Self {
            folder,
            postgres: (engine == Engine::Postgres).then(Postgres::for_test),
            child: None,
            base: String::new(),
            http: Client::builder().no_proxy().build().unwrap(),
            token: String::new(),
            doomed: doomed.into(),
            deaths: 0,
        };
        let made = victim
            .program()
            .args(["token", "create", "--kind", "user", "--name", "kim", "--role", "operator", "--db", &victim.db()])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        String::from_utf8(made.stdout).unwrap().trim().clone_into(&mut victim.token);
        victim.start();
        victim
    }

    fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        command.current_dir(self.path("work")).env("HOME", self.folder.path()).env_remove("COUNTERSIGN_TOKEN");
        command.env("COUNTERSIGN_LEASE_MS", LEASE_MS);
        command
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn token(&self) -> String {
        self.token.clone()
    }

    pub fn db(&self) -> String {
        match &self.postgres {
            Some(database) => database.url(),
            None => format!("sqlite://{}", self.path("data/countersign.db").display()),
        }
    }

    /// Starts it, again and again until it lives to say where it listens.
    fn start(&mut self) {
        loop {
            let mut command = self.program();
            command.args(["serve", "--listen", "127.0.0.1:0", "--db", &self.db(), "--config"]);
            command.arg(self.path("countersign.yaml"));
            match self.doomed.pop_front() {
                Some(failpoint) => command.env("COUNTERSIGN_FAILPOINT", failpoint),
                None => command.env_remove("COUNTERSIGN_FAILPOINT"),
            };
            let log = std::fs::OpenOptions::new().create(true).append(true).open(self.path("log")).unwrap();
            let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            if let Some(base) = line.trim().strip_prefix("listening on ") {
                base.clone_into(&mut self.base);
                self.child = Some(child);
                return;
            }
            assert_eq!(child.wait().unwrap().signal(), Some(9), "it starts: {}", self.log());
            self.deaths += 1;
        }
    }

    /// What it logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// Whether it was killed since this was last asked. If so it is started again.
    pub fn rises_again(&mut self) -> bool {
        let Some(status) = self.child.as_mut().and_then(|child| child.try_wait().unwrap()) else { return false };
        assert_eq!(status.signal(), Some(9), "it dies of a failpoint only: {}", self.log());
        self.deaths += 1;
        self.start();
        true
    }

    /// Asks it to stop, and starts it again when it has.
    pub async fn stop_and_start(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        self.deaths += usize::from(status.signal() == Some(9));
        self.start();
    }

    /// A request and its answer; `None` if the server did not live to give one.
    pub async fn send(&mut self, method: Method, path: &str, body: Option<Value>) -> Option<(u16, Value)> {
        let mut request = self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = async {
            let response = request.timeout(Duration::from_mins(1)).send().await.ok()?;
            let status = response.status().as_u16();
            Some((status, serde_json::from_str(&response.text().await.ok()?).unwrap_or_default()))
        };
        let answer = answer.await;
        if answer.is_none() {
            // Its end may take a moment to be seen.
            for _ in 0..200 {
                if self.rises_again() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        answer
    }

    /// How many lines with this word the tool has written.
    pub fn wrote(&self, word: &str) -> usize {
        std::fs::read_to_string(self.path("work/count"))
            .map_or(0, |text| text.lines().filter(|line| line.starts_with(word)).count())
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
