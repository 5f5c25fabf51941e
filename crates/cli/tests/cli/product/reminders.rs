//! Reminders: when half of the time for an answer is over, people are told, once.

use super::reader::{Reader, inbox};
use super::server::{Server, count, one_call};
use countersign_testkit::Postgres;
use jiff::Timestamp;
use serde_json::{Value, json};

/// Half of this must pass before anybody is reminded, and the other half is for a slow machine.
const HITL: &str = "hitl: { timeout: 16s }";

fn time(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

fn of<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    events.iter().find(|event| event["type"] == kind).unwrap_or_else(|| panic!("no {kind} in {events:#?}"))
}

/// Approves it, if there is still time, and waits until the run has ended either way.
async fn approve(server: &Server, id: &str, run: &str) {
    let path = format!("/api/interactions/{id}/respond");
    let (status, told) = server.post(&server.approver, &path, json!({"decision": "approve"})).await;
    assert!(matches!(status, 200 | 410), "{told}");
    server.until_status(run, "completed").await;
}

async fn is_recorded_soundly(server: &mut Server) {
    let report = server.verified().await;
    assert_eq!(report["findings"], json!([]), "{report}");
    server.stop();
    server.sound().await;
}

async fn reminds_on_both_streams(postgres: Option<Postgres>) {
    let mut server = Server::logging(postgres, one_call(), HITL);
    let mut inbox = inbox(&server).await;
    let run = server.run().await;
    let asked = inbox.until("interaction_request").await.data["data"]["interaction_request"].clone();
    let id = asked["id"].as_str().unwrap();
    let mut stream = Reader::of(server.stream(&run, 0).await);
    let (of_run, of_inbox) = (stream.until("reminder").await, inbox.until("reminder").await);
    for told in [&of_run, &of_inbox] {
        assert_eq!((&told.data["run_id"], &told.data["type"]), (&json!(run), &json!("reminder")), "{told:?}");
        let data = &told.data["data"];
        assert_eq!((&data["interaction_request_id"], &data["expires_at"]), (&json!(id), &asked["expires_at"]));
    }
    let (since, until, at) = (time(&asked["created_at"]), time(&asked["expires_at"]), time(&of_run.data["at"]));
    assert!(at.duration_since(since) >= until.duration_since(since) / 2 && at < until, "{since} {at} {until}");
    approve(&server, id, &run).await;
    let events = server.events(&run).await;
    assert_eq!(count(&events, "reminder"), 1, "{events:#?}");
    assert_eq!(of(&events, "reminder")["seq"], of_run.data["seq"]);
    is_recorded_soundly(&mut server).await;
}

#[tokio::test]
async fn people_are_reminded_at_half_of_the_time_on_the_streams_of_run_and_inbox() {
    reminds_on_both_streams(None).await;
    reminds_on_both_streams(Some(Postgres::for_test())).await;
}

async fn reminds_across_restarts(postgres: Option<Postgres>) {
    let mut server = Server::logging(postgres, one_call(), HITL);
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    server.kill();
    server.start(None);
    let path = format!("/api/runs/{run}/events?limit=1000");
    let is_reminded = |page: &Value| count(page["items"].as_array().unwrap(), "reminder") == 1;
    server.until(&path, is_reminded).await;
    server.kill();
    server.start(None);
    approve(&server, &id, &run).await;
    let events = server.events(&run).await;
    assert_eq!(count(&events, "reminder"), 1, "{events:#?}");
    is_recorded_soundly(&mut server).await;
}

#[tokio::test]
async fn a_reminder_survives_restarts_and_comes_once() {
    reminds_across_restarts(None).await;
    reminds_across_restarts(Some(Postgres::for_test())).await;
}

#[tokio::test]
async fn nobody_is_reminded_of_what_was_answered_before() {
    let mut server = Server::logging(None, one_call(), HITL);
    let first = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    approve(&server, &id, &first).await;
    // Asked later: once people are reminded of this one, they would have been of the other.
    let second = server.run().await;
    let path = format!("/api/runs/{second}/events?limit=1000");
    server.until(&path, |page| count(page["items"].as_array().unwrap(), "reminder") == 1).await;
    assert_eq!(count(&server.events(&first).await, "reminder"), 0);
    server.until_status(&second, "completed").await;
    is_recorded_soundly(&mut server).await;
}
