//! Calls of programs outside, made within a run and under a key.

use super::reader::{Reader, inbox};
use super::server::{Server, count, one_call};
use super::tool_calls::{POLICY, ask, house};
use countersign_testkit::Postgres;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A request with a key in its header.
async fn under(server: &Server, token: &str, path: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
    let request =
        server.http().post(format!("{}{path}", server.base)).bearer_auth(token).header("Idempotency-Key", key);
    let response = request.json(body).send().await.ok()?;
    Some((response.status().as_u16(), response.json().await.ok()?))
}

#[tokio::test]
async fn what_is_taken_from_a_run_or_ends_with_it_is_taken_from_the_calls_that_wait_within_it() {
    let policy = "policy: { rules: [ { name: ask, priority: 1, tool: '*', effect: require_approval } ] }";
    let server = Server::new(one_call(), policy);
    let agent = server.token(&["--kind", "agent", "--name", "helper", "--for", "kim"]);
    for ending in ["delegated-permissions", "cancel"] {
        let parent = server.run().await;
        server.until_status(&parent, "waiting").await;
        let call = ask(&server, &agent, json!({"tool": "bash", "args": {"command": "ls"}, "run_id": parent})).await;
        assert_eq!(call["decision"], "pending", "{call}");
        let body = if ending == "cancel" { json!({}) } else { json!({"denied_tools": ["bash"]}) };
        let (status, done) = server.post(&server.operator, &format!("/api/runs/{parent}/{ending}"), body).await;
        assert!((200..300).contains(&status), "{done}");
        let path = format!("/api/interactions/{}/respond", call["interaction_id"].as_str().unwrap());
        assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
        let read = format!("/api/tool-calls/{}?wait=60s", call["id"].as_str().unwrap());
        let decided = server.try_send(&agent, Method::GET, &read, None).await.unwrap().1;
        assert_eq!(
            (&decided["decision"], &decided["code"]),
            (&json!("deny"), &json!("PERMISSION_DENIED")),
            "{ending}: {decided}"
        );
        let run = call["run_id"].as_str().unwrap();
        assert_eq!(count(&server.events(run).await, "tool_started"), 0);
    }
}

#[tokio::test]
async fn events_of_a_call_within_a_run_name_the_run_above_it() {
    let policy = "policy: { rules: [ { name: ask, priority: 1, tool: '*', effect: require_approval } ] }";
    let server = Server::new(one_call(), policy);
    let agent = server.token(&["--kind", "agent", "--name", "helper", "--for", "kim"]);
    let mut inbox = inbox(&server).await;
    let parent = server.run().await;
    server.until_status(&parent, "waiting").await;
    let above = inbox.until("interaction_request").await.data;
    let call = ask(&server, &agent, json!({"tool": "bash", "args": {"command": "ls"}, "run_id": parent})).await;
    assert_eq!(call["decision"], "pending", "{call}");
    let run = call["run_id"].as_str().unwrap();
    let below = inbox.until("interaction_request").await.data;
    let of_stream = Reader::of(server.stream(run, 0).await).until("interaction_request").await.data;
    for event in server.events(run).await.iter().chain([&below, &of_stream]) {
        assert_eq!((&event["parent_run_id"], &event["depth"]), (&json!(parent), &json!(1)), "{event}");
    }
    for event in server.events(&parent).await.iter().chain([&above]) {
        assert_eq!((&event["parent_run_id"], &event["depth"]), (&Value::Null, &json!(0)), "{event}");
    }
    // A call within that call is one deeper.
    let within = ask(&server, &agent, json!({"tool": "bash", "args": {"command": "ls -l"}, "run_id": run})).await;
    let event = &server.events(within["run_id"].as_str().unwrap()).await[0];
    assert_eq!((&event["parent_run_id"], &event["depth"]), (&json!(run), &json!(2)), "{event}");
}

#[tokio::test]
async fn an_agent_asks_in_no_other_agents_name() {
    let (server, agent) = house("");
    let (status, refused) = server.post(&agent, "/api/tool-calls", json!({"tool": "look", "agent": "another"})).await;
    assert_eq!((status, &refused["code"]), (403, &json!("PERMISSION_DENIED")), "{refused}");
    ask(&server, &agent, json!({"tool": "look", "agent": "builder"})).await;
}

