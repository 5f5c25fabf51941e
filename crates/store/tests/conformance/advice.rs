//! What models say beside questions.

use crate::fixture::{Tale, answered, at, failed, person};
use countersign_domain::InteractionId;
use countersign_domain::interaction::{Advice, Decision};
use countersign_runtime::ports::{Erasure, Store};

fn said(words: Option<&str>, seconds: i64) -> Advice {
    Advice::new("reviewer".into(), words, at(seconds))
}

async fn one(store: &dyn Store, id: InteractionId) -> Option<Advice> {
    store.advice(&[id]).await.unwrap().remove(&id)
}

pub async fn what_a_model_said_first_stays(store: &dyn Store) {
    let (tale, open) = Tale::waiting(store, at(0), 2).await;
    assert_eq!(store.advice(&open).await.unwrap().len(), 0);
    store.advise(open[0], said(None, 1)).await.unwrap();
    assert_eq!(one(store, open[0]).await, Some(said(None, 1)));
    // One that said nothing may be followed by one that does.
    store.advise(open[0], said(Some("look twice"), 2)).await.unwrap();
    store.advise(open[0], said(Some("all is well"), 3)).await.unwrap();
    store.advise(open[0], said(None, 4)).await.unwrap();
    assert_eq!(one(store, open[0]).await, Some(said(Some("look twice"), 2)));
    assert_eq!(one(store, open[1]).await, None);
    // It is beside the question, and not of it.
    assert_eq!(store.load(tale.run.id).await.unwrap().unwrap(), tale.run);
}

pub async fn advice_for_a_question_that_is_not_open_is_not_kept(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 2).await;
    store.advise(open[0], said(Some("look twice"), 1)).await.unwrap();
    for id in &open {
        tale.then(store, answered(*id, Decision::Approve, "bob"), at(2)).await.unwrap();
        store.advise(*id, said(Some("too late"), 3)).await.unwrap();
    }
    assert_eq!(one(store, open[0]).await, Some(said(Some("look twice"), 1)));
    assert_eq!(one(store, open[1]).await, None);
}

pub async fn open_questions_without_advice_are_found(store: &dyn Store) {
    let (mut tale, mut open) = Tale::waiting(store, at(0), 4).await;
    open.sort();
    tale.then(store, answered(open[1], Decision::Approve, "bob"), at(1)).await.unwrap();
    store.advise(open[2], said(None, 1)).await.unwrap();
    let left = |id| (tale.run.id, id);
    assert_eq!(store.unadvised(None, 10).await.unwrap(), [left(open[0]), left(open[3])]);
    assert_eq!(store.unadvised(None, 1).await.unwrap(), [left(open[0])]);
    assert_eq!(store.unadvised(Some(open[0]), 10).await.unwrap(), [left(open[3])]);
    assert_eq!(store.unadvised(Some(open[3]), 10).await.unwrap(), []);
}

pub async fn a_secret_in_advice_is_masked(store: &dyn Store) {
    let (_, open) = Tale::waiting(store, at(0), 1).await;
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    store.advise(open[0], said(Some(&format!("it sends {secret} away")), 1)).await.unwrap();
    let kept = one(store, open[0]).await.unwrap().text.unwrap();
    assert!(!kept.contains(&secret) && kept.contains("⟦secret "), "{kept}");
}

pub async fn advice_is_erased_with_what_was_written(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 1).await;
    let (_, others) = Tale::waiting(store, at(0), 1).await;
    for id in [open[0], others[0]] {
        store.advise(id, said(Some("look twice"), 1)).await.unwrap();
    }
    tale.then(store, failed(), at(2)).await.unwrap();
    store.erase(Erasure { run: tale.run.id, by: person("olga"), why: "asked".into(), at: at(3) }).await.unwrap();
    assert_eq!(one(store, open[0]).await, None);
    assert!(one(store, others[0]).await.is_some());
}
