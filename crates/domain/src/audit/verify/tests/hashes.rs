//! Leaves, places, streams and checkpoints.

use super::scribe::{approved, eventful, refused};
use super::*;
use crate::RunId;

fn log() -> Vec<Row> {
    let runs = [approved(1), eventful(2), refused(3)].map(|run| run.iter().map(entry).collect::<Vec<_>>());
    let house = (1..=3).map(|seq| Entry {
        of: Stream::House,
        seq,
        at: "2026-01-01T00:00:00Z".parse().unwrap(),
        step: None,
        kind: "policy_changed".into(),
        data: r#"{"by":"ann"}"#.into(),
        payload: Payload::None,
    });
    // Interleaved, as a log is.
    let mut streams: Vec<_> = runs.into_iter().chain([house.collect()]).map(IntoIterator::into_iter).collect();
    let mut entries = vec![];
    while streams.iter().any(|stream| stream.len() > 0) {
        entries.extend(streams.iter_mut().filter_map(Iterator::next));
    }
    rows(entries)
}

fn every(rows: &[Row], sizes: usize) -> Vec<String> {
    signed(rows, (sizes..rows.len()).step_by(sizes).chain([rows.len()]))
}

#[test]
fn nothing_is_found_in_a_log_where_nothing_is_wrong() {
    let log = log();
    let (verified, findings) = verify(&log, &every(&log, 5));
    assert_eq!(findings, vec![], "{}", findings[0]);
    let checkpoints = log.len().div_ceil(5) as u64;
    let root = tree::root_of(log.iter().map(|row| row.kept.leaf));
    let expected = Verified { entries: log.len() as u64, root, ended: 3, open: 0, checkpoints, unsigned: 0 };
    assert_eq!(verified, expected);
}

#[test]
fn what_nobody_has_signed_yet_is_counted() {
    let log = log();
    let (verified, findings) = verify(&log, &signed(&log, [0, 4, 10]));
    assert_eq!((verified.checkpoints, verified.unsigned, findings), (2, log.len() as u64 - 10, vec![]));
}

