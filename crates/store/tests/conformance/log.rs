//! The log: every event has its place in it, in order, and what was signed stays.

use crate::fixture::{Tale, answered, at, failed, person};
use countersign_domain::audit::verify::{Checkpoints, Wrong};
use countersign_domain::audit::{Entry, Frontier, Payload, Stream, tree};
use countersign_domain::interaction::Decision;
use countersign_domain::run::ERASED;
use countersign_runtime::audit::verify;
use countersign_runtime::ports::{Erasure, Logged, PolicyChange, PolicyKind, SignedTree, Store};
use countersign_runtime::proofs::{PAGE, Proofs};
use serde_json::json;
use std::collections::BTreeMap;

async fn placed(store: &dyn Store) -> Frontier {
    while store.unplaced().await.unwrap() > 0 {
        store.place(3).await.unwrap();
    }
    store.tree().await.unwrap()
}

pub async fn every_event_gets_one_place_in_the_log(store: &dyn Store) {
    assert_eq!(store.place(10).await.unwrap(), Frontier::default());
    let (tale, open) = Tale::waiting(store, at(0), 2).await;
    let (mut other, _) = Tale::waiting(store, at(1), 1).await;
    let rule = PolicyChange {
        kind: PolicyKind::Rule,
        key: "r".into(),
        body: Some(json!({"tool": "bash"})),
        by: person("olga"),
        why: Some("a test".into()),
        at: at(2),
    };
    store.change_policy(vec![rule.clone(), rule]).await.unwrap();
    other
        .then(store, answered(*other.run.interactions.keys().next().unwrap(), Decision::Reject, "bob"), at(3))
        .await
        .unwrap();
    assert_eq!(store.unplaced().await.unwrap(), tale.run.seq + other.run.seq + 2);
    let tree = placed(store).await;
    assert_eq!(tree.size(), tale.run.seq + other.run.seq + 2);
    let all = store.entries(0, 1_000).await.unwrap();
    assert_eq!(all.iter().map(|one| one.place).collect::<Vec<_>>(), (0..tree.size()).collect::<Vec<_>>());
    assert!(all.iter().all(|one| one.entry.leaf() == one.leaf));
    assert_eq!(tree::root_of(all.iter().map(|one| one.leaf)), tree.root());
    let mut streams: BTreeMap<Stream, Vec<u64>> = BTreeMap::new();
    for one in &all {
        streams.entry(one.entry.of).or_default().push(one.entry.seq);
    }
    let counted = |many: u64| (1..=many).collect::<Vec<_>>();
    let expected = [
        (Stream::Run(tale.run.id), counted(tale.run.seq)),
        (Stream::Run(other.run.id), counted(other.run.seq)),
        (Stream::House, counted(2)),
    ];
    assert_eq!(streams, expected.into());
    // Pages begin wherever one likes, also in the middle of a step.
    for from in 0..=tree.size() {
        let page = store.entries(from, 2).await.unwrap();
        let expected: Vec<Logged> = all.iter().skip(usize::try_from(from).unwrap()).take(2).cloned().collect();
        assert_eq!(page, expected);
        let leaves: Vec<_> = expected.iter().map(|logged| logged.leaf).collect();
        assert_eq!(store.leaves(from, 2).await.unwrap(), leaves);
    }
    // What was saved since comes after it.
    let mut tale = tale;
    tale.then(store, answered(open[0], Decision::Approve, "bob"), at(4)).await.unwrap();
    let longer = placed(store).await;
    assert_eq!(longer.size(), tree.size() + tale.run.seq - streams[&Stream::Run(tale.run.id)].len() as u64);
    assert_eq!(store.entries(0, 1_000).await.unwrap()[..all.len()], all[..]);
}

pub async fn the_record_keeps_what_was_written_apart_from_what_happened(store: &dyn Store) {
    let (tale, _) = Tale::waiting(store, at(0), 1).await;
    placed(store).await;
    let all = store.entries(0, 1_000).await.unwrap();
    let first = &all[0].entry;
    assert_eq!((first.kind.as_str(), first.of), ("run_started", Stream::Run(tale.run.id)));
    let Payload::Kept { texts, .. } = &first.payload else { panic!("{first:?}") };
    assert_eq!(texts, r#"["tidy up","/srv"]"#);
    assert!(all.iter().all(|one| !one.entry.data.contains("tidy up") && !one.entry.line().contains("tidy up")));
    let salts: Vec<_> = all
        .iter()
        .filter_map(|Logged { entry: Entry { payload, .. }, .. }| match payload {
            Payload::Kept { salt, .. } => Some(*salt),
            _ => None,
        })
        .collect();
    let mut different = salts.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), salts.len());
}

