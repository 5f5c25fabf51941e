//! Who holds which run.

use crate::fixture::{Tale, allowed, answered, at, done, failed, person, said};
use countersign_domain::interaction::Decision;
use countersign_domain::run::{Input, Letter};
use countersign_runtime::ports::{Claim, Save, Store, StoreError, Take};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);

async fn claimed(store: &dyn Store) -> Claim {
    store.claim(MINUTE, &[], 1).await.unwrap()[0]
}

async fn nothing_to_do(store: &dyn Store) {
    assert_eq!(store.claim(MINUTE, &[], 10).await.unwrap(), vec![]);
}

pub async fn the_run_that_is_ready_longest_is_claimed_first(store: &dyn Store) {
    nothing_to_do(store).await;
    let second = Tale::begin(store, at(2)).await;
    let first = Tale::begin(store, at(1)).await;
    let third = Tale::begin(store, at(3)).await;
    for tale in [first, second, third] {
        assert_eq!(claimed(store).await, Claim { run: tale.run.id, fence: 1, attempts: 1 });
    }
    nothing_to_do(store).await;
}

pub async fn a_run_that_is_woken_queues_up_behind_those_before_it(store: &dyn Store) {
    let (mut woken, open) = Tale::waiting(store, at(0), 1).await;
    let earlier = Tale::begin(store, at(1)).await;
    woken.then(store, answered(open[0], Decision::Approve, "bob"), at(2)).await.unwrap();
    let later = Tale::begin(store, at(3)).await;
    for tale in [earlier, woken, later] {
        assert_eq!(claimed(store).await.run, tale.run.id);
    }
}

pub async fn a_run_that_stays_ready_keeps_its_place(store: &dyn Store) {
    let mut first = Tale::begin(store, at(0)).await;
    Tale::begin(store, at(1)).await;
    first.claim = Some(claimed(store).await);
    first.then(store, said(vec![first.proposal(0, json!({}))]), at(2)).await.unwrap();
    store.release(first.claim.unwrap()).await.unwrap();
    assert_eq!(claimed(store).await.run, first.run.id);
}

pub async fn a_waiting_run_is_never_claimed(store: &dyn Store) {
    let (mut waiting, open) = Tale::waiting(store, at(0), 1).await;
    let mut ended = Tale::begin(store, at(0)).await;
    ended.then(store, done(), at(1)).await.unwrap();
    nothing_to_do(store).await;
    waiting.then(store, answered(open[0], Decision::Reject, "bob"), at(2)).await.unwrap();
    assert_eq!(claimed(store).await.run, waiting.run.id);
}

pub async fn a_claimed_run_is_claimed_once(store: &dyn Store) {
    Tale::begin(store, at(0)).await;
    let (one, two) = tokio::join!(store.claim(MINUTE, &[], 1), store.claim(MINUTE, &[], 1));
    assert_eq!([one.unwrap(), two.unwrap()].iter().flatten().count(), 1);
}

pub async fn of_many_claimers_each_gets_another_run(store: &dyn Store) {
    for n in 0..8 {
        Tale::begin(store, at(n)).await;
    }
    let claims = tokio::join!(
        store.claim(MINUTE, &[], 1),
        store.claim(MINUTE, &[], 1),
        store.claim(MINUTE, &[], 1),
        store.claim(MINUTE, &[], 1),
        store.claim(MINUTE, &[], 1),
        store.claim(MINUTE, &[], 1),
    );
    let claims = [claims.0, claims.1, claims.2, claims.3, claims.4, claims.5];
    let runs: BTreeSet<_> = claims.into_iter().map(|claim| claim.unwrap()[0].run).collect();
    assert_eq!(runs.len(), 6);
}

pub async fn a_lease_that_ran_out_is_claimed_again_with_a_higher_fence(store: &dyn Store) {
    let tale = Tale::begin(store, at(0)).await;
    for fence in 1..4 {
        let claim = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop();
        let attempts = u32::try_from(fence).unwrap();
        assert_eq!(claim, Some(Claim { run: tale.run.id, fence, attempts }));
    }
}

