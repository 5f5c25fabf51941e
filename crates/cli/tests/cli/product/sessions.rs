//! Sessions: a conversation that goes on over several runs, across a restart, for the same user and agent only.

use super::server::Server;
use serde_json::{Value, json};

async fn said(server: &Server, token: &str, input: &str, session: &str) -> String {
    let body = json!({"agent": "worker", "input": input, "session_id": session});
    let (status, run) = server.post(token, "/api/runs", body).await;
    assert_eq!(status, 201, "{run}");
    let id = run["id"].as_str().unwrap().to_owned();
    server.until_status(&id, "completed").await;
    id
}

/// What the model was shown last: who said what.
fn shown(server: &Server) -> Vec<(String, String)> {
    let messages = server.model.last_asked()["messages"].as_array().unwrap().clone();
    let word = |message: &Value, key: &str| message[key].as_str().unwrap_or_default().to_owned();
    messages.iter().map(|message| (word(message, "role"), word(message, "content"))).collect()
}

async fn go_on(mut server: Server) {
    let of = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    let kim = server.approver.clone();
    said(&server, &kim, "my name is Kim", "s").await;
    server.kill();
    server.start(None);
    let second = said(&server, &kim, "what is my name?", "s").await;
    let both = [of("user", "my name is Kim"), of("assistant", "hello"), of("user", "what is my name?")];
    assert_eq!(shown(&server), both);
    // Neither another session nor another user hears of it.
    said(&server, &kim, "who am I?", "other").await;
    assert_eq!(shown(&server), [of("user", "who am I?")]);
    said(&server, &server.operator, "who was here?", "s").await;
    assert_eq!(shown(&server), [of("user", "who was here?")]);

    let sessions = server.get("/api/sessions").await.1;
    let listed: Vec<_> =
        sessions["items"].as_array().unwrap().iter().map(|one| (one["id"].clone(), one["runs"].clone())).collect();
    assert_eq!(listed, [(json!("s"), json!(3)), (json!("other"), json!(1))]);
    let first = server.get("/api/sessions?limit=1").await.1;
    let next = server.get(&format!("/api/sessions?limit=1&after={}", first["next"].as_str().unwrap())).await.1;
    assert_eq!((&next["items"][0]["id"], &next["next"]), (&json!("other"), &Value::Null));

    let messages = server.get("/api/sessions/s/messages").await.1;
    let texts: Vec<_> = messages["items"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert_eq!(texts[..4], ["my name is Kim", "hello", "what is my name?", "Kim"]);
    assert_eq!(messages["items"][2]["run_id"], json!(second));
    let last = server.get("/api/sessions/s/messages?limit=1").await.1;
    assert_eq!(last["items"][0]["text"], "who was here?");
    assert!(last["next"].is_string());
    assert_eq!(server.get("/api/sessions/unknown/messages").await.0, 404);
    let agent = server.token(&["--kind", "agent", "--name", "worker", "--for", "kim"]);
    let own = server.try_send(&agent, reqwest::Method::GET, "/api/sessions/s/messages", None).await.unwrap().1;
    assert_eq!(own["items"].as_array().unwrap().len(), 4, "an agent sees what is its user's");
}

fn turns() -> Vec<Value> {
    vec![json!("hello"), json!("Kim")]
}

#[tokio::test]
async fn a_session_goes_on_on_sqlite() {
    go_on(Server::new(turns(), "")).await;
}

#[tokio::test]
async fn a_session_goes_on_on_postgres() {
    go_on(Server::on_postgres(turns(), "", None)).await;
}
