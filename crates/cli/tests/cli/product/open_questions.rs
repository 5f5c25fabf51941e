//! How many questions may be open: of a run, of an agent, and of whoever asks for calls from outside.

use super::server::{Server, count, one_call};
use super::tool_calls::{POLICY, ask};
use countersign_testkit::Postgres;
use serde_json::{Value, json};

const CODE: &str = "TOO_MANY_QUESTIONS";

async fn approve(server: &Server, asked: &Value) {
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    let (status, told) = server.post(&server.approver, &path, json!({"decision": "approve"})).await;
    assert_eq!(status, 200, "{told}");
}

async fn is_recorded_soundly(server: &mut Server) {
    let report = server.verified().await;
    assert_eq!(report["findings"], json!([]), "{report}");
    server.stop();
    server.sound().await;
}

async fn holds_for_a_run(postgres: Option<Postgres>) {
    let bash = |n: u8| json!({"tool": "bash", "args": {"command": format!("echo {n} >> count")}});
    let ask_user = json!({"tool": "ask_user", "args": {"title": "Which colour?", "type": "input"}});
    let turns = vec![json!([bash(1), bash(2), bash(3), ask_user]), json!([bash(3)]), json!("all done")];
    let mut server = Server::logging(postgres, turns, "hitl: { max_open_per_run: 2 }");
    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    let open = server.open(2).await;
    let events = server.events(&run).await;
    let judged: Vec<_> = events.iter().filter(|event| event["type"] == "tool_judged").collect();
    let verdicts: Vec<_> = judged.iter().map(|event| event["data"]["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["ask", "ask", "deny", "allow"], "{events:#?}");
    assert_eq!(judged[2]["data"]["reasons"].as_array().unwrap().last().unwrap()["layer"], "open_questions");
    let ended: Vec<_> = events.iter().filter(|event| event["type"] == "tool_finished").collect();
    let told: Vec<_> = ended.iter().map(|event| event["data"]["output"].as_str().unwrap()).collect();
    assert!(
        told.len() == 2 && told.iter().all(|told| told.starts_with(CODE)),
        "the call and the tool that asks: {told:?}"
    );
    for asked in &open {
        approve(&server, asked).await;
    }
    // Once they are answered it may ask again.
    let again = server.open(1).await;
    assert!(server.model.last_asked().to_string().contains(CODE), "the model can read it");
    approve(&server, &again[0]).await;
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 3);
    is_recorded_soundly(&mut server).await;
}

#[tokio::test]
async fn a_run_has_only_so_many_questions_open() {
    holds_for_a_run(None).await;
    holds_for_a_run(Some(Postgres::for_test())).await;
}

async fn holds_for_an_agent(postgres: Option<Postgres>) {
    let mut server = Server::logging(postgres, one_call(), "hitl: { max_open_per_agent: 2 }");
    let mut runs = vec![];
    for _ in 0..2 {
        let run = server.run().await;
        server.until_status(&run, "waiting").await;
        runs.push(run);
    }
    let open = server.open(2).await;
    let refused = server.run().await;
    server.until_status(&refused, "completed").await;
    let events = server.events(&refused).await;
    assert_eq!((count(&events, "interaction_request"), count(&events, "tool_started")), (0, 0), "{events:#?}");
    assert!(events.iter().any(|event| event["data"]["output"].as_str().is_some_and(|told| told.starts_with(CODE))));
    approve(&server, &open[0]).await;
    server.open(1).await;
    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    is_recorded_soundly(&mut server).await;
}

#[tokio::test]
async fn all_runs_of_an_agent_have_only_so_many_questions_open() {
    holds_for_an_agent(None).await;
    holds_for_an_agent(Some(Postgres::for_test())).await;
}

async fn holds_for_programs(postgres: Option<Postgres>) {
    let mut server = Server::logging(postgres, vec![], &format!("hitl: {{ max_open_per_agent: 2 }}\n{POLICY}"));
    let service = server.token(&["--kind", "service", "--name", "gateway", "--role", "approver"]);
    let other = server.token(&["--kind", "service", "--name", "nightly", "--role", "approver"]);
    // It may name any agent, and is counted all the same.
    let send = |agent: &str, n: u8| json!({"tool": "send", "args": {"to": "ann", "n": n}, "agent": agent});
    let first = ask(&server, &service, send("a", 1)).await;
    let second = ask(&server, &service, send("b", 2)).await;
    assert_eq!((&first["decision"], &second["decision"]), (&json!("pending"), &json!("pending")), "{first} {second}");
    let third = ask(&server, &service, send("c", 3)).await;
    assert_eq!((&third["decision"], &third["code"]), (&json!("deny"), &json!(CODE)), "{third}");
    assert!(third["message"].as_str().unwrap().starts_with(CODE), "{third}");
    assert_eq!(server.get(&format!("/api/tool-calls/{}", third["id"].as_str().unwrap())).await.1["code"], CODE);
    // What needs no question goes on, and so do others.
    assert_eq!(ask(&server, &service, json!({"tool": "look", "args": {}})).await["decision"], "allow");
    assert_eq!(ask(&server, &other, send("a", 4)).await["decision"], "pending");
    approve(&server, &json!({"id": first["interaction_id"]})).await;
    server.open(2).await;
    assert_eq!(ask(&server, &service, send("c", 5)).await["decision"], "pending");
    is_recorded_soundly(&mut server).await;
}

#[tokio::test]
async fn programs_outside_have_only_so_many_questions_open_whatever_agent_they_name() {
    holds_for_programs(None).await;
    holds_for_programs(Some(Postgres::for_test())).await;
}
