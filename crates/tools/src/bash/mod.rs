//! `bash`: runs a command.

mod capture;
mod process;

use crate::arguments::Arguments;
use crate::failed;
use crate::sandbox::{Sandbox, inside};
use async_trait::async_trait;
use capture::Capture;
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use process::{End, Process};
use serde_json::json;
use std::ffi::OsString;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

/// Runs commands, each in a shell of its own.
#[derive(Debug, Clone)]
pub struct Bash {
    environment: Vec<(OsString, OsString)>,
    sandbox: Sandbox,
}

/// What commands see of our environment. All else stays here: it may hold keys.
const KNOWN_VARIABLES: [&str; 8] = ["PATH", "HOME", "LANG", "TERM", "TZ", "USER", "LOGNAME", "SHELL"];
/// Their names start so: the languages of texts, dates and sorting.
const KNOWN_PREFIX: &str = "LC_";
/// Under this name a command finds the folder for what does not last.
const TEMPORARY_VARIABLE: &str = "TMPDIR";
/// Under this name a command finds the key of its execution.
const KEY_VARIABLE: &str = "COUNTERSIGN_CALL_KEY";

impl Default for Bash {
    fn default() -> Self {
        Self::new(Sandbox::default())
    }
}

impl Bash {
    /// Commands reach what `sandbox` says.
    pub fn new(sandbox: Sandbox) -> Self {
        Self { sandbox, ..Self::with_environment(std::env::vars_os()) }
    }

    /// Commands see of these variables what does not hold secrets.
    pub fn with_environment(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let known = |name: &str| KNOWN_VARIABLES.contains(&name) || name.starts_with(KNOWN_PREFIX);
        let environment = variables.into_iter().filter(|(name, _)| name.to_str().is_some_and(known)).collect();
        Self { environment, sandbox: Sandbox::default() }
    }

    async fn run(&self, order: Order<'_>) -> Result<Report, String> {
        let wish = Wish::read(order)?;
        let not_started = |error: io::Error| format!("The command could not be started: {error}");
        let cwd = PathBuf::from(wish.cwd);
        // A folder that does not answer holds up nobody else.
        let folders = spawn_blocking(move || cwd.is_dir().then(temporary_folder).transpose()).await;
        let temporary = folders.map_err(io::Error::from).flatten().map_err(not_started)?;
        // Gone with the command, whatever it left there.
        let temporary =
            temporary.ok_or_else(|| format!("The working folder `{}` is not there. Nothing was done.", wish.cwd))?;
        let own = [
            (KEY_VARIABLE.into(), order.key.to_string().into()),
            (TEMPORARY_VARIABLE.into(), temporary.path().as_os_str().to_owned()),
        ];
        let home = self.environment.iter().find(|(name, _)| name == "HOME").map(|(_, home)| Path::new(home));
        let fence = self.sandbox.for_commands(Path::new(wish.cwd), temporary.path(), home);
        let is_held = fence.holds();
        let (command, cwd) = (wish.command.to_owned(), wish.cwd.to_owned());
        let environment: Vec<_> = self.environment.iter().cloned().chain(own).collect();
        let runtime = Handle::current();
        let started = inside(fence, move |_| {
            let _entered = runtime.enter();
            Process::start(&command, &cwd, environment)
        });
        let process = started.await.flatten().map_err(not_started)?;
        let (end, output) = process.attend(wish.timeout).await;
        let mut report = report(&end, &output, wish.timeout);
        if is_held && report.failed && report.output.contains("ermission denied") {
            report.output.push_str(HELD);
        }
        Ok(report)
    }
}

#[async_trait]
impl Tool for Bash {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "bash".to_owned(),
            description: "Runs a command in a new bash shell and returns what it prints, standard output and standard \
                          error together. Each call starts afresh in the working folder: variables and `cd` do not \
                          last from one call to the next. There is no input and no terminal, so commands must not ask \
                          questions. Processes that are still there when the command ends are stopped. Long output is \
                          cut in the middle. Commands may be held to the working folder and the system's programs; \
                          what need not last goes to `$TMPDIR`."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command line, as one would type it."},
                    "description": {"type": "string", "description": "What the command does, in a few words."},
                    "timeout": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "After how many milliseconds to stop it, if that is sooner than the limit set.",
                    },
                },
                "required": ["command"],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        self.run(order).await.unwrap_or_else(failed).into()
    }
}

/// What the agent is told where a command may have failed for want of more to reach.
const HELD: &str = "\nCommands reach the working folder, the system's programs and `$TMPDIR` here; whoever runs this server can \
                    name more under `sandbox`.";

/// A folder for one command, which nobody else looks into.
fn temporary_folder() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("countersign-").permissions(Permissions::from_mode(0o700)).tempdir()
}

/// What a call wants.
struct Wish<'a> {
    command: &'a str,
    cwd: &'a str,
    timeout: Duration,
}

impl<'a> Wish<'a> {
    fn read(order: Order<'a>) -> Result<Self, String> {
        let call = &order.call.call;
        let arguments = Arguments::of(call, &["command", "description", "timeout", "run_in_background"])?;
        let command = arguments.text("command")?.ok_or("The argument `command` is missing. Nothing was done.")?;
        arguments.text("description")?;
        if arguments.flag("run_in_background")? {
            return Err(
                "`run_in_background` is not possible here: a call ends before the next one starts. Nothing was \
                        done; run it without."
                    .to_owned(),
            );
        }
        // Whatever it was judged to touch, it was not judged for the folder that we happen to be in.
        let cwd = call.cwd().ok_or("The call has no working folder. Nothing was done.")?;
        let wished = arguments.count("timeout")?.map_or(order.timeout, Duration::from_millis);
        Ok(Self { command, cwd, timeout: wished.min(order.timeout) })
    }
}

fn report(end: &End, output: &Capture, timeout: Duration) -> Report {
    let note = match end {
        End::Code(0) => None,
        End::Code(code) => Some(format!("The command ended with exit code {code}.")),
        End::Signal(signal) => Some(format!("The command was ended by signal {signal}.")),
        End::TimedOut => Some(format!("The command was stopped after {} ms.", timeout.as_millis())),
        End::Lost(error) => Some(format!("What became of the command is not known: {error}")),
    };
    let mut text = output.text();
    let failed = note.is_some();
    let note = note.or_else(|| text.is_empty().then(|| "The command ended without output.".to_owned()));
    if let Some(note) = note {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&note);
    }
    Report { output: text, failed }
}
