//! The log as it is exported: a JSON object a line, entries in the order of their places and signed checkpoints.
//!
//! ```text
//! {"place":0,"leaf":"9f3c…","salt":"1a2b…","texts":["…"],"entry":{"v":1,"of":"run_…",…,"data":{…}}}
//! {"checkpoint":"countersign-1a2b\n20\n…\n\n— countersign-1a2b …\n"}
//! ```
//!
//! `entry` is, letter for letter, the line that the leaf is the hash of, and `texts` what its commitment was made of. So
//! whoever has the file and the public key needs nothing else.
//!
//! A part of the log begins with `{"part_of":20}`, and each of its entries has a `proof`: the hashes that lead from its leaf to
//! the root of the tree of so many entries, which the checkpoint is of.

use super::entry::{Entry, Payload, push_hex};
use super::tree::{Hash, Leaf};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;

/// One line of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exported {
    /// What stands at a place of the log.
    Entry {
        /// The place.
        place: u64,
        /// What stands there.
        entry: Entry,
        /// Its leaf.
        leaf: Leaf,
        /// In a part of a log: the proof that it stands there in the tree that was signed, the hash next to the leaf first.
        proof: Option<Vec<Hash>>,
    },
    /// A signed note.
    Checkpoint(String),
    /// What follows is a part of a log that had so many entries when it was signed.
    PartOf(u64),
}

/// A line that is none of an export.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is no line of an exported log: {0}")]
pub struct BadLine(String);

