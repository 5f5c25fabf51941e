//! The stream of the inbox: what is asked and what becomes of it, for whoever may see it, with nothing missed and nothing twice.

use super::reader::{Reader, Told, inbox};
use super::server::{Server, one_call};
use countersign_testkit::Postgres;
use reqwest::Method;
use serde_json::{Value, json};

async fn answer(server: &Server, id: &str, body: Value) {
    let (status, told) = server.post(&server.approver, &format!("/api/interactions/{id}/respond"), body).await;
    assert_eq!(status, 200, "{told}");
}

fn words(told: &[Told]) -> Vec<&str> {
    told.iter().map(|told| told.event.as_str()).collect()
}

/// All that is told of one question, from its beginning to its end.
async fn whole(reader: &mut Reader) -> Vec<Told> {
    let mut all = vec![];
    loop {
        let told = reader.next().await.expect("the stream goes on");
        let is_over = told.event == "wait_completed";
        all.push(told);
        if is_over {
            return all;
        }
    }
}

async fn is_told_across_restarts(postgres: Option<Postgres>) {
    let mut server = Server::logging(postgres, one_call(), "");
    let mut reader = inbox(&server).await;
    let run = server.run().await;
    let asked = reader.next().await.unwrap();
    let question = &asked.data["data"]["interaction_request"];
    assert_eq!((asked.event.as_str(), &asked.data["run_id"]), ("interaction_request", &json!(run)));
    assert_eq!((&question["status"], &question["call"]["tool"]), (&json!("open"), &json!("bash")));
    let id = question["id"].as_str().unwrap().to_owned();
    let last = reader.last;
    server.kill();
    assert_eq!(reader.next().await, None, "it ends with its server");
    server.start(None);
    answer(&server, &id, json!({"decision": "approve"})).await;
    let mut again = Reader::inbox(server.http(), &server.base, &server.operator, last).await.unwrap();
    assert_eq!(again.next().await.unwrap().event, "ready");
    let rest = whole(&mut again).await;
    assert_eq!(words(&rest), ["interaction_response", "wait_completed"]);
    assert_eq!((&rest[0].data["data"]["settled"], &rest[1].data["data"]["status"]), (&json!(true), &json!("answered")));
    // From the beginning it is the same, id for id.
    let mut from_start = Reader::inbox(server.http(), &server.base, &server.operator, Some(0)).await.unwrap();
    assert_eq!(from_start.next().await.unwrap().id, Some(0));
    let all = whole(&mut from_start).await;
    assert_eq!(all, [vec![asked], rest].concat());
    server.stop();
    assert_eq!(from_start.next().await, None, "it ends when the server is stopped");
}

#[tokio::test]
async fn the_inbox_is_told_across_restarts_with_nothing_missed_and_nothing_twice() {
    is_told_across_restarts(None).await;
    is_told_across_restarts(Some(Postgres::for_test())).await;
}

#[tokio::test]
async fn what_ends_without_an_answer_is_told_with_its_status() {
    let server = Server::new(one_call(), "hitl: { timeout: 1s }");
    let mut reader = inbox(&server).await;
    server.run().await;
    let told = whole(&mut reader).await;
    assert_eq!(told.last().unwrap().data["data"]["status"], "expired", "{told:?}");
    let run = server.run().await;
    reader.until("interaction_request").await;
    server.post(&server.operator, &format!("/api/runs/{run}/cancel"), json!({})).await;
    let told = whole(&mut reader).await;
    assert!(["cancelled", "expired"].contains(&told.last().unwrap().data["data"]["status"].as_str().unwrap()));
}

#[tokio::test]
async fn an_agent_is_told_of_its_own_users_questions_only() {
    let server = Server::new(one_call(), "");
    let [kims, others] = ["kim", "sam"].map(|user| server.token(&["--kind", "agent", "--name", "w", "--for", user]));
    let mut readers = vec![];
    for token in [&kims, &others] {
        let mut reader = Reader::inbox(server.http(), &server.base, token, None).await.unwrap();
        reader.until("ready").await;
        readers.push(reader);
    }
    server.run().await;
    let body = json!({"agent": "worker", "input": "do it", "user_id": "sam"});
    assert_eq!(server.post(&server.operator, "/api/runs", body).await.0, 201);
    for (reader, user) in readers.iter_mut().zip(["kim", "sam"]) {
        let asked = reader.next().await.unwrap();
        assert_eq!(asked.data["data"]["interaction_request"]["asked_by"]["user_id"], user);
    }
}

#[tokio::test]
async fn a_stream_ends_soon_after_its_token_was_revoked() {
    let server = Server::new(one_call(), "");
    let token = server.token(&["--kind", "user", "--name", "ann", "--role", "viewer"]);
    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    let mut reader = Reader::inbox(server.http(), &server.base, &token, None).await.unwrap();
    reader.until("ready").await;
    let events = server.http().get(format!("{}/api/runs/{run}/events", server.base)).bearer_auth(&token);
    let events = events.header("accept", "text/event-stream").send().await.unwrap();
    let mut events = Reader::of(events);
    events.until("execution_suspended").await;
    let listed = server.program().args(["token", "list", "--json", "--db", &server.db()]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut listed = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ann = listed.find(|token| token["name"] == "ann").unwrap();
    let revoked =
        server.program().args(["token", "revoke", ann["id"].as_str().unwrap(), "--db", &server.db()]).status();
    assert!(revoked.unwrap().success());
    while reader.next().await.is_some() {}
    while events.next().await.is_some() {}
}

#[tokio::test]
async fn an_id_that_no_event_has_is_refused_and_so_is_one_that_is_none() {
    let server = Server::new(one_call(), "");
    let stream = "/api/interactions/stream";
    for path in ["?after=99999999", "?after=x", "?before=1"] {
        let (status, problem) = server.get(&format!("{stream}{path}")).await;
        assert_eq!((status, &problem["code"]), (400, &json!("INVALID")), "{path}");
    }
    assert_eq!(server.try_send("", Method::GET, stream, None).await.unwrap().0, 401);
}

/// Whatever became of one run in the database, the others are told.
#[tokio::test]
async fn a_run_that_cannot_be_read_keeps_nobody_from_being_told_of_others() {
    let mut server = Server::logging(None, one_call(), "");
    let (broken, whole) = (server.run().await, server.run().await);
    server.open(2).await;
    for run in [&broken, &whole] {
        server.until_status(run, "waiting").await;
    }
    server.until("/api/audit/verify", |report| report["waiting"] == 0).await;
    server.stop();
    let broken_in_hex = broken.split_once('_').unwrap().1.replace('-', "");
    let sql = format!(
        "DROP TRIGGER events_are_never_changed;
         UPDATE events SET data = '{{}}' WHERE type = 'step_completed' AND run = (SELECT key FROM runs WHERE hex(id) = upper('{broken_in_hex}'))"
    );
    countersign_testkit::change_file(&server.path("data/countersign.db"), &sql);
    server.start(None);
    assert_eq!(server.get(&format!("/api/runs/{broken}/events")).await.0, 500, "it is broken indeed");
    let mut reader = Reader::inbox(server.http(), &server.base, &server.operator, Some(0)).await.unwrap();
    assert_eq!(reader.until("interaction_request").await.data["run_id"], json!(whole));
    let next = server.run().await;
    assert_eq!(reader.until("interaction_request").await.data["run_id"], json!(next));
    let log = std::fs::read_to_string(server.path("log")).unwrap();
    assert!(log.contains("the inbox is not told of a run") && log.contains(&broken), "{log}");
}
