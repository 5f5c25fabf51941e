//! Waiting: questions end by themselves, and events can be followed and taken up again.

use super::server::{Server, one_call};
use serde_json::json;
use std::process::Command;

#[tokio::test]
async fn a_question_that_nobody_answers_ends_and_the_agent_is_told() {
    let server = Server::new(one_call(), "hitl: { timeout: 1s }");
    let run = server.run().await;
    let done = server.until_status(&run, "completed").await;
    assert_eq!(done["output"], "all done");
    let expired = server.get("/api/interactions?status=expired").await.1;
    let id = expired["items"][0]["id"].as_str().unwrap().to_owned();
    let (status, late) =
        server.post(&server.approver, &format!("/api/interactions/{id}/respond"), json!({"decision": "approve"})).await;
    assert_eq!((status, &late["code"]), (410, &json!("EXPIRED")));
    assert_eq!(server.counted(), 0);
    assert!(server.model.last_asked().to_string().contains("nobody answered in time"));
}

#[tokio::test]
async fn a_stream_is_taken_up_where_it_broke_off_also_after_a_restart() {
    let mut server = Server::new(one_call(), "");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    let (_, page) = server.get(&format!("/api/runs/{run}/events?limit=2")).await;
    assert_eq!(page["next"], "2");
    server.kill();
    server.start(None);
    let stream = server.stream(&run, 2).await;
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), json!({"decision": "approve"})).await;
    // The stream ends with the run.
    let text = stream.text().await.unwrap();
    let ids: Vec<u64> =
        text.lines().filter_map(|line| line.strip_prefix("id: ")).map(|id| id.parse().unwrap()).collect();
    let events = server.events(&run).await;
    assert_eq!(ids, (3..=events.len() as u64).collect::<Vec<_>>(), "nothing missed and nothing twice");
    for kind in [
        "interaction_request",
        "execution_suspended",
        "interaction_response",
        "wait_completed",
        "execution_resumed",
        "run_completed",
    ] {
        assert!(text.contains(&format!("event: {kind}")), "{kind} in {text}");
    }
}

#[tokio::test]
async fn a_policy_that_refuses_ends_the_call_and_nobody_is_asked() {
    let policy = "policy: { rules: [ { name: never, priority: 1, tool: bash, effect: deny } ] }";
    let server = Server::new(one_call(), policy);
    let run = server.run().await;
    server.until_status(&run, "completed").await;
    assert_eq!(server.get("/api/interactions?status=all").await.1["items"], json!([]));
    assert!(server.model.last_asked().to_string().contains("PERMISSION_DENIED"));
    assert_eq!(server.counted(), 0);
}

#[tokio::test]
async fn what_a_model_says_wrongly_is_told_to_it_and_breaks_nothing() {
    let turns =
        vec![json!([{"tool": "launch_rocket", "args": {}}, {"tool": "bash", "args": "not an object"}]), json!("sorry")];
    let server = Server::new(turns, "");
    let run = server.run().await;
    server.until_status(&run, "completed").await;
    let told = server.model.last_asked().to_string();
    assert!(told.contains("there is no tool `launch_rocket`") && told.contains("must be a JSON object"), "{told}");
}

#[tokio::test]
async fn what_a_run_was_handed_narrows_it() {
    let server = Server::new(one_call(), "");
    let body = json!({"agent": "worker", "input": "x", "delegated_permissions": [{"allowed_tools": ["file_read"]}]});
    let (status, run) = server.post(&server.operator, "/api/runs", body).await;
    assert_eq!(status, 201, "{run}");
    server.until_status(run["id"].as_str().unwrap(), "completed").await;
    assert_eq!(server.counted(), 0);
    assert!(server.model.last_asked().to_string().contains("PERMISSION_DENIED"));
}

#[tokio::test]
async fn a_stream_of_a_run_that_has_ended_ends() {
    let server = Server::new(vec![json!("hello")], "");
    let run = server.run().await;
    server.until_status(&run, "completed").await;
    let events = server.events(&run).await;
    let last = events.len() as u64;
    assert_eq!(server.stream(&run, last).await.status(), 204, "nothing more will ever come");
    let rest = server.stream(&run, last - 1).await.text().await.unwrap();
    assert!(rest.contains("event: run_completed"), "{rest}");
}

#[tokio::test]
async fn what_a_tool_did_is_not_forgotten_because_the_database_is_busy() {
    let call = json!([{"tool": "bash", "args": {"command": "sleep 1; echo ran >> count"}}]);
    let policy = "policy: { rules: [ { name: all, priority: 1, tool: bash, effect: allow } ] }";
    let server = Server::new(vec![call, json!("all done")], policy);
    let run = server.run().await;
    let path = format!("/api/runs/{run}/events");
    server.until(&path, |page| page["items"].as_array().unwrap().iter().any(|e| e["type"] == "tool_started")).await;
    // Longer than a write waits by itself: another process, such as a backup, holds the file.
    let held = Command::new("python3")
        .args(["-c", "import sqlite3, sys, time; db = sqlite3.connect(sys.argv[1], isolation_level=None); db.execute('BEGIN IMMEDIATE'); time.sleep(8)"])
        .arg(server.path("data/countersign.db"))
        .status();
    assert!(held.unwrap().success());
    server.until_status(&run, "completed").await;
    let events = server.events(&run).await;
    let finished = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
    assert_eq!(finished["data"]["status"], "completed", "{finished}");
    assert_eq!(server.counted(), 1);
}
