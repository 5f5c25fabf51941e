//! Paths that a wildcard does not reach, unless the pattern names them.

use countersign_domain::describe::Described;
use std::collections::HashSet;
use std::sync::LazyLock;

static PROTECTED: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let lines = include_str!("../../data/protected-paths.txt").lines().map(str::trim);
    let names = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    names.map(|name| name.trim_end_matches('/').to_ascii_lowercase()).collect()
});

/// Whether `rest` holds nothing protected, or only what stands in the pattern's first `literal` segments by name.
/// Reading is no harm.
pub(super) fn named(rest: &str, literal: usize, call: &Described) -> bool {
    let reads = !call.capabilities.is_empty() && call.capabilities.iter().all(|capability| capability == "read_file");
    reads || rest.split('/').skip(literal).all(|segment| !is_protected(segment))
}

/// File systems that do not tell `.GIT` from `.git` are common.
fn is_protected(segment: &str) -> bool {
    PROTECTED.contains(&segment.to_ascii_lowercase())
}