/// Adds the line of an entry.
pub fn push_entry(place: u64, entry: &Entry, leaf: Leaf, proof: Option<&[Hash]>, to: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(to, r#"{{"place":{place},"#);
    if let Some(proof) = proof {
        to.push_str(r#""proof":["#);
        for (number, hash) in proof.iter().enumerate() {
            to.push_str(if number > 0 { ",\"" } else { "\"" });
            push_hex(hash, to);
            to.push('"');
        }
        to.push_str("],");
    }
    to.push_str(r#""leaf":""#);
    push_hex(&leaf.0, to);
    if let Payload::Kept { salt, texts } = &entry.payload {
        to.push_str(r#"","salt":""#);
        push_hex(salt, to);
        to.push_str(r#"","texts":"#);
        to.push_str(texts);
    } else {
        to.push('"');
    }
    to.push_str(r#","entry":"#);
    entry.write_line(entry.payload.commitment(), to);
    to.push_str("}\n");
}

/// Adds the line of a checkpoint.
pub fn push_checkpoint(note: &str, to: &mut String) {
    to.push_str(r#"{"checkpoint":"#);
    to.push_str(&serde_json::Value::from(note).to_string());
    to.push_str("}\n");
}

/// Adds the line that a part of the log begins with.
pub fn push_part_of(size: u64, to: &mut String) {
    // Writing to a string does not fail.
    let _ = writeln!(to, r#"{{"part_of":{size}}}"#);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole<'a> {
    checkpoint: Option<String>,
    part_of: Option<u64>,
    place: Option<u64>,
    proof: Option<Vec<String>>,
    leaf: Option<String>,
    salt: Option<String>,
    #[serde(borrow)]
    texts: Option<&'a RawValue>,
    #[serde(borrow)]
    entry: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    v: u32,
    of: String,
    seq: u64,
    at: Timestamp,
    step: Option<u32>,
    kind: String,
    payload: Option<String>,
    #[serde(borrow)]
    data: &'a RawValue,
}

impl Exported {
    /// Reads a line.
    pub fn read(line: &str) -> Result<Self, BadLine> {
        let wrong = |error: &dyn std::fmt::Display| BadLine(error.to_string());
        let whole: Whole<'_> = serde_json::from_str(line).map_err(|error| wrong(&error))?;
        if let Some(note) = whole.checkpoint {
            return Ok(Self::Checkpoint(note));
        }
        if let Some(size) = whole.part_of {
            return Ok(Self::PartOf(size));
        }
        let (Some(place), Some(leaf), Some(entry)) = (whole.place, whole.leaf, whole.entry) else {
            return Err(BadLine("expected `place`, `leaf` and `entry`, or `checkpoint`, or `part_of`".into()));
        };
        let leaf = Leaf(hex(&leaf).ok_or_else(|| BadLine("`leaf` is no hash".into()))?);
        let line: Line<'_> = serde_json::from_str(entry.get()).map_err(|error| wrong(&error))?;
        if line.v != 1 {
            return Err(BadLine(format!("its entries are of version {}, only 1 is known here", line.v)));
        }
        let payload = payload(line.payload.as_deref(), whole.salt.as_deref(), whole.texts)?;
        let entry = Entry {
            of: line.of.parse().map_err(|error| wrong(&error))?,
            seq: line.seq,
            at: line.at,
            step: line.step,
            kind: line.kind,
            data: line.data.get().to_owned(),
            payload,
        };
        let hashes = |proof: Vec<String>| proof.iter().map(|hash| hex(hash)).collect::<Option<_>>();
        let proof =
            whole.proof.map(|proof| hashes(proof).ok_or_else(|| BadLine("`proof` is no list of hashes".into())));
        Ok(Self::Entry { place, entry, leaf, proof: proof.transpose()? })
    }
}

fn payload(commitment: Option<&str>, salt: Option<&str>, texts: Option<&RawValue>) -> Result<Payload, BadLine> {
    match (commitment, salt, texts) {
        (None, None, None) => Ok(Payload::None),
        (_, Some(salt), Some(texts)) => {
            let salt = hex(salt).ok_or_else(|| BadLine("`salt` is none".into()))?;
            Ok(Payload::Kept { salt, texts: texts.get().to_owned() })
        }
        (Some(commitment), None, None) => {
            let hash: Option<Hash> = commitment.strip_prefix("sha256:").and_then(hex);
            Ok(Payload::Erased { commitment: hash.ok_or_else(|| BadLine("`payload` is no hash".into()))? })
        }
        _ => Err(BadLine("`salt` and `texts` stand together".into())),
    }
}

/// So many bytes, in hexadecimal digits.
fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let (pairs, rest) = digits.as_ref()?.as_chunks::<2>();
    let bytes: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
    if rest.is_empty() { bytes.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::entry::Stream;

    fn entry(payload: Payload) -> Entry {
        Entry {
            of: Stream::House,
            seq: 3,
            at: "2026-01-01T00:00:00.000001Z".parse().unwrap(),
            step: None,
            kind: "policy_changed".into(),
            data: r#"{"a":1,"b":[]}"#.into(),
            payload,
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let kept = Payload::Kept { salt: *b"0123456789abcdef", texts: r#"["a \"b\"",null]"#.into() };
        let erased = Payload::Erased { commitment: kept.commitment().unwrap() };
        for payload in [Payload::None, kept, erased] {
            let (entry, mut line) = (entry(payload), String::new());
            for proof in [None, Some(vec![]), Some(vec![[1; 32], [2; 32]])] {
                line.clear();
                push_entry(7, &entry, entry.leaf(), proof.as_deref(), &mut line);
                assert!(line.ends_with("}\n") && line.lines().count() == 1);
                let (entry, leaf) = (entry.clone(), entry.leaf());
                assert_eq!(Exported::read(&line), Ok(Exported::Entry { place: 7, entry, leaf, proof }));
            }
        }
        let mut line = String::new();
        push_part_of(9, &mut line);
        assert_eq!(Exported::read(&line), Ok(Exported::PartOf(9)));
        line.clear();
        push_checkpoint("a\n\n— \"b\" c\n", &mut line);
        assert_eq!(Exported::read(&line), Ok(Exported::Checkpoint("a\n\n— \"b\" c\n".into())));
    }

    #[test]
    fn other_lines_are_refused() {
        for line in ["", "{}", "[]", r#"{"place":1}"#, r#"{"checkpoint":1}"#, r#"{"place":1,"leaf":"zz","entry":{}}"#] {
            assert!(Exported::read(line).is_err(), "{line}");
        }
    }
}
