//! Reaching runs and the policy over HTTP: questions of tools, letters, stopping, and grants.

use super::server::{Server, count, one_call};
use reqwest::Method;
use serde_json::{Value, json};

fn call(tool: &str, args: &Value) -> Vec<Value> {
    vec![json!([{"tool": tool, "args": args}]), json!("all done")]
}

#[tokio::test]
async fn a_question_is_filled_in_over_http_and_what_does_not_fit_is_said() {
    let question = json!({"title": "Which colour?", "type": "select", "options": [
        {"value": "red", "label": "Red"}, {"value": "blue", "label": "Blue"}]});
    let server = Server::new(call("ask_user", &question), "");
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    assert_eq!((asked["type"].as_str(), asked["purpose"].as_str()), (Some("select"), Some("question")));
    assert_eq!(asked["options"][1]["label"], "Blue");
    assert_eq!(asked["allowed_decisions"], json!(["answer", "reject"]));
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    for (body, told) in [
        (json!({"selected_values": ["green"]}), "`green` is not among the options: `red`, `blue`"),
        (json!({"selected_values": ["red", "blue"]}), "only one of the options may be chosen"),
        (json!({"text": "red"}), "this is a `select`: it takes no `text`"),
        (json!({"type": "input", "selected_values": ["red"]}), "`type` must be `select`, as in the request"),
        (json!({"decision": "answer"}), "`selected_values` is missing"),
        (json!({"decision": "approve"}), "`approve` is not among the decisions that this request takes"),
    ] {
        let (status, problem) = server.post(&server.approver, &path, body.clone()).await;
        assert_eq!((status, problem["code"].as_str()), (400, Some("INVALID")), "{body}");
        assert!(problem["detail"].as_str().unwrap().contains(told), "{body}: {problem}");
    }
    // By a message with its key, as another program would.
    let message = json!({"correlation_key": asked["correlation_key"], "payload": {"selected_values": ["blue"]}});
    let (status, told) = server.post(&server.approver, &format!("/api/jobs/{run}/message"), message.clone()).await;
    assert_eq!((status, &told["repeated"]), (200, &json!(false)), "{told}");
    server.until_status(&run, "completed").await;
    let (status, told) = server.post(&server.approver, &format!("/api/jobs/{run}/message"), message).await;
    assert_eq!((status, &told["repeated"]), (200, &json!(true)), "{told}");
    let events = server.events(&run).await;
    assert_eq!((count(&events, "tool_paused"), count(&events, "tool_started")), (1, 2));
    let finished = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
    assert_eq!(finished["data"]["output"], json!({"selected_values": ["blue"]}).to_string());
}

#[tokio::test]
async fn a_run_is_stopped_and_its_question_withdrawn() {
    let server = Server::new(one_call(), "");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let cancel = format!("/api/runs/{run}/cancel");
    let viewer = server.token(&["--kind", "user", "--name", "vic", "--role", "viewer"]);
    let agent = server.token(&["--kind", "agent", "--name", "bot", "--for", "kim"]);
    for who in [&viewer, &agent] {
        assert_eq!(server.post(who, &cancel, json!({})).await.0, 403);
        assert_eq!(server.post(who, &format!("/api/runs/{run}/message"), json!({"text": "x"})).await.0, 403);
    }
    let (status, stopped) = server.post(&server.approver, &cancel, json!({"reason": "wrong repository"})).await;
    assert_eq!((status, stopped["status"].as_str()), (200, Some("cancelled")), "{stopped}");
    assert_eq!(stopped["error"]["message"], "`kim` stopped the run: wrong repository");
    assert_eq!(server.post(&server.approver, &cancel, json!({})).await.0, 200, "stopped is stopped");
    server.open(0).await;
    let path = format!("/api/interactions/{id}/respond");
    let (status, late) = server.post(&server.approver, &path, json!({"decision": "approve"})).await;
    assert_eq!((status, late["code"].as_str()), (410, Some("CANCELLED")));
    let (status, late) = server.post(&server.approver, &format!("/api/runs/{run}/message"), json!({"text": "x"})).await;
    assert_eq!((status, late["code"].as_str()), (409, Some("RUN_ENDED")));
    assert_eq!(server.counted(), 0);
}

#[tokio::test]
async fn a_letter_reaches_the_model_before_it_speaks_next() {
    let server = Server::new(one_call(), "");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/message");
    assert_eq!(server.post(&server.approver, &path, json!({})).await.0, 400);
    assert_eq!(server.post(&server.approver, &path, json!({"text": "mind the cat", "channel": "chat"})).await.0, 200);
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), json!({"decision": "approve"})).await;
    server.until_status(&run, "completed").await;
    let last = server.model.last_asked();
    assert!(last.to_string().contains("mind the cat"), "{last}");
}

