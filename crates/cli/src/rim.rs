//! What judging needs from the world: the time, the home folder, where links lead.

use countersign_domain::Call;
use countersign_domain::describe::{Described, Part, Resource, Surroundings};
use countersign_policy::Policy;
use countersign_policy::source::ContextSource;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The time.
#[expect(clippy::disallowed_methods, reason = "this is the rim")]
pub fn now() -> Timestamp {
    Timestamp::now()
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
        if let Some(real) = real(&whole).filter(|real| real != path.canonical()) {
            paths.insert(path.given.clone(), real);
        }
    }
    paths
}

/// `path` with links followed as far as it exists.
fn real(path: &Path) -> Option<String> {
    let mut missing = Vec::new();
    for here in path.ancestors() {
        if let Ok(found) = std::fs::canonicalize(here) {
            let whole = missing.iter().rev().fold(found, |path, name| path.join(name));
            return whole.to_str().map(str::to_owned);
        }
        missing.push(here.file_name()?.to_owned());
    }
    None
}
