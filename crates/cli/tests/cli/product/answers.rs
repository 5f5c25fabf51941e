//! Answering, by every door that can: the right ones count once, all others change nothing.

use super::browser::Browser;
use super::server::{Server, count, one_call};
use serde_json::json;

#[tokio::test]
async fn the_same_answer_again_is_fine_and_another_one_is_too_late() {
    let server = Server::new(one_call(), "");
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    let id = asked["id"].as_str().unwrap();
    let path = format!("/api/interactions/{id}/respond");
    let approve = json!({"request_id": id, "decision": "approve"});
    let agent = server.token(&["--kind", "agent", "--name", "worker", "--for", "kim"]);
    let viewer = server.token(&["--kind", "user", "--name", "eve"]);
    // Whoever may not, or does not say what they answer, changes nothing.
    assert_eq!(server.post(&agent, &path, approve.clone()).await.0, 403);
    assert_eq!(
        server.post(&agent, "/api/interactions/int_00000000000000000000000000000000/respond", approve.clone()).await.0,
        403
    );
    assert_eq!(server.post(&viewer, &path, approve.clone()).await.0, 403);
    assert_eq!(server.post("", &path, approve.clone()).await.0, 401);
    let other = json!({"request_id": "int_00000000000000000000000000000000", "decision": "approve"});
    assert_eq!(server.post(&server.approver, &path, other).await.0, 400);
    for body in [
        json!({}),
        json!({"decision": "maybe"}),
        json!({"decision": "approve", "confirmed": false}),
        json!({"decision": "approve", "remember": {"pattern": "bash"}}),
    ] {
        assert_eq!(server.post(&server.approver, &path, body.clone()).await.0, 400, "{body}");
    }
    let unknown = "/api/interactions/int_00000000000000000000000000000000/respond";
    assert_eq!(server.post(&server.approver, unknown, json!({"decision": "approve"})).await.0, 404);
    assert_eq!(server.open(1).await[0]["status"], "open");

    let (status, first) = server.post(&server.approver, &path, approve.clone()).await;
    assert_eq!((status, &first["repeated"]), (200, &json!(false)), "{first}");
    let (status, again) = server.post(&server.approver, &path, approve).await;
    assert_eq!((status, &again["repeated"]), (200, &json!(true)), "{again}");
    let (status, late) = server.post(&server.operator, &path, json!({"decision": "reject"})).await;
    assert_eq!((status, &late["code"]), (409, &json!("ALREADY_ANSWERED")));
    assert_eq!((&late["answer"]["decision"], &late["answer"]["user_id"]), (&json!("approve"), &json!("kim")));
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
}

#[tokio::test]
async fn a_rejection_reaches_the_agent_with_its_reason() {
    let server = Server::new(one_call(), "");
    let browser = Browser::signed_in(&server);
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    browser.reject(&server, &id, "not on a Sunday").unwrap();
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 0);
    let told = server.model.last_asked().to_string();
    assert!(told.contains("declined") && told.contains("not on a Sunday"), "{told}");
}

#[tokio::test]
async fn a_run_may_be_made_to_stop_at_a_rejection() {
    let server = Server::new(one_call(), "hitl: { on_reject: stop }");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), json!({"decision": "reject"})).await;
    let failed = server.until_status(&run, "failed").await;
    assert_eq!(failed["error"]["code"], "REJECTED");
    assert_eq!(server.model.times_asked(1), 0);
}

