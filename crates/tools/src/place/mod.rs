//! The way from a call to its file: beneath the folders that tools work in, where the judgement saw it lead, and by no link.
//!
//! Links are followed once, by name. What comes of it must be what was judged, and lie in one of the folders; then it is opened
//! name by name, where a link is an error. So a link that is swapped in at any time leads nowhere.

mod open;
mod put;
mod walk;

pub use open::{Existing, LARGEST};
pub use put::Put;

use crate::arguments::Arguments;
use crate::sandbox::{Access, Fence, Sandbox};
use countersign_domain::describe::{Described, Part, PathPart, Resource};
use countersign_domain::interaction::Preview;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a call names, before anybody has looked where it leads.
#[derive(Debug, Clone)]
pub struct Aim {
    path: PathPart,
    grounds: Vec<PathBuf>,
    cwd: PathBuf,
    access: Access,
    fence: Fence,
}

/// Where it leads: a place beneath one of the folders, with no link on the way.
#[derive(Debug, Clone)]
pub struct Place {
    /// The path as the agent is told it.
    pub shown: String,
    /// The path, links followed.
    pub real: PathBuf,
    /// The folder that it lies in, links followed.
    ground: PathBuf,
    /// The way from there.
    way: PathBuf,
}

impl Aim {
    /// The path that the call gives as `file_path` or `path`, as it was judged.
    pub fn of_file(
        call: &Described,
        arguments: Arguments<'_>,
        access: Access,
        sandbox: &Sandbox,
    ) -> Result<Self, String> {
        let given = match (arguments.text("file_path")?, arguments.text("path")?) {
            (Some(given), None) | (None, Some(given)) => given,
            (None, None) => return Err("The argument `file_path` is missing. Nothing was done.".to_owned()),
            (Some(_), Some(_)) => return Err("Give `file_path` or `path`, not both. Nothing was done.".to_owned()),
        };
        Self::of(call, given, access, sandbox)
    }

    /// The path `given`, as it was judged.
    pub fn of(call: &Described, given: &str, access: Access, sandbox: &Sandbox) -> Result<Self, String> {
        let path = judged(call, given)?.clone();
        // Whatever it was judged to touch, it was not judged for the folder that we happen to be in.
        let cwd = call.call.cwd().ok_or("The call has no working folder. Nothing was done.")?;
        let cwd = PathBuf::from(cwd);
        let grounds = sandbox.grounds(&cwd, access);
        let fence = sandbox.for_files(&grounds, access);
        Ok(Self { path, grounds, cwd, access, fence })
    }

    /// The path as the agent is told it.
    pub fn shown(&self) -> &str {
        self.path.canonical()
    }

    /// What is reached while it is worked on.
    pub fn fence(&self) -> Fence {
        self.fence.clone()
    }

    /// Where it leads now, if that is where it may.
    pub fn place(&self, seen: Option<&Preview>) -> Result<Place, String> {
        let shown = self.path.canonical();
        let real = real(Path::new(shown)).map_err(|error| told(shown, &error))?;
        if !self.path.spellings.iter().any(|judged| OsStr::new(judged) == real.as_os_str()) {
            return Err(elsewhere(shown, "judged"));
        }
        if seen.is_some_and(|seen| Path::new(&seen.path) != real) {
            return Err(elsewhere(shown, "approved"));
        }
        let within = |ground: &PathBuf| {
            let ground = fs::canonicalize(ground).ok()?;
            let way = real.strip_prefix(&ground).ok()?.to_owned();
            Some((ground, way))
        };
        let (ground, way) = self.grounds.iter().find_map(within).ok_or_else(|| self.outside())?;
        Ok(Place { shown: shown.to_owned(), real, ground, way })
    }

    fn outside(&self) -> String {
        let (shown, cwd) = (self.path.canonical(), self.cwd.display());
        let setting = if self.access == Access::Read { "sandbox.read" } else { "sandbox.write" };
        if !self.cwd.is_dir() {
            return format!("The working folder `{cwd}` is not there. Nothing was done.");
        }
        format!(
            "`{shown}` is not in the working folder `{cwd}`, nor in a folder that the setting `{setting}` names. Nothing was \
             done."
        )
    }
}

/// The path of the call, as it was judged.
fn judged<'a>(call: &'a Described, given: &str) -> Result<&'a PathPart, String> {
    let Resource::Parts(parts) = &call.resource else {
        return Err(format!("`{given}` cannot be understood as a path. Nothing was done."));
    };
    match parts.as_slice() {
        [Part::Path(path)] if path.adrift => {
            Err("The path is relative, and the call has no working folder. Nothing was done.".to_owned())
        }
        [Part::Path(path)] if path.given == given => Ok(path),
        _ => Err(format!("`{given}` is not what was judged. Nothing was done.")),
    }
}

/// `path` with links followed, as far as it exists.
fn real(path: &Path) -> io::Result<PathBuf> {
    let error = match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => error,
        found => return found,
    };
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::Error::other("it is a link that leads to nothing"));
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(real(parent)?.join(name)),
        _ => Err(error),
    }
}

fn elsewhere(shown: &str, when: &str) -> String {
    format!("`{shown}` now leads elsewhere than when it was {when}. Nothing was done.")
}

/// What the agent is told of an error at the path `shown`.
fn told(shown: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("There is no file `{shown}`. Nothing was done."),
        io::ErrorKind::PermissionDenied => {
            format!("`{shown}` may not be reached: permission denied. Nothing was done.")
        }
        // A link where there was none a moment ago.
        _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => elsewhere(shown, "judged"),
        _ => format!("`{shown}` could not be reached: {error}. Nothing was done."),
    }
}
