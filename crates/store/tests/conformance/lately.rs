//! Runs that were put to rest here lately: as they are stored, told once, few, without secrets, and never the truth.

use crate::fixture::{Tale, answered, asked, at, end_of_questions, failed, person, said, started};
use countersign_domain::interaction::Decision;
use countersign_domain::run::{Draft, Input, Letter, Started, start};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{Asking, Erasure, Save, Store, StoreError, Take};
use serde_json::json;
use std::time::Duration;
use uuid::Uuid;

const MINUTE: Duration = Duration::from_mins(1);

pub async fn whoever_asked_lately_is_told_once_and_as_stored(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 3).await;
    assert_eq!(store.asking_lately(open[1]), Some(Asking { run: tale.run.clone(), fence: 0 }));
    for id in &open {
        assert_eq!(store.asking_lately(*id), None, "whichever question it was told by");
    }
    let (save, run) = tale.next(answered(open[0], Decision::Reject, "bob"), at(1));
    let claim = store.save(Save { take: Some(Take { lease: MINUTE, fence: Some(1) }), ..save }).await.unwrap();
    tale = Tale { run, claim };
    assert_eq!(store.asking_lately(open[1]), None, "it does not wait now");
    tale.then(store, Input::Resumed, at(1)).await.unwrap();
    tale.then(store, Input::Slept, at(2)).await.unwrap();
    let stored = store.asking(open[2]).await.unwrap();
    assert_eq!(stored.as_ref().map(|asking| (&asking.run, asking.fence)), Some((&tale.run, 1)));
    assert_eq!(store.asking_lately(open[0]), None, "that question is settled");
    assert_eq!(store.asking_lately(open[2]), stored);
    tale.claim = None;
    tale.then(store, failed(), at(3)).await.unwrap();
    for id in &open {
        assert_eq!(store.asking_lately(*id), None, "it has ended");
    }
}

pub async fn no_secret_is_at_hand(store: &dyn Store) {
    let (tale, id) = crate::secrets::waiting(store).await;
    assert_eq!(store.asking_lately(id), None);
    assert_eq!(store.asking(id).await.unwrap().unwrap().run, tale.run);
    // Nor one that came later.
    let (mut tale, open) = Tale::waiting(store, at(0), 1).await;
    let letter = |text: &str| Input::Message(Letter { text: text.into(), channel: None, by: person("ann") });
    tale.then(store, letter("hello"), at(1)).await.unwrap();
    tale.then(store, Input::Resumed, at(1)).await.unwrap();
    tale.then(store, letter("PASSWORD=hunter2hunter2"), at(1)).await.unwrap();
    tale.then(store, Input::Slept, at(2)).await.unwrap();
    assert_eq!(store.asking_lately(open[0]), None);
}

pub async fn few_runs_are_at_hand_and_no_long_ones(store: &dyn Store) {
    let long = asking_about(store, 100_000).await;
    assert_eq!(store.asking_lately(long), None);
    // Short to write, and long in memory.
    let (mut many, rows) = (Tale::begin(store, at(0)).await, vec![json!({"a": 0}); 1_000]);
    let call = many.proposal(0, json!({"rows": rows}));
    many.then(store, said(vec![call.clone()]), at(0)).await.unwrap();
    many.then(store, asked(&call, end_of_questions()), at(0)).await.unwrap();
    many.then(store, Input::Slept, at(0)).await.unwrap();
    assert_eq!(store.asking_lately(many.run.open_interactions()[0].id), None);
    // Together more than may be at hand.
    let mut all = vec![];
    for _ in 0..160 {
        all.push(asking_about(store, 80_000).await);
    }
    let at_hand: Vec<_> = all.iter().map(|id| store.asking_lately(*id).is_some()).collect();
    let many = at_hand.iter().filter(|at_hand| **at_hand).count();
    assert!((100..150).contains(&many), "{many}");
    assert!(at_hand.is_sorted(), "the oldest have gone");
    for id in [long, all[0]] {
        assert!(store.asking(id).await.unwrap().is_some(), "they can be looked up");
    }
}

/// A run that waits, with an input of so many bytes, and its question.
async fn asking_about(store: &dyn Store, bytes: usize) -> InteractionId {
    let begun = Started { input: "x".repeat(bytes), ..started() };
    let step = start(RunId::new(Uuid::now_v7()), begun, at(0)).unwrap();
    let mut tale = Tale { run: step.run.clone(), claim: None };
    store.save(Save::of(Draft { run: step.run, seen: 0, events: step.events }, at(0))).await.unwrap();
    tale.asks(store, at(0), 1, end_of_questions()).await;
    tale.then(store, Input::Slept, at(0)).await.unwrap();
    tale.run.open_interactions()[0].id
}

/// What one has at hand the other has moved on: whoever builds on it is told.
pub async fn what_is_at_hand_may_be_old(here: &dyn Store, elsewhere: &dyn Store) {
    let (tale, open) = Tale::waiting(here, at(0), 2).await;
    assert_eq!(elsewhere.asking_lately(open[0]), None, "it was not asked there");
    let mut moved = tale.clone();
    moved.then(elsewhere, answered(open[0], Decision::Reject, "kim"), at(1)).await.unwrap();
    let Asking { run, fence } = here.asking_lately(open[0]).unwrap();
    assert_eq!((&run, fence), (&tale.run, 0));
    let (save, _) = tale.next(answered(open[0], Decision::Approve, "bob"), at(2));
    for take in [None, Some(Take { lease: MINUTE, fence: Some(1) })] {
        let refused = here.save(Save { take, ..save.clone() }).await;
        assert!(matches!(refused, Err(StoreError::Conflict(run)) if run == tale.run.id), "{refused:?}");
    }
    assert_eq!(here.asking_lately(open[0]), None);
    assert_eq!(here.asking(open[0]).await.unwrap().unwrap().run, moved.run);
    // Of a life that others had a share in nothing is at hand.
    moved.then(here, answered(open[1], Decision::Reject, "kim"), at(3)).await.unwrap();
    assert_eq!(here.asking_lately(open[1]), None);
}

pub async fn what_is_erased_is_not_at_hand(store: &dyn Store) {
    let (tale, open) = Tale::waiting(store, at(0), 1).await;
    // Nobody erases what is written in a run that waits; the store would.
    let erasure = Erasure { run: tale.run.id, by: person("olga"), why: "they asked for it".into(), at: at(1) };
    store.erase(erasure).await.unwrap();
    assert_eq!(store.asking_lately(open[0]), None);
}
