//! Programs outside: they ask before they act, wait, make the call themselves, and report.

use super::server::{Server, count};
use countersign_testkit::Postgres;
use serde_json::{Value, json};
use std::time::Duration;

pub const POLICY: &str = "
policy:
  rules:
    - { name: never, priority: 1, tool: drop_table, effect: deny }
    - { name: not-there, priority: 2, tool: send, when: 'args.to == \"eve\"', effect: deny }
    - { name: ask, priority: 3, tool: send, effect: require_approval }
    - { name: rest, priority: 4, tool: '*', effect: allow }
tools:
  - { tool: query, result: always }
  - { tool: fetch, result: on-error }
";

/// A server, and the token of an agent that acts for `kim`.
pub fn house(more: &str) -> (Server, String) {
    let server = Server::new(vec![], &format!("{POLICY}{more}"));
    let agent = server.token(&["--kind", "agent", "--name", "builder", "--for", "kim"]);
    (server, agent)
}

pub async fn ask(server: &Server, token: &str, body: Value) -> Value {
    let (status, call) = server.post(token, "/api/tool-calls", body).await;
    assert_eq!(status, 201, "{call}");
    call
}

fn place(call: &Value) -> String {
    format!("/api/tool-calls/{}", call["id"].as_str().unwrap())
}

async fn read(server: &Server, token: &str, call: &Value, wait: &str) -> (u16, Value) {
    let path = format!("{}?wait={wait}", place(call));
    server.try_send(token, reqwest::Method::GET, &path, None).await.unwrap()
}

async fn report(server: &Server, token: &str, call: &Value, body: Value) -> (u16, Value) {
    server.post(token, &format!("{}/result", place(call)), body).await
}

async fn answer(server: &Server, asked: &Value, body: Value) {
    let path = format!("/api/interactions/{}/respond", asked.as_str().unwrap());
    let (status, answered) = server.post(&server.approver, &path, body).await;
    assert_eq!(status, 200, "{answered}");
}

async fn words(server: &Server, call: &Value) -> Vec<String> {
    let events = server.events(call["run_id"].as_str().unwrap()).await;
    events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

/// The record of all that happened means what it says, and so do the tables.
async fn holds(server: &Server) {
    let is_signed = |report: &Value| report["waiting"] == 0 && report["checkpoints"] != 0;
    let report = server.until("/api/audit/verify", is_signed).await;
    assert_eq!(report["findings"], json!([]), "{report}");
    server.sound().await;
}

async fn is_allowed_made_and_reported(postgres: Option<Postgres>) {
    let server = Server::logging(postgres, vec![], POLICY);
    let agent = server.token(&["--kind", "agent", "--name", "builder", "--for", "kim"]);
    let call = ask(&server, &agent, json!({"server": "db", "tool": "look", "args": {"table": "orders"}})).await;
    assert_eq!((&call["decision"], &call["args"], &call["result"]), (&json!("allow"), &Value::Null, &Value::Null));
    assert!(call["reasons"].to_string().contains("rest") && call["expires_at"].is_string(), "{call}");
    // That it was started is on disk before it is made.
    let begun =
        ["run_started", "step_completed", "tool_judged", "tool_started", "interaction_request", "execution_suspended"];
    assert_eq!(words(&server, &call).await, begun);
    assert_eq!(server.open(0).await, Vec::<Value>::new(), "nobody is asked");
    let run = server.get(&format!("/api/runs/{}", call["run_id"].as_str().unwrap())).await.1;
    assert_eq!(
        (&run["kind"], &run["agent"], &run["user_id"], &run["status"], &run["input"]),
        (&json!("call"), &json!("builder"), &json!("kim"), &json!("waiting"), &json!("db/look"))
    );
    let given = json!({"output": {"rows": 3}, "latency_ms": 7});
    let (status, done) = report(&server, &agent, &call, given.clone()).await;
    assert_eq!((status, &done["decision"]), (200, &json!("allow")), "{done}");
    assert_eq!(done["result"], json!({"state": "released", "output": "{\"rows\":3}", "failed": false}));
    assert_eq!(report(&server, &agent, &call, given).await, (200, done), "the same again changes nothing");
    let (status, other) = report(&server, &agent, &call, json!({"output": "no"})).await;
    assert_eq!((status, &other["code"]), (409, &json!("ALREADY_REPORTED")), "{other}");
    let ended = ["wait_completed", "execution_resumed", "tool_finished", "run_completed"];
    let mut story = words(&server, &call).await;
    story.drain(..begun.len());
    story.sort_unstable();
    let mut expected = ended.to_vec();
    expected.sort_unstable();
    assert_eq!(story, expected);
    let row = &server.get("/api/audit").await.1["items"][0];
    assert_eq!(
        (&row["status"], &row["latency_ms"], &row["agent"]),
        (&json!("completed"), &json!(7), &json!("builder"))
    );
    holds(&server).await;
}

#[tokio::test]
async fn a_call_is_allowed_made_outside_and_reported() {
    is_allowed_made_and_reported(None).await;
}

#[tokio::test]
async fn a_call_is_allowed_made_outside_and_reported_on_postgres() {
    is_allowed_made_and_reported(Some(Postgres::for_test())).await;
}

#[tokio::test]
async fn a_call_that_the_policy_refuses_is_over_at_once() {
    let (server, agent) = house("");
    let call = ask(&server, &agent, json!({"tool": "drop_table", "args": {"table": "orders"}, "wait": "30s"})).await;
    assert_eq!((&call["decision"], &call["code"]), (&json!("deny"), &json!("PERMISSION_DENIED")), "{call}");
    assert!(call["message"].as_str().unwrap().contains("never"), "{call}");
    assert_eq!(count(&server.events(call["run_id"].as_str().unwrap()).await, "tool_started"), 0);
    let (status, problem) = report(&server, &agent, &call, json!({"output": "done it anyway"})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("NOT_ALLOWED")), "{problem}");
    holds(&server).await;
}

