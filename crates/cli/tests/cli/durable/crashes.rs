//! PostgreSQL crashes under load and comes back: nothing acknowledged is lost, nothing is executed twice in silence, and every
//! run comes to its end.

use super::node::{Database, Node, World, ends, person, settings};
use countersign_domain::delegation::Chain;
use countersign_domain::interaction::{Decision, Interaction, Purpose, Response, Status};
use countersign_domain::run::{EndStatus, Run};
use countersign_domain::{InteractionId, RunId};
use countersign_policy::source::Source;
use countersign_runtime::ports::{InteractionFilter, RunFilter};
use countersign_runtime::{AnswerFailure, RunRequest, Settings, StartedRun};
use countersign_testkit::invariants::{self, Rows};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::sleep;

/// Clients that start runs and answer, all the time.
const CLIENTS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_crashes_under_load_loses_nothing_that_was_acknowledged() {
    let crashes = if std::env::var_os("COUNTERSIGN_FULL").is_some() { 5 } else { 1 };
    let (postgres, server) = countersign_testkit::Postgres::on_its_own();
    let database = Database::postgres_at(&postgres.url()).await;
    let world = World::default();
    let settings = Settings { lease: Duration::from_secs(3), ..settings() };
    let node = Arc::new(Node::with(&database, world.clone(), Source::default(), settings));
    let over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..CLIENTS).map(|_| tokio::spawn(client(Arc::clone(&node), Arc::clone(&over)))).collect();
    let server = Arc::new(server);
    for _ in 0..crashes {
        sleep(Duration::from_secs(1)).await;
        let server = Arc::clone(&server);
        tokio::task::spawn_blocking(move || server.crash()).await.unwrap();
    }
    sleep(Duration::from_secs(1)).await;
    over.store(true, Ordering::SeqCst);
    let mut acknowledged = Acknowledged::default();
    for client in clients {
        let told = client.await.unwrap();
        acknowledged.runs.extend(told.runs);
        acknowledged.answers.extend(told.answers);
    }
    assert!(acknowledged.answers.len() > CLIENTS, "{} answers are no load", acknowledged.answers.len());
    let mut answered = 0;
    for run in all(&node).await {
        acknowledged.runs.remove(&run);
        let run = driven_to_its_end(&node, run).await;
        // Once; or a person was asked, looked, and said that it had happened or may be made once more.
        assert_eq!((ends(&run), world.executions_of(&run)), (vec![EndStatus::Completed], 1));
        for asked in run.interactions.values() {
            assert_eq!(asked.status, Status::Answered);
            answered += usize::from(acknowledged.answers.contains(&asked.id));
        }
    }
    assert_eq!((acknowledged.runs, answered), (BTreeSet::new(), acknowledged.answers.len()), "nothing is lost");
    let rows = Rows::of_postgres(&postgres.url()).await.unwrap();
    assert_eq!(invariants::broken(&*database.store, &rows).await.unwrap(), Vec::<String>::new());
}

/// All runs that there are, also those of which nobody was told.
async fn all(node: &Node) -> Vec<RunId> {
    let (mut all, mut after) = (vec![], None);
    loop {
        let page = node.runtime.store().runs(RunFilter { after, limit: 100, ..RunFilter::default() }).await.unwrap();
        all.extend(page.items.iter().map(|run| run.id));
        after = page.next.map(|next| next.parse().unwrap());
        if after.is_none() {
            return all;
        }
    }
}

/// What somebody was told that it is done.
#[derive(Default)]
struct Acknowledged {
    runs: BTreeSet<RunId>,
    answers: BTreeSet<InteractionId>,
}

async fn client(node: Arc<Node>, over: Arc<AtomicBool>) -> Acknowledged {
    let mut told = Acknowledged::default();
    while !over.load(Ordering::SeqCst) {
        let Ok(StartedRun { run, .. }) = node.runtime.start(request()).await else {
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        told.runs.insert(run.id);
        while !over.load(Ordering::SeqCst) {
            let Some(asked) = open(&node, run.id).await else {
                sleep(Duration::from_millis(10)).await;
                continue;
            };
            if answer(&node, &asked, Decision::Approve).await.is_ok() {
                told.answers.insert(asked.id);
                break;
            }
        }
    }
    told
}

fn request() -> RunRequest {
    RunRequest {
        agent: "agent".into(),
        input: json!([["send", {}]]).to_string(),
        user_id: Some("ann".into()),
        session_id: None,
        org_id: None,
        project_id: None,
        cwd: None,
        delegated_permissions: Chain::default(),
        started_by: person("ann"),
        once: None,
    }
}

/// The approval that the run waits for.
async fn open(node: &Node, run: RunId) -> Option<Interaction> {
    questions(node, run).await.into_iter().find(|asked| asked.purpose == Purpose::Approval)
}

async fn questions(node: &Node, run: RunId) -> Vec<Interaction> {
    let filter =
        InteractionFilter { status: Some(Status::Open), run: Some(run), limit: 10, ..InteractionFilter::default() };
    node.runtime.store().interactions(filter).await.map(|page| page.items).unwrap_or_default()
}

async fn answer(node: &Node, asked: &Interaction, decision: Decision) -> Result<(), AnswerFailure> {
    let response = Response::new(asked.id, Some(decision), None).unwrap();
    node.runtime.answer(asked.id, response, &person("ann")).await.map(drop)
}

async fn driven_to_its_end(node: &Node, run: RunId) -> Run {
    super::node::until(async || {
        for asked in questions(node, run).await {
            let now = node.runtime.store().load(run).await.ok().flatten()?;
            let decision = match asked.purpose {
                Purpose::UncertainOutcome if node.world.executions_of(&now) > 0 => Decision::Happened,
                Purpose::UncertainOutcome => Decision::RunAgain,
                _ => Decision::Approve,
            };
            let _ = answer(node, &asked, decision).await;
        }
        node.runtime.store().load(run).await.ok().flatten().filter(Run::has_ended)
    })
    .await
}
