//! `wait`: a run sleeps until a signal, a message or a time comes, across a kill.

use super::server::{Server, count};
use countersign_testkit::Postgres;
use serde_json::{Value, json};

/// A server whose agent waits for this, and then has a last word.
fn waiting(args: &Value, postgres: Option<Postgres>) -> Server {
    let turns = vec![json!([{"tool": "wait", "args": args}]), json!("all done")];
    let rules = "policy: { rules: [ { name: w, priority: 1, tool: wait, effect: allow } ] }";
    Server::of_agent_on(postgres, turns, "limits: { turns: 9 }", rules)
}

async fn asleep(server: &Server, wait_type: &str) -> String {
    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    let events = server.events(&run).await;
    let suspended = events.iter().find(|event| event["type"] == "execution_suspended").unwrap();
    assert_eq!(suspended["data"]["wait_type"], wait_type, "{suspended}");
    assert_eq!(server.get("/api/interactions").await.1["items"], json!([]), "no person is asked");
    run
}

async fn ended(server: &Server, run: &str) -> String {
    server.until_status(run, "completed").await;
    let events = server.events(run).await;
    assert_eq!((count(&events, "wait_completed"), count(&events, "tool_finished")), (1, 1), "{events:#?}");
    let report = server.verified().await;
    assert_eq!(report["findings"], json!([]), "{report}");
    let end = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
    end["data"]["output"].as_str().unwrap().to_owned()
}

async fn a_signal_wakes(postgres: Option<Postgres>) {
    let mut server = waiting(&json!({"signal": "build-7"}), postgres);
    let run = asleep(&server, "signal").await;
    server.kill();
    server.start(None);
    let path = format!("/api/runs/{run}/signal");
    let agent = server.token(&["--kind", "agent", "--name", "worker", "--for", "kim"]);
    let signal = json!({"correlation_key": "build-7", "payload": {"result": "green", "tests": 12}});
    assert_eq!(server.post(&agent, &path, signal.clone()).await.0, 403);
    let unknown = server.post(&server.approver, &path, json!({"correlation_key": "build-8"})).await;
    assert_eq!((unknown.0, &unknown.1["code"]), (400, &json!("UNKNOWN_KEY")));
    assert_eq!(server.post(&server.approver, &path, signal.clone()).await.0, 200);
    assert_eq!(ended(&server, &run).await, r#"{"result":"green","tests":12}"#);
    let (status, again) = server.post(&server.approver, &path, signal).await;
    assert_eq!((status, &again["repeated"]), (200, &json!(true)));
    let other = json!({"correlation_key": "build-7", "payload": "red"});
    assert_eq!(server.post(&server.approver, &path, other).await.0, 409);
}

#[tokio::test]
async fn a_signal_wakes_a_run_and_its_payload_is_the_result() {
    a_signal_wakes(None).await;
    a_signal_wakes(Some(Postgres::for_test())).await;
}

#[tokio::test]
async fn a_message_wakes_a_run_and_the_agent_reads_it() {
    let server = waiting(&json!({"message": "mail"}), None);
    let run = asleep(&server, "message").await;
    let path = format!("/api/runs/{run}/message");
    // What comes another way is read later.
    assert_eq!(server.post(&server.approver, &path, json!({"text": "hi", "channel": "chat"})).await.0, 200);
    server.until_status(&run, "waiting").await;
    assert_eq!(
        server.post(&server.approver, &path, json!({"text": "the offer is 12", "channel": "mail"})).await.0,
        200
    );
    assert!(ended(&server, &run).await.contains("a message has come"));
    assert!(server.model.last_asked().to_string().contains("the offer is 12"));
}

async fn a_time_wakes(postgres: Option<Postgres>) {
    let mut server = waiting(&json!({"seconds": 2}), postgres);
    let run = asleep(&server, "timer").await;
    server.kill();
    server.start(None);
    assert_eq!(ended(&server, &run).await, "the time has come");
}

#[tokio::test]
async fn a_time_wakes_a_run_also_one_that_passed_while_nobody_was_there() {
    a_time_wakes(None).await;
    a_time_wakes(Some(Postgres::for_test())).await;
}

#[tokio::test]
async fn what_does_not_come_in_time_is_told_and_so_is_what_cannot_be_waited_for() {
    for (args, told) in [
        (json!({"signal": "s", "timeout_seconds": 1}), "what was waited for did not come in time"),
        (json!({"signal": "cap-approval-1"}), "begins like the key of a question"),
        (json!({"signal": "s", "seconds": 1}), "Say one thing to wait for"),
        (json!({}), "Say one thing to wait for"),
        (json!({"until": "9999-01-01T00:00:00Z"}), "a wait lasts 366 days at the most"),
    ] {
        let server = waiting(&args, None);
        let run = server.run().await;
        server.until_status(&run, "completed").await;
        let last = server.model.last_asked().to_string();
        assert!(last.contains(told), "{args}: {last}");
    }
}

/// A page of the inbox is full of what people are asked, whatever else waits and ends sooner.
#[tokio::test]
async fn what_waits_for_nobody_does_not_crowd_out_what_people_are_asked() {
    let naps = (0..3).map(|n| json!({"tool": "wait", "args": {"seconds": 300 + n}}));
    let ask = json!({"tool": "bash", "args": {"command": "echo ran"}});
    let turns = vec![naps.chain([ask]).collect(), json!("all done")];
    let rules = "policy: { rules: [ { name: naps, priority: 1, tool: wait, effect: allow } ] }";
    let server = Server::of_agent_on(None, turns, "limits: { turns: 9 }", rules);
    server.run().await;
    let page = server.until("/api/interactions?limit=1", |page| page["items"] != json!([])).await;
    assert_eq!(page["items"][0]["tool_name"], "bash", "{page}");
    assert_eq!(page["items"].as_array().unwrap().len(), 1, "{page}");
}