pub async fn a_stale_worker_writes_nothing(store: &dyn Store) {
    let mut stale = Tale::begin(store, at(0)).await;
    stale.claim = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop();
    let mut fresh = stale.clone();
    fresh.claim = Some(claimed(store).await);
    let fenced = |outcome| matches!(outcome, Err(StoreError::Fenced(_)));
    assert!(fenced(stale.then(store, done(), at(1)).await), "it saw the newest state, and yet");
    assert!(fenced(store.renew(stale.claim.unwrap(), MINUTE).await));
    store.release(stale.claim.unwrap()).await.unwrap();
    let call = fresh.proposal(0, json!({}));
    fresh.then(store, said(vec![call]), at(1)).await.unwrap();
    store.renew(fresh.claim.unwrap(), MINUTE).await.unwrap();
    assert!(fenced(stale.then(store, done(), at(2)).await));
    assert_eq!(store.load(fresh.run.id).await.unwrap(), Some(fresh.run));
}

/// Nobody else has taken the run: the work may go on, and the lease be renewed.
pub async fn a_lease_that_ran_out_unnoticed_still_holds(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    tale.claim = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop();
    let call = tale.proposal(0, json!({}));
    tale.then(store, said(vec![call]), at(1)).await.unwrap();
    store.renew(tale.claim.unwrap(), MINUTE).await.unwrap();
    nothing_to_do(store).await;
}

pub async fn a_lease_is_gone_when_the_run_waits(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    tale.claim = Some(claimed(store).await);
    tale.asks(store, at(1), 1, at(100)).await;
    tale.then(store, Input::Slept, at(2)).await.unwrap();
    let stale = tale.claim.take().unwrap();
    assert!(matches!(store.renew(stale, MINUTE).await, Err(StoreError::Fenced(_))));
    let open = tale.run.open_interactions()[0].id;
    tale.then(store, answered(open, Decision::Approve, "bob"), at(3)).await.unwrap();
    let mut late = Tale { claim: Some(stale), ..tale.clone() };
    assert!(matches!(late.then(store, Input::Resumed, at(4)).await, Err(StoreError::Fenced(_))));
    assert_eq!(claimed(store).await, Claim { run: tale.run.id, fence: 2, attempts: 1 });
}

pub async fn an_answer_from_outside_leaves_the_lease_alone(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    let claim = claimed(store).await;
    tale.claim = Some(claim);
    tale.asks(store, at(1), 1, at(100)).await;
    let open = tale.run.open_interactions()[0].id;
    tale.claim = None;
    tale.then(store, answered(open, Decision::Approve, "bob"), at(2)).await.unwrap();
    nothing_to_do(store).await;
    store.renew(claim, MINUTE).await.unwrap();
    tale.then(store, failed(), at(3)).await.unwrap();
    assert!(matches!(store.renew(claim, MINUTE).await, Err(StoreError::Fenced(_))), "it was ended from outside");
}

pub async fn a_released_run_is_claimed_again_at_once(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    let claim = claimed(store).await;
    store.release(claim).await.unwrap();
    store.release(claim).await.unwrap();
    tale.claim = Some(claim);
    assert!(matches!(tale.then(store, done(), at(1)).await, Err(StoreError::Fenced(_))));
    assert_eq!(claimed(store).await, Claim { run: tale.run.id, fence: 2, attempts: 1 });
}

pub async fn all_leases_can_be_let_go(store: &dyn Store) {
    for n in 0..3 {
        Tale::begin(store, at(n)).await;
    }
    let first = claimed(store).await;
    claimed(store).await;
    assert_eq!(store.release_all().await.unwrap(), 2);
    assert_eq!(store.release_all().await.unwrap(), 0);
    assert!(matches!(store.renew(first, MINUTE).await, Err(StoreError::Fenced(_))));
    assert_eq!(claimed(store).await, Claim { run: first.run, fence: 2, attempts: 2 });
}

pub async fn what_a_worker_holds_it_does_not_claim_again(store: &dyn Store) {
    let _tale = Tale::begin(store, at(1)).await;
    let held = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop().unwrap();
    assert_eq!(store.claim(MINUTE, &[held.run], 1).await.unwrap(), vec![], "though its lease is over");
    assert_eq!(claimed(store).await.fence, held.fence + 1);
}

