//! How fast a log is verified. By hand: `cargo test --release -p countersign-domain --lib rate -- --ignored --nocapture`.

use super::scribe::{approved, refused};
use super::*;

/// Entries as they are stored: without what was written, which stands beside them.
fn stored(runs: u128) -> Vec<Row> {
    let events = (0..runs).flat_map(|number| if number % 4 == 0 { refused(number) } else { approved(number) });
    let entries = events.map(|event| {
        let mut entry = entry(&event);
        for text in
            ["because of a rule", "what the tool gave", "so be it", "tidy up", "bash(rm -r /srv)", "I looked at it"]
        {
            entry.data = entry.data.replace(text, "-");
        }
        if let Payload::Kept { texts, .. } = &mut entry.payload {
            *texts = format!("[\"{}\"]", "x".repeat(500));
        }
        entry
    });
    rows(entries.collect::<Vec<_>>())
}

/// Seconds that this thread has been at work, as Linux counts them.
fn processor_time() -> f64 {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    counted.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

#[test]
#[ignore = "a measurement, for a release build"]
#[expect(clippy::print_stderr, reason = "a measurement")]
fn the_rate_of_verification() {
    const ENTRIES: usize = 1_000_000;
    let log = stored(20_000);
    let (bytes, count) = (log.iter().map(|row| row.entry.data.len()).sum::<usize>(), log.len());
    let mut verifier = Verifier::new(Checkpoints::new(vec![]));
    let begun = processor_time();
    // The same runs again and again under other ids would have to be made; forgetting that they ended does as well.
    let mut seen = 0;
    while seen < ENTRIES {
        verifier.ended.clear();
        for row in &log {
            let findings = verifier.entry(verifier.place, &row.entry, &row.kept);
            assert_eq!(findings, vec![]);
        }
        seen += count;
    }
    let (_, findings) = verifier.end();
    assert_eq!(findings, vec![]);
    let per_million = (processor_time() - begun) * 1_000_000.0 / seen as f64;
    eprintln!(
        "{seen} entries of {} bytes of data each: {per_million:.2} s of processor time for a million",
        bytes / count
    );
}
