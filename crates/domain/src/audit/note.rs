//! Signed notes: a text, and below it who signed it, as [C2SP](https://c2sp.org/signed-note) has them, with Ed25519.
//!
//! ```text
//! the text
//!
//! — example.com/log NnugSzTj…
//! ```
//!
//! A signature line is an em dash, the name of the key, and in base64 the four bytes of the key's hash and the signature of
//! the text with its last newline. The hash is the beginning of the SHA-256 of the name, a newline, the byte 1 and the public
//! key. Whoever verifies needs the key in one word, `name+hash+key`; whoever signs keeps `PRIVATE+KEY+name+hash+seed`.

mod key;

pub use key::{BadKey, BadName, SignerKey, VerifierKey};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A text with signatures, none of which has been verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<Signature>,
}

/// One signature line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Signature {
    name: String,
    hash: [u8; 4],
    bytes: Vec<u8>,
}

/// The longest note, in bytes. It has room for far more than the 16 signatures that every verifier must take.
pub const LONGEST_NOTE: usize = 1_000_000;

/// The most signatures of a note.
pub const MOST_SIGNATURES: usize = 100;

/// Why a text is no signed note.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNote {
    /// It is longer than anything sensible.
    #[error("a note has {LONGEST_NOTE} bytes at the most")]
    TooLong,
    /// It has more signatures than anything sensible.
    #[error("a note has {MOST_SIGNATURES} signatures at the most")]
    TooMany,
    /// It has characters that no note has.
    #[error("a note has no control characters but newlines")]
    Control,
    /// The text does not end with a newline.
    #[error("the text of a note ends with a newline")]
    Unended,
    /// There is no empty line with signatures below it.
    #[error("expected an empty line after the text, and signature lines below it")]
    Unsigned,
    /// A signature line is not one.
    #[error("line {0} below the text is no signature: expected `— `, a name, a space and base64")]
    Line(usize),
}

impl Note {
    /// Reads a signed note. Nothing it says counts before it is verified.
    pub fn parse(note: &str) -> Result<Self, BadNote> {
        if note.len() > LONGEST_NOTE {
            return Err(BadNote::TooLong);
        }
        checked(note)?;
        let (text, below) = note.rsplit_once("\n\n").ok_or(BadNote::Unsigned)?;
        let below = below.strip_suffix('\n').filter(|lines| !lines.is_empty()).ok_or(BadNote::Unsigned)?;
        let lines = below.split('\n').enumerate();
        let signatures: Vec<_> =
            lines.map(|(i, line)| Signature::parse(line).ok_or(BadNote::Line(i + 1))).collect::<Result<_, _>>()?;
        if signatures.len() > MOST_SIGNATURES {
            return Err(BadNote::TooMany);
        }
        Ok(Self { text: format!("{text}\n"), signatures })
    }

    /// The text, if one of `keys` signed it. Signatures of other keys are passed over; a false one of these is not.
    pub fn verify(&self, keys: &[VerifierKey]) -> Result<&str, Unverified> {
        let mut signed = false;
        for one in &self.signatures {
            if let Some(key) = keys.iter().find(|key| key.name() == one.name && key.hash() == one.hash) {
                key.verify(&self.text, &one.bytes).map_err(|_| Unverified::False { name: one.name.clone() })?;
                signed = true;
            }
        }
        if signed { Ok(&self.text) } else { Err(Unverified::Unknown { names: self.names() }) }
    }

    fn names(&self) -> String {
        self.signatures.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join("`, `")
    }
}

/// Why nothing that a note says counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    /// A signature of a known key is not of this text.
    #[error("the signature of `{name}` is false: the text was changed, or somebody else signed it")]
    False {
        /// The key.
        name: String,
    },
    /// No known key signed it.
    #[error("it is signed by `{names}`, with none of the keys that are trusted")]
    Unknown {
        /// Who did.
        names: String,
    },
}

/// `text` as a note that `key` signed.
pub fn sign(text: &str, key: &SignerKey) -> Result<String, BadNote> {
    checked(text)?;
    if !text.ends_with('\n') {
        return Err(BadNote::Unended);
    }
    let signature = [&key.hash()[..], &key.sign(text)].concat();
    let note = format!("{text}\n{DASH}{} {}\n", key.name(), STANDARD.encode(signature));
    if note.len() > LONGEST_NOTE { Err(BadNote::TooLong) } else { Ok(note) }
}

const DASH: &str = "— ";

fn checked(text: &str) -> Result<(), BadNote> {
    if text.bytes().any(|byte| byte < b' ' && byte != b'\n') { Err(BadNote::Control) } else { Ok(()) }
}

