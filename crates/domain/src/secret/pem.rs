//! Private keys in PEM: the whole block, also written with `\n`, indented, or cut off.

use super::view::View;
use super::{Found, Kind};

pub(super) const ANCHOR: &str = "-----BEGIN ";

/// The block that begins at `at`.
pub(super) fn at(view: View<'_>, at: usize) -> Option<Found> {
    let label = at + ANCHOR.len();
    let dashes = view.run(label, 64, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    let word = view.piece(label..dashes);
    if !(word.ends_with("PRIVATE KEY") || word.ends_with("PRIVATE KEY BLOCK")) || !view.starts_with(dashes, "-----") {
        return None;
    }
    let body = dashes + 5;
    let end = end_of_body(view, body)?;
    Some(Found { range: at..end, kind: Kind("private key") })
}

/// Where the block ends: with its last line, or with the last long word where that is missing. Nothing but long words of
/// base64 counts, and one or two short ones before the last line: what else is written there is not hidden with it.
fn end_of_body(view: View<'_>, from: usize) -> Option<usize> {
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
            return long.map(|long| end_line(view, at).unwrap_or(long));
        }
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
