//! Passwords in URLs: `scheme://user:PASSWORD@host`. User, host and path stay.

use super::quotes::Within;
use super::reference::is_reference;
use super::view::View;
use super::{Found, Kind};

pub(super) const ANCHOR: &str = "://";

const LONGEST_USER: usize = 256;
const LONGEST_PASSWORD: usize = 1024;

/// The password in the URL whose `://` stands at `at`, within these quotes.
pub(super) fn at(view: View<'_>, at: usize, within: Within) -> Option<Found> {
    // Outside of quotes a shell ends a word at its operators, and what comes after them is not to be hidden.
    let ends = |b: u8| ends(b) || (within == Within::Nothing && matches!(b, b';' | b'&' | b'(' | b')'));
    if !view.before(at).is_ascii_alphanumeric() {
        return None;
    }
    let user = at + ANCHOR.len();
    let colon = view.run(user, LONGEST_USER, |b| !ends(b) && !matches!(b, b':' | b'/' | b'?' | b'#' | b'@' | b'['));
    if view.at(colon) != b':' {
        return None;
    }
    let from = colon + 1;
    let slash = view.run(from, LONGEST_PASSWORD, |b| !ends(b) && !matches!(b, b'/' | b'?' | b'#'));
    // A password with a slash in it is no good URL, but is written; a port before a path is none.
    let is_port = view.piece(from..slash).bytes().all(|b| b.is_ascii_digit());
    let to = last_at(view, from, slash).or_else(|| {
        let stop = view.run(from, LONGEST_PASSWORD, |b| !ends(b));
        (!is_port).then(|| first_at(view, from, stop)).flatten()
    })?;
    let password = view.piece(from..to);
    (!password.is_empty() && !is_reference(password) && !is_example(password))
        .then_some(Found { range: from..to, kind: Kind("password in a url") })
}

fn last_at(view: View<'_>, from: usize, to: usize) -> Option<usize> {
    view.piece(from..to).rfind('@').map(|at| from + at)
}

fn first_at(view: View<'_>, from: usize, to: usize) -> Option<usize> {
    view.piece(from..to).find('@').map(|at| from + at)
}

/// What manuals write.
fn is_example(password: &str) -> bool {
    ["password", "pass", "passwd", "pwd", "secret", "token", "..."]
        .iter()
        .any(|word| password.eq_ignore_ascii_case(word))
}

fn ends(b: u8) -> bool {
    matches!(b, 0..=b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b'\\')
}
