//! What stands where a secret stood: `⟦secret 3 a91f5c02: api key⟧`.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Stands in a text for a secret that is kept elsewhere.
///
/// Number and nonce are made of the secret by a hash under a key of the run: the same secret has the same placeholder
/// throughout its run and another one in every other, and nobody without the key writes one by chance.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Placeholder {
    /// Tells the secrets of a run apart at a glance, for people: two of them may have the same one.
    pub number: u32,
    /// Tells them apart for certain, and begins alike in all placeholders of a run and in no others: 4 to 64 small letters
    /// and digits.
    pub nonce: String,
    /// What the secret is, for people: the word of a [`super::Kind`].
    pub kind: String,
}

/// A text is no placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a placeholder; one looks like `⟦secret 3 a91f5c02: api key⟧`")]
pub struct BadPlaceholder;

const OPEN: &str = "⟦secret ";
const CLOSE: char = '⟧';
/// The longest one, so that an opening without an end costs little.
const LONGEST: usize = 160;

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OPEN}{} {}: {}{CLOSE}", self.number, self.nonce, self.kind)
    }
}

impl FromStr for Placeholder {
    type Err = BadPlaceholder;

    fn from_str(text: &str) -> Result<Self, BadPlaceholder> {
        let inner = text.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE)).ok_or(BadPlaceholder)?;
        let (number, rest) = inner.split_once(' ').ok_or(BadPlaceholder)?;
        let (nonce, kind) = rest.split_once(": ").ok_or(BadPlaceholder)?;
        let is_nonce =
            (4..=64).contains(&nonce.len()) && nonce.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let is_kind = (1..=60).contains(&kind.len())
            && kind.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'-' | b'.' | b'\''));
        let number: u32 = number.parse().map_err(|_| BadPlaceholder)?;
        let placeholder = Self { number, nonce: nonce.to_owned(), kind: kind.to_owned() };
        // `+3` and `03` are read as 3, and are not how it is written.
        (is_nonce && is_kind && placeholder.to_string() == text).then_some(placeholder).ok_or(BadPlaceholder)
    }
}

/// Whether there may be one in `text`: a look for one byte, since most texts have none.
pub(super) fn may_be_in(text: &str) -> bool {
    OPEN.as_bytes().first().is_some_and(|first| text.as_bytes().contains(first))
}

/// Where the placeholders of `text` stand, in order.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    if !may_be_in(text) {
        return Vec::new();
    }
    let end_of = |start: usize| {
        let mut end = (start + LONGEST).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let place = start..start + text.get(start..end)?.find(CLOSE)? + CLOSE.len_utf8();
        text.get(place.clone())?.parse::<Placeholder>().ok().map(|_| place)
    };
    text.match_indices(OPEN).filter_map(|(start, _)| end_of(start)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_written_as_it_is_read() {
        let one = Placeholder { number: 3, nonce: "a91f5c02".into(), kind: "connection string's password".into() };
        assert_eq!(one.to_string().parse(), Ok(one));
    }

    #[test]
    fn whatever_else_is_no_placeholder() {
        for text in [
            "⟦secret 3 a91f: api key",
            "⟦secret +3 a91f: api key⟧",
            "⟦secret 03 a91f: api key⟧",
            "⟦secret 3 A91F: api key⟧",
            "⟦secret 3 a91f: ⟧",
            "⟦secret 3 a91f: a;b⟧",
            "⟦secret 3: api key⟧",
            "x⟦secret 3 a91f: api key⟧",
        ] {
            assert_eq!(text.parse::<Placeholder>(), Err(BadPlaceholder), "{text}");
        }
    }

    #[test]
    fn placeholders_are_found_between_what_only_begins_like_one() {
        let text = "⟦secret ⟦secret 3 a91f: api key⟧ and ⟦secret 4 a91f: password⟧ ⟦secret 5";
        let found: Vec<_> = ranges(text).into_iter().filter_map(|range| text.get(range)).collect();
        assert_eq!(found, ["⟦secret 3 a91f: api key⟧", "⟦secret 4 a91f: password⟧"]);
    }
}
