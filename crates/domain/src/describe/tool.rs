//! What is known of a tool, apart from any call of it.

use super::Doubt;
use serde_json::{Map, Value};

/// What a tool is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// What it is able to do.
    pub capabilities: Vec<String>,
    /// How dangerous it is.
    pub risk: Risk,
    /// Where its calls name what they touch.
    pub touches: Touches,
    /// The arguments it knows, if that is known.
    pub arguments: Option<Vec<String>>,
}

impl Tool {
    /// A tool that nobody declared: all its arguments are its resource, its risk is unknown.
    pub fn undeclared() -> Self {
        Self { capabilities: vec![], risk: Risk::Unknown, touches: Touches::Everything, arguments: None }
    }
}

/// How dangerous a tool is, from least to most. Unknown is not a rank: nothing follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Risk {
    /// Reads what is harmless.
    Low,
    /// Changes what can be changed back.
    Medium,
    /// Runs programs, changes what cannot be changed back.
    High,
    /// Money, data of others, production.
    Critical,
    /// Nobody said.
    Unknown,
}

impl Risk {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
            Self::Unknown => "unknown",
        }
    }
}

/// Where the calls of a tool name what they touch, and what kind of thing that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touches {
    /// Nothing that could be named.
    Nothing,
    /// The canonical JSON of all arguments.
    Everything,
    /// These arguments, as text.
    Text(Vec<Argument>),
    /// These arguments are command lines for a shell.
    Command(Vec<Argument>, Dialect),
    /// These arguments are paths.
    Path(Vec<Argument>),
    /// These arguments are URLs.
    Url(Vec<Argument>),
    /// A folder that is searched, and a glob that says for what.
    Search {
        /// The folder.
        folder: Argument,
        /// The glob. It may lead out of the folder.
        glob: Argument,
        /// What the glob makes of the folder.
        reach: Reach,
    },
}

/// What a glob makes of the folder that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It starts there: nothing is looked at but where it leads.
    From,
    /// It picks from all that lies there.
    Within,
}

/// The shell that reads a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `sh`, `bash` and their kin.
    Posix,
    /// PowerShell or `cmd`: command words without regard to case, and a grammar that is not taken apart.
    Windows,
}

/// An argument that names a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Another name for it.
    pub alias: Option<String>,
    /// A list of them is understood too.
    pub several: bool,
    /// What the tool takes where the argument is not given.
    pub unless_given: Option<String>,
}

impl Argument {
    /// The argument of this name: one string.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), alias: None, several: false, unless_given: None }
    }

    /// The argument in `args`, with the name it goes by there.
    pub(super) fn find<'a>(&'a self, args: &'a Map<String, Value>) -> Result<Option<(&'a str, &'a Value)>, Doubt> {
        let own = args.get(&self.name).map(|value| (&*self.name, value));
        let other = self.alias.as_deref().and_then(|alias| args.get(alias).map(|value| (alias, value)));
        match (own, other) {
            (Some((own, _)), Some((other, _))) => Err(Doubt::Both(own.to_owned(), other.to_owned())),
            (own, other) => Ok(own.or(other)),
        }
    }
}
