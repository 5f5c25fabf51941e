//! Secrets: masked in all that anybody may see, sealed for whoever works on the run, and gone when it has ended.

use crate::fixture::{Tale, answered, asked, at, done, end_of_questions, failed, person, said, started, together};
use countersign_domain::interaction::{Decision, Response};
use countersign_domain::run::{Draft, End, EndStatus, Input, Letter, Proposal, Run, Turn, Usage, start};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{Asking, InteractionFilter, RunFilter, Save, Store};
use serde_json::json;
use uuid::Uuid;

/// What no one may find afterwards. Each stands in another text.
pub const PLANTED: [&str; 8] =
    ["in9ut-aX3", "w0rds-bX3q", "ar6s-cX3qq", "an5wer-dX3", "resu1t-eX3", "le77er-fX3", "n4me-gX3qq", "1ast-hX3qq"];

/// A run in which a secret is in every text that was written so far, waiting for an answer.
pub async fn waiting(store: &dyn Store) -> (Tale, InteractionId) {
    let mut begun = started();
    begun.input = format!("log in, PASSWORD={}", PLANTED[0]);
    let step = start(RunId::new(Uuid::now_v7()), begun, at(0)).unwrap();
    let draft = Draft { run: step.run.clone(), seen: 0, events: step.events };
    store.save(Save::of(draft, at(0))).await.unwrap();
    let mut tale = Tale { run: step.run, claim: None };
    let letter = Letter { text: format!("api_key: \"{}\"", PLANTED[5]), channel: None, by: person("ann") };
    tale.then(store, Input::Message(letter), at(0)).await.unwrap();
    let mut call = tale.proposal(0, json!({"command": "ls", "password": PLANTED[2]}));
    call.model_id = format!("TOKEN={}", PLANTED[6]);
    tale.then(store, words(&format!("I take DB_PASSWORD={} for it", PLANTED[1]), vec![call.clone()]), at(0))
        .await
        .unwrap();
    tale.then(store, asked(&call, end_of_questions()), at(0)).await.unwrap();
    tale.then(store, Input::Slept, at(0)).await.unwrap();
    let id = tale.run.open_interactions()[0].id;
    (tale, id)
}

fn words(text: &str, calls: Vec<Proposal>) -> Input {
    Input::Said(Turn { text: text.into(), calls, usage: Usage::default(), heard: 1 })
}

/// The planted secrets in `seen`.
fn found(seen: &str) -> Vec<&'static str> {
    PLANTED.into_iter().filter(|secret| seen.contains(secret)).collect()
}

/// All that the store shows of a run.
async fn shown(store: &dyn Store, run: RunId) -> String {
    let entries = store.entries(0, 1_000).await.unwrap();
    let filter = InteractionFilter { run: Some(run), limit: 100, ..Default::default() };
    let asked = store.interactions(filter).await.unwrap();
    let one = match asked.items.first() {
        Some(first) => store.interaction(first.id).await.unwrap(),
        None => None,
    };
    format!(
        "{:?} {:?} {:?} {:?} {asked:?} {one:?} {entries:?}",
        store.events(run, 0, 1_000).await.unwrap(),
        store.shown(run).await.unwrap(),
        store.run(run).await.unwrap(),
        store.runs(RunFilter { limit: 100, ..Default::default() }).await.unwrap(),
    )
}

pub async fn whoever_works_on_a_run_has_its_secrets_and_nobody_sees_them(store: &dyn Store) {
    let (mut tale, id) = waiting(store).await;
    store.place(1_000).await.unwrap();
    assert_eq!(store.load(tale.run.id).await.unwrap().as_ref(), Some(&tale.run));
    assert_eq!(store.asking(id).await.unwrap(), Some(Asking { run: tale.run.clone(), fence: 0 }));
    let seen = shown(store, tale.run.id).await;
    assert_eq!(found(&seen), Vec::<&str>::new(), "{seen}");
    assert!(seen.contains("password⟧") && seen.contains("api key⟧"), "{seen}");
    // The call that is executed is the one that was judged.
    let loaded = store.load(tale.run.id).await.unwrap().unwrap();
    let digest = |run: &Run| run.calls().next().unwrap().proposal.call().unwrap().digest();
    assert_eq!(digest(&loaded), tale.run.interactions[&id].call.digest);
    // The answer too.
    let response = Response::new(id, Some(Decision::Reject), Some(format!("token={}", PLANTED[3]))).unwrap();
    tale.then(store, Input::Answered { interaction: id, response, by: person("kim") }, at(1)).await.unwrap();
    assert_eq!(store.load(tale.run.id).await.unwrap().as_ref(), Some(&tale.run));
    assert_eq!(found(&shown(store, tale.run.id).await), Vec::<&str>::new());
}

