//! An answer that holds for everybody: an allow rule directly before the one that asked.

use super::server::{Server, count, one_call};
use serde_json::{Value, json};

/// Asks about every command, but for one user, who may use none, and has a rule of another tool behind that.
const ASKING: &str = "policy: { rules: [
    { name: not-mal, priority: 5, tool: bash, when: \"user.id == 'mal'\", effect: deny },
    { name: asks, priority: 5, tool: bash, effect: require_approval },
    { name: later, priority: 5, tool: file_read, effect: allow } ] }";

async fn respond(server: &Server, token: &str, remember: Value) -> (u16, Value) {
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let body = json!({"decision": "approve", "reason": "harmless", "remember": remember});
    server.post(token, &format!("/api/interactions/{id}/respond"), body).await
}

async fn verdict(server: &Server, call: Value) -> Value {
    server.post(&server.operator, "/api/policy/check", call).await.1
}

fn call(user: &str) -> Value {
    json!({"tool": "bash", "args": {"command": "echo ran >> count"}, "user_id": user})
}

#[tokio::test]
async fn what_an_operator_allows_everybody_is_a_rule_before_the_one_that_asked() {
    let mut server = Server::new(one_call(), ASKING);
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    let pattern = asked["remember_options"][0]["pattern"].clone();
    let everyone = json!({"pattern": pattern, "scope": "everyone"});
    let (status, problem) = respond(&server, &server.approver, everyone.clone()).await;
    assert_eq!((status, &problem["code"]), (403, &json!("NOT_YOURS_TO_ANSWER")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("operator"), "{problem}");
    let (status, _) = respond(&server, &server.operator, json!({"pattern": pattern, "scope": "nobody"})).await;
    assert_eq!(status, 400);
    assert_eq!(server.get("/api/policy/changes").await.1["items"], json!([]));
    let (status, answered) = respond(&server, &server.operator, everyone).await;
    assert_eq!(status, 200, "{answered}");
    server.until_status(&run, "completed").await;
    let (_, rules) = server.get("/api/rules").await;
    let rules = rules["items"].as_array().unwrap();
    let names: Vec<_> = rules.iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[2], names[3]), ("not-mal", "asks", "later"), "{names:?}");
    let rule = &rules[1];
    assert_eq!(
        (&rule["tool"], &rule["effect"], &rule["before"]),
        (&pattern, &json!("allow"), &json!("asks")),
        "{rule}"
    );
    assert_eq!((&rule["changed"]["by"], &rule["changed"]["reason"]), (&json!("root"), &json!("harmless")), "{rule}");
    for _ in 0..2 {
        assert_eq!(verdict(&server, call("bob")).await["verdict"], "allow");
        assert_eq!(verdict(&server, call("mal")).await["verdict"], "deny", "what stood before it still does");
        let other = json!({"server": "far", "tool": "bash", "args": {"command": "echo ran >> count"}});
        assert_eq!(verdict(&server, other).await["verdict"], "ask", "the tool of a server is another one");
        let more = json!({"tool": "bash", "args": {"command": "echo ran >> count2"}});
        assert_eq!(verdict(&server, more).await["verdict"], "ask");
        server.stop();
        server.start(None);
    }
    let body = json!({"agent": "worker", "input": "x", "user_id": "bob"});
    let second = server.post(&server.operator, "/api/runs", body).await.1["id"].as_str().unwrap().to_owned();
    server.until_status(&second, "completed").await;
    assert_eq!((server.counted(), count(&server.events(&second).await, "interaction_request")), (2, 0));
    // Undone, it is asked about again.
    assert_eq!(server.post(&server.operator, "/api/policy/changes/1/undo", json!({})).await.0, 201);
    assert_eq!(verdict(&server, call("bob")).await["verdict"], "ask");
    server.stop();
    server.sound().await;
}

