//! Races: two who come at the same moment. One thing happens, and whoever lost is told.

use super::node::{Database, Node, World, ends, person, settings, until};
use super::on_each_engine;
use countersign_domain::RunId;
use countersign_domain::interaction::{AnswerError, Decision, Interaction, Status};
use countersign_domain::run::{EndStatus, Phase, Run};
use countersign_policy::source::Source;
use countersign_runtime::ports::{PolicyChange, PolicyKind};
use countersign_runtime::{AnswerFailure, Answered, ReachError, Settings};
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Barrier;

on_each_engine! {
    of_two_who_approve_both_are_heard_and_one_counts,
    of_approve_and_reject_one_wins_and_the_other_is_told,
    of_an_answer_and_the_end_of_its_time_one_wins,
    of_an_answer_and_a_cancellation_one_wins,
    an_approval_never_outruns_a_denial,
    the_same_answer_many_times_is_one_answer,
}

/// How many races of each kind: enough for a sample of two hundred over all of them, or a thousand each.
fn races() -> usize {
    if std::env::var_os("COUNTERSIGN_FULL").is_some() { 1_000 } else { 34 }
}

/// Runs that wait, one for each race, brought to it a few at a time.
async fn waiting(node: &Node) -> (RunId, Interaction) {
    let run = node.run(&json!([["send", {"n": uuid()}]])).await;
    (run, node.open(run, 1).await.remove(0))
}

/// A process beside that of `node`, on the same database and with the same tools.
fn elsewhere(database: &Database, node: &Node) -> Arc<Node> {
    Arc::new(Node::with(&database.elsewhere(), node.world.clone(), Source::default(), settings()))
}

/// Something that is another one each time, so that nothing is remembered.
fn uuid() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed).to_string()
}

/// Starts both at the same moment.
async fn together<A: Send + 'static, B: Send + 'static>(
    one: impl Future<Output = A> + Send + 'static,
    other: impl Future<Output = B> + Send + 'static,
) -> (A, B) {
    let start = Arc::new(Barrier::new(2));
    let after = |barrier: Arc<Barrier>| async move { barrier.wait().await };
    let (first, second) = (after(Arc::clone(&start)), after(start));
    let one = tokio::spawn(async move {
        first.await;
        one.await
    });
    let other = tokio::spawn(async move {
        second.await;
        other.await
    });
    (one.await.unwrap(), other.await.unwrap())
}

type Told = Result<Answered, AnswerFailure>;

fn answering(
    node: &Arc<Node>,
    asked: &Interaction,
    decision: Decision,
    by: &'static str,
) -> impl Future<Output = Told> + use<> {
    let (node, asked) = (Arc::clone(node), asked.clone());
    async move { node.answer(&asked, decision, by).await }
}

fn already(told: &Told) -> Option<Decision> {
    match told {
        Err(AnswerFailure::Answer(AnswerError::AlreadyAnswered { answer, .. })) => Some(answer.decision),
        _ => None,
    }
}

/// A run has ended as `status`, and its tool was executed exactly if that is `Completed`.
fn ended_as(node: &Node, run: &Run, status: EndStatus) {
    assert_eq!(ends(run), [status]);
    assert_eq!(node.world.executions_of(run), usize::from(status == EndStatus::Completed));
}

async fn of_two_who_approve_both_are_heard_and_one_counts(database: Database) {
    let node = Arc::new(Node::new(&database));
    let elsewhere = elsewhere(&database, &node);
    for race in 0..races() {
        let (run, asked) = waiting(&node).await;
        let other = if race % 2 == 0 { &node } else { &elsewhere };
        let (ann, bob) = together(
            Box::pin(answering(&node, &asked, Decision::Approve, "ann")),
            Box::pin(answering(other, &asked, Decision::Approve, "bob")),
        )
        .await;
        assert!(ann.is_ok() != bob.is_ok(), "{ann:?} {bob:?}");
        let loser = if ann.is_ok() { &bob } else { &ann };
        assert_eq!(already(loser), Some(Decision::Approve), "told which answer stands");
        ended_as(&node, &node.ended(run).await, EndStatus::Completed);
    }
}

async fn of_approve_and_reject_one_wins_and_the_other_is_told(database: Database) {
    let node = Arc::new(Node::new(&database));
    let elsewhere = elsewhere(&database, &node);
    for race in 0..races() {
        let (run, asked) = waiting(&node).await;
        let other = if race % 2 == 0 { &node } else { &elsewhere };
        let (yes, no) = together(
            Box::pin(answering(&node, &asked, Decision::Approve, "ann")),
            Box::pin(answering(other, &asked, Decision::Reject, "bob")),
        )
        .await;
        let (loser, stands, status) = match (&yes, &no) {
            (Ok(_), Err(_)) => (&no, Decision::Approve, EndStatus::Completed),
            (Err(_), Ok(_)) => (&yes, Decision::Reject, EndStatus::Rejected),
            both => panic!("{both:?}"),
        };
        assert_eq!(already(loser), Some(stands));
        ended_as(&node, &node.ended(run).await, status);
    }
}

