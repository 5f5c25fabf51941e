//! What stands in the way of changes of the policy, and what does not.

use super::server::Server;
use reqwest::Method;
use serde_json::{Value, json};

async fn send(server: &Server, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
    server.try_send(&server.operator, method, path, body.as_ref()).await.unwrap()
}

#[tokio::test]
async fn an_old_deletion_is_not_undone_over_what_came_and_went_since() {
    let server = Server::new(vec![], "");
    let rule = |effect: &str| Some(json!({"tool": "bash", "effect": effect}));
    for (method, body, version) in [
        (Method::PUT, rule("allow"), 1),
        (Method::DELETE, None, 2),
        (Method::PUT, rule("deny"), 3),
        (Method::DELETE, None, 4),
    ] {
        let (status, told) = send(&server, method, "/api/rules/one", body).await;
        assert!(matches!(status, 200 | 204), "{version}: {told}");
    }
    let undo = |version: u32| format!("/api/policy/changes/{version}/undo");
    for old in [2, 1, 3] {
        let (status, problem) = send(&server, Method::POST, &undo(old), Some(json!({}))).await;
        assert_eq!((status, &problem["code"]), (409, &json!("CHANGED_SINCE")), "{old}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains("version 4"), "{problem}");
    }
    let (status, undone) = send(&server, Method::POST, &undo(4), Some(json!({}))).await;
    assert_eq!((status, &undone["after"]["effect"]), (201, &json!("deny")), "{undone}");
    let (status, problem) = send(&server, Method::POST, &undo(2), Some(json!({}))).await;
    assert_eq!((status, &problem["code"]), (409, &json!("CHANGED_SINCE")), "it stands again: {problem}");
}

#[tokio::test]
async fn a_grant_that_is_not_understood_any_more_keeps_nobody_from_changing_anything_else() {
    let server = Server::new(vec![], "tools: [ { tool: deploy, resource: { text: target } } ]");
    let grant = |resource: &str| json!({"resource": resource});
    assert_eq!(server.post(&server.operator, "/api/permissions/kim/allow", grant("deploy(a b)")).await.0, 200);
    // From now on it touches addresses, and `a b` is none.
    server.rewrite("{ text: target }", "{ url: target }");
    let (status, reloaded) = server.post(&server.operator, "/api/config/reload", json!({})).await;
    assert_eq!(status, 200, "{reloaded}");
    let rule = json!({"name": "no", "tool": "deploy", "effect": "deny"});
    let (status, made) = server.post(&server.operator, "/api/rules", rule).await;
    assert_eq!(status, 201, "{made}");
    let check = json!({"tool": "deploy", "args": {"target": "https://example.org"}, "user_id": "kim"});
    assert_eq!(server.post(&server.operator, "/api/policy/check", check).await.1["verdict"], "deny", "it is in force");
    // Another one for the same user is not held to it either, wherever it stands among them.
    for good in ["deploy(https://a.example/**)", "deploy(https://z.example/**)"] {
        let (status, given) = server.post(&server.operator, "/api/permissions/kim/allow", grant(good)).await;
        assert_eq!(status, 200, "{given}");
    }
    // What is wrong anew is refused, and so is the same once more.
    for (user, bad) in [("kim", "deploy(c d)"), ("ann", "deploy(a b)"), ("kim", "deploy(a b)")] {
        let (status, problem) =
            server.post(&server.operator, &format!("/api/permissions/{user}/allow"), grant(bad)).await;
        assert_eq!(status, 400, "{user} {bad}: {problem}");
    }
    let (status, problem) =
        server.post(&server.operator, "/api/rules", json!({"name": "x", "tool": "y(", "effect": "deny"})).await;
    assert_eq!((status, &problem["code"]), (422, &json!("BAD_POLICY")), "{problem}");
    // It can be taken away.
    let path = "/api/permissions/kim/allow";
    let (status, left) = send(&server, Method::DELETE, path, Some(grant("deploy(a b)"))).await;
    assert_eq!(status, 200, "{left}");
}

#[tokio::test]
async fn what_the_file_names_since_hides_what_was_stored_which_can_still_be_taken_away() {
    let server = Server::new(vec![], "policy: { default: ask }");
    let verdict = async || {
        let call = json!({"tool": "bash", "args": {"command": "make"}});
        server.post(&server.operator, "/api/policy/check", call).await.1["verdict"].as_str().unwrap().to_owned()
    };
    let listed = async || {
        let (_, page) = server.get("/api/rules").await;
        let rules = page["items"].as_array().unwrap().iter().filter(|rule| rule["name"] == "one");
        rules.map(|rule| (rule["source"].clone(), rule["effect"].clone())).collect::<Vec<_>>()
    };
    let reload = async || server.post(&server.operator, "/api/config/reload", json!({})).await;
    let rule = |effect: &str| Some(json!({"tool": "bash", "effect": effect}));
    assert_eq!(send(&server, Method::PUT, "/api/rules/one", rule("deny")).await.0, 200);
    assert_eq!(verdict().await, "deny");
    let named = "policy: { rules: [ { name: one, tool: bash, effect: allow } ] }";
    server.rewrite("policy: { default: ask }", named);
    assert_eq!(reload().await.0, 200);
    assert_eq!((verdict().await.as_str(), listed().await), ("allow", vec![(json!("file"), json!("allow"))]));
    let (status, problem) = send(&server, Method::PUT, "/api/rules/one", rule("require_human")).await;
    assert_eq!((status, &problem["code"]), (409, &json!("FILE_DEFINED")), "{problem}");
    // It is gone for good: also once the file does not name it any more.
    let (status, told) = send(&server, Method::DELETE, "/api/rules/one", None).await;
    assert!(matches!(status, 200 | 204), "{told}");
    assert_eq!((verdict().await.as_str(), listed().await), ("allow", vec![(json!("file"), json!("allow"))]));
    let (status, problem) = send(&server, Method::DELETE, "/api/rules/one", None).await;
    assert_eq!((status, &problem["code"]), (409, &json!("FILE_DEFINED")), "{problem}");
    server.rewrite(named, "policy: { default: ask }");
    assert_eq!(reload().await.0, 200);
    assert_eq!((verdict().await.as_str(), listed().await), ("ask", vec![]));
}