#[tokio::test]
async fn where_no_rule_asked_it_comes_after_all_rules_and_ends_when_it_is_to() {
    let more =
        "policy: { rules: [ { name: never, priority: 300, tool: bash, when: \"user.id == 'mal'\", effect: deny } ] }";
    let server = Server::new(one_call(), more);
    server.run().await;
    let pattern = server.open(1).await[0]["remember_options"][0]["pattern"].clone();
    let until = json!({"pattern": pattern, "scope": "everyone", "expires_at": "2090-01-01T00:00:00Z"});
    assert_eq!(respond(&server, &server.operator, until).await.0, 200);
    let (_, rules) = server.get("/api/rules").await;
    let rule = &rules["items"][1];
    assert_eq!(
        (&rule["priority"], &rule["before"], &rule["source"]),
        (&json!(300), &Value::Null, &json!("api")),
        "{rule}"
    );
    assert!(rule["when"].as_str().unwrap().contains("2090-01-01"), "{rule}");
    assert_eq!(verdict(&server, call("bob")).await["verdict"], "allow");
    assert_eq!(verdict(&server, call("mal")).await["verdict"], "deny");
}

/// The same rules without names, and others around them.
fn nameless(first: &str, last: &str) -> String {
    format!(
        "policy: {{ rules: [{first}
    {{ priority: 5, tool: bash, when: \"user.id == 'mal'\", effect: deny }},
    {{ priority: 5, tool: bash, effect: {last} }} ] }}"
    )
}

#[tokio::test]
async fn a_rule_stays_before_one_without_a_name_wherever_that_one_moves_in_the_file() {
    let before = nameless("", "require_approval");
    let server = Server::new(one_call(), &before);
    let run = server.run().await;
    let pattern = server.open(1).await[0]["remember_options"][0]["pattern"].clone();
    assert_eq!(respond(&server, &server.operator, json!({"pattern": pattern, "scope": "everyone"})).await.0, 200);
    server.until_status(&run, "completed").await;
    let says = async |user: &str| verdict(&server, call(user)).await["verdict"].as_str().unwrap().to_owned();
    let stands = async || server.get("/api/rules").await.1["items"].as_array().unwrap().clone();
    let of_api = |rules: &[Value]| rules.iter().find(|rule| rule["source"] == "api").cloned();
    assert_eq!((says("bob").await, says("mal").await), ("allow".into(), "deny".into()));
    assert_eq!(of_api(&stands().await).unwrap()["before"], "rule-2");
    // Another rule takes its place in the file: `rule-2` is now the one that denies.
    let moved = nameless("\n    { priority: 5, tool: file_read, effect: allow },", "require_approval");
    server.rewrite(&before, &moved);
    assert_eq!(server.post(&server.operator, "/api/config/reload", json!({})).await.0, 200);
    assert_eq!((says("bob").await, says("mal").await), ("allow".into(), "deny".into()));
    assert_eq!(of_api(&stands().await).unwrap()["before"], "rule-3");
    // It says something else now: what was allowed before it is so no longer.
    server.rewrite(&moved, &nameless("", "require_human"));
    assert_eq!(server.post(&server.operator, "/api/config/reload", json!({})).await.0, 200);
    assert_eq!((says("bob").await, says("mal").await), ("ask".into(), "deny".into()));
}

#[tokio::test]
async fn of_two_nameless_rules_that_say_the_same_a_rule_stays_before_the_one_that_it_stood_before() {
    let twice = "\n    { priority: 5, tool: bash, when: \"user.id == 'eve'\", effect: require_approval },";
    let file = nameless(twice, "require_approval").replace(" ] }", &format!(",{} ] }}", twice.trim_end_matches(',')));
    let server = Server::new(one_call(), &file);
    let rule = json!({"tool": "bash", "effect": "allow", "before": "rule-4"});
    let put = server.try_send(&server.operator, reqwest::Method::PUT, "/api/rules/late", Some(&rule)).await.unwrap();
    assert!((200..300).contains(&put.0), "{}", put.1);
    let rules = server.get("/api/rules").await.1["items"].as_array().unwrap().clone();
    let names: Vec<_> = rules.iter().map(|rule| rule["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["rule-1", "rule-2", "rule-3", "late", "rule-4"], "and not before the first of the two");
    assert_eq!(verdict(&server, call("mal")).await["verdict"], "deny");
}
