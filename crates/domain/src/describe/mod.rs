//! Describe: a call and what is known of its tool in; capabilities, risk and the resource it touches out.
//!
//! One canonicaliser: the resource made here is what patterns are matched against, what is suggested for remembering
//! and what people are shown.

mod builtin;
pub mod path;
mod tool;
pub mod url;

pub use builtin::{BUILTIN, builtin};
pub use path::PathPart;
pub use tool::{Argument, Dialect, Reach, Risk, Tool, Touches};
pub use url::UrlPart;

use crate::disguise::{self, Disguise};
use crate::{Call, Digest, canonical};
use serde_json::Value;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// A call, and what judging it needs to know of it.
///
/// Laid out in this order: what every judgement looks at comes first and lies together.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Described {
    /// The server's name in Unicode normal form C.
    pub server: Option<String>,
    /// The tool's name in Unicode normal form C.
    pub tool: String,
    /// What this call touches.
    pub resource: Resource,
    /// What the tool is able to do.
    pub capabilities: Vec<String>,
    /// Why no allow may cover this call, whatever it says.
    pub doubts: Vec<Doubt>,
    /// How dangerous the tool is.
    pub risk: Risk,
    /// Nobody said what this tool of a server touches, and a tool of the same name without a server is known to touch
    /// something of a kind: a denial that speaks of that one may mean this one.
    pub undeclared_namesake: bool,
    /// The digest of the call.
    pub digest: Digest,
    /// The home folder of whoever the call is made for.
    pub home: Option<String>,
    /// The call itself.
    pub call: Call,
}

/// What a call touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// The tool touches nothing that could be named.
    Nothing,
    /// One part or more; an allow covers the call only if every part is covered.
    Parts(Vec<Part>),
    /// What it touches could not be made out; the [`Doubt`] says why.
    NotUnderstood,
}

/// One thing a call touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A command line.
    Command {
        /// The whole line.
        line: String,
        /// The shell that reads it.
        dialect: Dialect,
    },
    /// A file or folder.
    Path(PathPart),
    /// An address.
    Url(UrlPart),
    /// Anything else, as text.
    Text(String),
}