async fn of_an_answer_and_the_end_of_its_time_one_wins(database: Database) {
    let settings = Settings { question_lasts: Duration::from_millis(700), ..settings() };
    let node = Arc::new(Node::with(&database, World::default(), Source::default(), settings));
    let mut approved = 0;
    // Several at once: the end of a question's time is looked for once a second.
    for batch in 0..races().div_ceil(BATCH) {
        let racing = (0..BATCH.min(races() - batch * BATCH)).map(|race| answered_around_its_end(&node, race));
        approved += join_all(racing).await.into_iter().filter(|approved| *approved).count();
    }
    assert_eq!(node.world.executions(), approved);
}

/// How many of those races are under way at once.
const BATCH: usize = 34;

/// Whether the answer came first.
async fn answered_around_its_end(node: &Node, race: usize) -> bool {
    let run = node.run(&json!([["send", {"n": uuid()}]])).await;
    let asked = until(async || node.load(run).await.interactions.into_values().next()).await;
    let left: Duration = (asked.expires_at - node.runtime.store().now().await.unwrap()).try_into().unwrap_or_default();
    // Around its end: a little before, and a little after.
    let wait = (left + Duration::from_millis(race as u64 % 7)).saturating_sub(Duration::from_millis(3));
    tokio::time::sleep(wait).await;
    let told = node.answer(&asked, Decision::Approve, "ann").await;
    let status = match &told {
        Ok(_) => EndStatus::Completed,
        Err(AnswerFailure::Answer(AnswerError::Expired(_))) => EndStatus::Expired,
        other => panic!("{other:?}"),
    };
    assert_eq!(ends(&node.ended(run).await), [status]);
    told.is_ok()
}

async fn of_an_answer_and_a_cancellation_one_wins(database: Database) {
    let node = Arc::new(Node::new(&database));
    let elsewhere = elsewhere(&database, &node);
    for race in 0..races() {
        let (run, asked) = waiting(&node).await;
        let stopping = Arc::clone(if race % 2 == 0 { &node } else { &elsewhere });
        let (yes, stop) = together(answering(&node, &asked, Decision::Approve, "ann"), async move {
            stopping.runtime.cancel(run, &person("bob"), None).await
        })
        .await;
        let ended = node.ended(run).await;
        match (&yes, &stop, &ended.phase) {
            // Approved, executed and done before anybody could stop it.
            (Ok(_), Err(ReachError::Ended(_)), Phase::Completed { .. }) => {
                ended_as(&node, &ended, EndStatus::Completed);
            }
            // Approved, and stopped on the way: before, while or after it was executed.
            (Ok(_), Ok(_), Phase::Cancelled { .. }) => {
                let executed = node.world.executions_of(&ended);
                let possible = match ends(&ended)[0] {
                    EndStatus::Cancelled => executed == 0,
                    EndStatus::Unknown => executed <= 1,
                    EndStatus::Completed => executed == 1,
                    _ => false,
                };
                assert!(possible, "{:?} after {executed} executions", ends(&ended));
            }
            (Err(AnswerFailure::Answer(AnswerError::Cancelled(_))), Ok(_), Phase::Cancelled { .. }) => {
                ended_as(&node, &ended, EndStatus::Cancelled);
            }
            other => panic!("{other:?}"),
        }
        assert!(ended.interactions.values().all(|asked| asked.status != Status::Open));
    }
}

/// Whoever denies is told when it is in force; what starts after that was judged by it.
async fn an_approval_never_outruns_a_denial(database: Database) {
    let node = Arc::new(Node::new(&database));
    for race in 0..races() {
        let (run, asked) = waiting(&node).await;
        let changing = Arc::clone(&node);
        let change = move |body| PolicyChange {
            kind: PolicyKind::Rule,
            key: "no-mail".into(),
            body,
            by: person("olga"),
            why: Some(format!("race {race}")),
            at: asked.created_at,
        };
        let deny = change(Some(json!({"name": "no-mail", "tool": "send", "effect": "deny"})));
        let (yes, denied) = together(answering(&node, &asked.clone(), Decision::Approve, "ann"), async move {
            changing.runtime.change_policy(vec![deny]).await
        })
        .await;
        yes.unwrap();
        denied.unwrap();
        let ended = node.ended(run).await;
        let status = ends(&ended)[0];
        assert!(matches!(status, EndStatus::Completed | EndStatus::Denied), "{status:?}");
        ended_as(&node, &ended, status);
        node.runtime.change_policy(vec![change(None)]).await.unwrap();
    }
}

async fn the_same_answer_many_times_is_one_answer(database: Database) {
    let node = Arc::new(Node::new(&database));
    let elsewhere = elsewhere(&database, &node);
    for _ in 0..races() {
        let (run, asked) = waiting(&node).await;
        let start = Arc::new(Barrier::new(5));
        let all: Vec<_> = [&node, &node, &node, &elsewhere, &elsewhere]
            .into_iter()
            .map(|at| {
                let (start, answer) = (Arc::clone(&start), answering(at, &asked, Decision::Approve, "ann"));
                tokio::spawn(async move {
                    start.wait().await;
                    answer.await
                })
            })
            .collect();
        let mut counted = 0;
        for told in all {
            counted += usize::from(!told.await.unwrap().unwrap().repeated);
        }
        assert_eq!(counted, 1);
        ended_as(&node, &node.ended(run).await, EndStatus::Completed);
        assert_eq!(node.events(run, "interaction_response").await.len(), 1);
    }
}
