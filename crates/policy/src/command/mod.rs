//! Commands are not strings: takes a command line apart as bash does.
//!
//! The analysis is two-sided. What it says it understood, it understood completely: every simple command that bash
//! would run is in the list, with the same words. Whatever it meets beyond that it marks, and goes on as best it can,
//! so that a denial still finds what there is to find.
//!
//! One pass over the text with a stack of its own; no input makes it recurse, hang or take more than linear time.

mod ansi;
mod awk;
mod condition;
mod guess;
mod parse;
mod profile;
mod sed;
mod unwrap;
mod word;

pub use profile::Profile;
pub use word::Word;

/// A command line, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Every simple command that was found, those inside substitutions and behind wrappers included.
    pub commands: Vec<Simple>,
    /// What was not understood, if anything: then there may be more commands than were found.
    pub opaque: Option<&'static str>,
    /// Texts that may be commands, guessed from the words of a line that was not understood.
    pub guesses: Vec<String>,
}

/// A simple command: assignments, words, redirections.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    /// Variables that are set for it; alone, for the rest of the line.
    pub assignments: Vec<Assignment>,
    /// The command word and its arguments.
    pub words: Vec<Word>,
    /// Files it reads or writes by redirection.
    pub redirections: Vec<Redirection>,
    /// As it stands in the line; empty where it was put together.
    pub source: String,
    /// How it came into the list.
    pub role: Role,
    /// The place of the command that runs it, and the place of its first word there.
    pub behind: Option<(usize, usize)>,
}

/// How a command came into the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// It stands in the line.
    #[default]
    Own,
    /// It does nothing but run another one, which is in the list too.
    Through,
    /// It writes out a text that stands in the line: the `cat` of `"$(cat <<'END' …)"`.
    WrittenOut,
    /// Another command runs it.
    Wrapped,
}

/// A variable that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Its name.
    pub name: String,
    /// Whether its value is known.
    pub literal: bool,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// What it does.
    pub kind: RedirectionKind,
    /// The file, the descriptor or the text.
    pub target: Word,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectionKind {
    /// Reads a file.
    Read,
    /// Writes a file.
    Write,
    /// Copies or closes a descriptor.
    Descriptor,
    /// Reads a text that stands in the line.
    Text,
}

impl Analysis {
    /// Takes `line` apart.
    pub fn of(line: &str) -> Self {
        let mut analysis = parse::parse(line);
        unwrap::unwrap(&mut analysis, line.len());
        if analysis.opaque.is_some() {
            analysis.guesses = guess::commands(line);
        }
        analysis
    }
}

impl Simple {
    /// The program's name without its folder, where it is known.
    pub fn program(&self) -> Option<&str> {
        let first = self.words.first().filter(|word| word.is_literal())?;
        Some(first.text.rsplit('/').next().unwrap_or(&first.text))
    }
}
