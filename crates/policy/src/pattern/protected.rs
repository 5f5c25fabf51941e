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
    unnamed(rest, literal, call).is_none()
}

/// The first thing protected in `rest` that does not stand in the pattern's first `literal` segments.
pub(super) fn unnamed<'a>(rest: &'a str, literal: usize, call: &Described) -> Option<&'a str> {
    let reads = !call.capabilities.is_empty() && call.capabilities.iter().all(|capability| capability == "read_file");
    rest.split('/').skip(literal).find(|segment| !reads && is_protected(segment))
}

/// File systems that do not tell `.GIT` from `.git` are common.
fn is_protected(segment: &str) -> bool {
    PROTECTED.contains(&segment.to_ascii_lowercase())
}
