//! Saving and loading.

use crate::fixture::{Tale, allowed, answered, at, done, end_of_questions, failed, said, started, together};
use countersign_domain::interaction::Decision;
use countersign_domain::run::{Draft, End, EndStatus, Event, Input, Run, Turn, Usage, advance, start};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{RunStatus, Save, Store, StoreError, Take};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

pub async fn what_was_saved_is_loaded(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 3).await;
    tale.then(store, answered(open[0], Decision::Approve, "bob"), at(5)).await.unwrap();
    tale.then(store, answered(open[1], Decision::Reject, "bob"), at(6)).await.unwrap();
    tale.then(store, Input::Expired(open[2]), at(7)).await.unwrap();
    tale.then(store, Input::Resumed, at(8)).await.unwrap();
    let approved = tale.run.interactions[&open[0]].tool_call_id;
    let call = tale.run.call(approved).unwrap().proposal.clone();
    tale.then(store, allowed(&call, 1), at(9)).await.unwrap();
    assert_eq!(store.load(tale.run.id).await.unwrap(), Some(tale.run));
}

pub async fn a_run_that_never_was_is_none(store: &dyn Store) {
    let nobody = RunId::new(Uuid::now_v7());
    assert_eq!(store.load(nobody).await.unwrap(), None);
    assert_eq!(store.run(nobody).await.unwrap(), None);
    assert_eq!(store.events(nobody, 0, 10).await.unwrap(), vec![]);
}

pub async fn a_step_after_a_stale_look_conflicts(store: &dyn Store) {
    let mut first = Tale::begin(store, at(0)).await;
    let mut second = first.clone();
    first.then(store, said(vec![first.proposal(0, json!({}))]), at(1)).await.unwrap();
    let error = second.then(store, done(), at(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(run) if run == first.run.id), "{error:?}");
    assert_eq!(store.load(first.run.id).await.unwrap(), Some(first.run));
}

pub async fn a_run_starts_once(store: &dyn Store) {
    let tale = Tale::begin(store, at(0)).await;
    let step = start(tale.run.id, started(), at(1)).unwrap();
    let save = Save::of(Draft { run: step.run, seen: 0, events: step.events }, at(1));
    assert!(matches!(store.save(save).await, Err(StoreError::Conflict(_))));
    let (mut later, _) = tale.next(done(), at(1));
    Arc::make_mut(&mut later.run).id = RunId::new(Uuid::now_v7());
    assert!(matches!(store.save(later).await, Err(StoreError::Conflict(_))), "a run that never started");
}

pub async fn a_step_that_does_not_add_up_is_refused(store: &dyn Store) {
    let tale = Tale::begin(store, at(0)).await;
    let (mut save, _) = tale.next(done(), at(1));
    save.events.pop();
    assert!(matches!(store.save(save).await, Err(StoreError::Inconsistent { .. })));
    assert_eq!(store.load(tale.run.id).await.unwrap(), Some(tale.run));
}

/// Integers beyond 2^53 have no one meaning, so the strict reader refuses them: then they must not get in.
pub async fn what_could_not_be_read_again_is_never_saved(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    let usage = Usage { input_tokens: 1 << 60, output_tokens: 0 };
    let turn = Turn { text: String::new(), calls: vec![tale.proposal(0, json!({}))], usage, heard: 0 };
    let error = tale.then(store, Input::Said(turn), at(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Inconsistent { table: "events", .. }), "{error:?}");
    tale.then(store, done(), at(2)).await.unwrap();
    assert_eq!(store.load(tale.run.id).await.unwrap(), Some(tale.run));
}

