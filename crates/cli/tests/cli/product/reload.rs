//! The configuration is read anew while the server runs: whole or not at all.

use super::server::{Server, count, one_call};
use serde_json::{Value, json};

const ALLOW: &str = "policy: { rules: [ { name: all, priority: 1, tool: bash, effect: allow } ] }";
const DENY: &str = "policy: { rules: [ { name: none-any-more, priority: 1, tool: bash, effect: deny } ] }";

async fn reload(server: &Server) -> (u16, Value) {
    server.post(&server.operator, "/api/config/reload", json!({})).await
}

/// What the policy says of a command now.
async fn verdict(server: &Server) -> Value {
    let call = json!({"tool": "bash", "args": {"command": "make"}});
    server.post(&server.operator, "/api/policy/check", call).await.1
}

/// Who brought another policy with the configuration, as the record says.
async fn recorded(server: &Server) -> Vec<&'static str> {
    for _ in 0..100 {
        let export = server.program().args(["audit", "export", "--format", "jsonl", "--db", &server.db()]).output();
        let export = String::from_utf8(export.unwrap().stdout).unwrap();
        let entries = export.lines().filter(|line| line.contains("policy_changed") && line.contains("configuration"));
        let named = |line: &str| ["root", "SIGHUP"].into_iter().find(|name| line.contains(name)).unwrap();
        let found: Vec<_> = entries.map(named).collect();
        if !found.is_empty() {
            return found;
        }
        // It has its place in the log soon.
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    vec![]
}

#[tokio::test]
async fn a_call_that_waits_is_judged_by_the_policy_that_was_read_meanwhile() {
    let server = Server::new(one_call(), "policy: { default: ask }");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.rewrite("policy: { default: ask }", DENY);
    let before = verdict(&server).await;
    let (status, answer) = reload(&server).await;
    assert_eq!(
        (status, &answer["changed"], &answer["needs_restart"]),
        (200, &json!(["policy"]), &json!([])),
        "{answer}"
    );
    let after = verdict(&server).await;
    assert_eq!((&before["verdict"], &after["verdict"]), (&json!("ask"), &json!("deny")));
    assert!(before["policy"] != after["policy"] && after["policy"] == answer["policy"], "{answer}");
    let path = format!("/api/interactions/{id}/respond");
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 0, "what was approved under the old policy is denied by the new one");
    assert!(server.model.last_asked().to_string().contains("none-any-more"), "{}", server.model.last_asked());
    assert_eq!(recorded(&server).await, ["root"]);
    server.sound().await;
}

#[tokio::test]
async fn a_bad_configuration_changes_nothing_and_says_where_it_is_bad() {
    let server = Server::new(one_call(), ALLOW);
    let standing = verdict(&server).await;
    let good = std::fs::read_to_string(server.path("countersign.yaml")).unwrap();
    let cases = [
        ("policy: { rulez: [] }", "countersign.yaml:5:11: unknown field `rulez`: did you mean `rules`?"),
        ("policy: { rules: [ { tool: bash, when: 'args.', effect: allow } ] }", "countersign.yaml:5:"),
        ("agents2: {}", "countersign.yaml:5:1: unknown field `agents2`: did you mean `agents`?"),
        ("hitl: { timeout: 0s }", "countersign.yaml:5:18: hitl.timeout: it must be longer than nothing"),
        (
            "include: [ more.yaml ]",
            "more.yaml:2:18: agents.other.model: there is no model `fak` in `models`: did you mean `fake`?",
        ),
    ];
    std::fs::write(server.path("more.yaml"), "agents:\n  other: {model: fak}\n").unwrap();
    for (bad, expected) in cases {
        std::fs::write(server.path("countersign.yaml"), good.replace(ALLOW, bad)).unwrap();
        let (status, problem) = reload(&server).await;
        assert_eq!((status, &problem["code"]), (422, &json!("BAD_CONFIGURATION")), "{bad}: {problem}");
        assert!(problem["problems"].to_string().contains(expected), "{bad}: {problem}");
    }
    // A file that is gone is bad too.
    std::fs::remove_file(server.path("countersign.yaml")).unwrap();
    assert_eq!(reload(&server).await.0, 422);
    assert_eq!(verdict(&server).await, standing, "the one before stays in force");
    let run = server.run().await;
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
    std::fs::write(server.path("countersign.yaml"), good).unwrap();
    let (status, answer) = reload(&server).await;
    assert_eq!((status, &answer["changed"]), (200, &json!([])), "{answer}");
}

#[tokio::test]
async fn a_hangup_reads_agents_anew_and_a_run_speaks_by_them_from_its_next_turn() {
    let server = Server::new(one_call(), "policy: { default: ask }");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let agent = "worker: { model: fake,";
    server.rewrite(agent, "second: { model: fake }\n  worker: { system_prompt: \"You were told anew.\", model: fake,");
    server.rewrite("policy: { default: ask }", "policy: { risk: { high: ask } }\nserver: { listen: \"127.0.0.1:1\" }");
    server.signal("-HUP");
    let named = |page: &Value, name: &str| page["items"].as_array().unwrap().iter().any(|agent| agent["name"] == name);
    server.until("/api/agents", |page| named(page, "second")).await;
    let path = format!("/api/interactions/{id}/respond");
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
    assert!(server.model.last_asked().to_string().contains("You were told anew."), "{}", server.model.last_asked());
    assert_eq!(recorded(&server).await, ["SIGHUP"]);
    // What cannot change without a restart is named for as long as it has not.
    for _ in 0..2 {
        let (_, answer) = reload(&server).await;
        assert_eq!((&answer["changed"], &answer["needs_restart"]), (&json!([]), &json!(["server.listen"])), "{answer}");
    }
    // An agent that is gone ends its runs with a reason, and starts none.
    server.rewrite("second: { model: fake }", "");
    assert_eq!(reload(&server).await.1["changed"], json!(["agents.second"]));
    let started = server.post(&server.operator, "/api/runs", json!({"agent": "second", "input": "x"})).await;
    assert_eq!(started.0, 404, "{}", started.1);
    assert_eq!(count(&server.events(&run).await, "tool_finished"), 1);
}

#[tokio::test]
async fn only_an_operator_has_the_configuration_read_anew() {
    let server = Server::new(one_call(), "");
    let agent = server.token(&["--kind", "agent", "--name", "worker", "--for", "root"]);
    for token in [&server.approver, &agent] {
        assert_eq!(server.post(token, "/api/config/reload", json!({})).await.0, 403);
    }
    assert_eq!(server.post("", "/api/config/reload", json!({})).await.0, 401);
}
