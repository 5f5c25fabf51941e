//! A database that goes away at the worst moment: it saves a step, and nobody hears of it.

use super::node::{Database, Node, ends, settings, until};
use countersign_domain::RunId;
use countersign_domain::interaction::Decision;
use countersign_domain::run::{EndStatus, Run};
use countersign_runtime::AnswerFailure;
use countersign_runtime::ports::StoreError;
use countersign_testkit::{Break, Proxy};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// How long it stays away: longer than anybody waits to find out what became of a step.
const AWAY: Duration = Duration::from_secs(2);

async fn back_again(proxy: &Proxy) {
    while !proxy.has_broken() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(AWAY).await;
    proxy.come_back();
}

/// The run, once it has ended: long before its lease would run out and another worker take it.
async fn ended(node: &Node, run: RunId) -> Run {
    let ended = until(async || node.runtime.store().load(run).await.ok().flatten().filter(Run::has_ended));
    timeout(settings().lease / 2, ended).await.expect("the worker goes on")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_that_was_saved_unheard_is_not_brought_again() {
    let (database, proxy) = Database::by_wire().await;
    let node = Node::judging(&database, json!({"rules": [{"tool": "slow", "effect": "allow"}]}));
    let run = node.run(&json!([["slow", {}]])).await;
    node.world.until_executed(1).await;
    proxy.arm_for_good(Break::Reply(1), "tool_finished");
    node.world.gate.add_permits(1);
    back_again(&proxy).await;
    let ended = ended(&node, run).await;
    assert_eq!((ends(&ended), node.world.executions()), (vec![EndStatus::Completed], 1));
    let count = async |kind| node.words(run).await.into_iter().filter(|word| *word == kind).count();
    assert_eq!((count("tool_finished").await, count("step_completed").await), (1, 2));
}

/// Every call of the turn is denied, so that the model would be next: what it said once must not be taken for its next turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_model_said_is_not_taken_for_its_next_turn() {
    let (database, proxy) = Database::by_wire().await;
    let node = Node::judging(&database, json!({"rules": [{"tool": "send", "effect": "deny"}]}));
    proxy.arm_for_good(Break::Reply(1), "step_completed");
    let run = node.run(&json!([["send", {}]])).await;
    back_again(&proxy).await;
    let ended = ended(&node, run).await;
    assert_eq!((ends(&ended), ended.steps.len()), (vec![EndStatus::Denied], 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_was_saved_unheard_is_found_when_it_is_given_again() {
    let (database, proxy) = Database::by_wire().await;
    let node = Node::new(&database);
    let run = node.run(&json!([["send", {}]])).await;
    let asked = node.open(run, 1).await.remove(0);
    proxy.arm_for_good(Break::Reply(1), "interaction_response");
    let unheard = node.answer(&asked, Decision::Approve, "ann").await;
    assert!(matches!(unheard, Err(AnswerFailure::Store(StoreError::Unavailable(_)))), "{unheard:?}");
    back_again(&proxy).await;
    let again = loop {
        match node.answer(&asked, Decision::Approve, "ann").await {
            Err(AnswerFailure::Store(StoreError::Unavailable(_))) => {}
            told => break told.unwrap(),
        }
    };
    assert!(again.repeated);
    let other = node.answer(&asked, Decision::Reject, "bob").await;
    assert!(matches!(other, Err(AnswerFailure::Answer(_))), "{other:?}");
    assert_eq!(node.words(run).await.iter().filter(|word| **word == "interaction_response").count(), 1);
}
