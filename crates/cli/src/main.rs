//! `countersign`: the command line. Environment, terminal, clock and file system are read here and nowhere further in.

mod args;
mod ask;
mod assembly;
mod cast;
mod client;
mod commands;
mod config;
mod demo;
mod doctor;
mod failure;
mod follow;
mod home;
mod limits;
mod log;
mod notary;
mod output;
mod reload;
mod rim;
mod traces;

use args::{Args, Command, PolicyCommand};
use clap::Parser as _;
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Much is made on one thread and dropped on another, which the system's own allocator does slowly.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Serve(serve) => commands::serve::run(&serve),
        Command::Worker(worker) => commands::worker::run(&worker),
        Command::Migrate(migrate) => commands::migrate::run(&migrate),
        Command::Doctor(doctor) => commands::doctor::run(&doctor),
        Command::Run(run) => commands::run::run(&run),
        Command::Approve(approve) => commands::answer::approve(&approve),
        Command::Reject(reject) => commands::answer::reject(&reject),
        Command::Token(token) => commands::token::run(&token),
        Command::Audit(audit) => commands::audit::run(&audit),
        Command::Openapi => commands::openapi::run(),
        Command::Check(check) => commands::check::run(&check),
        Command::Policy(PolicyCommand::Lint(lint)) => commands::policy_lint::run(&lint),
        Command::Policy(PolicyCommand::Test(test)) => commands::policy_test::run(&test),
        Command::Policy(PolicyCommand::Schema) => commands::policy_schema::run(),
        Command::Help => Ok(commands::reference::run()),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            let lines: Vec<String> = failure.to_string().lines().map(output::visible).collect();
            output::to_stderr(&lines.join("\n"));
            ExitCode::from(failure::BAD_INPUT)
        }
    }
}
