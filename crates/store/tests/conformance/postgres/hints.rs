//! Hints from one process to another.

use super::{beside, cut_all, fresh, open};
use crate::fixture::{Tale, answered, at, done, person};
use countersign_domain::RunId;
use countersign_domain::interaction::Decision;
use countersign_runtime::ports::{Hint, PolicyChange, PolicyKind, Store};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;

/// How long a hint may take. Generous: it only decides how long a failure takes.
const PATIENCE: Duration = Duration::from_secs(30);

async fn next(hints: &mut Receiver<Hint>) -> Hint {
    timeout(PATIENCE, hints.recv()).await.expect("a hint").unwrap()
}

/// Waits until `hint` comes.
async fn until(hints: &mut Receiver<Hint>, hint: &Hint) {
    while next(hints).await != *hint {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_does_another_hears() {
    let (database, here) = fresh().await;
    let there = open(&database.url()).await;
    let (mut own, mut hints) = (here.hints().unwrap(), there.hints().unwrap());
    until(&mut hints, &Hint::Look).await;
    until(&mut own, &Hint::Look).await;

    let (mut tale, asked) = Tale::waiting(&here, at(0), 1).await;
    until(&mut hints, &Hint::Runs(vec![tale.run.id])).await;
    tale.then(&here, answered(asked[0], Decision::Approve, "bob"), at(1)).await.unwrap();
    until(&mut hints, &Hint::Work).await;
    until(&mut hints, &Hint::Runs(vec![tale.run.id])).await;

    let claim = here.claim(PATIENCE, &[], 1).await.unwrap().pop().unwrap();
    here.release(claim).await.unwrap();
    until(&mut hints, &Hint::Work).await;

    let by = person("olga");
    let rule = PolicyChange { kind: PolicyKind::Rule, key: "a".into(), body: None, by, why: None, at: at(2) };
    here.change_policy(vec![rule]).await.unwrap();
    until(&mut hints, &Hint::Policy).await;
    assert!(own.is_empty(), "whoever did it knows");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_changes_make_few_hints() {
    let (database, here) = fresh().await;
    let there = open(&database.url()).await;
    let mut hints = there.hints().unwrap();
    until(&mut hints, &Hint::Look).await;
    let mut begun = BTreeSet::new();
    for n in 0..100 {
        begun.insert(Tale::begin(&here, at(n)).await.run.id);
    }
    let (mut told, mut many) = (BTreeSet::<RunId>::new(), 0);
    while told != begun {
        many += 1;
        if let Hint::Runs(runs) = next(&mut hints).await {
            told.extend(runs);
        }
    }
    assert!(many < 100, "{many} hints");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_listens_again_is_told_to_look() {
    let (database, here) = fresh().await;
    let there = open(&database.url()).await;
    let mut hints = there.hints().unwrap();
    until(&mut hints, &Hint::Look).await;
    let tale = Tale::begin(&here, at(0)).await;
    until(&mut hints, &Hint::Runs(vec![tale.run.id])).await;

    let client = beside(&database.url()).await;
    assert!(cut_all(&client).await >= 2);
    until(&mut hints, &Hint::Look).await;
    let mut tale = Tale::begin(&here, at(1)).await;
    // Whose own connection was cut tells it when it has another one, by name or by a call to look.
    loop {
        match next(&mut hints).await {
            Hint::Look => break,
            Hint::Runs(runs) if runs.contains(&tale.run.id) => break,
            _ => {}
        }
    }
    tale.then(&here, done(), at(2)).await.unwrap();
    until(&mut hints, &Hint::Runs(vec![tale.run.id])).await;
}
