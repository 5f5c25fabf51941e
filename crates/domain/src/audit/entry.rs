//! An entry of the log, and the line that its leaf is the hash of.
//!
//! The line is a JSON object on one line, without spaces, its keys always in this order:
//!
//! ```text
//! {"v":1,"of":"run_…","seq":7,"at":"2026-01-01T00:00:00.000001Z","step":2,"kind":"tool_started","payload":null,"data":{…}}
//! ```
//!
//! | key | value |
//! |---|---|
//! | `v` | the version of this format: 1 |
//! | `of` | the stream: the id of a run, or `house` |
//! | `seq` | the place in the stream, from 1 |
//! | `at` | the time in UTC, always with six digits after the point |
//! | `step` | the step of the run, or `null` |
//! | `kind` | what happened, in a word |
//! | `payload` | `null`, or `"sha256:…"`: the commitment to what was written, in 64 hexadecimal digits |
//! | `data` | the skeleton, letter for letter as it is stored |
//!
//! The leaf is the SHA-256 of a zero byte and the line, the commitment that of the salt's 16 bytes and the texts. So both
//! can be computed anew with nothing but a shell:
//!
//! ```sh
//! { printf '\0'; printf %s "$line"; } | sha256sum
//! { printf %s "$salt" | xxd -r -p; printf %s "$texts"; } | sha256sum
//! ```

use super::tree::{Hash, Leaf};
use crate::{BadId, RunId};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::fmt::{self, Write as _};

/// One entry of the log, as it is stored and exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The stream it belongs to.
    pub of: Stream,
    /// Its place in the stream, from 1 without gaps.
    pub seq: u64,
    /// When it was saved. Microseconds count; whatever is finer does not.
    pub at: Timestamp,
    /// The step of the run.
    pub step: Option<u32>,
    /// The event's word, such as `tool_started`.
    pub kind: String,
    /// The skeleton, a JSON text: ids, digests, words and who; never what people, models or tools wrote.
    pub data: String,
    /// What they wrote.
    pub payload: Payload,
}

/// What an entry belongs to. Within a stream entries are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// A run.
    Run(RunId),
    /// What happens outside runs: changes of the policy, tokens, erasures.
    House,
}

/// What people, models and tools wrote, kept beside the entry, so that it can be erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Nobody wrote anything.
    None,
    /// It is there.
    Kept {
        /// Drawn for this payload alone, so that nobody can guess short texts from the commitment to them.
        salt: [u8; 16],
        /// A JSON array of the texts.
        texts: String,
    },
    /// It was erased. What remains proves that there was something, and nothing else.
    Erased {
        /// The commitment to it.
        commitment: Hash,
    },
}

impl Payload {
    /// The SHA-256 of the salt and the texts; `None` where there was never anything.
    pub fn commitment(&self) -> Option<Hash> {
        match self {
            Self::None => None,
            Self::Kept { salt, texts } => {
                Some(Sha256::new().chain_update(salt).chain_update(texts.as_bytes()).finalize().into())
            }
            Self::Erased { commitment } => Some(*commitment),
        }
    }
}

impl Entry {
    /// The line that its leaf is the hash of.
    pub fn line(&self) -> String {
        let mut line = String::with_capacity(self.data.len() + 256);
        self.write_line(self.payload.commitment(), &mut line);
        line
    }

    /// Its leaf in the tree.
    pub fn leaf(&self) -> Leaf {
        Leaf::of(self.line().as_bytes())
    }

