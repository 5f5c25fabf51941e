//! The built-in tools, on real processes and files.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at once")]

mod bash;
mod bash_end;
mod bash_held;
mod file_change;
mod file_read;
mod links;
mod list_files;
mod preview;
mod web_fetch;

use countersign_domain::describe::{Described, Surroundings, builtin, describe};
use countersign_domain::{Call, Digest};
use countersign_runtime::ports::{Order, Outcome, Report, Tool};
use countersign_tools::Sandbox;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Longer than any test works.
const LONG: Duration = Duration::from_mins(5);

/// A call of `tool` in the folder `cwd`, as it is described before it is judged.
fn described(tool: &str, args: &Value, cwd: Option<&Path>) -> Described {
    let cwd = cwd.map(|cwd| cwd.to_str().unwrap().to_owned());
    let call = Call::new(None, tool.to_owned(), args.as_object().unwrap().clone(), cwd).unwrap();
    describe(call, &builtin(tool).unwrap(), &Surroundings::default())
}

fn order(call: &Described, timeout: Duration) -> Order<'_> {
    Order { call, key: Digest::of(b"key"), timeout, answers: &[], seen: None }
}

async fn execute(tool: &dyn Tool, call: &Described) -> Report {
    report(tool.execute(order(call, LONG)).await)
}

#[test]
fn every_built_in_tool_says_what_judging_knows_of_it() {
    let tools = countersign_tools::builtin(&Sandbox::default());
    let names: Vec<String> = tools.iter().map(|tool| tool.definition().name).collect();
    assert_eq!(names, ["ask_user", "bash", "file_edit", "file_read", "file_write", "list_files", "wait", "web_fetch"]);
    for definition in tools.iter().map(|tool| tool.definition()) {
        // `None`: it takes what it likes, because nothing of it is touched.
        let known = builtin(&definition.name).unwrap().arguments;
        let told = definition.parameters["properties"].as_object().unwrap();
        for (name, schema) in told {
            assert!(known.as_ref().is_none_or(|known| known.contains(name)), "{name}");
            assert!(!schema["description"].as_str().unwrap().is_empty());
        }
        for needed in definition.parameters["required"].as_array().unwrap() {
            assert!(told.contains_key(needed.as_str().unwrap()));
        }
    }
}

/// What a tool gave that asks nobody.
fn report(outcome: Outcome) -> Report {
    match outcome {
        Outcome::Done(report) => report,
        Outcome::Ask(question) => panic!("it asks {question:?}"),
        Outcome::Wait(wait) => panic!("it waits: {wait:?}"),
    }
}

/// A working folder, and one beside it that is nobody's business.
struct Folder {
    whole: TempDir,
}

impl Folder {
    fn new() -> Self {
        let whole = tempfile::tempdir().unwrap();
        fs::create_dir(whole.path().join("work")).unwrap();
        fs::create_dir(whole.path().join("outside")).unwrap();
        fs::write(whole.path().join("outside/secret"), "hunter2").unwrap();
        Self { whole }
    }

    /// The path of `name` in the working folder.
    fn path(&self, name: &str) -> PathBuf {
        self.whole.path().canonicalize().unwrap().join("work").join(name)
    }

    /// The path of `name` in the folder beside it.
    fn outside(&self, name: &str) -> PathBuf {
        self.whole.path().canonicalize().unwrap().join("outside").join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A call in the working folder, with the links followed that are there now.
    fn call(&self, tool: &str, args: &Value) -> Described {
        let call = described(tool, args, Some(&self.path("")));
        let paths = ["file_path", "path"].iter().filter_map(|name| args.get(name)?.as_str());
        let real = |given: &str| {
            let whole = self.path(given);
            let real = whole.canonicalize().or_else(|_| {
                whole.parent().unwrap().canonicalize().map(|parent| parent.join(whole.file_name().unwrap()))
            });
            Some((given.to_owned(), real.ok()?.to_str()?.to_owned()))
        };
        let around = Surroundings { home: None, paths: paths.filter_map(real).collect() };
        describe(call.call, &builtin(tool).unwrap(), &around)
    }

    /// `text` with the working folder called `W` and the one beside it `O`.
    fn short(&self, text: &str) -> String {
        let name = |path: PathBuf| path.to_str().unwrap().trim_end_matches('/').to_owned();
        text.replace(&name(self.path("")), "W").replace(&name(self.outside("")), "O")
    }
}
