//! Private keys in PEM: the whole block, also written with `\n`, indented, or cut off.

use super::view::View;
use super::{Found, Kind};

pub(super) const ANCHOR: &str = "-----BEGIN ";

/// The block that begins at `at`.
pub(super) fn at(view: View<'_>, at: usize) -> Option<Found> {
    let end = Body::read(view, body(view, at)?).end(view)?;
    Some(Found { range: at..end, kind: Kind("private key") })
}

/// In which line it shows where the block that begins at `at` ends, or that none begins there: a place in that line.
pub(super) fn shows(view: View<'_>, at: usize) -> usize {
    body(view, at).map_or(at, |body| skip_between(view, Body::read(view, body).at))
}

/// Where the body of the block begins that begins at `at`.
fn body(view: View<'_>, at: usize) -> Option<usize> {
    let label = at + ANCHOR.len();
    let dashes = view.run(label, 64, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    let word = view.piece(label..dashes);
    let is_private = word.ends_with("PRIVATE KEY") || word.ends_with("PRIVATE KEY BLOCK");
    (is_private && view.starts_with(dashes, "-----")).then_some(dashes + 5)
}

/// Nothing but long words of base64 counts, and one or two short ones before the last line: what else is written there is
/// not hidden with it.
struct Body {
    /// Up to where words count.
    at: usize,
    /// Where the last long one ends.
    long: Option<usize>,
}

impl Body {
    fn read(view: View<'_>, from: usize) -> Self {
        let (mut at, mut long, mut short) = (from, None, 0);
        loop {
            let word = skip_between(view, at);
            let stop = view.run(word, 4096, |b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
            if let Some(header) = header_line(view, word, stop) {
                at = header;
            } else if stop - word >= 16 {
                (at, long) = (stop, Some(stop));
            } else if stop > word && short < 2 && long.is_some() {
                (at, short) = (stop, short + 1);
            } else {
                return Self { at, long };
            }
        }
    }

    /// Where the block ends: with its last line, or with the last long word where that is missing.
    fn end(&self, view: View<'_>) -> Option<usize> {
        self.long.map(|long| end_line(view, self.at).unwrap_or(long))
    }
}

/// `DEK-Info: …` of an old key, `Comment: …` of a PGP one.
fn header_line(view: View<'_>, word: usize, stop: usize) -> Option<usize> {
    let colon = view.run(stop, 24, |b| b.is_ascii_alphanumeric() || b == b'-');
    let named = colon > word && view.at(colon) == b':' && view.at(colon + 1) == b' ';
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b',' | b'.' | b'-' | b':' | b'(' | b')' | b'/');
    named.then(|| view.run(colon + 1, 120, plain))
}

/// Past line breaks, written out or escaped, indentation, and the quotes of strings that are joined.
fn skip_between(view: View<'_>, from: usize) -> usize {
    let mut at = from;
    loop {
        at = match view.at(at) {
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b',' => at + 1,
            b'\\' if matches!(view.at(at + 1), b'n' | b'r' | b't' | b'\\') => at + 2,
            // The signs of a diff and of joined strings, at the start of a line.
            b'+' | b'-' if view.before(at) == b'\n' && view.at(at + 1) != b'-' => at + 1,
            _ => return at,
        }
    }
}

fn end_line(view: View<'_>, from: usize) -> Option<usize> {
    let at = skip_between(view, from);
    let label = view.starts_with(at, "-----END ").then_some(at + 9)?;
    let dashes = view.run(label, 64, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    view.starts_with(dashes, "-----").then_some(dashes + 5)
}
