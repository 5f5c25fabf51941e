//! Cookies: `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`. Names and attributes stay.

use super::reference::is_reference;
use super::view::View;
use super::{Found, Kind};

/// Which header the pairs stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// Every pair is a cookie.
    Cookie,
    /// The first pair is the cookie, what follows are its attributes.
    SetCookie,
}

/// `theme=dark` is no secret.
const SHORTEST: usize = 6;
/// The most cookies of one header that are looked at.
const MOST: usize = 64;

/// The values of the pairs that begin at `from`.
pub(super) fn at(view: View<'_>, from: usize, header: Header) -> Vec<Found> {
    let (mut found, mut at) = (Vec::new(), from);
    for _ in 0..MOST {
        let equals = view.run(at, 128, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'$' | b'!'));
        if equals == at || view.at(equals) != b'=' {
            return found;
        }
        let value = equals + 1;
        let end = view.run(value, usize::MAX, is_value);
        let text = view.piece(value..end);
        if text.len() >= SHORTEST && !is_reference(text) && !text.contains("$(") {
            found.push(Found { range: value..end, kind: Kind("cookie") });
        }
        let next = view.run(end + 1, 2, |b| b == b' ');
        if header == Header::SetCookie || view.at(end) != b';' {
            return found;
        }
        at = next;
    }
    found
}

fn is_value(b: u8) -> bool {
    b.is_ascii_graphic()
        && !matches!(b, b';' | b',' | b'"' | b'\'' | b'\\' | b'`' | b'|' | b'&' | b'<' | b'>' | b'(' | b')')
}
