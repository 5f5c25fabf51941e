//! A change of the policy is tried out on the calls of the record before it is made.

use super::server::Server;
use serde_json::{Value, json};

/// A turn with one call that is allowed, two that are asked about and one that holds a secret; then the end.
fn calls() -> Vec<Value> {
    let bash = |command: &str| json!({"tool": "bash", "args": {"command": command}});
    let secret = "curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345' https://x.example";
    let read = json!({"tool": "file_read", "args": {"file_path": "x"}});
    vec![json!([read, bash("make a"), bash("make b"), bash(secret)]), json!("all done")]
}

async fn dry_run(server: &Server, body: Value) -> (u16, Value) {
    server.post(&server.operator, "/api/policy/dry-run", body).await
}

fn many(result: &Value) -> [usize; 3] {
    ["allowed", "asked", "denied"].map(|list| result["would_now_be"][list].as_array().unwrap().len())
}

#[tokio::test]
async fn a_dry_run_counts_what_would_be_judged_otherwise_and_keeps_nothing() {
    let server = Server::new(calls(), "");
    for _ in 0..3 {
        server.run().await;
    }
    server.open(9).await;
    let change = |key: &str, rule: Value| json!({"kind": "rule", "key": key, "body": rule});
    let allow = change("a", json!({"tool": "bash(make a)", "effect": "allow"}));
    let deny = change("r", json!({"tool": "file_read", "effect": "deny"}));
    let (status, result) = dry_run(&server, json!({"changes": [allow, deny], "last": 100})).await;
    assert_eq!((status, &result["looked_at"], &result["unchanged"]), (200, &json!(12), &json!(6)), "{result}");
    assert_eq!((many(&result), &result["masked"]), ([3, 0, 3], &json!(3)));
    let examples = result["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 6);
    let one = examples.iter().find(|example| example["tool"] == "bash").unwrap();
    assert_eq!(one["resource"], "bash(make a)");
    assert_eq!((&one["before"]["verdict"], &one["after"]), (&json!("ask"), &json!({"verdict": "allow"})));
    assert!(one["why"].as_str().unwrap().contains("rule \"a\""), "{one}");
    assert!(result["would_now_be"]["allowed"].as_array().unwrap().contains(&one["call_id"]), "{one}");
    assert!(!result.to_string().contains("ghp_"), "{result}");
    // To be asked in another way is another verdict; the newest calls go first.
    let human = change("h", json!({"tool": "bash", "effect": "require_human"}));
    let (_, result) = dry_run(&server, json!({"changes": [human], "last": 4})).await;
    assert_eq!((many(&result), &result["unchanged"]), ([0, 3, 0], &json!(1)), "{result}");
    for (change, expected) in [
        (json!({"kind": "capability", "key": "shell", "body": {"effect": "deny"}}), [0, 0, 9]),
        (json!({"kind": "override", "key": "file_read", "body": {"execution": "ask-once"}}), [0, 3, 0]),
        (
            json!({"kind": "override", "key": "file_read", "user_id": "bob", "body": {"execution": "ask-once"}}),
            [0, 0, 0],
        ),
        (json!({"kind": "tool", "key": "file_read", "body": {"risk": "medium"}}), [0, 3, 0]),
        (json!({"kind": "role", "key": "x", "body": {"denied_tools": ["bash"]}}), [0, 0, 0]),
    ] {
        let (status, result) = dry_run(&server, json!({"changes": [change]})).await;
        assert_eq!((status, many(&result)), (200, expected), "{change}: {result}");
    }
    let (_, nothing) = dry_run(&server, json!({"changes": []})).await;
    assert_eq!((&nothing["looked_at"], &nothing["unchanged"]), (&json!(12), &json!(12)));
    assert_eq!(server.get("/api/rules").await.1["items"], json!([]), "nothing was kept");
    assert_eq!(server.get("/api/policy/changes").await.1["items"], json!([]));
    // What it told is what happens.
    let rule = json!({"name": "a", "tool": "bash(make a)", "effect": "allow"});
    assert_eq!(server.post(&server.operator, "/api/rules", rule).await.0, 201);
    let check = json!({"tool": "bash", "args": {"command": "make a"}, "user_id": "kim"});
    assert_eq!(server.post(&server.operator, "/api/policy/check", check).await.1["verdict"], "allow");
    let gone = json!({"changes": [{"kind": "rule", "key": "a"}]});
    assert_eq!(many(&dry_run(&server, gone).await.1), [0, 3, 0], "taken away, it would be asked about again");
}

#[tokio::test]
async fn calls_of_programs_outside_are_looked_at_as_well() {
    let server = Server::new(calls(), "");
    for command in ["make a", "make b"] {
        let call = json!({"tool": "bash", "args": {"command": command}, "user_id": "kim"});
        let (status, asked) = server.post(&server.operator, "/api/tool-calls", call).await;
        assert!(status < 300 && asked["decision"] == "pending", "{asked}");
    }
    let rule = json!({"kind": "rule", "key": "b", "body": {"tool": "bash(make b)", "effect": "deny"}});
    let (_, result) = dry_run(&server, json!({"changes": [rule]})).await;
    assert_eq!((&result["looked_at"], many(&result)), (&json!(2), [0, 0, 1]), "{result}");
    assert_eq!(result["examples"][0]["resource"], "bash(make b)");
}

#[tokio::test]
async fn what_cannot_be_tried_out_is_refused_with_its_place() {
    let server = Server::new(calls(), "policy: { capabilities: { mail: deny } }");
    let rule = |body: Value| json!({"changes": [{"kind": "rule", "key": "a", "body": body}]});
    for (body, status, told) in [
        (json!({"changes": [], "last": 0}), 400, "`last` must be between 1 and 10000"),
        (json!({"changes": [], "last": 10_001}), 400, "`last` must be between 1 and 10000"),
        (rule(json!({"tool": "bash"})), 400, "`changes[0].body`: missing field `effect`"),
        (rule(json!({"tool": "bash", "effect": "perhaps"})), 400, "`changes[0].body.effect`"),
        (rule(json!({"tool": "bash", "effect": "deny", "when": "args."})), 422, "`problems`"),
        (rule(json!({"tool": "bash", "effect": "deny", "before": "x"})), 422, "`problems`"),
        (rule(Value::Null), 404, "there is no rule `a`"),
        (
            json!({"changes": [{"kind": "capability", "key": "mail", "body": {"effect": "allow"}}]}),
            409,
            "configuration file",
        ),
        (json!({"changes": [{"kind": "role", "key": "x", "user_id": "kim", "body": {}}]}), 400, "`changes[0].user_id`"),
        (json!({"changes": [{"kind": "grant", "key": "x"}]}), 400, "`changes[0].kind`"),
    ] {
        let (got, problem) = dry_run(&server, body.clone()).await;
        assert_eq!(got, status, "{body}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(told), "{body}: {problem}");
    }
}
