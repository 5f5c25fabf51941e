//! Several processes on one PostgreSQL database: whatever one of them does counts for all.

use super::server::{Server, count, one_call};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Another process beside a server, on its database and with its configuration.
struct Node {
    child: Child,
    /// What it said when it was ready.
    said: String,
}

impl Node {
    fn start(server: &Server, arguments: &[&str]) -> Self {
        let mut program = server.program();
        program.args(arguments).arg("--config").arg(server.path("countersign.yaml"));
        // Where nobody else on the machine sees it.
        program.env("COUNTERSIGN_DB", server.db());
        let mut child = program.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        Self { child, said: said.trim().to_owned() }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn a_call_waits_in_postgres_across_a_kill_and_runs_once() {
    let mut server = Server::on_postgres(one_call(), "", None);
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    server.kill();
    server.start(None);
    let path = format!("/api/interactions/{id}/respond");
    let approve = json!({"request_id": id, "decision": "approve"});
    assert_eq!(server.post(&server.approver, &path, approve.clone()).await.0, 200);
    let done = server.until_status(&run, "completed").await;
    assert_eq!(done["output"], "all done");
    let (status, again) = server.post(&server.approver, &path, approve).await;
    assert_eq!((status, &again["repeated"]), (200, &json!(true)));
    assert_eq!(server.counted(), 1);
    assert_eq!(count(&server.events(&run).await, "tool_started"), 1);
}

#[tokio::test]
async fn what_is_answered_on_one_node_is_seen_on_another() {
    let server = Server::on_postgres(one_call(), "", None);
    let other = Node::start(&server, &["serve", "--listen", "127.0.0.1:0"]);
    let base = other.said.strip_prefix("listening on ").unwrap().to_owned();
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    let stream = server.stream(&run, 0).await;
    let path = format!("{base}/api/interactions/{id}/respond");
    let answer = Client::builder().no_proxy().build().unwrap().post(path).bearer_auth(&server.approver);
    let answered = answer.json(&json!({"request_id": id, "decision": "approve"})).send().await.unwrap();
    assert_eq!(answered.status(), 200, "{}", answered.json::<Value>().await.unwrap());
    // It ends with the run, whichever node went on with that.
    let text = stream.text().await.unwrap();
    assert!(text.contains("event: run_completed"), "{text}");
    assert_eq!(server.counted(), 1);
}

#[tokio::test]
async fn a_worker_takes_up_the_runs_of_a_server_that_is_gone() {
    let mut server = Server::on_postgres(one_call(), "", Some("after_run_started"));
    let worker = Node::start(&server, &["worker"]);
    let password = server.db().split([':', '@']).nth(2).unwrap().to_owned();
    assert!(worker.said.starts_with("working on postgres://postgres@127.0.0.1:"), "{}", worker.said);
    assert!(!worker.said.contains(&password));
    let body = json!({"agent": "worker", "input": "do it", "user_id": "kim"});
    assert_eq!(server.try_send(&server.operator, Method::POST, "/api/runs", Some(&body)).await, None, "it died of it");
    while server.model.times_asked(0) == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.start(None);
    let asked = server.open(1).await.remove(0);
    let (id, run) = (asked["id"].as_str().unwrap(), asked["run_id"].as_str().unwrap());
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), json!({"decision": "approve"})).await;
    server.until_status(run, "completed").await;
    assert_eq!((server.counted(), server.model.times_asked(0)), (1, 1));
}
