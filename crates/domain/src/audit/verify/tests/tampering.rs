//! Whatever is done to a log that was signed to its end is found.

use super::scribe::{approved, eventful, refused};
use super::*;
use proptest::prelude::*;
use std::sync::LazyLock;

/// What somebody does to a log.
#[derive(Debug, Clone, Copy)]
enum Tampering {
    Edit,
    Delete,
    Insert,
    Swap,
    Truncate,
    Resign,
    RollBack,
}

fn tampering() -> impl Strategy<Value = Tampering> {
    use Tampering::{Delete, Edit, Insert, Resign, RollBack, Swap, Truncate};
    prop::sample::select(vec![Edit, Delete, Insert, Swap, Truncate, Resign, RollBack])
}

/// A log of several runs, one after the other.
fn log(runs: u128) -> Vec<Row> {
    let runs = (0..runs).flat_map(|number| match number % 3 {
        0 => approved(number),
        1 => eventful(number),
        _ => refused(number),
    });
    rows(runs.map(|event| entry(&event)).collect::<Vec<_>>())
}

/// A log, and what others kept of it.
static LOG: LazyLock<(Vec<Row>, Vec<String>)> = LazyLock::new(|| {
    let log = log(6);
    let anchored = signed(&log, (1..log.len()).step_by(7).chain([log.len()]));
    (log, anchored)
});

/// Changes one thing of an entry, and makes leaf and place right again: whoever can write to the database can do that.
fn edit(entry: &mut Entry, how: usize) {
    match how % 5 {
        0 => entry.at += jiff::SignedDuration::from_micros(1),
        1 => entry.data = entry.data.replacen(|letter: char| letter.is_ascii_digit(), "x", 1) + " ",
        2 => entry.kind.push('s'),
        3 => entry.payload = Payload::Kept { salt: [0; 16], texts: r#"["nothing"]"#.into() },
        _ => entry.step = Some(entry.step.unwrap_or_default() + 1),
    }
}

fn tampered(log: &[Row], how: Tampering, first: usize, second: usize) -> Vec<Row> {
    let mut entries: Vec<_> = log.iter().map(|row| row.entry.clone()).collect();
    match how {
        Tampering::Edit | Tampering::Resign => edit(&mut entries[first], second),
        Tampering::Delete => drop(entries.remove(first)),
        Tampering::Insert => entries.insert(first, log[second].entry.clone()),
        Tampering::Swap => entries.swap(first, second),
        Tampering::Truncate | Tampering::RollBack => entries.truncate(first),
    }
    rows(entries)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_tampering_is_found_by_the_checkpoints_that_were_kept_elsewhere(
        how in tampering(),
        first in any::<prop::sample::Index>(),
        second in any::<prop::sample::Index>(),
    ) {
        let (log, anchored) = &*LOG;
        let (first, second) = (first.index(log.len()), second.index(log.len()));
        let tampered = tampered(log, how, first, second);
        prop_assume!(tampered != *log);
        let findings = verify(&tampered, anchored).1;
        prop_assert!(!findings.is_empty(), "{:?} of {} and {}", how, first, second);

        // Signed anew by whoever has the key, the log agrees with itself and not with what others kept.
        if let Tampering::Resign | Tampering::RollBack = how {
            let own = signed(&tampered, [tampered.len()]);
            let mut checkpoints = Checkpoints::new(vec![key().verifier()]);
            let mut findings = checkpoints.add("table", own.iter().map(String::as_str));
            findings.extend(checkpoints.add("anchor", anchored.iter().map(String::as_str)));
            let mut verifier = Verifier::new(checkpoints);
            for row in &tampered {
                findings.extend(verifier.entry(row.place, &row.entry, &row.kept));
            }
            findings.extend(verifier.end().1);
            prop_assert!(!findings.is_empty());
        }
    }
}
