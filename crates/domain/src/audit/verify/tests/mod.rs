//! Logs of runs that went well, and everything that can be wrong with them.

mod chance;
mod hashes;
mod meaning;
mod rate;
mod reminders;
mod tampering;

use super::{Checkpoints, Finding, Kept, Verified, Verifier, Wrong};
use crate::audit::entry::{Entry, Payload, Stream};
use crate::audit::{Checkpoint, SignerKey, scribe, tree};
use crate::run::{Event, Recorded};

fn key() -> SignerKey {
    SignerKey::new("example.com/log", [1; 32]).unwrap()
}

/// The entry for an event, with something that was written in it.
fn entry(recorded: &Recorded) -> Entry {
    let mut whole = serde_json::to_value(&recorded.event).unwrap();
    let payload = match recorded.event {
        Event::StepCompleted(_) | Event::ToolFinished { .. } => Payload::Kept {
            salt: [recorded.seq as u8; 16],
            texts: format!(r#"["what was written","{}"]"#, recorded.seq),
        },
        _ => Payload::None,
    };
    Entry {
        of: Stream::Run(recorded.run),
        seq: recorded.seq,
        at: recorded.at,
        step: recorded.step,
        kind: recorded.event.word().into(),
        data: whole["data"].take().to_string(),
        payload,
    }
}

/// A row of the log.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    place: u64,
    entry: Entry,
    kept: Kept,
}

fn rows(entries: impl IntoIterator<Item = Entry>) -> Vec<Row> {
    let row = |(place, entry): (u64, Entry)| {
        let kept = Kept { leaf: entry.leaf(), commitment: entry.payload.commitment() };
        Row { place, entry, kept }
    };
    (0..).zip(entries).map(row).collect()
}

/// The log signed at these sizes.
fn signed(rows: &[Row], sizes: impl IntoIterator<Item = usize>) -> Vec<String> {
    let at = |size: usize| {
        let root = tree::root_of(rows[..size].iter().map(|row| row.kept.leaf));
        Checkpoint::new("example.com/log", size as u64, root).unwrap().sign(&key()).unwrap()
    };
    sizes.into_iter().map(at).collect()
}

fn verify(rows: &[Row], notes: &[String]) -> (Verified, Vec<Finding>) {
    let mut checkpoints = Checkpoints::new(vec![key().verifier()]);
    let mut findings = checkpoints.add("anchor", notes.iter().map(String::as_str));
    let mut verifier = Verifier::new(checkpoints);
    for row in rows {
        findings.extend(verifier.entry(row.place, &row.entry, &row.kept));
    }
    let (summary, last) = verifier.end();
    findings.extend(last);
    (summary, findings)
}

/// Where something is wrong, and what.
fn wrongs(findings: &[Finding]) -> Vec<(Option<u64>, &Wrong)> {
    findings.iter().map(|finding| (finding.place, &finding.wrong)).collect()
}