#[tokio::test]
async fn a_person_decides_while_the_program_waits() {
    let (server, agent) = house("");
    let send = |text: &str| json!({"tool": "send", "args": {"to": "ann", "text": text}});
    for (body, decision, code) in [
        (json!({"decision": "approve"}), "allow", Value::Null),
        (json!({"decision": "reject", "reason": "not today"}), "deny", json!("REJECTED")),
        (json!({"decision": "answer", "text": "she knows"}), "deny", json!("ANSWERED")),
        (json!({"decision": "edit", "edited_args": {"to": "bob", "text": "hello"}}), "allow", Value::Null),
        // What was edited is judged again, and a denial wins.
        (json!({"decision": "edit", "edited_args": {"to": "eve"}}), "deny", json!("PERMISSION_DENIED")),
    ] {
        let call = ask(&server, &agent, send(&body.to_string())).await;
        assert_eq!(call["decision"], "pending", "{call}");
        let (status, early) = report(&server, &agent, &call, json!({"output": "x"})).await;
        assert_eq!((status, &early["code"]), (409, &json!("NOT_ALLOWED")));
        let (waited, ()) =
            tokio::join!(read(&server, &agent, &call, "60s"), answer(&server, &call["interaction_id"], body.clone()));
        let (status, now) = waited;
        assert_eq!((status, &now["decision"], &now["code"]), (200, &json!(decision), &code), "{now}");
        match body["decision"].as_str().unwrap() {
            "edit" if decision == "allow" => assert_eq!(now["args"], body["edited_args"]),
            "reject" => assert!(now["message"].as_str().unwrap().contains("not today"), "{now}"),
            "answer" => assert_eq!(now["output"], "she knows"),
            _ => assert_eq!(now["args"], Value::Null),
        }
        let reported = report(&server, &agent, &call, json!({"output": "sent"})).await;
        assert_eq!(reported.0, if decision == "allow" { 200 } else { 409 }, "{reported:?}");
    }
    let edited = server.get("/api/audit").await.1["items"].to_string();
    assert!(edited.contains("bob"), "{edited}");
    holds(&server).await;
}

