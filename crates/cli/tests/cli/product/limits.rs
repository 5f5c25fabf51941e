//! Limits: a run that comes to one of them ends, and says which.

use super::server::Server;
use serde_json::{Value, json};
use std::time::Duration;

const ALLOWED: &str = "policy: { rules: [ { name: all, priority: 1, tool: bash, effect: allow } ] }";

/// A model that goes on and on.
fn restless(command: &str) -> Vec<Value> {
    (0..9).map(|n| json!([{"tool": "bash", "args": {"command": format!("{command} # {n}")}}])).collect()
}

#[tokio::test]
async fn a_run_ends_with_the_limit_that_it_comes_to() {
    // A turn reads a hundred tokens and writes ten, which costs 0.0002.
    for (limits, code, turns) in [
        ("turns: 2", "LIMIT_TURNS", 2),
        ("tokens: 300", "LIMIT_TOKENS", 3),
        ("cost: 0.0008", "LIMIT_COST", 4),
        ("turns: 3, tokens: 1000000, cost: 1000, time: 1h", "LIMIT_TURNS", 3),
    ] {
        let server = Server::of_agent(restless("echo ran >> count"), &format!("limits: {{ {limits} }}"), ALLOWED);
        let run = server.run().await;
        let failed = server.until_status(&run, "failed").await;
        assert_eq!(failed["error"]["code"], code, "{failed}");
        assert_eq!((server.counted(), server.model.times_asked(turns)), (turns, 0), "{limits}");
    }
}

#[tokio::test]
async fn time_is_what_a_run_works_and_not_what_it_waits_for_people() {
    let server = Server::of_agent(restless("sleep 1"), "limits: { time: 1s }", ALLOWED);
    let run = server.run().await;
    let failed = server.until_status(&run, "failed").await;
    assert_eq!(failed["error"]["code"], "LIMIT_TIME", "{failed}");

    let server = Server::of_agent(super::server::one_call(), "limits: { time: 10s }", "");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    tokio::time::sleep(Duration::from_secs(11)).await;
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), json!({"decision": "approve"})).await;
    server.until_status(&run, "completed").await;
}

#[tokio::test]
async fn a_run_keeps_its_limits_whatever_becomes_of_the_server() {
    let mut server = Server::of_agent(restless("echo ran >> count"), "limits: { turns: 2 }", "");
    let run = server.run().await;
    for n in 0..2 {
        let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
        if n == 0 {
            server.kill();
            let path = server.path("countersign.yaml");
            let config = std::fs::read_to_string(&path).unwrap().replace("turns: 2", "turns: 9");
            std::fs::write(path, config).unwrap();
            server.start(None);
        }
        server.post(&server.approver, &format!("/api/interactions/{id}/respond"), json!({"decision": "approve"})).await;
        server
            .until(&format!("/api/interactions/{id}"), |asked| asked["interaction_request"]["status"] == "answered")
            .await;
    }
    assert_eq!(server.until_status(&run, "failed").await["error"]["code"], "LIMIT_TURNS");
}
