//! The workload: rules and calls from a fixed seed, each call with the answer it must get.
//!
//! It is made anew in every process, the same each time, so that no files lie about.

mod generate;
mod random;

use serde::{Deserialize, Serialize};

/// How rules are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Allow and deny grants of one user, `tool(glob)`: a deny wins, else an allow, else somebody is asked.
    Patterns,
    /// Server, tool glob, priority: the first that fits decides, else somebody is asked.
    Priority,
}

impl Form {
    pub const ALL: [Self; 2] = [Self::Patterns, Self::Priority];

    pub fn word(self) -> &'static str {
        match self {
            Self::Patterns => "patterns",
            Self::Priority => "priority",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }
}

/// How many rules there are.
pub const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

pub struct Workload {
    pub form: Form,
    pub grants: Vec<Grant>,
    /// By priority ascending.
    pub rules: Vec<Rule>,
    pub calls: Vec<Call>,
}

pub struct Grant {
    pub tool: String,
    /// `*` and `**` are any text.
    pub glob: String,
    pub deny: bool,
}

pub struct Rule {
    /// `None` is every server.
    pub server: Option<String>,
    pub tool: String,
    pub approve: bool,
}

pub struct Call {
    pub server: Option<String>,
    pub tool: String,
    pub arg: String,
    pub expect: Answer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Allow,
    Ask,
    Deny,
    /// From an engine that only says yes or no.
    No,
}

impl Answer {
    pub fn agrees(self, expect: Self) -> bool {
        self == expect || (self == Self::No && expect != Self::Allow)
    }
}

impl Workload {
    pub fn new(form: Form, size: usize) -> Self {
        match form {
            Form::Patterns => generate::patterns(size),
            Form::Priority => generate::priority(size),
        }
    }

    /// The tools that grants and calls are about.
    pub fn tools() -> Vec<String> {
        generate::tools()
    }
}

/// Whether `glob`, in which `*` is any text, matches all of `text`.
///
/// As plain as can be: this says what the right answers are.
fn fits(glob: &str, text: &str) -> bool {
    match glob.split_once('*') {
        None => glob == text,
        Some((literal, rest)) => text.strip_prefix(literal).is_some_and(|text| {
            rest.trim_start_matches('*').is_empty()
                || text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| fits(rest, &text[at..]))
        }),
    }
}