#[tokio::test]
async fn a_signal_answers_by_its_key_and_its_decision_is_part_of_it() {
    let server = Server::new(one_call(), "");
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    let key = asked["correlation_key"].as_str().unwrap();
    assert!(key.starts_with("cap-approval-"), "{key}");
    let path = format!("/api/jobs/{run}/signal");
    let agent = server.token(&["--kind", "agent", "--name", "worker", "--for", "kim"]);
    let reject = json!({"correlation_key": key, "decision": "reject", "payload": {"reason": "no"}});
    assert_eq!(server.post(&agent, &path, reject.clone()).await.0, 403);
    assert_eq!(server.post(&server.approver, &path, json!({"correlation_key": key})).await.0, 400);
    let (status, problem) =
        server.post(&server.approver, &path, json!({"correlation_key": "x", "decision": "approve"})).await;
    assert_eq!((status, &problem["code"]), (400, &json!("UNKNOWN_KEY")));
    assert_eq!(server.post(&server.approver, &path, reject.clone()).await.0, 200);
    assert_eq!(server.post(&server.approver, &format!("/api/runs/{run}/signal"), reject).await.0, 200);
    let approve = json!({"correlation_key": key, "decision": "approve"});
    assert_eq!(server.post(&server.approver, &path, approve).await.0, 409);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 0, "a rejection is never read as an approval");
}

#[tokio::test]
async fn several_calls_of_one_turn_are_answered_in_any_order_and_one_refusal_does_not_spoil_the_others() {
    let call = |n: u32| json!({"tool": "bash", "args": {"command": format!("echo {n} >> count")}});
    let reads = json!({"tool": "bash", "args": {"command": "ls"}});
    let server = Server::new(
        vec![json!([call(1), call(2), reads, call(3)]), json!("all done")],
        "policy: { rules: [ { name: look, priority: 1, tool: \"bash(ls:*)\", effect: allow } ] }",
    );
    let run = server.run().await;
    let asked = server.open(3).await;
    server.until_status(&run, "waiting").await;
    let of = |n: u32| {
        let command = format!("echo {n} >> count");
        let one = asked.iter().find(|one| one["call"]["args"]["command"] == command.as_str()).unwrap();
        format!("/api/interactions/{}/respond", one["id"].as_str().unwrap())
    };
    let suspended = server.get(&format!("/api/runs/{run}/suspended")).await.1;
    assert_eq!(suspended["all"].as_array().unwrap().len(), 3);
    for (n, decision) in [(3, "approve"), (1, "reject"), (2, "approve")] {
        assert_eq!(server.post(&server.approver, &of(n), json!({"decision": decision})).await.0, 200);
    }
    server.until_status(&run, "completed").await;
    let mut lines: Vec<_> =
        std::fs::read_to_string(server.path("work/count")).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["2", "3"]);
    let events = server.events(&run).await;
    assert_eq!(count(&events, "tool_finished"), 4);
    assert_eq!(server.get(&format!("/api/runs/{run}/suspended")).await.0, 404);
    let messages = server.model.last_asked()["messages"].as_array().unwrap().clone();
    assert_eq!(messages.iter().filter(|message| message["role"] == "tool").count(), 4);
}

#[tokio::test]
async fn several_approvals_come_from_different_people() {
    let policy = "policy: { rules: [ { name: four-eyes, priority: 1, tool: bash, effect: { effect: require_human, approvals: 2 } } ] }";
    let server = Server::new(one_call(), policy);
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/interactions/{id}/respond");
    let service = server.token(&["--kind", "service", "--name", "bot", "--role", "approver"]);
    assert_eq!(server.post(&service, &path, json!({"decision": "approve"})).await.0, 403, "a person must");
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve", "reason": "again"})).await.0, 409);
    assert_eq!(server.open(1).await[0]["approvals"].as_array().unwrap().len(), 1);
    assert_eq!(server.counted(), 0);
    assert_eq!(server.post(&server.operator, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
}

#[tokio::test]
async fn a_second_person_is_neither_the_user_nor_whoever_started_the_run() {
    let policy = "policy: { rules: [ { name: two, priority: 1, tool: bash, effect: second_person } ] }";
    let server = Server::new(one_call(), policy);
    // Started by the operator, for kim.
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/interactions/{id}/respond");
    for token in [&server.approver, &server.operator] {
        assert_eq!(server.post(token, &path, json!({"decision": "approve"})).await.0, 403);
    }
    let other = server.token(&["--kind", "user", "--name", "lee", "--role", "approver"]);
    assert_eq!(server.post(&other, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
}
