//! What the reader is inside of, and what it has read there so far.

use super::super::word::Draft;
use super::super::{RedirectionKind, Simple};

/// A list of commands that is being read: the line itself, a subshell, the inside of a substitution.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) inside: Inside,
    pub(super) simple: Simple,
    pub(super) draft: Option<Draft>,
    pub(super) in_double_quotes: bool,
    pub(super) expects: Option<Expects>,
    /// Here-documents whose bodies start after the next line break.
    pub(super) here: Vec<Here>,
    /// Where the simple command starts, and where its last token ended.
    pub(super) from: usize,
    pub(super) to: usize,
    /// How many commands had been found when the frame was opened.
    pub(super) first: usize,
    /// The simple command reads from a pipe.
    pub(super) piped: bool,
    /// What the simple command is, if not one.
    pub(super) compound: Option<Compound>,
    /// How many commands had been found when the line of text began.
    pub(super) line_first: usize,
}

/// What begins with a word of the shell's own and is read as if it were a simple command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compound {
    /// `for NAME in …`, up to the separator.
    Loop,
    /// `[[ … ]]`, up to its closing word.
    Condition,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Inside {
    #[default]
    Top,
    Subshell,
    /// `$(…)`, `<(…)` or `>(…)`, in double quotes or not.
    Substitution {
        quoted: bool,
    },
    /// The same in backticks.
    Backticks {
        quoted: bool,
    },
    /// `${…}` beyond a plain name.
    Parameter,
}

/// What the next word is for, if it is not an argument.
pub(super) enum Expects {
    Target(RedirectionKind),
    Delimiter { tabs: bool },
}

pub(super) struct Here {
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) tabs: bool,
}

impl Frame {
    pub(super) fn new(inside: Inside, from: usize, first: usize) -> Self {
        Self { inside, from, to: from, first, line_first: first, ..Self::default() }
    }
}