#[test]
fn an_erased_payload_is_no_finding_and_a_changed_one_is() {
    let mut log = log();
    let notes = every(&log, 5);
    let at = log.iter().position(|row| row.entry.payload != Payload::None).unwrap();
    let commitment = log[at].kept.commitment.unwrap();
    log[at].entry.payload = Payload::Erased { commitment };
    assert_eq!(wrongs(&verify(&log, &notes).1), [(Some(at as u64), &Wrong::Erased)], "nobody said so");
    let Stream::Run(run) = log[at].entry.of else { panic!("it is of a run") };
    let said = log.iter().filter(|row| row.entry.of == Stream::House).count() as u64 + 1;
    let data = format!(r#"{{"by":{{}},"run":"{run}"}}"#);
    let entry =
        Entry { of: Stream::House, seq: said, kind: "texts_erased".into(), data, step: None, ..log[at].entry.clone() };
    let place = log.len() as u64;
    log.extend(rows([Entry { payload: Payload::None, ..entry }]).into_iter().map(|row| Row { place, ..row }));
    assert_eq!(verify(&log, &notes).1, vec![]);
    log[at].entry.payload = Payload::Kept { salt: [9; 16], texts: r#"["something else"]"#.into() };
    assert_eq!(wrongs(&verify(&log, &notes).1), [(Some(at as u64), &Wrong::Payload)]);
    log[at].entry.payload = Payload::None;
    assert_eq!(wrongs(&verify(&log, &notes).1), [(Some(at as u64), &Wrong::Payload)]);
    // Without the commitment kept by itself nobody can tell the two apart.
    log[at].kept.commitment = None;
    assert_eq!(wrongs(&verify(&log, &notes).1), [(Some(at as u64), &Wrong::Leaf)]);
}

#[test]
fn a_changed_entry_is_named_and_a_changed_leaf_with_it_breaks_the_checkpoint() {
    let mut log = log();
    let notes = every(&log, 5);
    let at = log.iter().position(|row| row.entry.kind == "tool_started").unwrap();
    log[at].entry.data = log[at].entry.data.replace("\"fence\":1", "\"fence\":2");
    let findings = verify(&log, &notes).1;
    assert_eq!(wrongs(&findings), [(Some(at as u64), &Wrong::Leaf)]);
    assert!(findings[0].to_string().contains(&format!("of {} at place {at}: it is not what", log[at].entry.of)));
    log[at].kept.leaf = log[at].entry.leaf();
    let size = (at as u64 / 5 + 1) * 5;
    let findings = verify(&log, &notes).1;
    assert!(
        matches!(wrongs(&findings)[..], [(None, Wrong::Root { size: found, .. })] if *found == size),
        "{findings:?}"
    );
}

#[test]
fn removed_moved_and_repeated_entries_are_found_by_place_and_stream() {
    let good = log();
    let without = |at: usize| {
        let mut log = good.clone();
        log.remove(at);
        log
    };
    let findings = verify(&without(6), &[]).1;
    assert_eq!(findings[0].wrong, Wrong::Place { expected: 6 });
    assert!(findings.iter().any(|finding| matches!(finding.wrong, Wrong::Gap { .. })));

    // With the places made anew only the stream tells.
    let findings = verify(&rows(without(6).into_iter().map(|row| row.entry)), &[]).1;
    let (of, seq) = (good[6].entry.of, good[6].entry.seq);
    assert_eq!((findings[0].entry, &findings[0].wrong), (Some((of, seq + 1)), &Wrong::Gap { expected: seq }));

    let mut twice = good.clone();
    twice.insert(7, good[6].clone());
    let findings = verify(&rows(twice.into_iter().map(|row| row.entry)), &[]).1;
    assert_eq!((findings[0].place, &findings[0].wrong), (Some(7), &Wrong::Gap { expected: seq + 1 }));

    let mut far = good.clone();
    far[4].entry.seq = u64::MAX;
    assert!(verify(&far, &[]).1.len() >= 2);

    let mut swapped = good.clone();
    swapped.swap(4, 8);
    assert!(verify(&swapped, &[]).1.len() >= 2);
}

#[test]
fn a_log_that_lost_its_end_is_shorter_than_what_was_signed() {
    let log = log();
    let (notes, entries) = (every(&log, 5), log.len() as u64 - 1);
    let findings = verify(&log[..log.len() - 1], &notes).1;
    let [(None, Wrong::Short { size, entries: found, named })] = wrongs(&findings)[..] else { panic!("{findings:?}") };
    assert_eq!((*size, *found), (entries + 1, entries));
    assert_eq!(named.to_string(), format!("checkpoint {} in `anchor`", notes.len()));
}

#[test]
fn checkpoints_that_cannot_be_relied_on_are_told_one_by_one() {
    let log = log();
    let good = signed(&log, [5, 10]);
    let sign = |origin: &str, size, root| Checkpoint::new(origin, size, root).unwrap().sign(&key()).unwrap();
    let stranger = SignerKey::new("example.com/log", [2; 32]).unwrap();
    let by_stranger = Checkpoint::new("example.com/log", 10, [0; 32]).unwrap().sign(&stranger).unwrap();
    let cases = [
        (good[1].replacen("\n10\n", "\n11\n", 1), "checkpoint 2 in `anchor` cannot be relied on: the signature of"),
        (by_stranger, "checkpoint 2 in `anchor` cannot be relied on: it is signed by `example.com/log`, with none"),
        ("hello".to_owned(), "checkpoint 2 in `anchor` cannot be relied on: it is no signed note"),
        (sign("example.com/other", 10, [0; 32]), "checkpoint 2 in `anchor` is of the log `example.com/other`"),
        (sign("example.com/log", 5, [0; 32]), "checkpoint 2 in `anchor` and checkpoint 1 in `anchor` are both of 5"),
        (sign("example.com/log", 10, [0; 32]), "the root of the first 10 entries is not the one that checkpoint 2"),
        (sign("example.com/log", 0, [0; 32]), "the root of the first 0 entries"),
    ];
    for (note, expected) in cases {
        let findings = verify(&log, &[good[0].clone(), note]).1;
        assert_eq!(findings.len(), 1, "{expected}: {findings:?}");
        assert!(findings[0].to_string().starts_with(expected), "{}", findings[0]);
    }
    // Of two who sign at once the slower one may be the later.
    assert_eq!(verify(&log, &[good[0].clone(), signed(&log, [4]).remove(0)]).1, vec![]);
}

#[test]
fn checkpoints_of_several_places_are_held_against_one_another() {
    let log = log();
    let mut checkpoints = Checkpoints::new(vec![key().verifier()]).of("example.com/log");
    let (table, file) = (signed(&log, [5, 10]), signed(&log, [3, 10]));
    assert_eq!(checkpoints.add("table", table.iter().map(String::as_str)), vec![]);
    assert_eq!(checkpoints.add("file", file.iter().map(String::as_str)), vec![]);
    let other = Checkpoint::new("example.com/log", 10, [0; 32]).unwrap().sign(&key()).unwrap();
    let findings = checkpoints.add("mail", [other.as_str()]);
    assert_eq!(
        findings[0].to_string(),
        "checkpoint 1 in `mail` and checkpoint 2 in `table` are both of 10 entries and differ: two logs were signed"
    );
}

#[test]
fn what_cannot_be_read_is_told_once_and_the_run_is_not_followed_further() {
    for (kind, data) in [("tool_judged", "{}"), ("tool_judged", "{"), ("tool_eaten", "{}"), ("", "{}")] {
        let mut events: Vec<_> = approved(1).iter().map(entry).collect();
        let at = events.iter().position(|entry| entry.kind == "tool_judged").unwrap();
        (events[at].kind, events[at].data) = (kind.into(), data.into());
        let (verified, findings) = verify(&rows(events), &[]);
        assert_eq!(wrongs(&findings), [(Some(at as u64), &Wrong::Unreadable { kind: kind.into() })]);
        assert_eq!((verified.ended, verified.open), (1, 0));
    }
    // More than one value would put keys of its own into the line.
    let mut events: Vec<_> = approved(1).iter().map(entry).collect();
    events[1].data.push_str(r#","kind":"run_completed""#);
    assert!(matches!(verify(&rows(events), &[]).1[0].wrong, Wrong::Unreadable { .. }));
    let house = |data: &str| Entry { of: Stream::House, seq: 1, data: data.into(), ..log()[0].entry.clone() };
    assert_eq!(verify(&rows([house("{}")]), &[]).1, vec![]);
    let findings = verify(&rows([house("{} {}")]), &[]).1;
    assert!(matches!(findings[0].wrong, Wrong::Unreadable { .. }));
}

#[test]
fn a_run_that_has_ended_is_let_go_of_and_takes_nothing_more() {
    let run = approved(1);
    let mut entries: Vec<_> = run.iter().map(entry).collect();
    entries.push(Entry { seq: 1, ..entries[0].clone() });
    entries.push(Entry { of: Stream::Run(RunId::new(uuid::Uuid::from_u128(9))), ..entries[0].clone() });
    let rows = rows(entries);
    let mut verifier = Verifier::new(Checkpoints::new(vec![]));
    for row in &rows[..run.len()] {
        assert_eq!(verifier.entry(row.place, &row.entry, &row.kept), vec![]);
    }
    assert!(verifier.open.is_empty());
    let (summary, findings) = verify(&rows, &[]);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].wrong.to_string(), "the run had ended before it");
    assert_eq!((summary.ended, summary.open), (1, 1));
}
