//! Who holds which run.

use crate::fixture::{Tale, answered, at, done, failed, said};
use countersign_domain::interaction::Decision;
use countersign_domain::run::Input;
use countersign_runtime::ports::{Claim, Store, StoreError};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);

async fn claimed(store: &dyn Store) -> Claim {
    store.claim(MINUTE, &[]).await.unwrap().unwrap()
}

pub async fn the_run_that_is_ready_longest_is_claimed_first(store: &dyn Store) {
    assert_eq!(store.claim(MINUTE, &[]).await.unwrap(), None);
    let second = Tale::begin(store, at(2)).await;
    let first = Tale::begin(store, at(1)).await;
    let third = Tale::begin(store, at(3)).await;
    for tale in [first, second, third] {
        assert_eq!(claimed(store).await, Claim { run: tale.run.id, fence: 1 });
    }
    assert_eq!(store.claim(MINUTE, &[]).await.unwrap(), None);
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
    assert_eq!(store.claim(MINUTE, &[]).await.unwrap(), None);
    waiting.then(store, answered(open[0], Decision::Reject, "bob"), at(2)).await.unwrap();
    assert_eq!(claimed(store).await.run, waiting.run.id);
}

pub async fn a_claimed_run_is_claimed_once(store: &dyn Store) {
    Tale::begin(store, at(0)).await;
    let (one, two) = tokio::join!(store.claim(MINUTE, &[]), store.claim(MINUTE, &[]));
    assert_eq!([one.unwrap(), two.unwrap()].iter().flatten().count(), 1);
}

pub async fn of_many_claimers_each_gets_another_run(store: &dyn Store) {
    for n in 0..8 {
        Tale::begin(store, at(n)).await;
    }
    let claims = tokio::join!(
        store.claim(MINUTE, &[]),
        store.claim(MINUTE, &[]),
        store.claim(MINUTE, &[]),
        store.claim(MINUTE, &[]),
        store.claim(MINUTE, &[]),
        store.claim(MINUTE, &[]),
    );
    let claims = [claims.0, claims.1, claims.2, claims.3, claims.4, claims.5];
    let runs: BTreeSet<_> = claims.into_iter().map(|claim| claim.unwrap().unwrap().run).collect();
    assert_eq!(runs.len(), 6);
}

pub async fn a_lease_that_ran_out_is_claimed_again_with_a_higher_fence(store: &dyn Store) {
    let tale = Tale::begin(store, at(0)).await;
    for fence in 1..4 {
        let claim = store.claim(Duration::ZERO, &[]).await.unwrap();
        assert_eq!(claim, Some(Claim { run: tale.run.id, fence }));
    }
}

pub async fn a_stale_worker_writes_nothing(store: &dyn Store) {
    let mut stale = Tale::begin(store, at(0)).await;
    stale.claim = store.claim(Duration::ZERO, &[]).await.unwrap();
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
    tale.claim = store.claim(Duration::ZERO, &[]).await.unwrap();
    let call = tale.proposal(0, json!({}));
    tale.then(store, said(vec![call]), at(1)).await.unwrap();
    store.renew(tale.claim.unwrap(), MINUTE).await.unwrap();
    assert_eq!(store.claim(MINUTE, &[]).await.unwrap(), None);
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
    assert_eq!(claimed(store).await, Claim { run: tale.run.id, fence: 2 });
}

pub async fn an_answer_from_outside_leaves_the_lease_alone(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    let claim = claimed(store).await;
    tale.claim = Some(claim);
    tale.asks(store, at(1), 1, at(100)).await;
    let open = tale.run.open_interactions()[0].id;
    tale.claim = None;
    tale.then(store, answered(open, Decision::Approve, "bob"), at(2)).await.unwrap();
    assert_eq!(store.claim(MINUTE, &[]).await.unwrap(), None);
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
    assert_eq!(claimed(store).await, Claim { run: tale.run.id, fence: 2 });
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
    assert_eq!(claimed(store).await, Claim { run: first.run, fence: 2 });
}

pub async fn what_a_worker_holds_it_does_not_claim_again(store: &dyn Store) {
    let _tale = Tale::begin(store, at(1)).await;
    let held = store.claim(Duration::ZERO, &[]).await.unwrap().unwrap();
    assert_eq!(store.claim(MINUTE, &[held.run]).await.unwrap(), None, "though its lease is over");
    assert_eq!(store.claim(MINUTE, &[]).await.unwrap().unwrap().fence, held.fence + 1);
}
