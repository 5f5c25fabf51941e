//! `countersign help-markdown`: prints the reference of all commands, made from their own help texts.

use crate::args::Args;
use crate::output;
use clap::CommandFactory as _;

/// Carries out the command.
pub fn run() -> u8 {
    let mut out = String::from("# Command line\n\nGenerated from the program's own help texts by `make reference`.\n");
    let command = Args::command().term_width(100);
    describe(command, "", &mut out);
    output::line(out.trim_end());
    0
}

fn describe(mut command: clap::Command, parent: &str, out: &mut String) {
    let name = format!("{parent}{}", command.get_name());
    command = command.bin_name(name.clone());
    out.push_str(&format!("\n## `{name}`\n\n```text\n{}\n```\n", command.render_long_help().to_string().trim_end()));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        describe(sub.clone().term_width(100), &format!("{name} "), out);
    }
}
