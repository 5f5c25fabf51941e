//! What can be said on the command line. These comments are the help text and the reference.

mod doctor;

pub use doctor::Doctor;

use clap::{Args as ClapArgs, Parser, Subcommand};
use std::path::PathBuf;

/// Agents propose, people countersign.
///
/// Countersign stands between AI agents and their tools: it judges every tool call against a policy, asks a person
/// where the policy says so, and says why.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Serve(Serve),
    Worker(Worker),
    Migrate(Migrate),
    Doctor(Doctor),
    Run(RunAgent),
    Approve(Approve),
    Reject(Reject),
    Check(Check),
    #[command(subcommand)]
    Policy(PolicyCommand),
    #[command(subcommand)]
    Token(TokenCommand),
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Print the OpenAPI document of the server
    Openapi,
    /// Print the reference of all commands as Markdown
    #[command(name = "help-markdown", hide = true)]
    Help,
}

/// Judge a call without doing anything, and say why
///
/// Exit codes: 0 allow, 10 ask, 11 deny, 2 bad input. With --batch: 0, or 2 if a line was refused.
#[derive(Debug, ClapArgs)]
#[command(after_long_help = "A call is a JSON object:

  {\"call\": {\"server\": …, \"tool\": \"bash\", \"args\": {\"command\": \"npm test\"}, \"cwd\": \"/srv/repo\"},
   \"context\": {\"user\": \"alice\", \"agent\": …, \"role\": …, \"session\": …, \"home\": …, \"now\": …,
               \"paths\": {…}, \"delegated\": […], \"approvals\": […], \"remembered\": […]},
   \"config\": {\"policy\": {…}, \"tools\": […], \"roles\": {…}}}

Only `call` is needed. `config` stands in for --policy.

  echo '{\"call\": {\"tool\": \"bash\", \"args\": {\"command\": \"ls\"}}}' | countersign check --call -")]
pub struct Check {
    /// The configuration file with the policy. Without it, and without `config` in the call: the built-in defaults
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The file with the call; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub call: PathBuf,
    /// Judge one call a line, and print one JSON object a line
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub batch: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Look at a policy
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    Lint(Lint),
    Test(Test),
    /// Print the JSON Schema of the configuration file
    Schema,
}

/// Refuse a bad policy with line and reason, and report what is odd in a good one
///
/// Exit codes: 0 good (warnings are printed), 1 warnings with --strict, 2 bad.
#[derive(Debug, ClapArgs)]
pub struct Lint {
    /// The configuration file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Warnings are failures
    #[arg(long)]
    pub strict: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Run the `tests:` that stand in the policy itself
///
/// Exit codes: 0 all passed, 1 a test failed, 2 bad input.
#[derive(Debug, ClapArgs)]
pub struct Test {
    /// The configuration files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Start the server: the API, the web page, and the workers that run agents
///
/// Prints `listening on …` when it is ready, and on a fresh database `sign in: …`, a link that signs you in once. Without
/// a configuration it starts with a demo that needs no key. Stop it with Ctrl-C; runs that wait go on when it is
/// started again.
#[derive(Debug, ClapArgs)]
pub struct Serve {
    /// The configuration file. Without it: a demo
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The address to listen on. Default: `server.listen`, or 127.0.0.1:7717
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// The database: `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/NAME?sslmode=verify-full`. Better set the variable if
    /// it holds a password. Default: `store`, or a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
    /// Print a new sign-in link, also where somebody has signed in before
    #[arg(long)]
    pub sign_in_link: bool,
}

/// Start workers only: more hands for the runs of a database that several nodes share
///
/// Prints `working on …` when it is ready. Give it the configuration that the servers have. Stop it with Ctrl-C; what it
/// was doing is taken up by others.
#[derive(Debug, ClapArgs)]
pub struct Worker {
    /// The configuration file. Without it: a demo
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The database: `postgres://…`. Default: `store`
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
}

/// Bring a database to the schema of this program, and say what was done
///
/// `serve`, `worker` and all others do the same when they open a database; this is for doing it beforehand.
#[derive(Debug, ClapArgs)]
pub struct Migrate {
    /// The configuration file, for its `store`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The database: `sqlite://PATH` or `postgres://…`. Default: `store`, or a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
}

/// Which server to speak to, and as whom.
#[derive(Debug, ClapArgs)]
pub struct ServerArgs {
    /// The server
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_URL", default_value = "http://127.0.0.1:7717")]
    pub server: String,
    /// Your token. Better set the variable: other users of the machine see the command line
    #[arg(long, value_name = "TOKEN", env = "COUNTERSIGN_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Start a run on a server, follow it, and answer what it asks
///
/// What the agent says is streamed, every line of it marked with `│`; each call is shown with its verdict and the reason. At a
/// terminal you are asked there and then; `/later` or Ctrl-D puts a question off, Ctrl-C leaves the run at any time. Either
/// way it goes on or waits, and you are told how to answer it.
///
/// Exit codes: 0 the agent is done, 1 the run failed or was stopped, 2 bad input, 3 you left it.
#[derive(Debug, ClapArgs)]
pub struct RunAgent {
    /// The agent, by its name in the configuration
    #[arg(value_name = "AGENT")]
    pub agent: String,
    /// What it is asked
    #[arg(value_name = "INPUT")]
    pub input: String,
    /// The working folder of its tools
    #[arg(long, value_name = "FOLDER")]
    pub cwd: Option<String>,
    /// The session, to go on with one
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Leave the run when all it does is wait for somebody, and say how to answer
    #[arg(long)]
    pub no_wait: bool,
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Approve a call that waits
///
/// Exit codes: 0 approved, also if it had been by you; 2 not approved.
#[derive(Debug, ClapArgs)]
pub struct Approve {
    /// The interaction: `int_…`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Reject a call that waits
///
/// Exit codes: 0 rejected, also if it had been by you; 2 not rejected.
#[derive(Debug, ClapArgs)]
pub struct Reject {
    /// The interaction: `int_…`
    #[arg(value_name = "ID")]
    pub id: String,
    /// Why. The agent is told
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Make, list and revoke tokens
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    Create(TokenCreate),
    List(TokenList),
    Revoke(TokenRevoke),
}

/// Make a token, and print it alone on standard output
///
/// It is kept only as a hash: nobody can show it again.
#[derive(Debug, ClapArgs)]
pub struct TokenCreate {
    /// Whose: `user` (a person), `agent` (can ask and wait, never answer) or `service` (a program)
    #[arg(long, value_name = "KIND")]
    pub kind: String,
    /// The name of the person, agent or service
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// What a person or service may do: `viewer` (the default), `approver` or `operator`
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// For an agent: the user it acts for
    #[arg(long = "for", value_name = "USER")]
    pub acts_for: Option<String>,
    /// For a service: it may name the user for whom it asks
    #[arg(long, conflicts_with = "acts_for")]
    pub act_for: bool,
    /// A group of approvers it belongs to; may be given several times
    #[arg(long, value_name = "GROUP")]
    pub group: Vec<String>,
    /// The database: `sqlite://PATH` or `postgres://…`. Default: a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
}

/// List all tokens, without their secrets
#[derive(Debug, ClapArgs)]
pub struct TokenList {
    /// The database: `sqlite://PATH` or `postgres://…`. Default: a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
    /// Print JSON, one token a line
    #[arg(long)]
    pub json: bool,
}

/// End a token
#[derive(Debug, ClapArgs)]
pub struct TokenRevoke {
    /// The token's id: `tok_…`
    #[arg(value_name = "ID")]
    pub id: String,
    /// The database: `sqlite://PATH` or `postgres://…`. Default: a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
}

/// The record: every call, verdict and answer, provable to somebody who trusts only a public key
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    Key(AuditKey),
    Verify(AuditVerify),
    Export(AuditExport),
    Erase(AuditErase),
}

/// Print the public key of whoever signs the record
///
/// Keep it, and copies of the checkpoints, where whoever runs the server cannot change them.
#[derive(Debug, ClapArgs)]
pub struct AuditKey {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The database: `sqlite://PATH` or `postgres://…`. Default: a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
}

/// Prove that nothing in the record was changed, removed or moved, and that whatever was executed was allowed
///
/// Exit codes: 0 whole, 1 something is wrong, 2 bad input. Without --export the database is verified, while the server may
/// go on.
#[derive(Debug, ClapArgs)]
pub struct AuditVerify {
    /// The public key, as `countersign audit key` prints it; may be given several times. Default: that of the key on this
    /// machine
    #[arg(long, value_name = "KEY")]
    pub key: Vec<String>,
    /// A file of checkpoints that was kept elsewhere, besides the one beside the key; may be given several times
    #[arg(long, value_name = "FILE")]
    pub checkpoints: Vec<PathBuf>,
    /// Verify an exported log (`countersign audit export --format jsonl`); it needs no database
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The database: `sqlite://PATH` or `postgres://…`. Default: a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Write the record to a file
#[derive(Debug, ClapArgs)]
pub struct AuditExport {
    /// `csv` (a table of calls, safe to open in a spreadsheet), `json` (the same as a list) or `jsonl` (the log itself, with
    /// all that `verify --export` needs: whole, or with filters the runs of those calls, each entry with its proof)
    #[arg(long, value_name = "FORMAT")]
    pub format: String,
    /// The file to write. Default: standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// For `jsonl`: give each entry its own proof, also where the log is whole and needs none
    #[arg(long)]
    pub proofs: bool,
    /// Only calls of this run
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Only calls on behalf of this user
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Only calls of this agent
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Only calls of this tool: `server/tool`, or `tool` alone
    #[arg(long, value_name = "TOOL")]
    pub tool: Option<String>,
    /// Only calls that stand so: pending, running, completed, error, denied, rejected, expired, cancelled or unknown
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only calls proposed since then: `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only calls proposed before then
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The database: `sqlite://PATH` or `postgres://…`. Default: a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
}

/// Erase what people, models and tools wrote in a run that has ended
///
/// What happened, when and by whom stays, and the record verifies as before.
#[derive(Debug, ClapArgs)]
pub struct AuditErase {
    /// The run: `run_…`
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Why; it stays in the record
    #[arg(long, value_name = "TEXT")]
    pub why: String,
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The database: `sqlite://PATH` or `postgres://…`. Default: a file in the platform's data folder
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_DB", hide_env_values = true)]
    pub db: Option<String>,
}
