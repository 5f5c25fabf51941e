//! What can be said on the command line. These comments are the help text and the reference.

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
    Check(Check),
    #[command(subcommand)]
    Policy(PolicyCommand),
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