    /// Adds its line to `to`, as it is if this is the commitment to its payload.
    pub(super) fn write_line(&self, commitment: Option<Hash>, to: &mut String) {
        // Writing to a string does not fail.
        let _ = write!(to, r#"{{"v":1,"of":"{}","seq":{},"at":"{:.6}","step":"#, self.of, self.seq, self.at);
        let _ = match self.step {
            Some(step) => write!(to, "{step}"),
            None => to.write_str("null"),
        };
        to.push_str(r#","kind":"#);
        push_string(&self.kind, to);
        to.push_str(r#","payload":"#);
        match commitment {
            Some(commitment) => {
                to.push_str("\"sha256:");
                push_hex(&commitment, to);
                to.push('"');
            }
            None => to.push_str("null"),
        }
        to.push_str(r#","data":"#);
        to.push_str(&self.data);
        to.push('}');
    }
}

/// Adds `text` as a JSON string. The words of events need no escapes; what somebody else put in their place may.
fn push_string(text: &str, to: &mut String) {
    if text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
        to.push('"');
        to.push_str(text);
        to.push('"');
    } else {
        to.push_str(&serde_json::Value::from(text).to_string());
    }
}

/// `bytes` in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    push_hex(bytes, &mut text);
    text
}

/// Adds `bytes` in hexadecimal digits.
pub(super) fn push_hex(bytes: &[u8], to: &mut String) {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    to.extend(digits.map(|digit| char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 })));
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(id) => id.fmt(f),
            Self::House => f.write_str(HOUSE),
        }
    }
}

const HOUSE: &str = "house";

/// The text names no stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `house` or the id of a run: {0}")]
pub struct BadStream(#[from] BadId);

impl std::str::FromStr for Stream {
    type Err = BadStream;

    fn from_str(text: &str) -> Result<Self, BadStream> {
        Ok(if text == HOUSE { Self::House } else { Self::Run(text.parse()?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            of: Stream::Run(RunId::new(uuid::Uuid::from_u128(1))),
            seq: 7,
            at: "2026-01-01T00:00:00.000001999Z".parse().unwrap(),
            step: Some(2),
            kind: "tool_started".into(),
            data: r#"{"call_id":"call_00000000000000000000000000000001","fence":1}"#.into(),
            payload: Payload::None,
        }
    }

    #[test]
    fn the_line_has_its_keys_in_order_and_its_data_letter_for_letter() {
        let spaced = Entry { data: r#"{ "b" : 1.0, "a":2 }"#.into(), step: None, of: Stream::House, ..entry() };
        let expected = [
            (
                entry(),
                r#"{"v":1,"of":"run_00000000000000000000000000000001","seq":7,"at":"2026-01-01T00:00:00.000001Z","step":2,"kind":"tool_started","payload":null,"data":{"call_id":"call_00000000000000000000000000000001","fence":1}}"#,
            ),
            (
                spaced,
                r#"{"v":1,"of":"house","seq":7,"at":"2026-01-01T00:00:00.000001Z","step":null,"kind":"tool_started","payload":null,"data":{ "b" : 1.0, "a":2 }}"#,
            ),
        ];
        for (entry, line) in expected {
            assert_eq!(entry.line(), line);
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
    }

    /// What `sha256sum` says of both.
    #[test]
    fn leaf_and_commitment_can_be_computed_with_a_shell() {
        assert_eq!(hex(&entry().leaf().0), "78742bfd603e806101e57833ced349a186676a2d82c51d3395c801ad40df6ce1");
        let payload = Payload::Kept { salt: *b"0123456789abcdef", texts: r#"["ls","a b"]"#.into() };
        assert_eq!(
            hex(&payload.commitment().unwrap()),
            "fcd5b58a076ea83b1b2111a6684fa82bf559b68331b4b91904c3830f8b35847c"
        );
    }

    #[test]
    fn an_erased_payload_leaves_the_leaf_as_it_was() {
        let payload = Payload::Kept { salt: [7; 16], texts: r#"["secret"]"#.into() };
        let erased = Payload::Erased { commitment: payload.commitment().unwrap() };
        let (kept, erased) = (Entry { payload, ..entry() }, Entry { payload: erased, ..entry() });
        assert_eq!(kept.line(), erased.line());
        assert_ne!(kept.leaf(), entry().leaf());
        assert!(!kept.line().contains("secret"));
    }

    #[test]
    fn a_kind_that_is_no_word_cannot_pass_for_other_keys() {
        let entry = Entry { kind: "x\",\"payload\":null,\"data\":{}".into(), ..entry() };
        let line: serde_json::Value = serde_json::from_str(&entry.line()).unwrap();
        assert_eq!(line["kind"], entry.kind);
    }

    #[test]
    fn a_stream_prints_and_parses() {
        for stream in [Stream::House, entry().of] {
            assert_eq!(stream.to_string().parse(), Ok(stream));
        }
        assert!("garden".parse::<Stream>().is_err());
    }
}