#[tokio::test]
async fn what_a_program_waits_for_survives_a_kill() {
    let (mut server, agent) = house("");
    let call = ask(&server, &agent, json!({"tool": "send", "args": {"to": "ann"}, "wait": "1s"})).await;
    assert_eq!(call["decision"], "pending");
    server.kill();
    server.start(None);
    let (_, still) = read(&server, &agent, &call, "0s").await;
    assert_eq!((&still["decision"], &still["interaction_id"]), (&json!("pending"), &call["interaction_id"]));
    // One that hangs up while it waits loses nothing.
    let impatient = tokio::time::timeout(Duration::from_millis(50), read(&server, &agent, &call, "60s"));
    assert!(impatient.await.is_err());
    answer(&server, &call["interaction_id"], json!({"decision": "approve"})).await;
    assert_eq!(read(&server, &agent, &call, "60s").await.1["decision"], "allow");
    server.kill();
    server.start(None);
    assert_eq!(
        read(&server, &agent, &call, "60s").await.1["decision"],
        "allow",
        "it waits for the report, not for a worker"
    );
    let (status, failed) = report(&server, &agent, &call, json!({"output": "no such address", "failed": true})).await;
    assert_eq!((status, &failed["result"]["failed"]), (200, &json!(true)), "{failed}");
    holds(&server).await;
}

#[tokio::test]
async fn nobody_answers_and_nobody_reports() {
    let (server, agent) = house("hitl: { timeout: 1s, report_within: 1s, on_timeout: cancel, on_reject: stop }\n");
    let asked = ask(&server, &agent, json!({"tool": "send", "args": {"to": "ann"}})).await;
    let (_, over) = read(&server, &agent, &asked, "60s").await;
    assert_eq!((&over["decision"], &over["code"]), (&json!("deny"), &json!("EXPIRED")), "{over}");
    let allowed = ask(&server, &agent, json!({"tool": "look"})).await;
    let run = allowed["run_id"].as_str().unwrap();
    server.until_status(run, "completed").await;
    let (_, unknown) = read(&server, &agent, &allowed, "0s").await;
    assert_eq!((&unknown["decision"], &unknown["result"]["state"]), (&json!("deny"), &json!("unknown")), "{unknown}");
    assert_eq!(unknown["code"], "EXPIRED", "who comes back late must not make it now");
    let stopped = ask(&server, &agent, json!({"tool": "look"})).await;
    let cancel = format!("/api/runs/{}/cancel", stopped["run_id"].as_str().unwrap());
    assert_eq!(server.post(&server.operator, &cancel, json!({})).await.0, 200);
    let (_, stopped) = read(&server, &agent, &stopped, "0s").await;
    assert_eq!((&stopped["decision"], &stopped["code"]), (&json!("deny"), &json!("CANCELLED")), "{stopped}");
    let (status, late) = report(&server, &agent, &allowed, json!({"output": "late"})).await;
    assert_eq!((status, &late["code"]), (409, &json!("ALREADY_REPORTED")), "{late}");
    let statuses: Vec<_> =
        server.get("/api/audit").await.1["items"].as_array().unwrap().iter().map(|row| row["status"].clone()).collect();
    assert_eq!(statuses, ["unknown", "unknown", "expired"]);
    holds(&server).await;
}