pub async fn events_have_no_gaps_under_concurrent_savers(store: &dyn Store) {
    const QUESTIONS: usize = 12;
    let (tale, open) = Tale::waiting(store, at(0), QUESTIONS).await;
    let answer = async |id| {
        loop {
            let run = store.load(tale.run.id).await.unwrap().unwrap();
            let step = advance(&run, answered(id, Decision::Approve, "bob"), at(9)).unwrap();
            let save = Save::of(Draft { run: step.run, seen: run.seq, events: step.events }, at(9));
            match store.save(save).await {
                Ok(_) => return,
                Err(StoreError::Conflict(_)) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
    };
    together(open.into_iter().map(answer)).await;
    let events = store.events(tale.run.id, 0, 1_000).await.unwrap();
    assert!((1..).zip(&events).all(|(seq, event)| event.seq == seq), "{events:#?}");
    assert_eq!(events.len() as u64, tale.run.seq + 2 * QUESTIONS as u64);
    let loaded = store.load(tale.run.id).await.unwrap().unwrap();
    assert_eq!(loaded.open_interactions().len(), 0);
    assert_eq!(Run::fold(events).unwrap(), loaded);
}

/// Several are saved by one transaction: what becomes of one is nothing to the others.
pub async fn of_steps_that_come_together_each_fares_by_itself(store: &dyn Store) {
    let mut waiting = vec![];
    for _ in 0..9 {
        let (tale, open) = Tale::waiting(store, at(0), 1).await;
        waiting.push((tale, open[0]));
    }
    let answer = |(tale, open): &(Tale, InteractionId)| tale.next(answered(*open, Decision::Approve, "bob"), at(1)).0;
    let lease = Duration::from_mins(1);
    let new = || Tale::unsaved(at(1)).0;
    let taking = |fence| Save { take: Some(Take { lease, fence }), ..answer(&waiting[4]) };
    // Each of two answers to one question saw the run as it is.
    let twice = [answer(&waiting[5]), answer(&waiting[5])];
    let stale = answer(&waiting[6]);
    waiting[6].0.clone().then(store, failed(), at(1)).await.unwrap();
    let mut held = Tale::begin(store, at(0)).await;
    held.claim = store.claim(lease, &[], 1).await.unwrap().pop();
    let mut lost = Tale::begin(store, at(0)).await;
    lost.claim = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop();
    store.claim(lease, &[held.run.id], 1).await.unwrap();

    let good: Vec<_> = waiting[..4].iter().map(answer).chain([new(), new(), held.next(done(), at(1)).0]).collect();
    let runs: Vec<_> = good.iter().map(|save| Arc::clone(&save.run)).collect();
    let others = [taking(Some(1)), stale, lost.next(done(), at(1)).0];
    let mut saved = together(good.into_iter().chain(others).chain(twice).map(|save| store.save(save))).await;

    let twice = saved.split_off(saved.len() - 2);
    assert_eq!(twice.iter().filter(|saved| saved.is_ok()).count(), 1, "{twice:?}");
    assert!(twice.iter().any(|saved| matches!(saved, Err(StoreError::Conflict(_)))), "{twice:?}");
    assert!(matches!(saved.pop().unwrap(), Err(StoreError::Fenced(run)) if run == lost.run.id), "a stale claim");
    assert!(matches!(saved.pop().unwrap(), Err(StoreError::Conflict(_))), "a step after a stale look");
    let claim = saved.pop().unwrap().unwrap().unwrap();
    assert_eq!((claim.run, claim.fence, claim.attempts), (waiting[4].0.run.id, 1, 1));
    assert!(saved.iter().all(|saved| matches!(saved, Ok(None))), "{saved:?}");
    for run in runs {
        assert_eq!(store.load(run.id).await.unwrap().as_ref(), Some(&*run));
    }

    // A question of somebody else's run is found in no run: nothing at all is done, but for the others.
    let mut astray = answer(&waiting[7]);
    Arc::make_mut(&mut astray.run).id = waiting[8].0.run.id;
    let saved = together([new(), astray, new(), new()].into_iter().map(|save| store.save(save))).await;
    assert!(matches!(saved[1], Err(StoreError::Inconsistent { .. })), "{saved:?}");
    assert_eq!(saved.iter().filter(|saved| saved.is_ok()).count(), 3, "{saved:?}");
    for (tale, _) in &waiting[7..] {
        assert_eq!(store.load(tale.run.id).await.unwrap().as_ref(), Some(&tale.run), "nothing was done to it");
    }
}

/// Whoever takes a run with a step is told of that claim, and of nobody else's.
pub async fn of_runs_that_are_taken_together_each_has_its_own_claim(store: &dyn Store) {
    let take = Take { lease: Duration::from_mins(1), fence: None };
    let new: Vec<_> = (0..20).map(|_| Save { take: Some(take), ..Tale::unsaved(at(0)).0 }).collect();
    let runs: Vec<_> = new.iter().map(|save| save.run.id).collect();
    let claims: Vec<_> = together(new.into_iter().map(|save| store.save(save))).await;
    let claims: Vec<_> = claims.into_iter().map(|taken| taken.unwrap().unwrap()).collect();
    assert_eq!(claims.iter().map(|claim| claim.run).collect::<Vec<_>>(), runs);
    let renewed = together(claims.iter().map(|claim| store.renew(*claim, take.lease))).await;
    assert!(renewed.iter().all(Result::is_ok), "{renewed:?}");
}

pub async fn events_are_read_in_parts(store: &dyn Store) {
    let (tale, _) = Tale::waiting(store, at(0), 3).await;
    let all = store.events(tale.run.id, 0, 1_000).await.unwrap();
    let mut parts = vec![];
    loop {
        let part = store.events(tale.run.id, parts.len() as u64, 2).await.unwrap();
        assert!(part.len() <= 2);
        if part.is_empty() {
            break;
        }
        parts.extend(part);
    }
    assert_eq!(parts, all);
    assert_eq!(store.events(tale.run.id, u64::MAX, 5).await.unwrap(), vec![]);
}

pub async fn events_know_their_step(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    let call = tale.proposal(0, json!({}));
    tale.then(store, said(vec![call.clone()]), at(1)).await.unwrap();
    tale.then(store, allowed(&call, 1), at(2)).await.unwrap();
    let end = End { status: EndStatus::Completed, output: "done".into(), latency_ms: Some(12) };
    tale.then(store, Input::Finished { call: call.call_id, end, expires_at: at(100) }, at(3)).await.unwrap();
    tale.then(store, done(), at(4)).await.unwrap();
    let events = store.events(tale.run.id, 0, 100).await.unwrap();
    let steps: Vec<_> = events.iter().map(|event| (event.event.word(), event.step)).collect();
    let expected = [
        ("run_started", None),
        ("step_completed", Some(1)),
        ("tool_judged", Some(1)),
        ("tool_started", Some(1)),
        ("tool_finished", Some(1)),
        ("step_completed", Some(2)),
        ("run_completed", Some(2)),
    ];
    assert_eq!(steps, expected);
    assert!(matches!(events.last().unwrap().event, Event::RunCompleted { .. }));
}

pub async fn a_summary_says_where_a_run_stands(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    let id = tale.run.id;
    let status = async || store.run(id).await.unwrap().unwrap().status;
    assert_eq!(status().await, RunStatus::Queued);
    tale.claim = store.claim(Duration::from_mins(1), &[], 1).await.unwrap().pop();
    assert_eq!(status().await, RunStatus::Running);
    tale.asks(store, at(1), 1, end_of_questions()).await;
    assert_eq!(status().await, RunStatus::Running);
    tale.then(store, Input::Slept, at(2)).await.unwrap();
    let summary = store.run(id).await.unwrap().unwrap();
    let open: Vec<_> = tale.run.open_interactions().iter().map(|open| open.id).collect();
    assert_eq!((summary.status, summary.waiting_on), (RunStatus::Waiting, open.clone()));
    tale.claim = None;
    tale.then(store, answered(open[0], Decision::Approve, "bob"), at(3)).await.unwrap();
    assert_eq!(status().await, RunStatus::Queued);
    tale.claim = store.claim(Duration::ZERO, &[], 1).await.unwrap().pop();
    assert_eq!(status().await, RunStatus::Queued, "its lease has run out");
    tale.then(store, failed(), at(4)).await.unwrap();
    let summary = store.run(id).await.unwrap().unwrap();
    assert_eq!(summary.status, RunStatus::Failed);
    assert_eq!((summary.created_at, summary.updated_at, summary.seq), (at(0), at(4), tale.run.seq));
    assert_eq!(summary.user_id.as_deref(), Some("ann"));
}
