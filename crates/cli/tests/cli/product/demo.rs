//! What a newcomer does first: no configuration, no database named, and no key unless a test gives one.

use super::model::FakeModel;
use super::terminal::TYPIST;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// The demo's server, and somebody who may answer it.
struct Demo {
    home: TempDir,
    child: Child,
    base: String,
    token: String,
}

impl Demo {
    fn start(environment: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut serve = program(&home);
        serve.args(["serve", "--listen", "127.0.0.1:0"]).envs(environment.iter().copied());
        let mut child = serve.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let base = lines.next().unwrap().replace("listening on ", "");
        assert!(lines.next().unwrap().starts_with(&format!("sign in: {base}/sign-in#cs_link_")));
        let made =
            program(&home).args(["token", "create", "--kind", "user", "--name", "ann", "--role", "approver"]).output();
        let token = String::from_utf8(made.unwrap().stdout).unwrap().trim().to_owned();
        Self { home, child, base, token }
    }

    fn folder(&self) -> PathBuf {
        self.home.path().join(".local/share/countersign-demo")
    }

    /// Asks the assistant, at a terminal where `script` is typed.
    fn ask(&self, input: &str, script: &[(&str, &str)]) -> (Output, String) {
        let mut typist = Command::new("python3");
        typist.args(["-c", TYPIST, &json!(script).to_string(), env!("CARGO_BIN_EXE_countersign")]);
        typist.args(["run", "assistant", input, "--server", &self.base]).env("COUNTERSIGN_TOKEN", &self.token);
        let ran = typist.output().unwrap();
        let shown = String::from_utf8_lossy(&ran.stdout).into_owned();
        (ran, shown)
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(home: &TempDir) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_countersign"));
    program.env("HOME", home.path()).current_dir(home.path());
    for name in ["XDG_DATA_HOME", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "COUNTERSIGN_DB"] {
        program.env_remove(name);
    }
    program
}

#[test]
fn the_demo_shows_all_six_without_a_key() {
    let demo = Demo::start(&[]);
    let script = [
        ("approve?", "y\n"),
        ("approve?", "y\n"),
        ("a number: ", "2\n"),
        ("may the agent see it?", "p\n"),
        ("instead", "no reports yet\n\n"),
    ];
    let (ran, shown) = demo.ask("give me the tour", &script);
    assert!(ran.status.success(), "{shown}");
    for part in [
        "allow ",
        "file_read(",
        "bash(rm -r ./build)",
        "pay_invoice",
        "deny ",
        "no-downloads",
        " 2 │ Costs",
        "the tool, which failed, gave:",
        "no reports yet",
        "I am a script",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(!demo.folder().join("build").exists(), "what was approved was done: {shown}");
    let ledger = std::fs::read_to_string(demo.folder().join("ledger.txt")).unwrap();
    assert_eq!(ledger, "paid 48.00 EUR for invoice 1001\n");
}

#[test]
fn a_payment_of_the_demo_needs_a_person_each_time() {
    let demo = Demo::start(&[]);
    for _ in 0..2 {
        let (ran, shown) = demo.ask("pay it", &[("approve?", "y\n")]);
        assert!(ran.status.success() && shown.contains("paid 48.00 EUR"), "{shown}");
    }
    let (ran, shown) = demo.ask("pay it", &[("approve?", "it is not due yet\n")]);
    assert!(ran.status.success() && shown.contains("it is not due yet"), "{shown}");
    let ledger = std::fs::read_to_string(demo.folder().join("ledger.txt")).unwrap();
    assert_eq!(ledger.lines().count(), 2);
}

#[test]
fn whatever_else_the_script_is_asked_it_says_that_it_is_one() {
    let demo = Demo::start(&[]);
    let (ran, shown) = demo.ask("good morning", &[]);
    assert!(ran.status.success() && shown.contains("I am a script") && shown.contains("OPENAI_API_KEY"), "{shown}");
    let (ran, shown) = demo.ask("download it", &[]);
    assert!(ran.status.success() && shown.contains("I was not let: PERMISSION_DENIED"), "{shown}");
}

#[test]
fn with_a_key_the_same_assistant_talks_to_the_real_model() {
    let turns = || vec![json!([{"tool": "file_read", "args": {"file_path": "README.txt"}}]), json!("read by a model")];
    let (openai, anthropic) = (FakeModel::start(turns()), FakeModel::start(turns()));
    let other = anthropic.base.trim_end_matches("/v1").to_owned();
    for (model, environment) in [
        (&openai, [("OPENAI_API_KEY", "sk-x"), ("OPENAI_BASE_URL", &*openai.base), ("OPENAI_MODEL", "mine")]),
        (&anthropic, [("ANTHROPIC_API_KEY", "sk-x"), ("ANTHROPIC_BASE_URL", &*other), ("ANTHROPIC_MODEL", "mine")]),
    ] {
        let demo = Demo::start(&environment);
        let (ran, shown) = demo.ask("look around", &[]);
        assert!(ran.status.success() && shown.contains("│ read by a model"), "{shown}");
        assert!(!shown.contains("script"), "{shown}");
        let asked = model.last_asked();
        assert_eq!(asked["model"], "mine");
        assert!(asked.to_string().contains("workspace of Countersign's demo"), "the file was read: {asked}");
        assert!(asked["tools"].to_string().contains("pay_invoice"), "{asked}");
    }
}

/// The demo's policy says what it means.
#[test]
fn the_policy_of_the_demo_passes_its_own_tests() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/demo/countersign.yaml");
    let ran = crate::program::countersign(&["policy", "test", path], "");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}
