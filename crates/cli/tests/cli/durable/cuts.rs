//! PostgreSQL trouble: the connection is cut at every message of a scripted run, before it, after it, or with its reply lost.
//! Whatever is cut, the run comes to its end, nothing acknowledged is lost, and nothing is executed twice in silence.

use super::node::{Database, Node, World, ends, person, settings, until};
use countersign_domain::RunId;
use countersign_domain::delegation::Chain;
use countersign_domain::interaction::{Decision, Interaction, Purpose, Response, Status};
use countersign_domain::run::{EndStatus, Run};
use countersign_policy::source::Source;
use countersign_runtime::ports::{InteractionFilter, RunFilter, StoreError};
use countersign_runtime::{AnswerFailure, RunRequest, Settings, StartError};
use countersign_testkit::{Break, Proxy};
use serde_json::json;
use std::time::Duration;

/// More messages than a scripted run takes.
const MOST: usize = 400;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_cut_at_any_message_costs_nothing() {
    let every = if std::env::var_os("COUNTERSIGN_FULL").is_some() { 1 } else { 3 };
    for (i, kind) in [Break::Before as fn(usize) -> Break, Break::After, Break::Reply].into_iter().enumerate() {
        // A third of the places each, all of them together; or all of them for each.
        let mut place = if every == 1 { 1 } else { i + 1 };
        while cut(kind(place)).await {
            place += every;
            assert!(place < MOST, "a run takes fewer messages than that");
        }
    }
}

/// Whether a run got as far as to be cut there.
async fn cut(at: Break) -> bool {
    let database = countersign_testkit::Postgres::for_test();
    let proxy = Proxy::start(&database.url()).await;
    let database = Database::postgres_at(proxy.url()).await;
    let world = World::default();
    let settings = Settings { lease: Duration::from_secs(2), ..settings() };
    let node = Node::with(&database, world.clone(), Source::default(), settings);
    proxy.arm(at);
    let run = started(&node).await;
    let asked = question(&node, run, Purpose::Approval).await;
    answered(&node, &asked, Decision::Approve).await;
    let ended = until(async || {
        // Of what nobody knows a person says what became of it: they look.
        if let Some(asked) = open(&node, run).await.into_iter().find(|asked| asked.purpose == Purpose::UncertainOutcome)
        {
            let happened = if world.executions() > 0 { Decision::Happened } else { Decision::RunAgain };
            answered(&node, &asked, happened).await;
        }
        node.runtime.store().load(run).await.ok().flatten().filter(Run::has_ended)
    })
    .await;
    assert_eq!((ends(&ended), world.executions()), (vec![EndStatus::Completed], 1), "{at:?}");
    let answers = ended.interactions.values().filter(|asked| asked.status == Status::Answered).count();
    assert_eq!(answers, ended.interactions.len(), "{at:?}: every answer is kept");
    proxy.has_broken()
}

/// Starts a run, again if nobody knows whether it was started and it was not.
async fn started(node: &Node) -> RunId {
    loop {
        let request = RunRequest {
            agent: "agent".into(),
            input: json!([["send", {}]]).to_string(),
            user_id: Some("ann".into()),
            session_id: Some("s1".into()),
            org_id: None,
            project_id: None,
            cwd: None,
            delegated_permissions: Chain::default(),
            started_by: person("ann"),
            once: None,
        };
        match node.runtime.start(request).await {
            Ok(started) => return started.run.id,
            Err(StartError::Store(StoreError::Unavailable(_))) => {}
            Err(error) => panic!("{error}"),
        }
        let there =
            until(async || node.runtime.store().runs(RunFilter { limit: 10, ..RunFilter::default() }).await.ok());
        if let Some(run) = there.await.items.first() {
            return run.id;
        }
    }
}

async fn open(node: &Node, run: RunId) -> Vec<Interaction> {
    let filter =
        InteractionFilter { status: Some(Status::Open), run: Some(run), limit: 10, ..InteractionFilter::default() };
    node.runtime.store().interactions(filter).await.map(|page| page.items).unwrap_or_default()
}

async fn question(node: &Node, run: RunId, purpose: Purpose) -> Interaction {
    until(async || open(node, run).await.into_iter().find(|asked| asked.purpose == purpose)).await
}

/// Answers until the answer is acknowledged: the same one twice is one.
async fn answered(node: &Node, asked: &Interaction, decision: Decision) {
    loop {
        let response = Response::new(asked.id, Some(decision), None).unwrap();
        match node.runtime.answer(asked.id, response, &person("ann")).await {
            Ok(_) => return,
            Err(AnswerFailure::Store(StoreError::Unavailable(_))) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}
