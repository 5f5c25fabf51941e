//! Questions, from asked to settled.

use crate::fixture::{Tale, answered, at, end_of_questions, failed, much_later, together};
use countersign_domain::interaction::{Decision, Status};
use countersign_domain::run::Input;
use countersign_domain::{Digest, InteractionId};
use countersign_runtime::ports::{Asking, Store, StoreError};
use uuid::Uuid;

pub async fn a_question_is_asked_answered_and_read(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 2).await;
    for id in &open {
        assert_eq!(store.interaction(*id).await.unwrap().as_ref(), tale.run.interaction(*id));
    }
    tale.then(store, answered(open[0], Decision::Approve, "bob"), at(1)).await.unwrap();
    let stored = store.interaction(open[0]).await.unwrap().unwrap();
    assert_eq!((stored.status, stored.answer.as_ref().unwrap().by.name.as_str()), (Status::Answered, "bob"));
    assert_eq!(Some(&stored), tale.run.interaction(open[0]));
    assert_eq!(store.interaction(open[1]).await.unwrap().unwrap().status, Status::Open);
}

/// Also one that is asked for twice, one that nobody ever asked, and one of a long run.
pub async fn of_questions_that_are_looked_up_together_each_has_its_own_run(store: &dyn Store) {
    let mut tales = vec![];
    for questions in [1, 2, 40, 1, 1, 3] {
        tales.push(Tale::waiting(store, at(0), questions).await);
    }
    assert!(tales.iter().any(|(tale, _)| tale.run.seq > 64), "one of them is long");
    let asked: Vec<_> = tales.iter().flat_map(|(tale, asked)| asked.iter().map(|id| (*id, Some(&tale.run)))).collect();
    let nobodys = [(InteractionId::new(Uuid::now_v7()), None); 3];
    let all: Vec<_> = asked.iter().chain(&nobodys).chain(asked.iter().rev()).collect();
    let found = together(all.iter().map(|(id, _)| store.asking(*id))).await;
    for ((_, run), found) in all.into_iter().zip(found) {
        assert_eq!(found.unwrap(), run.cloned().map(|run| Asking { run, fence: 0 }));
    }
}

/// Only what was decided, and only about the very call.
pub async fn what_was_decided_about_a_call_is_found_again(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 2).await;
    let (mut other, asked) = Tale::waiting(store, at(0), 1).await;
    let digest = tale.run.interactions[&open[0]].call.digest;
    let found = async |call| {
        let found = store.decided(call, 10).await.unwrap();
        found.into_iter().map(|asked| (asked.id, asked.answer.unwrap().decision)).collect::<Vec<_>>()
    };
    assert_eq!(found(digest).await, vec![]);
    tale.then(store, answered(open[0], Decision::Reject, "bob"), at(1)).await.unwrap();
    assert_eq!(found(digest).await, vec![(open[0], Decision::Reject)]);
    assert_eq!(found(Digest::of(b"another call")).await, vec![]);
    other.then(store, answered(asked[0], Decision::Approve, "eve"), at(3)).await.unwrap();
    let same = Tale::waiting(store, at(0), 1).await;
    let about = other.run.interactions[&asked[0]].call.digest;
    assert!(found(about).await.contains(&(asked[0], Decision::Approve)));
    // Of two the later answer comes first, whichever run is the newer.
    let (mut newer, next) = same;
    newer.then(store, answered(next[0], Decision::Reject, "bob"), at(2)).await.unwrap();
    assert_eq!(newer.run.interactions[&next[0]].call.digest, about, "the same call");
    assert_eq!(found(about).await[..2], [(asked[0], Decision::Approve), (next[0], Decision::Reject)]);
    assert_eq!(store.decided(about, 1).await.unwrap().len(), 1);
}

/// Of two people who answer at the same moment, one is told they came second.
pub async fn of_two_racing_answers_one_wins(store: &dyn Store) {
    for _ in 0..10 {
        let (tale, open) = Tale::waiting(store, at(0), 1).await;
        let (yes, _) = tale.next(answered(open[0], Decision::Approve, "bob"), at(1));
        let (no, _) = tale.next(answered(open[0], Decision::Reject, "eve"), at(1));
        let (yes, no) = tokio::join!(store.save(yes), store.save(no));
        let winner = match (yes, no) {
            (Ok(_), Err(StoreError::Conflict(_))) => Decision::Approve,
            (Err(StoreError::Conflict(_)), Ok(_)) => Decision::Reject,
            both => panic!("{both:?}"),
        };
        let stands = store.interaction(open[0]).await.unwrap().unwrap();
        assert_eq!(stands.answer.unwrap().decision, winner);
        let run = store.load(tale.run.id).await.unwrap().unwrap();
        assert_eq!(run.interactions[&open[0]].answer.as_ref().unwrap().decision, winner);
    }
}

pub async fn a_run_that_ends_withdraws_its_questions(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 3).await;
    tale.then(store, answered(open[0], Decision::Approve, "bob"), at(1)).await.unwrap();
    tale.then(store, failed(), at(2)).await.unwrap();
    let mut stand = vec![];
    for id in &open {
        let stored = store.interaction(*id).await.unwrap().unwrap();
        assert_eq!(Some(&stored), tale.run.interaction(*id));
        stand.push(stored.status);
    }
    assert_eq!(stand, [Status::Answered, Status::Cancelled, Status::Cancelled]);
    assert_eq!(store.overdue(much_later(), 10).await.unwrap(), vec![]);
}

pub async fn open_questions_are_overdue_when_their_time_is_over(store: &dyn Store) {
    let mut late = Tale::begin(store, at(0)).await;
    late.asks(store, at(0), 1, at(50)).await;
    let mut early = Tale::begin(store, at(0)).await;
    early.asks(store, at(0), 1, at(20)).await;
    let due = |tale: &Tale| (tale.run.id, tale.run.open_interactions()[0].id);
    assert_eq!(store.overdue(at(19), 10).await.unwrap(), vec![]);
    assert_eq!(store.overdue(at(20), 10).await.unwrap(), vec![due(&early)]);
    assert_eq!(store.overdue(at(50), 10).await.unwrap(), vec![due(&early), due(&late)]);
    assert_eq!(store.overdue(at(50), 1).await.unwrap(), vec![due(&early)]);
}

pub async fn an_expired_question_is_not_overdue_again(store: &dyn Store) {
    let (mut tale, open) = Tale::waiting(store, at(0), 2).await;
    assert_eq!(store.overdue(end_of_questions(), 10).await.unwrap().len(), 2);
    tale.then(store, Input::Expired(open[0]), end_of_questions()).await.unwrap();
    assert_eq!(store.overdue(end_of_questions(), 10).await.unwrap(), vec![(tale.run.id, open[1])]);
    assert_eq!(store.interaction(open[0]).await.unwrap().unwrap().status, Status::Expired);
}
