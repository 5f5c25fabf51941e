//! What is wrong with a configuration, and where.

use std::fmt;

/// Something that is wrong, or odd, at a place in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The place.
    pub place: Place,
    /// What is wrong there, and what to do.
    pub text: String,
}

/// A place in the configuration: `policy.rules[2].when`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place(Vec<Step>);

/// One step on the way to a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// Into the value of this key.
    Key(String),
    /// Into the item at this index.
    Index(usize),
}

impl Place {
    /// The section of this name.
    pub fn section(name: &str) -> Self {
        Self(vec![Step::Key(name.to_owned())])
    }

    /// The value of `key` in this place.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.step(Step::Key(key.to_owned()))
    }

    /// The item at `index` in this place.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    fn step(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The way to it.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The problem `text` here.
    pub fn problem(&self, text: impl fmt::Display) -> Problem {
        Problem { place: self.clone(), text: text.to_string() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if i == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}
