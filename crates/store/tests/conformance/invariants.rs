//! The check of invariants can fail: whatever is changed behind the store's back is found.

use crate::fixture::{Tale, answered, at, done, person};
use crate::postgres;
use countersign_domain::interaction::Decision;
use countersign_runtime::ports::{PolicyChange, PolicyKind, Store};
use countersign_store::Sqlite;
use countersign_testkit::invariants::{self, Rows};
use rusqlite::Connection;
use serde_json::json;

/// Leaves a run that waits, one that was answered, one that has ended, and a rule.
async fn tell(store: &dyn Store) {
    Tale::waiting(store, at(0), 2).await;
    let (mut answered_one, open) = Tale::waiting(store, at(0), 1).await;
    answered_one.then(store, answered(open[0], Decision::Approve, "bob"), at(1)).await.unwrap();
    let mut ended = Tale::begin(store, at(0)).await;
    ended.then(store, done(), at(1)).await.unwrap();
    let (kind, key, by) = (PolicyKind::Rule, "a".to_owned(), person("olga"));
    let change = PolicyChange { kind, key, body: Some(json!({})), by, why: None, at: at(1) };
    store.change_policy(vec![change]).await.unwrap();
}

async fn found(store: &dyn Store, rows: &Rows) -> String {
    match invariants::broken(store, rows).await {
        Ok(broken) => broken.join("; "),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn what_is_changed_behind_the_stores_back_is_found() {
    let changes = [
        ("UPDATE runs SET seq = seq + 1 WHERE phase = 'waiting'", "its events at"),
        ("UPDATE runs SET seq = seq - 1 WHERE phase = 'woken'", "its events at"),
        ("UPDATE runs SET phase = 'failed' WHERE phase = 'completed'", "its row is `failed`"),
        ("UPDATE runs SET phase = 'active', ready_since = 1 WHERE phase = 'waiting'", "its events say `waiting`"),
        ("UPDATE runs SET phase = 'waiting', ready_since = NULL WHERE phase = 'woken'", "its row is `waiting`"),
        (
            "PRAGMA ignore_check_constraints = 1; UPDATE runs SET lease_until = 1 WHERE phase = 'waiting'",
            "somebody holds it",
        ),
        (
            "PRAGMA ignore_check_constraints = 1; UPDATE runs SET ready_since = 1 WHERE phase = 'completed'",
            "ready is true",
        ),
        ("UPDATE interactions SET status = 'expired' WHERE status = 'open'", "is kept as `expired`"),
        ("UPDATE interactions SET status = 'open' WHERE status = 'answered'", "is kept as `open`"),
        ("UPDATE interactions SET expires_at = expires_at + 1", "another end"),
        ("UPDATE runs SET input_tokens = 9", "lists show it otherwise"),
        ("UPDATE runs SET ending = '{\"output\": \"x\"}' WHERE ending IS NOT NULL", "lists show it otherwise"),
        ("DELETE FROM policy_items", "the policy is not what"),
        ("DELETE FROM interactions", "0 are kept"),
        ("DROP TRIGGER events_are_never_removed; DELETE FROM events WHERE seq = 2", "it follows event 1"),
        ("DROP TRIGGER events_are_never_removed; DELETE FROM events WHERE seq > 2", "its run does not know it"),
        ("DROP TRIGGER events_are_never_removed; DELETE FROM events", "it is not there"),
    ];
    for (change, expected) in changes {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let store = Sqlite::open(&path).unwrap();
        tell(&store).await;
        assert_eq!(found(&store, &Rows::of_sqlite(&path).unwrap()).await, "");
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        let found = found(&store, &Rows::of_sqlite(&path).unwrap()).await;
        assert!(found.contains(expected), "after `{change}`: {found}");
    }
}

#[tokio::test]
async fn what_is_changed_behind_the_back_of_postgres_is_found() {
    let (database, store) = postgres::fresh().await;
    tell(&store).await;
    let rows = async || Rows::of_postgres(&database.url()).await.unwrap();
    assert_eq!(found(&store, &rows().await).await, "");
    let client = postgres::beside(&database.url()).await;
    for (change, expected) in [
        ("UPDATE runs SET seq = seq + 1 WHERE phase = 'waiting'", "its events at"),
        ("UPDATE interactions SET status = 'expired' WHERE status = 'open'", "is kept as `expired`"),
        ("DELETE FROM policy_items", "the policy is not what"),
    ] {
        client.batch_execute(change).await.unwrap();
        let found = found(&store, &rows().await).await;
        assert!(found.contains(expected), "after `{change}`: {found}");
    }
}
