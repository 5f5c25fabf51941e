//! What a call touches, written as the pattern that covers exactly it.

use countersign_domain::describe::{Described, Part, Resource};

/// The resource of `call` as an exact pattern: `bash(npm run lint)`. `None` where it was not understood.
pub fn resource_text(call: &Described) -> Option<String> {
    let name = escaped(&call.call.name(), &['*', '\\', '(']);
    let inside = match &call.resource {
        Resource::NotUnderstood => return None,
        Resource::Nothing => return Some(name),
        Resource::Parts(parts) => parts.iter().map(part_text).collect::<Vec<_>>().join(", "),
    };
    // Empty brackets are no pattern.
    if inside.is_empty() {
        return None;
    }
    Some(format!("{name}({inside})"))
}

fn part_text(part: &Part) -> String {
    let text = match part {
        Part::Command { line, .. } => line,
        Part::Path(path) => path.canonical(),
        Part::Url(url) => &url.shown,
        Part::Text(text) => text,
    };
    escaped(text, &['*', '?', ')', '\\'])
}

fn escaped(text: &str, special: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if special.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