#[tokio::test]
async fn a_call_within_a_run_has_its_user_its_session_and_its_limits() {
    let server = Server::new(
        one_call(),
        "policy: { rules: [ { name: ask, priority: 1, tool: bash, effect: require_approval }, { name: rest, priority: 2, tool: '*', effect: allow } ] }",
    );
    let body = json!({"agent": "worker", "input": "x", "user_id": "kim", "session_id": "s1",
        "delegated_permissions": [{"denied_tools": ["wipe"]}]});
    let parent = server.post(&server.operator, "/api/runs", body).await.1["id"].as_str().unwrap().to_owned();
    server.open(1).await;
    let agent = server.token(&["--kind", "agent", "--name", "helper", "--for", "kim"]);
    let within =
        |tool: &str| json!({"tool": tool, "run_id": parent, "delegated_permissions": [{"denied_tools": ["burn"]}]});
    let call = ask(&server, &agent, within("look")).await;
    let run = server.get(&format!("/api/runs/{}", call["run_id"].as_str().unwrap())).await.1;
    assert_eq!(
        (&run["parent_run_id"], &run["session_id"], &run["user_id"]),
        (&json!(parent), &json!("s1"), &json!("kim"))
    );
    assert_eq!(run["delegated_permissions"], json!([{"denied_tools": ["wipe"]}, {"denied_tools": ["burn"]}]));
    assert_eq!(
        ask(&server, &agent, json!({"tool": "bash", "args": {"command": "ls"}, "run_id": parent})).await["decision"],
        "pending"
    );
    let beyond = ask(&server, &agent, within("look")).await;
    assert_eq!(beyond["decision"], "deny", "the run's own agent has no such tool: {beyond}");
    for tool in ["wipe", "burn"] {
        assert_eq!(ask(&server, &agent, within(tool)).await["decision"], "deny", "{tool}");
    }
    let stranger = server.token(&["--kind", "agent", "--name", "helper", "--for", "lee"]);
    assert_eq!(server.post(&stranger, "/api/tool-calls", within("look")).await.0, 404);
    let lee = server.token(&["--kind", "user", "--name", "lee", "--role", "approver"]);
    assert_eq!(server.post(&lee, "/api/tool-calls", within("look")).await.0, 403);
    let kinds = async |kind: &str| {
        let page = server.get(&format!("/api/runs?kind={kind}")).await.1;
        page["items"].as_array().unwrap().iter().map(|run| run["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((kinds("agent").await, kinds("call").await), (vec!["agent".to_owned()], vec!["call".to_owned(); 5]));
    assert_eq!(server.get("/api/runs?kind=other").await.0, 400);
    assert_eq!(server.post(&server.operator, &format!("/api/runs/{parent}/cancel"), json!({})).await.0, 200);
    let (status, problem) = server.post(&agent, "/api/tool-calls", within("look")).await;
    assert_eq!((status, &problem["code"]), (409, &json!("ENDED")), "{problem}");
    // What was said in the session is what its agent said.
    let messages = server.get("/api/sessions/s1/messages").await.1;
    assert!(!messages.to_string().contains("look"), "{messages}");
}

#[tokio::test]
async fn whoever_is_behind_a_run_is_no_second_person_for_a_call_within_it() {
    let policy = "policy: { rules: [ { name: two, priority: 1, tool: bash, effect: second_person } ] }";
    let server = Server::new(one_call(), policy);
    let parent = server.run().await;
    let agent = server.token(&["--kind", "agent", "--name", "helper", "--for", "kim"]);
    let call = ask(&server, &agent, json!({"tool": "bash", "args": {"command": "pay"}, "run_id": parent})).await;
    let path = format!("/api/interactions/{}/respond", call["interaction_id"].as_str().unwrap());
    let approve = json!({"decision": "approve"});
    for behind in [&server.operator, &server.approver] {
        assert_eq!(server.post(behind, &path, approve.clone()).await.0, 403, "who started the run, and its user");
    }
    let lee = server.token(&["--kind", "user", "--name", "lee", "--role", "approver"]);
    assert_eq!(server.post(&lee, &path, approve).await.0, 200);
    let decided = server
        .until(&format!("/api/tool-calls/{}", call["id"].as_str().unwrap()), |call| call["decision"] != "pending")
        .await;
    assert_eq!(decided["decision"], "allow", "{decided}");
    let report = server.verified().await;
    assert_eq!(report["findings"], json!([]), "{report}");
}

async fn makes_one_call_of_sixteen(postgres: Option<Postgres>) {
    let server = Arc::new(Server::logging(postgres, vec![json!("hello")], POLICY));
    let agent = server.token(&["--kind", "agent", "--name", "builder", "--for", "kim"]);
    let body = json!({"tool": "send", "args": {"to": "ann", "password": "hunter2-hunter2"}});
    let asked: Vec<_> = (0..16)
        .map(|n| {
            let (server, agent, mut body) = (Arc::clone(&server), agent.clone(), body.clone());
            // For how long one would wait is no part of what is asked.
            body["wait"] = json!(format!("{}ms", n % 2));
            tokio::spawn(async move { under(&server, &agent, "/api/tool-calls", "k1", &body).await.unwrap() })
        })
        .collect();
    let mut calls = vec![];
    for one in asked {
        calls.push(one.await.unwrap());
    }
    let made = calls.iter().filter(|(status, _)| *status == 201).count();
    assert_eq!(made, 1, "{calls:?}");
    assert!(
        calls.iter().all(|(status, call)| matches!(status, 200 | 201) && call["id"] == calls[0].1["id"]),
        "{calls:?}"
    );
    assert_eq!(server.get("/api/runs").await.1["items"].as_array().unwrap().len(), 1);
    assert_eq!(server.open(1).await.len(), 1);
    let mut other = body.clone();
    other["args"]["to"] = json!("bob");
    let (status, problem) = under(&server, &agent, "/api/tool-calls", "k1", &other).await.unwrap();
    assert_eq!((status, &problem["code"]), (422, &json!("IDEMPOTENCY_MISMATCH")), "{problem}");
    // In the body it is the same key; of somebody else it is another one.
    let mut named = body.clone();
    named["idempotency_key"] = json!("k1");
    let (status, again) = server.post(&agent, "/api/tool-calls", named.clone()).await;
    assert_eq!((status, &again["id"]), (200, &calls[0].1["id"]));
    let (status, theirs) = server.post(&server.operator, "/api/tool-calls", named.clone()).await;
    assert!(status == 201 && theirs["id"] != calls[0].1["id"], "{theirs}");
    assert_eq!(under(&server, &agent, "/api/tool-calls", "k2", &named).await.unwrap().0, 400, "two keys");
    assert_eq!(under(&server, &agent, "/api/tool-calls", "no key", &body).await.unwrap().0, 400);
    let start = json!({"agent": "worker", "input": "hi", "user_id": "kim"});
    let (first, second) = tokio::join!(
        under(&server, &server.operator, "/api/runs", "k1", &start),
        under(&server, &server.operator, "/api/runs", "k1", &start)
    );
    let statuses = [&first, &second].map(|answer| answer.as_ref().unwrap().0);
    // The key is that of their call already: a run is another request.
    assert_eq!(statuses, [422, 422]);
    let (first, second) = tokio::join!(
        under(&server, &server.operator, "/api/runs", "k3", &start),
        under(&server, &server.operator, "/api/runs", "k3", &start)
    );
    let (first, second) = (first.unwrap(), second.unwrap());
    let mut statuses = [first.0, second.0];
    statuses.sort_unstable();
    assert_eq!((statuses, &first.1["id"]), ([200, 201], &second.1["id"]));
    server.until_status(first.1["id"].as_str().unwrap(), "completed").await;
    assert_eq!(server.model.times_asked(0), 1);
    server.sound().await;
}

#[tokio::test]
async fn of_sixteen_requests_with_one_key_one_makes_the_call() {
    makes_one_call_of_sixteen(None).await;
}

#[tokio::test]
async fn of_sixteen_requests_with_one_key_one_makes_the_call_on_postgres() {
    makes_one_call_of_sixteen(Some(Postgres::for_test())).await;
}

/// The server dies at `failpoint`, when the call may have been allowed and the program does not know.
async fn attaches_after(failpoint: &str, postgres: Option<Postgres>) {
    let mut server = Server::doomed(postgres, vec![], POLICY, failpoint);
    let agent = server.token(&["--kind", "agent", "--name", "builder", "--for", "kim"]);
    let body = json!({"tool": "look", "args": {"table": "orders"}});
    assert_eq!(under(&server, &agent, "/api/tool-calls", "k1", &body).await, None, "it died of it");
    while server.is_alive() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(server.was_killed());
    server.start(None);
    let was_saved = !failpoint.ends_with("before_commit");
    let (status, call) = under(&server, &agent, "/api/tool-calls", "k1", &body).await.unwrap();
    assert_eq!((status, &call["decision"]), (if was_saved { 200 } else { 201 }, &json!("allow")), "{call}");
    assert_eq!(under(&server, &agent, "/api/tool-calls", "k1", &body).await.unwrap().1["id"], call["id"]);
    let runs = server.get("/api/runs").await.1["items"].as_array().unwrap().len();
    let events = server.events(call["run_id"].as_str().unwrap()).await;
    assert_eq!((runs, count(&events, "tool_judged"), count(&events, "tool_started")), (1, 1, 1));
    let path = format!("/api/tool-calls/{}/result", call["id"].as_str().unwrap());
    assert_eq!(server.post(&agent, &path, json!({"output": "3 rows"})).await.0, 200);
    server.sound().await;
}

#[tokio::test]
async fn killed_before_the_program_is_told_what_was_decided() {
    for failpoint in ["tool_started.before_commit", "tool_started.after_commit", "tool_started.before_ack"] {
        attaches_after(failpoint, None).await;
    }
}

#[tokio::test]
async fn killed_before_the_program_is_told_what_was_decided_on_postgres() {
    for failpoint in ["tool_started.before_commit", "tool_started.after_commit", "tool_started.before_ack"] {
        attaches_after(failpoint, Some(Postgres::for_test())).await;
    }
}

#[tokio::test]
async fn a_report_whose_answer_was_lost_is_sent_again() {
    let mut server = Server::doomed(None, vec![], POLICY, "tool_finished.before_ack");
    let agent = server.token(&["--kind", "agent", "--name", "builder", "--for", "kim"]);
    let call = ask(&server, &agent, json!({"tool": "look"})).await;
    let path = format!("/api/tool-calls/{}/result", call["id"].as_str().unwrap());
    let body = json!({"output": "password=hunter2-hunter2"});
    assert_eq!(server.try_send(&agent, Method::POST, &path, Some(&body)).await, None, "it died of it");
    while server.is_alive() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.start(None);
    let (status, again) = server.post(&agent, &path, body).await;
    assert_eq!((status, &again["result"]["state"]), (200, &json!("released")), "{again}");
    assert!(!again.to_string().contains("hunter2"), "{again}");
    assert_eq!(count(&server.events(call["run_id"].as_str().unwrap()).await, "tool_finished"), 1);
}

#[tokio::test]
async fn a_secret_is_masked_for_everybody_and_given_to_whoever_makes_the_call() {
    let (server, agent) = house("");
    let args = json!({"to": "ann", "password": "hunter2-hunter2"});
    let call = ask(&server, &agent, json!({"tool": "send", "args": args})).await;
    let asked = server.open(1).await.remove(0);
    let mut edited = asked["call"]["args"].clone();
    assert!(!edited.to_string().contains("hunter2"), "{edited}");
    edited["to"] = json!("bob");
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "edit", "edited_args": edited})).await.0, 200);
    let path = format!("/api/tool-calls/{}", call["id"].as_str().unwrap());
    server.until(&path, |call| call["decision"] == "allow").await;
    let mine = server.try_send(&agent, Method::GET, &path, None).await.unwrap().1;
    assert_eq!(mine["args"], json!({"to": "bob", "password": "hunter2-hunter2"}), "{mine}");
    let theirs = server.get(&path).await.1;
    assert_eq!((&theirs["decision"], &theirs["args"]), (&json!("allow"), &Value::Null), "{theirs}");
}