impl Signature {
    fn parse(line: &str) -> Option<Self> {
        let (name, signature) = line.strip_prefix(DASH)?.split_once(' ')?;
        key::check_name(name).ok()?;
        let bytes = STANDARD.decode(signature).ok()?;
        let (hash, signature) = bytes.split_first_chunk().filter(|(_, signature)| !signature.is_empty())?;
        Some(Self { name: name.to_owned(), hash: *hash, bytes: signature.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::key::tests::{PUBLIC, SECRET};
    use super::*;

    const TEXT: &str =
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    const LINE: &str =
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    fn known() -> VerifierKey {
        PUBLIC.parse().unwrap()
    }

    fn verified(note: &str) -> Result<String, Unverified> {
        Note::parse(note).unwrap().verify(&[known()]).map(ToOwned::to_owned)
    }

    /// The example of the Go implementation, to the byte.
    #[test]
    fn the_published_note_is_what_we_sign_and_verify() {
        let key: SignerKey = SECRET.parse().unwrap();
        let note = sign(TEXT, &key).unwrap();
        assert_eq!(note, format!("{TEXT}\n{LINE}"));
        assert_eq!(verified(&note).as_deref(), Ok(TEXT));
    }

    #[test]
    fn any_changed_letter_of_the_text_makes_the_signature_false() {
        for i in 0..TEXT.len() - 1 {
            let mut text = TEXT.as_bytes().to_vec();
            text[i] = if text[i] == b'x' { b'y' } else { b'x' };
            let note = format!("{}\n{LINE}", String::from_utf8(text).unwrap());
            assert_eq!(verified(&note), Err(Unverified::False { name: "PeterNeumann".into() }), "{i}");
        }
    }

    #[test]
    fn unknown_keys_are_passed_over_and_alone_do_not_count() {
        let other = SignerKey::new("EnochRoot", [7; 32]).unwrap();
        let namesake = SignerKey::new("PeterNeumann", [7; 32]).unwrap();
        let lines = [&other, &namesake].map(|key| sign(TEXT, key).unwrap().rsplit_once("\n\n").unwrap().1.to_owned());
        let note = format!("{TEXT}\n{}{}{LINE}", lines[0], lines[1]);
        assert_eq!(verified(&note).as_deref(), Ok(TEXT));
        let note = format!("{TEXT}\n{}{}", lines[0], lines[1]);
        assert_eq!(verified(&note), Err(Unverified::Unknown { names: "EnochRoot`, `PeterNeumann".into() }));
    }

    #[test]
    fn a_false_signature_of_a_known_key_spoils_a_true_one() {
        let other = sign("other\n", &SECRET.parse().unwrap()).unwrap();
        let (_, line) = other.rsplit_once("\n\n").unwrap();
        assert!(matches!(verified(&format!("{TEXT}\n{LINE}{line}")), Err(Unverified::False { .. })));
    }

    #[test]
    fn a_text_may_have_empty_lines() {
        let key: SignerKey = SECRET.parse().unwrap();
        for text in ["a\n\nb\n", "\n", "a\n\n", "— a b\n\n— c d\n"] {
            let note = sign(text, &key).unwrap();
            assert_eq!(verified(&note).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_no_note_is_refused_and_says_why() {
        let long = "x".repeat(LONGEST_NOTE);
        let many = format!("{TEXT}\n{}", LINE.repeat(MOST_SIGNATURES + 1));
        let cases = [
            ("", BadNote::Unsigned),
            (TEXT, BadNote::Unsigned),
            ("text\n\n", BadNote::Unsigned),
            (&format!("{TEXT}\n{}", LINE.trim_end()), BadNote::Unsigned),
            (&format!("{TEXT}{LINE}"), BadNote::Unsigned),
            (&format!("a\tb\n\n{LINE}"), BadNote::Control),
            (&format!("{TEXT}\r\n\n{LINE}"), BadNote::Control),
            (&format!("{TEXT}\n{LINE}{}", LINE.replace('—', "-")), BadNote::Line(2)),
            (&format!("{TEXT}\n{}", LINE.replace('=', "")), BadNote::Line(1)),
            (&format!("{TEXT}\n{}", LINE.replace("Peter", "Peter ")), BadNote::Line(1)),
            (&format!("{TEXT}\n— a AAAA\n"), BadNote::Line(1)),
            (&format!("{TEXT}{long}\n\n{LINE}"), BadNote::TooLong),
            (&many, BadNote::TooMany),
        ];
        for (note, wrong) in cases {
            assert_eq!(Note::parse(note), Err(wrong), "{}", note.chars().take(200).collect::<String>());
        }
        let key: SignerKey = SECRET.parse().unwrap();
        assert_eq!(sign("unended", &key), Err(BadNote::Unended));
        assert_eq!(sign("a\tb\n", &key), Err(BadNote::Control));
    }
}
