//! Races between processes: each has connections of its own.

use super::{beside, fresh, open};
use crate::fixture::{Tale, answered, at, failed};
use countersign_domain::interaction::Decision;
use countersign_domain::run::{Input, Letter};
use countersign_runtime::ports::{Claim, Save, Store, StoreError, Take};
use countersign_store::Postgres;
use std::time::Duration;
use tokio_postgres::Client;

const MINUTE: Duration = Duration::from_mins(1);

/// Who answers wants to take the run, and a worker elsewhere looks for work: one of them gets it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_taken_or_claimed() {
    let (database, here) = fresh().await;
    let there = open(&database.url()).await;
    let (mut taken, mut claimed) = (0, 0);
    for _ in 0..200 {
        // Both questions are answered at once; after the first the run has something to do.
        let (tale, asked) = Tale::waiting(&here, at(0), 2).await;
        let (first, run) = tale.next(answered(asked[0], Decision::Approve, "bob"), at(1));
        here.save(first).await.unwrap();
        let (second, _) = Tale { run, claim: None }.next(answered(asked[1], Decision::Approve, "bob"), at(2));
        let second = Save { take: Some(Take { lease: MINUTE, fence: None }), ..second };
        let (saved, found) = tokio::join!(here.save(second), there.claim(MINUTE, &[], 1));
        let (saved, found) = (saved.unwrap(), found.unwrap());
        assert_eq!(saved.iter().chain(&found).count(), 1, "{saved:?} {found:?}");
        taken += saved.iter().count();
        claimed += found.len();
        let claim = saved.into_iter().chain(found).next().unwrap();
        assert_eq!((claim.run, claim.fence), (tale.run.id, 1));
        there.renew(claim, MINUTE).await.unwrap();
        let mut last = Tale { run: here.load(claim.run).await.unwrap().unwrap(), claim: Some(claim) };
        last.then(&here, failed(), at(3)).await.unwrap();
    }
    assert!(taken > 0 && claimed > 0, "{taken} taken, {claimed} claimed: no race");
}

/// Somebody else has a run locked while a step of it is saved, and then has changed it: what stands then counts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_waited_for_a_lock_is_saved_only_if_it_still_fits() {
    let (database, store) = fresh().await;
    let behind =
        Behind { store: store.clone(), other: beside(&database.url()).await, looks: beside(&database.url()).await };
    // One question, and several: of few rows, and of many.
    for questions in [1, 3] {
        let (tale, asked) = Tale::waiting(&store, at(0), questions).await;
        let answer = || answered(asked[0], Decision::Approve, "bob");
        for input in [answer(), failed()] {
            let (step, _) = tale.next(input, at(1));
            let saved = behind.refused(step.clone(), "seq = seq + 1").await;
            assert!(matches!(saved, Err(StoreError::Conflict(run)) if run == tale.run.id), "{saved:?}");
            behind.change(&tale, "seq = seq - 1").await;
            // It would have taken the run, and knows as what.
            let counting_on = Save { take: Some(Take { lease: MINUTE, fence: Some(1) }), ..step };
            let taken = "phase = 'active', ready_since = 1, lease_until = 9000000000000000, fence = fence + 1";
            let saved = behind.refused(counting_on, taken).await;
            assert!(matches!(saved, Err(StoreError::Conflict(run)) if run == tale.run.id), "{saved:?}");
            behind.change(&tale, "phase = 'waiting', ready_since = NULL, lease_until = NULL, fence = 0").await;
        }
        // A worker whose claim is over.
        let (step, run) = tale.next(answer(), at(1));
        let claim = store.save(Save { take: Some(Take { lease: MINUTE, fence: Some(1) }), ..step }).await.unwrap();
        let held = Tale { run, claim };
        for input in [Input::Resumed, failed()] {
            let saved = behind.refused(held.next(input, at(2)).0, "fence = fence + 1").await;
            assert!(matches!(saved, Err(StoreError::Fenced(run)) if run == tale.run.id), "{saved:?}");
            behind.change(&tale, "fence = fence - 1").await;
        }
        // Whoever holds the run meanwhile goes on holding it.
        let letter = Letter { text: "hello".into(), channel: None, by: crate::fixture::person("ann") };
        let (step, run) = Tale { claim: None, ..held }.next(Input::Message(letter), at(3));
        behind.saved(step, "fence = 7, attempts = 5, lease_until = 9000000000000000").await.unwrap();
        assert_eq!(store.load(run.id).await.unwrap(), Some(run.clone()));
        let held = "SELECT fence = 7 AND attempts = 5 AND lease_until = 9000000000000000 FROM runs WHERE id = $1";
        let is_held: bool = behind.looks.query_one(held, &[&run.id.uuid()]).await.unwrap().get(0);
        assert!(is_held);
    }
}

/// A store, and somebody who is always faster.
struct Behind {
    store: Postgres,
    other: Client,
    looks: Client,
}

impl Behind {
    /// What becomes of a step that had to wait for somebody who changed the run so.
    async fn saved(&self, step: Save, change: &str) -> Result<Option<Claim>, StoreError> {
        self.other.batch_execute("BEGIN").await.unwrap();
        let sql = format!("UPDATE runs SET {change} WHERE id = $1");
        assert_eq!(self.other.execute(&sql, &[&step.run.id.uuid()]).await.unwrap(), 1);
        let faster = async {
            let waits = "SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'";
            while self.looks.query_one(waits, &[]).await.unwrap().get::<_, i64>(0) == 0 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            self.other.batch_execute("COMMIT").await.unwrap();
        };
        tokio::join!(self.store.save(step), faster).0
    }

    /// The same for one that is refused: nothing of it is written.
    async fn refused(&self, step: Save, change: &str) -> Result<Option<Claim>, StoreError> {
        let before = self.written().await;
        let saved = self.saved(step, change).await;
        assert_eq!(self.written().await, before);
        saved
    }

    async fn change(&self, tale: &Tale, change: &str) {
        let sql = format!("UPDATE runs SET {change} WHERE id = $1");
        assert_eq!(self.other.execute(&sql, &[&tale.run.id.uuid()]).await.unwrap(), 1);
    }

    /// What steps write beside the run.
    async fn written(&self) -> String {
        let sql = "SELECT concat_ws(' ', (SELECT count(*) FROM events), (SELECT count(*) FROM unplaced),
            (SELECT string_agg(concat_ws(' ', id, status, decided), ' ' ORDER BY id) FROM interactions))";
        self.looks.query_one(sql, &[]).await.unwrap().get(0)
    }
}
