//! The work that everybody does: a run proposes one call, waits for a person, makes the call and ends.

use crate::Failure;
use async_trait::async_trait;
use countersign_domain::Call;
use countersign_domain::describe::{Described, Surroundings};
use countersign_domain::principal::{Kind, Principal, Role};
use countersign_domain::run::{Message, Said};
use countersign_policy::Policy;
use countersign_policy::source::Source;
use countersign_runtime::ports::{
    Heard, Machine, Model, ModelError, Order, Outcome, Prompt, Report, Spoken, Tool, ToolDefinition,
};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The tool.
pub const TOOL: &str = "append";

/// Characters of the line that the tool is given: with what is around them the arguments have 100 bytes.
const LINE: usize = 89;

/// Says that the tool is to be called with the name of the run, and after that nothing more.
pub struct OneCall;

#[async_trait]
impl Model for OneCall {
    async fn speak(
        &self,
        prompt: &Prompt<'_>,
        _live: &(dyn for<'a> Fn(Heard<'a>) + Send + Sync),
    ) -> Result<Spoken, ModelError> {
        let name = match prompt.messages {
            [Message::User(name)] => name,
            _ => return Ok(Spoken { text: "done".into(), ..Spoken::default() }),
        };
        let arguments = json!({"line": format!("{name:x<LINE$}")}).to_string();
        let call = Said { id: "call_1".into(), name: TOOL.into(), arguments };
        Ok(Spoken { calls: vec![call], ..Spoken::default() })
    }

    fn is_script(&self) -> bool {
        true
    }
}

/// When the process is to be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kill {
    BeforeEffect,
    AfterEffect,
}

/// Appends its line to a file.
pub struct Append {
    pub file: PathBuf,
    pub kill: Option<Kill>,
}

#[async_trait]
impl Tool for Append {
    fn definition(&self) -> ToolDefinition {
        let line = json!({"type": "string"});
        ToolDefinition {
            name: TOOL.into(),
            description: "Appends a line to a file.".into(),
            parameters: json!({"type": "object", "properties": {"line": line}, "required": ["line"]}),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        let line = order.call.call.args().get("line").and_then(|line| line.as_str()).unwrap_or_default();
        die_if(self.kill == Some(Kill::BeforeEffect));
        let written = appended(&self.file, line);
        die_if(self.kill == Some(Kill::AfterEffect));
        let (output, failed) = match written {
            Ok(()) => ("appended".to_owned(), false),
            Err(error) => (error.to_string(), true),
        };
        Report { output, failed }.into()
    }
}

fn appended(file: &Path, line: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(format!("{line}\n").as_bytes())
}

fn die_if(now: bool) {
    if now {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// How often the tool has done its work for the run of this name.
pub fn effects(file: &Path, name: &str) -> usize {
    let line = format!("{name:x<LINE$}");
    std::fs::read_to_string(file).unwrap_or_default().lines().filter(|written| *written == line).count()
}

/// A person is asked about every call of the tool.
pub fn rules() -> Result<(Policy, Source), Failure> {
    let policy = json!({"rules": [{"name": "ask", "tool": TOOL, "effect": "require_human"}]});
    let source = Source { policy: serde_json::from_value(policy)?, ..Source::default() };
    let compiled = Policy::compile(&source).map_err(|problems| format!("{problems:?}"))?;
    Ok((compiled, source))
}

/// A machine on which nothing is looked up: the calls name no file.
pub struct Bare;

impl Machine for Bare {
    fn describe(&self, policy: &Policy, call: Call) -> Described {
        policy.describe(call, &Surroundings::default())
    }
}

/// Whoever starts runs and answers.
pub fn person() -> Principal {
    Principal::new(Kind::User, "alice", Role::Operator)
}
