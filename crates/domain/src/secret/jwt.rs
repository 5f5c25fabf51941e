//! JSON web tokens: parts of base64url between dots, the first of which decodes to JSON that names its algorithm.

use super::view::View;
use super::{Found, Kind};

pub(super) const ANCHOR: &str = "eyJ";

/// No header is longer.
const LONGEST_HEADER: usize = 2048;

/// The token that begins at `at`.
pub(super) fn at(view: View<'_>, at: usize) -> Option<Found> {
    if !view.begins(at) {
        return None;
    }
    let header = view.run(at, LONGEST_HEADER, is_base64url);
    let payload = view.run(header + 1, usize::MAX, is_base64url);
    if view.at(header) != b'.' || payload - header < 5 || view.at(payload) != b'.' || !names_algorithm(view, at, header)
    {
        return None;
    }
    // A signature, or the three further parts of an encrypted one. An unsigned one ends with the dot.
    let end = view.run(payload, usize::MAX, |b| is_base64url(b) || b == b'.');
    let end = view.run_back(end, end - payload, |b| b == b'.').max(payload);
    Some(Found { range: at..end, kind: Kind("json web token") })
}

fn names_algorithm(view: View<'_>, from: usize, to: usize) -> bool {
    let header = decoded(view.piece(from..to).as_bytes());
    header.windows(5).any(|five| five == b"\"alg\"")
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let (mut out, mut bits, mut held) = (Vec::with_capacity(text.len()), 0_u32, 0);
    for &b in text {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'-' => 62,
            _ => 63,
        };
        bits = (bits << 6 | u32::from(six)) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.extend(u8::try_from(bits >> held & 0xff));
        }
    }
    out
}

fn is_base64url(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
}