#[tokio::test]
async fn a_result_is_seen_only_as_a_person_lets_it() {
    let (server, agent) = house("");
    for (body, result) in [
        (json!({"decision": "release"}), json!({"state": "released", "output": "4111", "failed": false})),
        (
            json!({"decision": "replace", "replacement": "a number"}),
            json!({"state": "replaced", "output": "a number", "failed": false}),
        ),
        (
            json!({"decision": "reject", "reason": "private"}),
            json!({"state": "withheld", "output": "the tool was used, but the user withheld its result: private"}),
        ),
    ] {
        let call = ask(&server, &agent, json!({"tool": "query", "args": {"sql": "select 1"}})).await;
        assert_eq!(call["decision"], "allow", "{call}");
        let (status, held) = report(&server, &agent, &call, json!({"output": "4111"})).await;
        assert_eq!((status, &held["result"]["state"]), (200, &json!("pending")), "{held}");
        assert!(!held.to_string().contains("4111"), "{held}");
        let again = report(&server, &agent, &call, json!({"output": "4111"})).await;
        assert_eq!(again, (200, held.clone()), "the same again changes nothing");
        let review = &held["result"]["interaction_id"];
        let asked = server.get(&format!("/api/interactions/{}", review.as_str().unwrap())).await.1;
        assert_eq!(asked["interaction_request"]["result"]["output"], "4111", "{asked}");
        let (waited, ()) = tokio::join!(read(&server, &agent, &call, "60s"), answer(&server, review, body));
        assert_eq!(waited.1["result"], result);
        assert_eq!(report(&server, &agent, &call, json!({"output": "4111"})).await.1["result"], result);
    }
    let call = ask(&server, &agent, json!({"tool": "fetch"})).await;
    let (_, failed) = report(&server, &agent, &call, json!({"output": "boom", "failed": true, "wait": "1s"})).await;
    assert_eq!(failed["result"]["state"], "pending", "{failed}");
    let cancel = format!("/api/runs/{}/cancel", call["run_id"].as_str().unwrap());
    assert_eq!(server.post(&server.operator, &cancel, json!({})).await.0, 200);
    assert_eq!(read(&server, &agent, &call, "0s").await.1["result"]["state"], "withheld");
    holds(&server).await;
}

#[tokio::test]
async fn a_program_sees_and_reports_what_it_asked_itself_and_answers_nothing() {
    let (server, agent) = house("");
    let call = ask(&server, &agent, json!({"tool": "send", "args": {"to": "ann"}})).await;
    let path = format!("/api/interactions/{}/respond", call["interaction_id"].as_str().unwrap());
    let approve = json!({"decision": "approve"});
    assert_eq!(server.post(&agent, &path, approve.clone()).await.0, 403, "an agent never answers");
    let service = server.token(&["--kind", "service", "--name", "bot", "--role", "approver"]);
    let other = server.token(&["--kind", "agent", "--name", "other", "--for", "kim"]);
    let stranger = server.token(&["--kind", "agent", "--name", "builder", "--for", "lee"]);
    let lee = server.token(&["--kind", "user", "--name", "lee", "--role", "approver"]);
    let viewer = server.token(&["--kind", "user", "--name", "vic", "--role", "viewer"]);
    for token in [&other, &stranger, &service] {
        assert_eq!(read(&server, token, &call, "0s").await.0, 404);
        assert_eq!(report(&server, token, &call, json!({"output": "x"})).await.0, 404);
    }
    assert_eq!(server.post(&server.approver, &path, approve).await.0, 200);
    assert_eq!(read(&server, &agent, &call, "60s").await.1["decision"], "allow");
    for token in [&lee, &viewer] {
        assert_eq!(read(&server, token, &call, "0s").await.0, 200, "people see what happens");
        assert_eq!(report(&server, token, &call, json!({"output": "x"})).await.0, 403);
    }
    assert_eq!(server.post(&viewer, "/api/tool-calls", json!({"tool": "look"})).await.0, 403);
    assert_eq!(server.post(&agent, "/api/tool-calls", json!({"tool": "look", "user_id": "lee"})).await.0, 403);
    assert_eq!(report(&server, &server.approver, &call, json!({"output": "sent"})).await.0, 200, "its user may");
    // What a service asked it does not answer itself.
    let own = ask(&server, &service, json!({"tool": "send", "args": {"to": "ann"}})).await;
    let path = format!("/api/interactions/{}/respond", own["interaction_id"].as_str().unwrap());
    assert_eq!(server.post(&service, &path, json!({"decision": "approve"})).await.0, 403);
    for (body, status) in [
        (json!({"args": {}}), 400),
        (json!({"tool": ""}), 400),
        (json!({"tool": "x", "wait": "2m"}), 400),
        (json!({"tool": "x", "wait": "soon"}), 400),
        (json!({"tool": "x", "cwd": "here"}), 400),
        (json!({"tool": "x", "run_id": "run_x"}), 400),
        (json!({"tool": "x", "run_id": "run_01970000000070008000000000000001"}), 404),
    ] {
        assert_eq!(server.post(&agent, "/api/tool-calls", body.clone()).await.0, status, "{body}");
    }
    assert_eq!(server.get("/api/tool-calls/call_01970000000070008000000000000001").await.0, 404);
}
