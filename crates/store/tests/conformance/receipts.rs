//! What is made under a key is made once; and the calls of programs outside.

use crate::fixture::{Tale, allowed, at, end_of_questions, person, said, started};
use countersign_domain::interaction::{Purpose, Status};
use countersign_domain::run::{Awaited, Draft, End, EndStatus, Input, Run, RunKind, Started, start};
use countersign_domain::{CallId, Digest, RunId};
use countersign_runtime::ports::{InteractionFilter, Once, Receipt, RunFilter, Save, Store, StoreError, Take};
use serde_json::json;
use std::time::Duration;
use uuid::Uuid;

fn once(by: &str, key: &str, request: &[u8]) -> Once {
    Once::new(&person(by), key.into(), Digest::of(request))
}

/// A new run under a key, not saved.
fn unsaved(once: &Once) -> (Save, Receipt) {
    let (save, run) = Tale::unsaved(at(0));
    let receipt = once.clone().receipt(run.id.to_string(), at(0));
    (Save { receipt: Some(receipt.clone()), ..save }, receipt)
}

async fn runs(store: &dyn Store, kind: Option<RunKind>) -> Vec<RunId> {
    let page = store.runs(RunFilter { kind, limit: 100, ..RunFilter::default() }).await.unwrap();
    page.items.iter().map(|run| run.id).collect()
}

pub async fn what_is_made_under_a_key_is_made_once(store: &dyn Store) {
    let key = once("ann", "k1", b"request");
    assert_eq!(store.receipt(&key).await.unwrap(), None);
    let (first, receipt) = unsaved(&key);
    let made = first.run.id;
    store.save(first).await.unwrap();
    // Another request under the same key is told what was made as well: whoever asked compares.
    for again in [key.clone(), once("ann", "k1", b"another request")] {
        let (save, _) = unsaved(&again);
        let refused = save.run.id;
        match store.save(save).await {
            Err(StoreError::Made(before)) => assert_eq!(*before, receipt),
            other => panic!("{other:?}"),
        }
        assert_eq!(store.load(refused).await.unwrap(), None, "nothing of it was saved");
        assert_eq!(store.receipt(&again).await.unwrap().as_ref(), Some(&receipt));
    }
    assert_eq!(runs(store, None).await, [made]);
    for other in [once("bob", "k1", b"request"), once("ann", "k2", b"request")] {
        store.save(unsaved(&other).0).await.unwrap();
    }
    assert_eq!(runs(store, None).await.len(), 3);
}

pub async fn of_many_who_make_something_under_one_key_one_does(store: &(impl Store + Clone + 'static)) {
    for round in 0..5 {
        let key = once("ann", &format!("k{round}"), b"request");
        let saves: Vec<_> = (0..8)
            .map(|_| {
                let (store, (save, receipt)) = (store.clone(), unsaved(&key));
                tokio::spawn(async move { (store.save(save).await, receipt) })
            })
            .collect();
        let (mut winner, mut told) = (None, vec![]);
        for save in saves {
            match save.await.unwrap() {
                (Ok(_), receipt) => assert_eq!(winner.replace(receipt), None, "one makes it"),
                (Err(StoreError::Made(before)), _) => told.push(*before),
                (other, _) => panic!("{other:?}"),
            }
        }
        let winner = winner.unwrap();
        assert!(told.len() == 7 && told.iter().all(|before| *before == winner), "{told:?}");
        assert_eq!(runs(store, None).await.len(), round + 1);
    }
}

pub async fn a_receipt_is_forgotten_and_what_was_made_stays(store: &dyn Store) {
    let (old, new) = (once("ann", "old", b"request"), once("ann", "new", b"request"));
    store.save(unsaved(&old).0).await.unwrap();
    let (save, mut receipt) = unsaved(&new);
    receipt.at = at(60);
    store.save(Save { receipt: Some(receipt), ..save }).await.unwrap();
    assert_eq!(store.forget_receipts(at(60)).await.unwrap(), 1);
    assert_eq!(store.receipt(&old).await.unwrap(), None);
    assert!(store.receipt(&new).await.unwrap().is_some());
    assert_eq!(runs(store, None).await.len(), 2);
}

/// A call of a program outside that may be made and is waited for, saved at once.
async fn allowed_outside(store: &dyn Store) -> (Run, CallId) {
    let begun = Started { kind: RunKind::Call, ..started() };
    let step = start(RunId::new(Uuid::now_v7()), begun, at(0)).unwrap();
    let mut draft = Draft { run: step.run.clone(), seen: 0, events: step.events };
    let proposal = Tale { run: step.run, claim: None }.proposal(0, json!({"n": 1}));
    let call = proposal.call_id;
    let waits = Input::Waits { call, awaited: Awaited::Report, expires_at: end_of_questions() };
    for input in [said(vec![proposal.clone()]), allowed(&proposal, 0), waits, Input::Slept] {
        draft = draft.take(input, at(0)).unwrap();
    }
    let run = draft.run.clone();
    assert_eq!(
        store
            .save(Save { take: Some(Take { lease: Duration::from_secs(9), fence: None }), ..Save::of(draft, at(0)) })
            .await
            .unwrap(),
        None
    );
    (run, call)
}

pub async fn a_call_of_a_program_is_found_by_its_id_and_waits_in_no_inbox(store: &dyn Store) {
    let (run, call) = allowed_outside(store).await;
    let (of_agent, open) = Tale::waiting(store, at(0), 1).await;
    assert_eq!(store.calling(call).await.unwrap(), Some(run.id));
    let of_agents_call = of_agent.run.calls().next().unwrap().proposal.call_id;
    assert_eq!(store.calling(of_agents_call).await.unwrap(), None, "it is no program's");
    assert_eq!(runs(store, Some(RunKind::Call)).await, [run.id]);
    assert_eq!(runs(store, Some(RunKind::Agent)).await, [of_agent.run.id]);
    assert_eq!(store.run(run.id).await.unwrap().unwrap().kind, RunKind::Call);
    assert_eq!(store.load(run.id).await.unwrap(), Some(run.clone()));
    let all = InteractionFilter { status: Some(Status::Open), limit: 10, ..InteractionFilter::default() };
    let asked = store.interactions(InteractionFilter { of_people: true, ..all.clone() }).await.unwrap().items;
    assert_eq!(asked.iter().map(|asked| asked.id).collect::<Vec<_>>(), open);
    assert_eq!(store.interactions(all).await.unwrap().items.len(), 2);
    assert_eq!(store.unadvised(None, 10).await.unwrap(), [(of_agent.run.id, open[0])], "no model looks at it");
    assert_eq!(store.claim(Duration::from_secs(9), &[], 10).await.unwrap(), [], "no worker takes it");
}

pub async fn a_report_ends_the_wait_for_it(store: &dyn Store) {
    let (run, _) = allowed_outside(store).await;
    let wait = run.open_interactions()[0].id;
    assert_eq!(run.interactions[&wait].purpose, Purpose::Report);
    let mut draft = Draft::of(run);
    let end = End { status: EndStatus::Completed, output: "3 rows".into(), latency_ms: Some(5) };
    for input in [Input::Reported { end, expires_at: end_of_questions() }, Input::Resumed, Input::CallEnded] {
        draft = draft.take(input, at(1)).unwrap();
    }
    let ended = draft.run.clone();
    store.save(Save::of(draft, at(1))).await.unwrap();
    assert_eq!(store.load(ended.id).await.unwrap(), Some(ended));
    assert_eq!(store.interaction(wait).await.unwrap().unwrap().status, Status::Answered);
    assert_eq!(store.overdue(end_of_questions(), 10).await.unwrap(), []);
}
