//! Program profiles: data that says which programs run others, and which flags write files or load code.

mod objection;
mod table;

use super::{Simple, Word};
use std::collections::{HashMap, HashSet};
use table::TABLE;

/// What is known of a program.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts, each a line of the table")]
pub struct Profile {
    /// No wildcard covers it, whatever its arguments.
    never: bool,
    /// Options and words with which no wildcard covers it.
    dangers: Vec<String>,
    /// The same, unless the pattern names them.
    unless_named: Vec<String>,
    /// It takes the beginning of a long option for the whole.
    abbreviates: bool,
    /// What its operands say, if they are a language of their own.
    script: Option<Script>,
    /// All its arguments must be among these.
    only: HashSet<String>,
    /// Options with a value that together do no harm.
    pairs: Vec<(String, String)>,
    /// Sub-commands that only read with one of these options right behind them.
    reading: Vec<(String, HashSet<String>)>,
    /// Without an operand it runs what it reads.
    stdin: bool,
    /// Its operands are files that it writes.
    writes: bool,
    /// Its operands are names of variables that it sets.
    names: bool,
    /// Variables that may be set for it.
    sets: HashSet<String>,
    /// With one of these as its first argument it runs nothing.
    pub(super) instead: HashSet<String>,
    /// Sub-commands after which its operands are a command.
    pub(super) sub_runs: HashSet<String>,
    /// Sub-commands with which no wildcard covers it.
    sub_commands: HashSet<String>,
    /// The same, unless the pattern names them.
    sub_commands_unless_named: HashSet<String>,
    /// It runs the command that its operands are.
    pub(super) runs: bool,
    /// It does nothing else.
    pub(super) through: bool,
    /// Operands of its own before that command.
    pub(super) skip: usize,
    /// Options that take the next word as their value.
    takes: HashSet<String>,
    /// Options that may stand before a sub-command.
    harmless: HashSet<String>,
    /// Options whose value is a command line; `*` is all operands.
    pub(super) texts: Vec<String>,
    /// Words that a command follows.
    pub(super) after: Vec<String>,
    /// Beginnings of operands that mean an option.
    meanings: Vec<(String, String)>,
    /// Spellings of one option, the first of each group is the one they are compared by.
    same: HashMap<String, String>,
}

/// A language that operands are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Sed,
    Awk,
    /// A condition, as `test` takes it.
    Condition,
}

impl Profile {
    /// The profile of the program `name`, if it is listed.
    pub fn of(name: &str) -> Option<&'static Self> {
        TABLE.programs.get(name)
    }

    /// Whether setting the variable `name` changes nothing but looks.
    pub fn is_harmless_variable(name: &str) -> bool {
        TABLE.variables.contains(name)
    }

    /// Whether a line may set the variable `name` for all that follows in it.
    pub fn is_free_variable(name: &str) -> bool {
        super::word::is_free_name(name) || Self::is_harmless_variable(name)
    }

    /// Whether the output of `command` is known to hold no option.
    pub(super) fn is_settled(command: &Simple) -> bool {
        let fits = |word: &Word, expected: &str| match expected {
            "WORD" => !word.text.starts_with('-'),
            expected => word.text == expected,
        };
        command.assignments.is_empty()
            && command.redirections.is_empty()
            && command.words.iter().all(Word::is_literal)
            && TABLE.settled.iter().any(|words| {
                words.len() == command.words.len() && command.words.iter().zip(words).all(|(word, one)| fits(word, one))
            })
    }

    /// Whether the variable `name` may be set for this program.
    pub fn may_be_given(&self, name: &str) -> bool {
        self.sets.contains(name)
    }

    /// The files that it writes because they are its operands.
    pub fn written<'a>(&'a self, command: &'a Simple) -> impl Iterator<Item = &'a Word> {
        let arguments = command.words.get(1..).unwrap_or_default();
        self.operands(if self.writes { arguments } else { &[] })
    }

    /// Whether any of its arguments could do harm.
    pub fn has_dangers(&self) -> bool {
        self.never
            || !self.dangers.is_empty()
            || !self.unless_named.is_empty()
            || !self.sub_commands.is_empty()
            || !self.sub_commands_unless_named.is_empty()
            || self.script.is_some()
            || !self.only.is_empty()
            || self.writes
            || self.stdin
            || self.names
            || !self.after.is_empty()
            || self.runs
            || !self.texts.is_empty()
    }

    /// Whether any text may be given to it, even one that turns out to be an option. Conditions look closer themselves.
    pub fn takes_any_text(&self) -> bool {
        !self.has_dangers() || self.script == Some(Script::Condition)
    }

    /// The arguments that are not options, nor values of options.
    pub fn operands<'a>(&'a self, arguments: &'a [Word]) -> impl Iterator<Item = &'a Word> {
        let mut value = false;
        let mut ended = false;
        arguments.iter().filter(move |word| {
            if std::mem::take(&mut value) {
                return false;
            }
            if ended || !is_option(word) {
                return true;
            }
            ended = word.text == "--";
            value = self.takes.contains(&word.text);
            false
        })
    }

    /// Where in `arguments` the command starts that it runs.
    pub(super) fn start_of_command(&self, arguments: &[Word]) -> Option<usize> {
        let mut left = self.skip;
        let mut i = 0;
        while let Some(word) = arguments.get(i) {
            if word.text == "--" {
                i += 1;
                break;
            }
            if is_option(word) {
                i += if self.takes.contains(&word.text) { 2 } else { 1 };
            } else if word.text.split_once('=').is_some_and(|(name, _)| super::word::is_name(name)) && self.skip == 0 {
                i += 1;
            } else if left > 0 {
                left -= 1;
                i += 1;
            } else {
                break;
            }
        }
        (i < arguments.len()).then_some(i)
    }

    /// Where in `arguments` the command starts that its sub-command runs.
    pub(super) fn start_after_sub_command(&self, arguments: &[Word]) -> Option<usize> {
        let sub = arguments
            .iter()
            .position(|word| !is_option(word))
            .filter(|&i| arguments.get(i).is_some_and(|word| self.sub_runs.contains(&word.text)))?;
        let rest = arguments.get(sub + 1..)?;
        self.start_of_command(rest).map(|start| sub + 1 + start)
    }

    /// Whether `option` may stand before the sub-command.
    pub fn is_harmless(&self, option: &str) -> bool {
        self.harmless.contains(option)
    }

    /// Whether the option takes the next word as its value.
    pub fn takes_value(&self, option: &str) -> bool {
        self.takes.contains(option)
    }

    /// The option that an operand means: `+main` forces a push.
    pub fn meaning(&self, operand: &str) -> Option<&str> {
        self.meanings.iter().find(|(start, _)| operand.starts_with(&**start)).map(|(_, option)| &**option)
    }

    /// The spelling by which `option` is compared.
    pub fn canonical<'a>(&'a self, option: &'a str) -> &'a str {
        self.same.get(option).map_or(option, String::as_str)
    }
}

fn is_option(word: &Word) -> bool {
    word.text.len() > 1 && word.text.starts_with('-')
}