/// Why a call is not what a wildcard was meant for. A call in doubt is asked about, whoever would allow it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// The name is not what it looks like.
    #[error(transparent)]
    Name(#[from] Disguise),
    /// The name was given in one piece that can be taken apart in several ways.
    #[error("`{0}` can be read as tools of several servers: name the server apart from the tool")]
    SeveralReadings(String),
    /// The argument that names the resource is missing.
    #[error("the argument `{0}` is missing")]
    Missing(String),
    /// The argument that names the resource has the wrong type.
    #[error("the argument `{0}` must be {1}")]
    WrongType(String, &'static str),
    /// Two spellings of the same argument are both there.
    #[error("the arguments `{0}` and `{1}` are both given: which one counts?")]
    Both(String, String),
    /// The argument cannot be read as what it should be.
    #[error("the argument `{0}` cannot be understood: {1}")]
    Unreadable(String, String),
    /// An address that readers are known to disagree on.
    #[error("the address is not what it looks like: {0}")]
    Deceptive(&'static str),
    /// An argument that the tool does not know.
    #[error("the argument `{0}` is not one that the tool knows")]
    UnknownArgument(String),
}

/// What stands around a call and cannot be seen in it: gathered at the rim, never read from here.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The home folder that `~` means.
    pub home: Option<String>,
    /// Paths with links followed: as given, or any folder on the way, to where it really is.
    pub paths: BTreeMap<String, String>,
}

/// Describes `call`, a call of `tool`.
pub fn describe(call: Call, tool: &Tool, around: &Surroundings) -> Described {
    let mut doubts = Vec::new();
    doubts.extend(call.server().and_then(disguise::of_name).map(Doubt::Name));
    doubts.extend(disguise::of_name(call.tool()).map(Doubt::Name));
    let resource = resource(&call, &tool.touches, around).unwrap_or_else(|doubt| {
        doubts.push(doubt);
        Resource::NotUnderstood
    });
    if let Resource::Parts(parts) = &resource {
        let deceptive = |part: &Part| if let Part::Url(url) = part { url.deceptive } else { None };
        doubts.extend(parts.iter().filter_map(deceptive).map(Doubt::Deceptive));
    }
    if let Some(known) = &tool.arguments {
        doubts.extend(
            call.args().keys().filter(|key| !known.contains(key)).map(|key| Doubt::UnknownArgument(key.clone())),
        );
    }
    Described {
        digest: call.digest(),
        server: call.server().map(compared),
        tool: compared(call.tool()),
        capabilities: tool.capabilities.clone(),
        risk: tool.risk,
        resource,
        undeclared_namesake: false,
        doubts,
        home: around.home.clone(),
        call,
    }
}

fn resource(call: &Call, touches: &Touches, around: &Surroundings) -> Result<Resource, Doubt> {
    let parts = match touches {
        Touches::Nothing => return Ok(Resource::Nothing),
        Touches::Everything => vec![Part::Text(canonical::canonical(&Value::Object(call.args().clone())))],
        Touches::Text(names) => parts(call, names, |name, text| {
            if text.contains('\0') { Err(unreadable(name, "it holds a NUL")) } else { Ok(Part::Text(text.to_owned())) }
        })?,
        Touches::Command(names, dialect) => parts(call, names, |name, line| {
            if line.contains('\0') {
                return Err(unreadable(name, "it holds a NUL"));
            }
            Ok(Part::Command { line: line.to_owned(), dialect: *dialect })
        })?,
        Touches::Path(names) => paths(call, names, around)?,
        Touches::Search { folder, glob, reach } => search(call, folder, glob, *reach, around)?,
        Touches::Url(names) => {
            parts(call, names, |name, given| UrlPart::read(given).map(Part::Url).map_err(|why| unreadable(name, &why)))?
        }
    };
    Ok(Resource::Parts(parts))
}

fn paths(call: &Call, names: &[Argument], around: &Surroundings) -> Result<Vec<Part>, Doubt> {
    parts(call, names, |name, given| {
        PathPart::read(given, call.cwd(), around).map(Part::Path).map_err(|why| unreadable(name, why))
    })
}

/// The folder that is searched, and the one that the glob starts from.
fn search(
    call: &Call,
    folder: &Argument,
    glob: &Argument,
    reach: Reach,
    around: &Surroundings,
) -> Result<Vec<Part>, Doubt> {
    let mut found = paths(call, std::slice::from_ref(folder), around)?;
    let Some((name, value)) = glob.find(call.args())? else { return Ok(found) };
    let text = value.as_str().ok_or_else(|| Doubt::WrongType(name.to_owned(), "a string"))?;
    let given = folder.find(call.args())?.and_then(|(_, value)| value.as_str());
    let given = given.or(folder.unless_given.as_deref()).unwrap_or_default();
    let start = path::glob_start(given, text).map_err(|why| unreadable(name, why))?;
    let start = PathPart::read(&start, call.cwd(), around).map(Part::Path).map_err(|why| unreadable(name, why))?;
    let place = |part: &Part| if let Part::Path(path) = part { Some(path.canonical().to_owned()) } else { None };
    match reach {
        Reach::From => found = vec![start],
        Reach::Within if found.iter().any(|part| place(part) == place(&start)) => {}
        Reach::Within => found.push(start),
    }
    Ok(found)
}

fn unreadable(name: &str, why: &str) -> Doubt {
    Doubt::Unreadable(name.to_owned(), why.to_owned())
}

/// The parts that the arguments in `names` speak of.
fn parts(
    call: &Call,
    names: &[Argument],
    read: impl Fn(&str, &str) -> Result<Part, Doubt>,
) -> Result<Vec<Part>, Doubt> {
    let mut parts = Vec::new();
    for argument in names {
        let Some((name, value)) = argument.find(call.args())? else {
            let default = argument.unless_given.as_ref().ok_or_else(|| Doubt::Missing(argument.name.clone()))?;
            parts.push(read(&argument.name, default)?);
            continue;
        };
        match value {
            Value::String(text) => parts.push(read(name, text)?),
            Value::Array(items) if argument.several && !items.is_empty() => {
                for item in items {
                    let text = item.as_str().ok_or_else(|| Doubt::WrongType(name.to_owned(), "a list of strings"))?;
                    parts.push(read(name, text)?);
                }
            }
            _ if argument.several => return Err(Doubt::WrongType(name.to_owned(), "a string or a list of strings")),
            _ => return Err(Doubt::WrongType(name.to_owned(), "a string")),
        }
    }
    Ok(parts)
}

/// A name as names are compared: in Unicode normal form C, so that two spellings of one letter are the same.
pub fn compared(name: &str) -> String {
    // Most names are plain, and need no tables.
    if name.is_ascii() { name.to_owned() } else { name.nfc().collect() }
}
