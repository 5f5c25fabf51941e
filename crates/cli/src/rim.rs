//! What judging needs from the world: the time, the home folder, where links lead.

use countersign_domain::Call;
use countersign_domain::describe::{Described, Part, Resource, Surroundings};
use countersign_policy::Policy;
use countersign_policy::source::ContextSource;
use countersign_runtime::ports::Machine;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The time.
#[expect(clippy::disallowed_methods, reason = "this is the rim")]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// The machine that this program runs on.
pub struct ThisMachine;

impl Machine for ThisMachine {
    fn describe(&self, policy: &Policy, call: Call) -> Described {
        describe(policy, call, &ContextSource::default())
    }
}

/// Describes `call` with the home folder and the links that `context` names, or else those of this machine.
pub fn describe(policy: &Policy, call: Call, context: &ContextSource) -> Described {
    let home = context.home.clone().or_else(|| std::env::var("HOME").ok().filter(|home| home.starts_with('/')));
    if let Some(paths) = &context.paths {
        return policy.describe(call, &Surroundings { home, paths: paths.clone() });
    }
    let around = Surroundings { home, paths: BTreeMap::new() };
    let described = policy.describe(call.clone(), &around);
    let paths = links(&described);
    if paths.is_empty() { described } else { policy.describe(call, &Surroundings { paths, ..around }) }
}

/// Where the paths of a call really lead, as far as they exist.
fn links(call: &Described) -> BTreeMap<String, String> {
    let Resource::Parts(parts) = &call.resource else { return BTreeMap::new() };
    let mut paths = BTreeMap::new();
    for part in parts {
        let Part::Path(path) = part else { continue };
        let whole = match (path.given.starts_with(['/', '~']), call.call.cwd()) {
            (false, Some(cwd)) => PathBuf::from(cwd).join(&path.given),
            _ => PathBuf::from(path.canonical()),
        };
        // With `..` taken after links and before them: programs do one or the other.
        let canonical = path.canonical();
        for (spelling, from) in [(&*path.given, &*whole), (canonical, Path::new(canonical))] {
            if let Some(real) = real(from).filter(|real| real != canonical && from.is_absolute()) {
                paths.insert(spelling.to_owned(), real);
            }
        }
    }
    paths
}

/// Links that are followed before the path is taken for a loop.
const MOST_LINKS: usize = 40;

/// `path` with links followed as far as it exists; also a link whose target does not.
fn real(path: &Path) -> Option<String> {
    let mut ahead: Vec<PathBuf> = parts(path);
    let (mut here, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = ahead.pop() {
        match part.to_str() {
            Some("..") => drop(here.pop()),
            Some("/" | ".") => {}
            _ => {
                here.push(part);
                if let Ok(target) = std::fs::read_link(&here) {
                    links += 1;
                    if links > MOST_LINKS {
                        return None;
                    }
                    here.pop();
                    if target.is_absolute() {
                        here = PathBuf::from("/");
                    }
                    ahead.extend(parts(&target));
                }
            }
        }
    }
    Some(here.to_string_lossy().into_owned())
}

/// The parts of a path, the last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = path.components().map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}
