//! What can be decided about a call besides yes and no, and what the agent hears of each.

use super::server::{Server, count, one_call};
use serde_json::{Value, json};

const SECOND: &str =
    "policy: { rules: [ { name: people, priority: 1, tool: 'bash(echo people*)', effect: second_person } ] }";

/// Answers the one question that is open, as the approver.
async fn respond(server: &Server, body: Value) -> (u16, Value) {
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), body).await
}

/// What the model was told last of a call.
fn told(server: &Server) -> String {
    let messages = server.model.last_asked()["messages"].as_array().unwrap().clone();
    let tool = messages.iter().rfind(|message| message["role"] == "tool").unwrap();
    tool["content"].as_str().unwrap().to_owned()
}

fn find<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    &events.iter().find(|event| event["type"] == kind).unwrap()["data"]
}

/// The record of all that happened means what it says.
async fn verified(server: &Server) {
    let report = server.verified().await;
    assert_eq!(report["findings"], json!([]), "{report}");
}

#[tokio::test]
async fn a_call_is_made_as_somebody_edited_it_and_the_agent_is_told() {
    let server = Server::new(one_call(), "");
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    assert_eq!(asked["allowed_decisions"], json!(["approve", "edit", "reject", "answer"]));
    for (args, why) in [
        (json!({"command": 3}), "`args.command`: it must be of the type `string`"),
        (json!({}), "`command` is missing"),
        (json!({"command": "ls", "shell": "sh"}), "there is no `shell`"),
        (json!({"command": "echo ran >> count"}), "approve the call instead"),
        (json!("ls"), "`edited_args` must be an object"),
    ] {
        let (status, problem) = respond(&server, json!({"decision": "edit", "edited_args": args})).await;
        assert_eq!(status, 400, "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains(why), "{problem}");
    }
    assert_eq!(respond(&server, json!({"decision": "edit"})).await.0, 400);
    let edited = json!({"command": "echo other >> count"});
    let body = json!({"decision": "approve", "edited_args": edited, "reason": "not that one"});
    let (status, answered) = respond(&server, body.clone()).await;
    assert_eq!((status, &answered["interaction_request"]["answer"]["decision"]), (200, &json!("edit")), "{answered}");
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    assert_eq!(server.post(&server.approver, &path, body).await.1["repeated"], true);
    assert_eq!(server.post(&server.operator, &path, json!({"decision": "approve"})).await.0, 409);
    server.until_status(&run, "completed").await;
    assert_eq!(std::fs::read_to_string(server.path("work/count")).unwrap(), "other\n");
    let told = told(&server);
    assert!(
        told.starts_with(r#"a person changed the arguments of this call to {"command":"echo other >> count"}"#),
        "{told}"
    );
    let events = server.events(&run).await;
    let response = &find(&events, "interaction_response")["response"];
    let judged: Vec<_> = events.iter().filter(|event| event["type"] == "tool_judged").collect();
    assert_eq!(response["edited_args"], edited);
    assert_ne!(judged[0]["data"]["digest"], judged[1]["data"]["digest"]);
    assert_eq!(response["edited_digest"], judged[1]["data"]["digest"]);
    let row = &server.get("/api/audit").await.1["items"][0];
    assert!(row["input_json"].as_str().unwrap().contains("other") && row["status"] == "completed", "{row}");
    verified(&server).await;
}

#[tokio::test]
async fn an_edit_is_judged_again_and_a_denial_wins() {
    let policy = "policy: { rules: [ { name: never, priority: 1, tool: 'bash(rm:*)', effect: deny } ] }";
    let server = Server::new(one_call(), policy);
    let run = server.run().await;
    assert_eq!(respond(&server, json!({"decision": "edit", "edited_args": {"command": "rm count"}})).await.0, 200);
    server.until_status(&run, "completed").await;
    let told = told(&server);
    assert!(told.contains("rm count") && told.contains("PERMISSION_DENIED"), "{told}");
    assert_eq!(count(&server.events(&run).await, "tool_started"), 0);
}

#[tokio::test]
async fn what_needs_another_kind_of_answer_once_edited_is_asked_about_as_it_is_now() {
    let server = Server::new(one_call(), SECOND);
    let run = server.run().await;
    let first = server.open(1).await[0]["id"].clone();
    assert_eq!(respond(&server, json!({"decision": "edit", "edited_args": {"command": "echo people"}})).await.0, 200);
    let page = server
        .until("/api/interactions", |page| page["items"][0]["id"].is_string() && page["items"][0]["id"] != first)
        .await;
    let again = &page["items"][0];
    assert_eq!(
        (&again["call"]["args"]["command"], &again["answerable_by"]),
        (&json!("echo people"), &json!("second_person"))
    );
    let lee = server.token(&["--kind", "user", "--name", "lee", "--role", "approver"]);
    let path = format!("/api/interactions/{}/respond", again["id"].as_str().unwrap());
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 403);
    assert_eq!(server.post(&lee, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert!(told(&server).contains("people"));
}

/// Waits until somebody other than those of whom the run is, `lee` and `root`, is asked about it anew.
async fn asked_of_a_second_person(server: &Server, run: &str, first: &Value, lee: &str) {
    let page = server
        .until("/api/interactions", |page| page["items"][0]["id"].is_string() && page["items"][0]["id"] != *first)
        .await;
    let again = &page["items"][0];
    assert_eq!(again["answerable_by"], "second_person", "{again}");
    assert_eq!(count(&server.events(run).await, "tool_started"), 0);
    let path = format!("/api/interactions/{}/respond", again["id"].as_str().unwrap());
    for behind in [lee, &server.operator] {
        assert_eq!(server.post(behind, &path, json!({"decision": "approve"})).await.0, 403);
    }
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(run, "completed").await;
    assert_eq!(server.counted(), 1);
    verified(server).await;
}

/// A run that `root` started for `user`, and that `lee` wrote to.
async fn run_of_several(server: &Server, user: Option<&str>, lee: &str) -> String {
    let body = json!({"agent": "worker", "input": "do it", "user_id": user});
    let (status, run) = server.post(&server.operator, "/api/runs", body).await;
    assert_eq!(status, 201, "{run}");
    let run = run["id"].as_str().unwrap().to_owned();
    server.open(1).await;
    let (status, said) = server.post(lee, &format!("/api/runs/{run}/message"), json!({"text": "go on"})).await;
    assert_eq!(status, 200, "{said}");
    run
}

#[tokio::test]
async fn whoever_is_behind_a_run_edits_nothing_into_what_a_second_person_must_approve() {
    for (user, by_starter) in [(None, true), (Some("ann"), true), (None, false)] {
        let turns = vec![one_call().remove(0), json!("all done"), json!("all read")];
        let server = Server::new(turns, SECOND);
        let lee = server.token(&["--kind", "user", "--name", "lee", "--role", "operator"]);
        let run = run_of_several(&server, user, &lee).await;
        let first = server.open(1).await[0]["id"].clone();
        let path = format!("/api/interactions/{}/respond", first.as_str().unwrap());
        let edit = json!({"decision": "edit", "edited_args": {"command": "echo people >> count"}});
        let editor = if by_starter { &server.operator } else { &lee };
        assert_eq!(server.post(editor, &path, edit).await.0, 200);
        asked_of_a_second_person(&server, &run, &first, &lee).await;
    }
}

#[tokio::test]
async fn whoever_is_behind_a_run_is_no_second_person_where_the_rule_came_after_the_question() {
    let server = Server::new(vec![one_call().remove(0), json!("all done"), json!("all read")], "policy: {}");
    let lee = server.token(&["--kind", "user", "--name", "lee", "--role", "operator"]);
    let run = run_of_several(&server, None, &lee).await;
    let first = server.open(1).await[0]["id"].clone();
    server.rewrite("policy: {}", &SECOND.replace("echo people*", "echo ran*"));
    let (status, reloaded) = server.post(&server.operator, "/api/config/reload", json!({})).await;
    assert_eq!(status, 200, "{reloaded}");
    let path = format!("/api/interactions/{}/respond", first.as_str().unwrap());
    assert_eq!(server.post(&server.operator, &path, json!({"decision": "approve"})).await.0, 200);
    asked_of_a_second_person(&server, &run, &first, &lee).await;
}

#[tokio::test]
async fn somebody_answers_in_the_tools_place() {
    let server = Server::new(one_call(), "");
    let run = server.run().await;
    assert_eq!(respond(&server, json!({"decision": "answer"})).await.0, 400);
    assert_eq!(respond(&server, json!({"decision": "answer", "text": "it ran last week"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 0);
    let told = told(&server);
    assert!(told.contains("in the tool's place") && told.contains("it ran last week"), "{told}");
    let events = server.events(&run).await;
    assert_eq!((count(&events, "tool_started"), &find(&events, "tool_finished")["status"]), (0, &json!("completed")));
    verified(&server).await;
}

#[tokio::test]
async fn rejected_expired_and_cancelled_are_told_apart() {
    let rejected = Server::new(one_call(), "");
    let run = rejected.run().await;
    respond(&rejected, json!({"decision": "reject", "reason": "not today"})).await;
    rejected.until_status(&run, "completed").await;
    assert_eq!(told(&rejected), "the user declined this call: not today");

    let expired = Server::new(one_call(), "hitl: { timeout: 1s }");
    let run = expired.run().await;
    expired.until_status(&run, "completed").await;
    assert_eq!(told(&expired), "nobody answered in time, so the call was not made");

    let cancelled = Server::new(one_call(), "");
    let run = cancelled.run().await;
    cancelled.open(1).await;
    cancelled.post(&cancelled.operator, &format!("/api/runs/{run}/cancel"), json!({})).await;
    let events = cancelled.events(&run).await;
    let end = find(&events, "tool_finished");
    assert_eq!(
        (&end["status"], &end["output"]),
        (&json!("cancelled"), &json!("the run was ended before the call was made"))
    );
}

#[tokio::test]
async fn silence_may_stop_the_run() {
    let server = Server::new(one_call(), "hitl: { timeout: 1s, on_timeout: cancel }");
    let run = server.run().await;
    let stopped = server.until_status(&run, "cancelled").await;
    assert!(stopped["error"]["message"].as_str().unwrap().contains("nobody answered in time"), "{stopped}");
    assert_eq!((server.counted(), server.model.times_asked(1)), (0, 0));
    verified(&server).await;
}

#[tokio::test]
async fn silence_is_answered_with_the_default_of_a_question_and_approves_nothing() {
    let question = json!({"title": "Which colour?", "type": "input", "default": {"text": "blue"}});
    let turns = vec![
        json!([{"tool": "ask_user", "args": question}]),
        json!([{"tool": "bash", "args": {"command": "echo ran >> count"}}]),
        json!("all done"),
    ];
    let server = Server::new(turns, "hitl: { timeout: 1s, on_timeout: default }");
    let run = server.run().await;
    assert_eq!(server.open(1).await[0]["default"], json!({"text": "blue"}));
    server.until_status(&run, "completed").await;
    let messages = server.model.last_asked()["messages"].to_string();
    assert!(messages.contains("blue") && messages.contains("the call was not made"), "{messages}");
    assert_eq!(server.counted(), 0);
    let events = server.events(&run).await;
    assert_eq!(find(&events, "wait_completed")["outcome"], "defaulted");
    verified(&server).await;
}

#[tokio::test]
async fn other_arguments_are_asked_about_anew_and_what_was_approved_runs_byte_for_byte() {
    let call = |text: &str| json!([{"tool": "bash", "args": {"command": format!("printf '%s\\n' '{text}' >> count")}}]);
    let server = Server::new(vec![call("é  one"), call("é one"), json!("all done")], "");
    let run = server.run().await;
    let mut digests = vec![];
    for _ in 0..2 {
        digests.push(server.open(1).await[0]["call"]["digest"].clone());
        assert_eq!(respond(&server, json!({"decision": "approve"})).await.0, 200);
        server
            .until("/api/interactions", |page| page["items"][0]["call"]["digest"] != digests[digests.len() - 1])
            .await;
    }
    server.until_status(&run, "completed").await;
    assert_ne!(digests[0], digests[1]);
    assert_eq!(std::fs::read_to_string(server.path("work/count")).unwrap(), "é  one\né one\n");
}

#[tokio::test]
async fn what_was_just_refused_is_not_asked_again_unless_it_differs() {
    let call = |command: &str| json!([{"tool": "bash", "args": {"command": command}}]);
    let turns =
        vec![call("echo ran >> count"), call("echo ran >> count"), call("echo ran  >> count"), json!("all done")];
    let policy = "policy: { rules: [ { name: each, priority: 1, tool: bash, effect: require_human } ] }";
    let server = Server::new(turns, policy);
    let start = json!({"agent": "worker", "input": "do it", "user_id": "kim", "session_id": "s"});
    let run = server.post(&server.operator, "/api/runs", start.clone()).await.1["id"].as_str().unwrap().to_owned();
    let first = server.open(1).await[0]["id"].clone();
    respond(&server, json!({"decision": "reject", "reason": "too loud"})).await;
    // The second is refused at once, the third has one blank more.
    let page = server
        .until("/api/interactions", |page| page["items"][0]["id"].is_string() && page["items"][0]["id"] != first)
        .await;
    assert_eq!(page["items"][0]["call"]["args"]["command"], "echo ran  >> count");
    let told = told(&server);
    assert!(told.contains("declined this very call a short while ago: too loud"), "{told}");
    respond(&server, json!({"decision": "reject"})).await;
    server.until_status(&run, "completed").await;
    // Another run of the session is told the same.
    let run = server.post(&server.operator, "/api/runs", start).await.1["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "completed").await;
    assert_eq!(count(&server.events(&run).await, "interaction_request"), 0);
    assert_eq!(server.counted(), 0);
}

#[tokio::test]
async fn what_was_refused_and_then_approved_is_asked_about_again() {
    let call = one_call()[0][0].clone();
    let policy = "policy: { rules: [ { name: each, priority: 1, tool: bash, effect: require_human } ] }";
    let server = Server::new(vec![json!([call, call]), json!([call]), json!("all done")], policy);
    let run = server.run().await;
    for (asked, decision) in server.open(2).await.iter().zip(["reject", "approve"]) {
        let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
        assert_eq!(server.post(&server.approver, &path, json!({"decision": decision})).await.0, 200);
    }
    assert_eq!(respond(&server, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!((server.counted(), count(&server.events(&run).await, "interaction_request")), (2, 3));
}