#[tokio::test]
async fn what_is_remembered_is_not_asked_again_until_it_is_taken_back() {
    let server = Server::new(one_call(), "");
    let first = server.run().await;
    let asked = server.open(1).await.remove(0);
    let pattern = asked["remember_options"][0]["pattern"].as_str().unwrap().to_owned();
    assert_eq!(pattern, asked["call"]["resource"].as_str().unwrap());
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    let wider = json!({"decision": "approve", "remember": {"pattern": "bash(*)"}});
    assert_eq!(server.post(&server.approver, &path, wider).await.0, 400, "only what was offered");
    let remember = json!({"decision": "approve", "reason": "safe", "remember": {"pattern": pattern, "scope": "user"}});
    assert_eq!(server.post(&server.approver, &path, remember).await.0, 200);
    server.until_status(&first, "completed").await;
    // Another session: only the grant can answer.
    let second = server.run().await;
    server.until_status(&second, "completed").await;
    assert_eq!((server.counted(), count(&server.events(&second).await, "interaction_request")), (2, 0));
    let (_, grants) = server.get("/api/permissions/kim").await;
    assert_eq!(grants["allow"][0]["resource"], pattern);
    assert_eq!(
        (grants["allow"][0]["given_by"].as_str(), grants["allow"][0]["reason"].as_str()),
        (Some("kim"), Some("safe"))
    );
    let take_back = json!({"resource": pattern});
    let gone = server.try_send(&server.approver, Method::DELETE, "/api/permissions/kim/allow", Some(&take_back)).await;
    assert_eq!(gone.unwrap().0, 200);
    server.run().await;
    server.open(1).await;
}

#[tokio::test]
async fn grants_are_given_by_the_user_in_person_or_an_operator() {
    let server = Server::new(one_call(), "");
    let agent = server.token(&["--kind", "agent", "--name", "bot", "--for", "kim"]);
    let other = server.token(&["--kind", "user", "--name", "bob", "--role", "approver"]);
    let grant = json!({"resource": "bash(echo ran >> count)"});
    let viewer = server.token(&["--kind", "user", "--name", "kim", "--role", "viewer"]);
    for (who, expected) in
        [(&agent, 403), (&other, 403), (&viewer, 403), (&server.approver, 200), (&server.operator, 200)]
    {
        assert_eq!(server.post(who, "/api/permissions/kim/allow", grant.clone()).await.0, expected);
    }
    let (status, problem) = server.post(&server.operator, "/api/permissions/kim/allow", json!({"resource": "*"})).await;
    assert_eq!((status, problem["code"].as_str()), (400, Some("INVALID")), "{problem}");
    let past = json!({"resource": "bash(ls)", "expires_at": "2020-01-01T00:00:00Z"});
    assert_eq!(server.post(&server.operator, "/api/permissions/kim/allow", past).await.0, 400);
    // To deny the same pattern replaces what allowed it.
    let (_, now) = server.post(&server.operator, "/api/permissions/kim/deny", grant.clone()).await;
    assert_eq!((now["allow"].as_array().unwrap().len(), now["deny"].as_array().unwrap().len()), (0, 1));
    let run = server.run().await;
    server.until_status(&run, "completed").await;
    let events = server.events(&run).await;
    let finished = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
    assert_eq!((finished["data"]["status"].as_str(), server.counted()), (Some("denied"), 0));
}

#[tokio::test]
async fn an_agent_sees_no_result_that_was_not_released() {
    let more = "policy: { overrides: { file_read: { result: always } } }";
    let read = vec![json!([{"tool": "file_read", "args": {"file_path": "secret"}}]), json!("all done")];
    let server = Server::new(read, more);
    std::fs::write(server.path("work/secret"), "the launch code\n").unwrap();
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    assert_eq!(asked["purpose"], "result_review");
    assert!(asked["result"]["output"].as_str().unwrap().contains("the launch code"), "{asked}");
    let agent = server.token(&["--kind", "agent", "--name", "bot", "--for", "kim"]);
    let id = asked["id"].as_str().unwrap();
    for path in [
        format!("/api/runs/{run}/events"),
        format!("/api/runs/{run}/suspended"),
        format!("/api/interactions/{id}"),
        "/api/interactions".to_owned(),
    ] {
        let (status, seen) = server.try_send(&agent, Method::GET, &path, None).await.unwrap();
        assert_eq!(status, 200, "{path}");
        assert!(!seen.to_string().contains("launch code"), "{path}: {seen}");
    }
    let path = format!("/api/interactions/{id}/respond");
    server.post(&server.approver, &path, json!({"decision": "reject", "reason": "secret"})).await;
    server.until_status(&run, "completed").await;
    assert!(!server.model.last_asked().to_string().contains("launch code"));
}

#[tokio::test]
async fn a_service_answers_but_has_nothing_remembered() {
    let server = Server::new(one_call(), "");
    let service = server.token(&["--kind", "service", "--name", "robot", "--role", "approver"]);
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    let pattern = asked["remember_options"][0]["pattern"].clone();
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    let lasting = json!({"decision": "approve", "remember": {"pattern": pattern}});
    let (status, problem) = server.post(&service, &path, lasting).await;
    assert_eq!((status, problem["code"].as_str()), (403, Some("NOT_YOURS_TO_ANSWER")), "{problem}");
    assert_eq!(server.post(&service, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
}
