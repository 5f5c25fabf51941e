//! A worker that is stopped past its lease while its tool works: another takes over, and the first one's word counts no more.

use super::node::{Database, Node, World, ends, runtime, settings};
use super::on_each_engine;
use countersign_domain::interaction::{Decision, Purpose};
use countersign_domain::run::EndStatus;
use countersign_policy::source::Source;
use countersign_runtime::{Settings, Workers};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

on_each_engine! {
    what_a_stopped_worker_did_is_asked_about_and_its_report_refused,
}

async fn what_a_stopped_worker_did_is_asked_about_and_its_report_refused(database: Database) {
    let policy = json!({"rules": [{"tool": "stuck", "effect": "allow"}]});
    let source = Source { policy: serde_json::from_value(policy).unwrap(), ..Source::default() };
    let settings = Settings { lease: Duration::from_millis(500), ..settings() };
    let world = World::default();
    world.freeze(true);
    // The first worker has a thread of its own, which its tool stops: no heartbeat, nothing.
    let first = runtime(Arc::clone(&database.store), &world, source.clone(), settings.clone());
    let (over, until_over) = tokio::sync::oneshot::channel::<()>();
    let (drove, driving) = std::sync::mpsc::channel();
    let thread = std::thread::spawn({
        let first = first.clone();
        move || {
            let alone = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            alone.block_on(async {
                let workers = Workers::start(&first);
                drove.send(()).unwrap();
                let _ = until_over.await;
                workers.stop().await;
            });
        }
    });
    driving.recv().unwrap();
    // Nobody else is there yet, so its worker takes it.
    let starter = Node::idle(first);
    let run = starter.run(&json!([["stuck", {}]])).await;
    world.until_executed(1).await;
    let second = Node::with(&database, world.clone(), source, settings);
    let asked = second.open(run, 1).await.remove(0);
    assert_eq!(asked.purpose, Purpose::UncertainOutcome);
    // Now the first wakes, and reports.
    world.freeze(false);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let words = second.words(run).await;
    assert!(!words.contains(&"tool_finished"), "its report is refused: {words:?}");
    second.answer(&asked, Decision::Happened, "ann").await.unwrap();
    let ended = second.ended(run).await;
    assert_eq!((ends(&ended), world.executions()), (vec![EndStatus::Completed], 1));
    assert_eq!(second.words(run).await.iter().filter(|word| **word == "tool_started").count(), 1);
    over.send(()).unwrap();
    thread.join().unwrap();
}
