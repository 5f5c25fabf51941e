//! Wires that break: whatever is said of a step is true, and no step is saved twice or half.

use super::{beside, cut_all, fresh, open};
use crate::fixture::{Tale, answered, at, done, said, together};
use countersign_domain::InteractionId;
use countersign_domain::interaction::Decision;
use countersign_domain::run::Run;
use countersign_runtime::ports::{Asking, Claim, InteractionFilter, Save, Store, StoreError, Take};
use countersign_store::Postgres;
use countersign_testkit::{self as testkit, Break, Proxy};
use serde_json::json;
use std::time::Duration;

/// A step sends three messages once its statement is prepared, and three more before.
const MESSAGES: usize = 7;

async fn by_way_of(database: &testkit::Postgres) -> (Proxy, Postgres) {
    let proxy = Proxy::start(&database.url()).await;
    let store = open(proxy.url()).await;
    (proxy, store)
}

/// The run as it is stored is the one that was saved last, and its read models say the same.
async fn check(store: &dyn Store, run: &Run) {
    assert_eq!(store.load(run.id).await.unwrap().as_ref(), Some(run));
    assert_eq!(store.run(run.id).await.unwrap().unwrap().seq, run.seq);
    let filter = InteractionFilter { run: Some(run.id), limit: 100, ..Default::default() };
    let stored = store.interactions(filter).await.unwrap().items;
    assert!(stored.len() == run.interactions.len() && stored.iter().all(|one| run.interaction(one.id) == Some(one)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wherever_the_wire_breaks_a_step_is_saved_once() {
    let database = testkit::Postgres::for_test();
    let direct = open(&database.url()).await;
    let (proxy, store) = by_way_of(&database).await;
    for at_message in 1..=MESSAGES {
        for at_which in [Break::Before(at_message), Break::After(at_message), Break::Reply(at_message)] {
            // From outside, and by a worker.
            let (mut tale, asked) = Tale::waiting(&direct, at(0), 1).await;
            proxy.arm(at_which);
            tale.then(&store, answered(asked[0], Decision::Approve, "bob"), at(1)).await.unwrap();
            check(&direct, &tale.run).await;
            tale.claim = direct.claim(Duration::from_mins(1), &[], 1).await.unwrap().pop();
            proxy.arm(at_which);
            tale.then(&store, countersign_domain::run::Input::Resumed, at(2)).await.unwrap();
            check(&direct, &tale.run).await;
            // A new run.
            proxy.arm(at_which);
            let mut tale = Tale::begin(&store, at(3)).await;
            check(&direct, &tale.run).await;
            tale.then(&direct, done(), at(4)).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wherever_the_wire_breaks_steps_that_go_together_are_each_saved_once() {
    let database = testkit::Postgres::for_test();
    let direct = open(&database.url()).await;
    let (proxy, store) = by_way_of(&database).await;
    for at_message in 1..=MESSAGES {
        for at_which in [Break::Before(at_message), Break::After(at_message), Break::Reply(at_message)] {
            let mut steps = vec![];
            for _ in 0..8 {
                let (tale, asked) = Tale::waiting(&direct, at(0), 1).await;
                steps.push(tale.next(answered(asked[0], Decision::Approve, "bob"), at(1)));
                steps.push(Tale::unsaved(at(1)));
            }
            proxy.arm(at_which);
            let saved = together(steps.iter().map(|(save, _)| store.save(save.clone()))).await;
            assert!(saved.iter().all(Result::is_ok), "{saved:?}");
            for (_, run) in &steps {
                check(&direct, run).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wherever_the_wire_breaks_nobody_is_given_what_another_asked_for() {
    let database = testkit::Postgres::for_test();
    let direct = open(&database.url()).await;
    let (proxy, store) = by_way_of(&database).await;
    let mut tales = vec![];
    for _ in 0..8 {
        let (tale, asked) = Tale::waiting(&direct, at(0), 1).await;
        tales.push((tale.run, asked[0]));
    }
    for at_message in 1..=MESSAGES {
        for at_which in [Break::Before(at_message), Break::After(at_message), Break::Reply(at_message)] {
            proxy.arm(at_which);
            let mut rounds = 0;
            while !proxy.has_broken() {
                rounds += 1;
                assert!(rounds < 100, "it never breaks");
                let found = together(tales.iter().map(|(_, id)| store.asking(*id))).await;
                for ((run, _), found) in tales.iter().zip(found) {
                    match found {
                        Err(StoreError::Unavailable(_)) => {}
                        found => assert_eq!(found.unwrap().map(|asking| asking.run).as_ref(), Some(run)),
                    }
                }
            }
            for (run, id) in &tales {
                let found = found_again(&store, *id).await;
                assert_eq!(found.map(|asking| asking.run).as_ref(), Some(run));
            }
        }
    }
}

/// What is found once the wires that broke are gone.
async fn found_again(store: &dyn Store, id: InteractionId) -> Option<Asking> {
    for _ in 0..20 {
        match store.asking(id).await {
            Err(StoreError::Unavailable(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
            found => return found.unwrap(),
        }
    }
    panic!("the database is there again, and nobody finds it");
}

/// Whoever shared a statement that was refused is told by themselves what is wrong, and only they.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_one_run_keeps_nobody_from_reading_another() {
    let (database, store) = fresh().await;
    let client = beside(&database.url()).await;
    let (mut good, mut bad) = (vec![], vec![]);
    for n in 0..8 {
        let (tale, asked) = Tale::waiting(&store, at(0), 1).await;
        if n % 4 == 0 {
            bad.push((tale.run.id, asked[0]));
        } else {
            good.push((tale.run, asked[0]));
        }
    }
    let broken: Vec<String> = bad.iter().map(|(run, _)| format!("'{}'", run.uuid())).collect();
    // Whoever reads an event of theirs divides by zero.
    let view = format!(
        "ALTER TABLE events RENAME TO kept;
        CREATE VIEW events AS SELECT run, kept.seq, at, step, type, texts, salt, commitment, leaf,
            CASE WHEN runs.id IN ({}) THEN (1 / (kept.seq - kept.seq))::text ELSE data END AS data
            FROM kept JOIN runs ON runs.key = kept.run",
        broken.join(", ")
    );
    client.batch_execute(&view).await.unwrap();
    let ids = good.iter().map(|(_, id)| *id).chain(bad.iter().map(|(_, id)| *id));
    let mut found = together(ids.map(|id| store.asking(id))).await;
    let of_bad = found.split_off(good.len());
    for ((run, _), found) in good.iter().zip(found) {
        assert_eq!(found.unwrap().map(|asking| asking.run).as_ref(), Some(run));
    }
    for found in of_bad {
        assert!(matches!(found, Err(StoreError::Inconsistent { table: "interactions", .. })), "{found:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_to_a_commit_may_be_lost() {
    let database = testkit::Postgres::for_test();
    let (proxy, store) = by_way_of(&database).await;
    // The second time the statement is prepared: the third message ends the transaction.
    Tale::begin(&store, at(0)).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    proxy.arm(Break::Reply(3));
    let tale = Tale::begin(&store, at(1)).await;
    assert!(proxy.has_broken());
    check(&store, &tale.run).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_counted_on_the_number_of_a_claim_has_it_though_the_answer_was_lost() {
    let database = testkit::Postgres::for_test();
    let (proxy, store) = by_way_of(&database).await;
    // Twice undisturbed, so that all statements are prepared.
    for broken in [false, false, true] {
        let (tale, asked) = Tale::waiting(&store, at(0), 1).await;
        let (save, run) = tale.next(answered(asked[0], Decision::Approve, "bob"), at(1));
        tokio::time::sleep(Duration::from_millis(200)).await;
        if broken {
            proxy.arm(Break::Reply(1));
        }
        let counting_on = Take { lease: Duration::from_mins(1), fence: Some(1) };
        let claim = store.save(Save { take: Some(counting_on), ..save }).await.unwrap();
        assert_eq!(proxy.has_broken(), broken);
        assert_eq!(claim, Some(Claim { run: run.id, fence: 1, attempts: 1 }));
        check(&store, &run).await;
        store.renew(claim.unwrap(), Duration::from_mins(1)).await.unwrap();
    }
}

/// What lay in a buffer when the wire was cut is carried out when everybody has gone on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_arrives_late_changes_nothing() {
    let database = testkit::Postgres::for_test();
    let (proxy, store) = by_way_of(&database).await;
    let moved = |run: &Run| store.events(run.id, 0, 100);
    // Twice undisturbed, so that all statements are prepared: then the first message is of the step itself.
    for late in [false, false, true] {
        let (mut tale, asked) = Tale::waiting(&store, at(0), 1).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        if late {
            proxy.arm(Break::Late(1));
        }
        tale.then(&store, answered(asked[0], Decision::Approve, "bob"), at(1)).await.unwrap();
        assert_eq!(proxy.has_broken(), late);
        check(&store, &tale.run).await;
        if late {
            let events = moved(&tale.run).await.unwrap();
            proxy.deliver().await;
            check(&store, &tale.run).await;
            assert_eq!(moved(&tale.run).await.unwrap(), events);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_was_saved_may_be_saved_again_by_its_worker() {
    let (_database, store) = fresh().await;
    let mut tale = Tale::begin(&store, at(0)).await;
    tale.claim = store.claim(Duration::from_mins(1), &[], 1).await.unwrap().pop();
    let call = tale.proposal(0, json!({}));
    let (first, run) = tale.next(said(vec![call.clone()]), at(1));
    let (later, _) = tale.next(said(vec![call]), at(2));
    let (other, _) = tale.next(done(), at(2));
    store.save(first.clone()).await.unwrap();
    store.save(first).await.unwrap();
    store.save(later).await.unwrap();
    assert!(matches!(store.save(other).await, Err(StoreError::Conflict(_))), "another step is another matter");
    check(&store, &run).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_was_cut_is_never_handed_out_again() {
    let (database, store) = fresh().await;
    let client = beside(&database.url()).await;
    for n in 0..5 {
        let mut tale = Tale::begin(&store, at(n)).await;
        assert!(cut_all(&client).await >= 1);
        tale.then(&store, done(), at(n + 1)).await.unwrap();
        check(&store, &tale.run).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_that_somebody_has_locked_hold_up_no_other() {
    const LOCKED: usize = 4;
    let (database, store) = fresh().await;
    let mut tales = vec![];
    for _ in 0..8 {
        tales.push(Tale::begin(&store, at(0)).await);
    }
    let client = beside(&database.url()).await;
    client.batch_execute("BEGIN").await.unwrap();
    for tale in &tales[..LOCKED] {
        client.execute("SELECT FROM runs WHERE id = $1 FOR UPDATE", &[&tale.run.id.uuid()]).await.unwrap();
    }
    let steps: Vec<_> = tales.iter().map(|tale| tale.next(done(), at(1))).collect();
    let (locked, free) = steps.split_at(LOCKED);
    let waits = together(locked.iter().map(|(save, _)| store.save(save.clone())));
    let goes_on = async {
        let saved = together(free.iter().map(|(save, _)| store.save(save.clone()))).await;
        assert!(saved.iter().all(Result::is_ok), "{saved:?}");
        for (save, _) in locked {
            assert!(!store.run(save.run.id).await.unwrap().unwrap().status.has_ended(), "it waits for the lock");
        }
        client.batch_execute("ROLLBACK").await.unwrap();
    };
    let (saved, ()) = tokio::join!(waits, goes_on);
    assert!(saved.iter().all(Result::is_ok), "{saved:?}");
    for (_, run) in &steps {
        check(&store, run).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_is_saved_whole_or_not_at_all() {
    let (database, store) = fresh().await;
    let (mut tale, asked) = Tale::waiting(&store, at(0), 1).await;
    let client = beside(&database.url()).await;
    client.execute("DELETE FROM interactions WHERE id = $1", &[&asked[0].uuid()]).await.unwrap();
    let before = store.events(tale.run.id, 0, 100).await.unwrap();
    let error = tale.then(&store, answered(asked[0], Decision::Approve, "bob"), at(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Inconsistent { table: "interactions", .. }), "{error:?}");
    assert_eq!(store.events(tale.run.id, 0, 100).await.unwrap(), before);
    assert_eq!(store.run(tale.run.id).await.unwrap().unwrap().seq, tale.run.seq);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_database_is_away_it_is_unavailable() {
    let database = testkit::Postgres::for_test();
    let (proxy, store) = by_way_of(&database).await;
    let mut tale = Tale::begin(&store, at(0)).await;
    drop(proxy);
    // Until the end of the wire is noticed.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let failed = tale.then(&store, done(), at(1)).await;
    assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{failed:?}");
    assert!(matches!(store.load(tale.run.id).await, Err(StoreError::Unavailable(_))));
    let direct = open(&database.url()).await;
    check(&direct, &tale.run).await;
}
