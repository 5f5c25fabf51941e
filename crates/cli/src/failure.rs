//! A command that could not be carried out: what was wrong, and what to do about it.

use countersign_policy::Problem;
use std::fmt;
use std::path::Path;

/// The exit code for input that cannot be used. Never a verdict.
pub const BAD_INPUT: u8 = 2;

/// What went wrong, a line each.
#[derive(Debug)]
pub struct Failure(Vec<String>);

impl Failure {
    /// One sentence.
    pub fn new(text: impl fmt::Display) -> Self {
        Self(vec![text.to_string()])
    }

    /// A database that did not do it.
    pub fn from_store(error: &countersign_runtime::ports::StoreError) -> Self {
        let cause = std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
        Self::new(format!("{error}{cause}"))
    }

    /// A file that cannot be read.
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self::new(format!("cannot read `{}`: {error}", path.display()))
    }

    /// Several.
    pub fn all(texts: Vec<String>) -> Self {
        Self(texts)
    }

    /// What is wrong with a configuration that came without a file.
    pub fn problems(problems: &[Problem]) -> Self {
        Self(problems.iter().map(ToString::to_string).collect())
    }

    /// What went wrong, a text each.
    pub fn into_lines(self) -> Vec<String> {
        self.0
    }

    /// In one line, for machines.
    pub fn in_one_line(&self) -> String {
        self.0.join("; ")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, text) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "error: {text}")?;
        }
        Ok(())
    }
}
