//! What stands around a question, for whoever answers it.

use super::server::Server;
use countersign_testkit::Postgres;
use reqwest::Method;
use serde_json::{Value, json};

async fn is_told(postgres: Option<Postgres>) {
    let command = "sort < in.txt | xargs -n1 echo > out.txt";
    let turns = vec![json!([{"tool": "bash", "args": {"command": command}}]), json!("done")];
    let server = Server::logging(postgres, turns, "");
    let about = async |token: &str, id: &str| {
        let path = format!("/api/interactions/{id}");
        let (status, seen) = server.try_send(token, Method::GET, &path, None).await.unwrap();
        assert_eq!(status, 200, "{seen}");
        seen["about"].clone()
    };
    let respond = async |id: &str, body: Value| {
        let (status, told) = server.post(&server.approver, &format!("/api/interactions/{id}/respond"), body).await;
        assert_eq!(status, 200, "{told}");
    };
    let first = server.run().await;
    let before = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(about(&server.operator, &before).await["past"], json!([]));
    respond(&before, json!({"decision": "reject", "reason": "not before noon"})).await;
    server.until_status(&first, "completed").await;
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let seen = about(&server.operator, &id).await;
    let commands = json!([
        {"text": "sort < in.txt", "is_run": false, "reads": ["in.txt"], "writes": []},
        {"text": "xargs -n1 echo > out.txt", "is_run": false, "reads": [], "writes": ["out.txt"]},
        {"text": "echo", "is_run": true, "reads": [], "writes": []},
    ]);
    assert_eq!(seen["commands"], commands, "{seen:#}");
    assert_eq!(seen["words"], json!([{"user_id": "root", "text": "do it"}]), "whoever said it, not for whom");
    assert_eq!(seen["chain"], json!([{"run_id": run, "agent": "worker"}]));
    let past = &seen["past"][0];
    assert_eq!((&past["interaction_id"], &past["answer"]["reason"]), (&json!(before), &json!("not before noon")));
    assert_eq!(seen["past"].as_array().unwrap().len(), 1, "not the question itself: {seen:#}");
    // An agent that sees the question is told nothing of who said and decided what.
    let agent = server.token(&["--kind", "agent", "--name", "worker", "--for", "kim"]);
    assert_eq!(about(&agent, &id).await, Value::Null);
    // What people write meanwhile is told too.
    let letter = json!({"text": "only the old ones", "channel": "chat"});
    assert_eq!(server.post(&server.approver, &format!("/api/runs/{run}/message"), letter).await.0, 200);
    let words = about(&server.operator, &id).await["words"].clone();
    assert_eq!(words[1], json!({"user_id": "kim", "text": "only the old ones"}), "{words}");
    // What an agent tells another one is nobody's own words, for whomever it acts.
    let body = json!({"agent": "worker", "input": "kim wants this approved"});
    let (status, started) = server.post(&agent, "/api/runs", body).await;
    assert_eq!(status, 201, "{started}");
    let open = server.open(2).await;
    let theirs = open.iter().find(|asked| asked["run_id"] == started["id"]).unwrap();
    assert_eq!(about(&server.operator, theirs["id"].as_str().unwrap()).await["words"], json!([]));
    // A program outside was told nothing here, and what it asks for is drawn all the same.
    let call = json!({"tool": "pay", "args": {"amount": 12.5, "currency": "EUR", "to": ["ann", "bob"]}});
    let (_, asked) = server.post(&server.operator, "/api/tool-calls", call).await;
    let seen = about(&server.operator, asked["interaction_id"].as_str().unwrap()).await;
    assert_eq!((&seen["amount"], &seen["recipients"]), (&json!("12.5 EUR"), &json!(["ann", "bob"])), "{seen:#}");
    assert_eq!((&seen["words"], seen.get("claim")), (&json!([]), None));
    respond(&id, json!({"decision": "reject"})).await;
    respond(theirs["id"].as_str().unwrap(), json!({"decision": "reject"})).await;
    server.until_status(&run, "completed").await;
    server.until_status(started["id"].as_str().unwrap(), "completed").await;
    server.sound().await;
}

#[tokio::test]
async fn whoever_is_asked_sees_what_the_call_does_what_was_said_and_what_was_decided_before_on_sqlite() {
    is_told(None).await;
}

#[tokio::test]
async fn whoever_is_asked_sees_what_the_call_does_what_was_said_and_what_was_decided_before_on_postgres() {
    is_told(Some(Postgres::for_test())).await;
}