pub async fn of_several_who_give_places_each_event_gets_one(store: &dyn Store) {
    for second in 0..5 {
        Tale::waiting(store, at(second), 2).await;
    }
    let events = store.unplaced().await.unwrap();
    while store.unplaced().await.unwrap() > 0 {
        let one = || store.place(4);
        let all = tokio::join!(one(), one(), one(), one());
        for placed in [all.0, all.1, all.2, all.3] {
            placed.unwrap();
        }
    }
    let all = store.entries(0, 1_000).await.unwrap();
    assert_eq!((all.len() as u64, store.tree().await.unwrap().size()), (events, events));
    assert_eq!(tree::root_of(all.iter().map(|one| one.leaf)), store.tree().await.unwrap().root());
}

pub async fn what_was_written_can_be_erased_and_the_log_holds(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 1).await;
    tale.then(store, answered(open[0], Decision::Reject, "bob"), at(1)).await.unwrap();
    tale.then(store, failed(), at(2)).await.unwrap();
    let other = Tale::waiting(store, at(3), 1).await.0;
    let before = placed(store).await;
    let leaves: Vec<_> = store.entries(0, 1_000).await.unwrap().iter().map(|one| one.leaf).collect();
    let erasure = Erasure { run: tale.run.id, by: person("olga"), why: "they asked for it".into(), at: at(4) };
    let erased = store.erase(erasure.clone()).await.unwrap();
    assert!(erased >= 4, "{erased}");
    assert_eq!(store.erase(erasure).await.unwrap(), 0, "there is nothing left");
    let after = placed(store).await;
    assert_eq!(after.size(), before.size() + 1, "who erased and why is an entry");
    let all = store.entries(0, 1_000).await.unwrap();
    assert_eq!(all.iter().map(|one| one.leaf).take(leaves.len()).collect::<Vec<_>>(), leaves);
    assert!(all.iter().all(|one| one.entry.leaf() == one.leaf));
    let of = |run| all.iter().filter(move |one| one.entry.of == Stream::Run(run));
    assert!(of(tale.run.id).all(|one| !matches!(one.entry.payload, Payload::Kept { .. })));
    assert!(of(other.run.id).any(|one| matches!(one.entry.payload, Payload::Kept { .. })));
    // It can still be read, and says so.
    let run = store.load(tale.run.id).await.unwrap().unwrap();
    assert_eq!((run.started.input.as_str(), run.started.agent.as_str()), (ERASED, "builder"));
    let summary = store.run(tale.run.id).await.unwrap().unwrap();
    assert_eq!((summary.input.as_str(), summary.error.unwrap().message.as_str()), (ERASED, ERASED));
    let report = verify(store, Checkpoints::new(vec![]), |_| {}).await.unwrap();
    assert_eq!(report.findings.iter().map(|finding| &finding.wrong).collect::<Vec<_>>(), [&Wrong::Unsigned]);
}

pub async fn what_was_signed_stays(store: &dyn Store) {
    assert_eq!(store.newest_checkpoint().await.unwrap(), None);
    let signed = |size, note: &str| SignedTree { size, note: note.into() };
    for one in [signed(3, "first"), signed(7, "second"), signed(3, "another")] {
        store.keep_checkpoint(one, at(0)).await.unwrap();
    }
    assert_eq!(store.checkpoints(0, 10).await.unwrap(), vec![signed(3, "first"), signed(7, "second")]);
    assert_eq!(store.checkpoints(3, 10).await.unwrap(), vec![signed(7, "second")]);
    assert_eq!(store.newest_checkpoint().await.unwrap(), Some(signed(7, "second")));
}

/// A log of some blocks: every entry of it is proven with the hashes that are kept.
pub async fn every_entry_can_be_proven(store: &dyn Store) {
    let change = |number: i64| PolicyChange {
        kind: PolicyKind::Rule,
        key: format!("r{number}"),
        body: Some(json!({"tool": "bash"})),
        by: person("olga"),
        why: None,
        at: at(number),
    };
    for from in (0..900).step_by(100) {
        store.change_policy((from..from + 100).map(change).collect()).await.unwrap();
    }
    while store.unplaced().await.unwrap() > 0 {
        store.place(100).await.unwrap();
    }
    let tree = store.tree().await.unwrap();
    assert_eq!(store.subtree(tree::Subtree { level: 8, index: 3 }).await.unwrap(), None, "it is not whole");
    assert!(store.subtree(tree::Subtree { level: 9, index: 0 }).await.unwrap().is_some());
    for size in [tree.size(), 513, 512, 256, 255, 1] {
        let mut proofs = Proofs::new(store, size).await.unwrap();
        let all: Vec<_> = store
            .entries(0, PAGE)
            .await
            .unwrap()
            .into_iter()
            .chain(store.entries(PAGE.into(), PAGE).await.unwrap())
            .collect();
        let end = usize::try_from(size).unwrap();
        let root = tree::root_of(all[..end].iter().map(|logged| logged.leaf));
        for page in all.chunks(usize::try_from(PAGE).unwrap()) {
            for (logged, proof) in page.iter().zip(proofs.of(store, page).await.unwrap()) {
                assert_eq!(proof.is_some(), logged.place < size);
                let Some(proof) = proof else { continue };
                tree::proof::verify_inclusion(logged.leaf, logged.place, size, &proof, &root).unwrap();
            }
        }
    }
}
