//! Runs whose secrets are sealed under a key that is not there any more.

use super::node::{Database, Node, World, ends, settings, until};
use countersign_domain::interaction::Status;
use countersign_domain::run::{EndStatus, Phase, Run};
use countersign_domain::secret::Key;
use countersign_policy::source::Source;
use countersign_runtime::Settings;
use countersign_runtime::ports::{Store as _, StoreError};
use countersign_store::Sqlite;
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_cannot_be_opened_keeps_nobody_waiting_and_is_set_aside() {
    let store = Sqlite::temporary().unwrap();
    let soon = Settings { question_lasts: Duration::from_secs(4), lease: Duration::from_millis(100), ..settings() };
    let first = Node::with(&Database::of(store.clone()), World::default(), Source::default(), soon.clone());
    let run = first.run(&json!([["send", {"password": "hunter2hunter"}]])).await;
    let asked = first.open(run, 1).await.remove(0);
    drop(first);
    let store = store.sealing(Key::new([9; 32]));
    assert!(matches!(store.load(run).await, Err(StoreError::Sealed(_))));
    let second = Node::with(&Database::of(store.clone()), World::default(), Source::default(), soon);
    let ended = until(async || store.shown(run).await.unwrap().filter(Run::has_ended)).await;
    assert!(matches!(&ended.phase, Phase::SetAside(_)), "{:?}", ended.phase);
    assert_eq!((ends(&ended), second.world.executions()), (vec![EndStatus::Expired], 0));
    assert_eq!(store.interaction(asked.id).await.unwrap().unwrap().status, Status::Expired);
}
