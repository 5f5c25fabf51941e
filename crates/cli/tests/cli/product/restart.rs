//! A whole conversation, killed anywhere: a model that streams, three calls at once (one allowed, one asked about, one denied), a
//! question, and a result that somebody looks at. What was saved is not asked for again, and each tool runs once.

use super::model::FakeModel;
use super::server::{Server, count};
use countersign_runtime::failpoint;
use countersign_testkit::Postgres;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

const POLICY: &str = "
policy:
  rules:
    - { name: yes, priority: 1, tool: 'bash(echo allowed >> count)', effect: allow }
    - { name: no, priority: 2, tool: 'bash(echo denied*)', effect: deny }
  overrides: { file_read: { result: always } }";

fn conversation() -> Vec<Value> {
    let echo = |word: &str| json!({"tool": "bash", "args": {"command": format!("echo {word} >> count")}});
    vec![
        json!([echo("allowed"), echo("asked"), echo("denied")]),
        json!([{"tool": "ask_user", "args": {"title": "Which colour?", "type": "input"}}]),
        json!([{"tool": "file_read", "args": {"file_path": "note"}}]),
        json!("all done"),
    ]
}

/// What this conversation passes. The others have tests of their own.
fn passes(name: &str) -> bool {
    let what = name.split('.').next().unwrap_or(name);
    let elsewhere = [
        "tool_lost",
        "message_received",
        "permissions_narrowed",
        "reminder",
        "run_failed",
        "run_cancelled",
        "run_set_aside",
        "renew",
        "release",
        "policy_change",
        "token",
        "place",
        "checkpoint",
        "claim",
    ];
    !elsewhere.contains(&what)
}

/// Some failpoints, others from commit to commit; or all of them.
fn chosen() -> Vec<String> {
    let names: Vec<_> = failpoint::names().into_iter().filter(|name| passes(name)).collect();
    if std::env::var_os("COUNTERSIGN_FULL").is_some() {
        return names;
    }
    let first = usize::try_from(countersign_testkit::seed() % 6).unwrap();
    names.into_iter().skip(first).step_by(6).collect()
}

#[tokio::test]
async fn killed_anywhere_on_sqlite_nothing_is_lost_and_nothing_done_twice() {
    for name in chosen() {
        survives(&name, None).await;
    }
}

#[tokio::test]
async fn killed_anywhere_on_postgres_nothing_is_lost_and_nothing_done_twice() {
    for name in chosen() {
        survives(&name, Some(Postgres::for_test())).await;
    }
}

async fn survives(name: &str, postgres: Option<Postgres>) {
    let mut server = Server::doomed(postgres, conversation(), POLICY, name);
    std::fs::write(server.path("work/note"), "a note\n").unwrap();
    let mut deaths = 0;
    let run = loop {
        let body = json!({"agent": "worker", "input": "do it", "user_id": "kim"});
        if let Some((201, run)) = sent(&mut server, &mut deaths, Method::POST, "/api/runs", Some(&body)).await {
            break run["id"].as_str().unwrap().to_owned();
        }
        // The reply may have been lost, but not the run.
        if let Some((200, page)) = sent(&mut server, &mut deaths, Method::GET, "/api/runs", None).await
            && let Some(id) = page["items"][0]["id"].as_str()
        {
            break id.to_owned();
        }
    };
    for _ in 0..1_000 {
        answer(&mut server, &mut deaths).await;
        if let Some((200, found)) = sent(&mut server, &mut deaths, Method::GET, &format!("/api/runs/{run}"), None).await
            && found["status"] == "completed"
        {
            // It may be about to die of having ended.
            tokio::time::sleep(Duration::from_millis(100)).await;
            if server.is_alive() {
                break;
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(deaths, 1, "{name}: it dies there");
    let found = server.until_status(&run, "completed").await;
    assert_eq!(found["output"], "all done", "{name}: {found}");
    let events = server.events(&run).await;
    assert!(repeats(&server.model) <= usize::from(may_repeat(name)), "{name}: {events:#?}");
    for (word, times) in [("allowed", 1), ("asked", 1), ("denied", 0)] {
        assert_eq!(wrote(&server, word), times, "{name}, {word}: {events:#?}");
    }
    assert_eq!((count(&events, "tool_finished"), count(&events, "run_completed")), (5, 1), "{name}: {events:#?}");
    assert_eq!(
        count(&events, "interaction_request"),
        3 + count(&events, "tool_lost") - again(&events),
        "{name}: asked once each"
    );
    server.sound().await;
}

/// How often the model was asked for what it had said before.
fn repeats(model: &FakeModel) -> usize {
    (0..4).map(|turn| model.times_asked(turn).saturating_sub(1)).sum()
}

/// Whether what the model said last may not have been saved when the process died there.
fn may_repeat(name: &str) -> bool {
    name == "after_model" || name == "judged" || name.ends_with(".before_commit")
}

/// Calls that were lost and simply made again: they do no harm.
fn again(events: &[Value]) -> usize {
    events.iter().filter(|event| event["type"] == "tool_lost" && event["data"]["again"] == true).count()
}

fn wrote(server: &Server, word: &str) -> usize {
    let text = std::fs::read_to_string(server.path("work/count")).unwrap_or_default();
    text.lines().filter(|line| *line == word).count()
}

/// Answers whatever is asked.
async fn answer(server: &mut Server, deaths: &mut usize) {
    let Some((200, page)) = sent(server, deaths, Method::GET, "/api/interactions", None).await else { return };
    for asked in page["items"].as_array().unwrap().clone() {
        let body = match asked["purpose"].as_str().unwrap() {
            "approval" => json!({"decision": "approve"}),
            "question" => json!({"text": "blue"}),
            "result_review" => json!({"decision": "release"}),
            // A person looks: did it happen? What the server started may take a moment longer than it lived.
            _ => {
                tokio::time::sleep(Duration::from_millis(300)).await;
                let command = asked["call"]["args"]["command"].as_str().unwrap_or_default();
                let word = if command.contains("allowed") { "allowed" } else { "asked" };
                json!({"decision": if wrote(server, word) > 0 { "happened" } else { "run_again" }})
            }
        };
        let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
        if let Some((status, told)) = sent(server, deaths, Method::POST, &path, Some(&body)).await {
            assert!(matches!(status, 200 | 409 | 410), "{path} {body}: {status} {told}");
        }
    }
}

/// A request and its answer, as somebody who may do everything; `None` if the server died of it, and it is back.
async fn sent(
    server: &mut Server,
    deaths: &mut usize,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Option<(u16, Value)> {
    let answer = server.try_send(&server.operator, method, path, body).await;
    for _ in 0..100 {
        if answer.is_some() && server.is_alive() {
            break;
        }
        if !server.is_alive() {
            assert!(server.was_killed(), "it dies of a failpoint only");
            *deaths += 1;
            server.start(None);
            break;
        }
        // Its end may take a moment to be seen.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    answer
}