pub async fn what_was_found_in_a_run_is_masked_wherever_it_is_repeated(store: &dyn Store) {
    let (mut tale, id) = waiting(store).await;
    tale.then(store, answered(id, Decision::Approve, "kim"), at(1)).await.unwrap();
    tale.run = store.load(tale.run.id).await.unwrap().unwrap();
    let call = tale.run.calls().next().unwrap().proposal.clone();
    tale.then(store, Input::Resumed, at(1)).await.unwrap();
    tale.then(store, crate::fixture::allowed(&call, 1), at(1)).await.unwrap();
    // Nothing around it says what it is.
    let output = format!("{} {} secret: {}", PLANTED[0], PLANTED[2], PLANTED[4]);
    let end = End { status: EndStatus::Completed, output, latency_ms: None };
    let finished = Input::Finished { call: call.call_id, end, expires_at: end_of_questions() };
    tale.then(store, finished, at(2)).await.unwrap();
    assert_eq!(store.load(tale.run.id).await.unwrap().as_ref(), Some(&tale.run));
    let seen = shown(store, tale.run.id).await;
    assert_eq!(found(&seen), Vec::<&str>::new(), "{seen}");
}

pub async fn a_run_that_has_ended_has_no_secrets_left(store: &dyn Store) {
    let (mut tale, id) = waiting(store).await;
    tale.then(store, answered(id, Decision::Reject, "kim"), at(1)).await.unwrap();
    tale.then(store, Input::Resumed, at(1)).await.unwrap();
    tale.then(store, words(&format!("SECRET_KEY={}", PLANTED[7]), vec![]), at(2)).await.unwrap();
    store.place(1_000).await.unwrap();
    let seen = shown(store, tale.run.id).await;
    assert_eq!(found(&seen), Vec::<&str>::new(), "{seen}");
    let (loaded, shown) = (store.load(tale.run.id).await.unwrap(), store.shown(tale.run.id).await.unwrap());
    assert!(loaded.is_some() && loaded == shown && loaded != Some(tale.run), "there is nothing to open any more");
}

pub async fn of_runs_that_move_together_only_the_ended_lose_their_secrets(store: &dyn Store) {
    let mut tales = vec![];
    for _ in 0..8 {
        tales.push(waiting(store).await);
    }
    let inputs = [|_| failed(), |id| answered(id, Decision::Reject, "kim")];
    let steps: Vec<_> =
        tales.iter().zip(inputs.iter().cycle()).map(|((tale, id), input)| tale.next(input(*id), at(1))).collect();
    let saved = together(steps.iter().map(|(save, _)| store.save(save.clone()))).await;
    assert!(saved.iter().all(Result::is_ok), "{saved:?}");
    for (_, run) in steps {
        let (loaded, shown) = (store.load(run.id).await.unwrap(), store.shown(run.id).await.unwrap());
        assert!(shown.is_some() && shown.as_ref() != Some(&run), "nobody is shown a secret");
        assert_eq!(loaded, if run.has_ended() { shown } else { Some(run) });
    }
}

pub async fn a_run_without_secrets_is_as_it_was(store: &dyn Store) {
    let mut tale = Tale::begin(store, at(0)).await;
    tale.then(store, said(vec![tale.proposal(0, json!({"command": "git log --oneline | head -5"}))]), at(0))
        .await
        .unwrap();
    assert_eq!(store.load(tale.run.id).await.unwrap(), store.shown(tale.run.id).await.unwrap());
    assert_eq!(store.shown(tale.run.id).await.unwrap(), Some(tale.run));
    let mut other = Tale::begin(store, at(0)).await;
    other.then(store, done(), at(0)).await.unwrap();
    assert_eq!(store.load(other.run.id).await.unwrap(), Some(other.run));
}

/// Under another key the run can be looked at and stopped, and not worked on.
pub async fn under_another_key(here: &dyn Store, elsewhere: &dyn Store) {
    let (tale, id) = waiting(here).await;
    let asking = elsewhere.asking(id).await.map(|asking| asking.map(|asking| asking.run));
    for refused in [elsewhere.load(tale.run.id).await, asking] {
        assert!(matches!(refused, Err(countersign_runtime::ports::StoreError::Sealed(run)) if run == tale.run.id));
    }
    assert_eq!(elsewhere.shown(tale.run.id).await.unwrap(), here.shown(tale.run.id).await.unwrap());
    assert!(elsewhere.interaction(id).await.unwrap().is_some());
}