pub async fn whoever_saves_may_take_the_run_with_it(store: &dyn Store) {
    let (waiting, open) = Tale::waiting(store, at(0), 1).await;
    let (save, _) = waiting.next(answered(open[0], Decision::Approve, "bob"), at(1));
    let taken = store.save(Save { take: Some(Take { lease: MINUTE, fence: None }), ..save }).await.unwrap();
    assert_eq!(taken, Some(Claim { run: waiting.run.id, fence: 1, attempts: 1 }));
    nothing_to_do(store).await;
    store.renew(taken.unwrap(), MINUTE).await.unwrap();
}

pub async fn whoever_counts_on_the_number_of_a_claim_gets_it_or_nothing_is_saved(store: &dyn Store) {
    let (waiting, open) = Tale::waiting(store, at(0), 2).await;
    assert_eq!(store.asking(open[0]).await.unwrap().unwrap().fence, 0);
    let (save, run) = waiting.next(answered(open[0], Decision::Approve, "bob"), at(1));
    let counting_on = |fence| Some(Take { lease: MINUTE, fence: Some(fence) });
    for other in [0, 2, u64::MAX] {
        let refused = store.save(Save { take: counting_on(other), ..save.clone() }).await;
        assert!(matches!(refused, Err(StoreError::Conflict(run)) if run == waiting.run.id), "{other}: {refused:?}");
    }
    let taken = store.save(Save { take: counting_on(1), ..save }).await.unwrap();
    assert_eq!(taken, Some(Claim { run: run.id, fence: 1, attempts: 1 }));
    assert_eq!(store.asking(open[1]).await.unwrap().unwrap().fence, 1);
    // Whoever holds it keeps it, though the number would be the next.
    let held = Tale { run, claim: None };
    let (save, _) = held.next(answered(open[1], Decision::Approve, "bob"), at(2));
    let refused = store.save(Save { take: counting_on(2), ..save }).await;
    assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
    assert_eq!(store.load(held.run.id).await.unwrap().unwrap(), held.run);
}

pub async fn what_is_held_or_at_rest_is_not_taken_with_a_save(store: &dyn Store) {
    let held = Tale::begin(store, at(0)).await;
    claimed(store).await;
    let letter = Letter { text: "hello".into(), channel: None, by: person("ann") };
    let (save, _) = held.next(Input::Message(letter), at(1));
    assert_eq!(
        store.save(Save { take: Some(Take { lease: MINUTE, fence: None }), ..save }).await.unwrap(),
        None,
        "another worker has it"
    );
    let (waiting, _) = Tale::waiting(store, at(0), 1).await;
    let (save, _) = waiting.next(Input::Cancelled { by: person("ann"), reason: None }, at(1));
    assert_eq!(
        store.save(Save { take: Some(Take { lease: MINUTE, fence: None }), ..save }).await.unwrap(),
        None,
        "it has ended"
    );
}

pub async fn attempts_count_until_a_run_comes_further(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    for attempts in 1..4 {
        tale.claim = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop();
        assert_eq!(tale.claim.unwrap().attempts, attempts);
    }
    let call = tale.proposal(0, json!({}));
    tale.then(store, said(vec![call.clone()]), at(1)).await.unwrap();
    tale.claim = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop();
    assert_eq!(tale.claim.unwrap().attempts, 1, "the model has spoken");
    tale.then(store, allowed(&call, 1), at(2)).await.unwrap();
    tale.claim = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop();
    assert_eq!(tale.claim.unwrap().attempts, 2, "to be started is not enough");
}

pub async fn several_are_claimed_at_once_in_their_order(store: &dyn Store) {
    let mut ids = vec![];
    for n in 0..5 {
        ids.push(Tale::begin(store, at(n)).await.run.id);
    }
    let claims = store.claim(MINUTE, &[], 3).await.unwrap();
    assert_eq!(claims.iter().map(|claim| claim.run).collect::<Vec<_>>(), ids[..3]);
    let rest = store.claim(MINUTE, &[], 10).await.unwrap();
    assert_eq!(rest.iter().map(|claim| claim.run).collect::<Vec<_>>(), ids[3..]);
}
