//! The order of rules that were made while the server ran.

use super::policy::{items, names, put, send, verdict};
use super::server::{Server, one_call};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn rules_keep_their_order_and_stand_before_the_one_they_name() {
    let more = "policy: { rules: [ { name: first, priority: 7, tool: bash, effect: require_approval }, { name: second, priority: 7, tool: bash, effect: deny } ] }";
    let server = Server::new(one_call(), more);
    let rule = |tool: &str, effect: &str| json!({"priority": 7, "tool": tool, "effect": effect});
    for name in ["z", "a"] {
        put(&server, &format!("/api/rules/{name}"), rule("bash", "deny")).await;
    }
    let mut between = rule("bash(make)", "allow");
    between["before"] = json!("second");
    between["priority"] = json!(1);
    put(&server, "/api/rules/between", between).await;
    assert_eq!(names(&items(&server, "/api/rules").await), ["first", "between", "second", "z", "a"]);
    put(&server, "/api/rules/z", rule("bash", "allow")).await;
    let mut early = rule("file_read", "deny");
    early["priority"] = json!(1);
    put(&server, "/api/rules/early", early).await;
    let rules = items(&server, "/api/rules").await;
    assert_eq!(names(&rules), ["early", "first", "between", "second", "z", "a"], "what is replaced stays in its place");
    // A deleted rule that comes back by undoing does so where it was.
    assert_eq!(server.try_send(&server.operator, Method::DELETE, "/api/rules/z", None).await.unwrap().0, 204);
    let (status, undone) = server.post(&server.operator, "/api/policy/changes/6/undo", json!({})).await;
    assert_eq!((status, &undone["after"]["effect"]), (201, &json!("allow")), "{undone}");
    assert_eq!(names(&items(&server, "/api/rules").await), ["early", "first", "between", "second", "z", "a"]);
    let (_, page) = server.get("/api/rules?limit=2&after=first").await;
    assert_eq!(
        (names(page["items"].as_array().unwrap()), &page["next"]),
        (vec!["between", "second"], &json!("second"))
    );
}

#[tokio::test]
async fn a_rule_stands_before_one_that_is_newer_and_comes_first_when_that_one_is_gone() {
    let server = Server::new(one_call(), "policy: { default: ask }");
    put(&server, "/api/rules/older", json!({"tool": "pay", "effect": "deny"})).await;
    put(&server, "/api/rules/newer", json!({"tool": "pay", "priority": 50, "effect": "allow"})).await;
    let pay = || verdict(&server, json!({"tool": "pay"}));
    assert_eq!(pay().await["verdict"], "allow");
    put(&server, "/api/rules/older", json!({"tool": "pay", "effect": "deny", "before": "newer"})).await;
    assert_eq!(pay().await["verdict"], "deny", "directly before a rule that was made later");
    put(&server, "/api/rules/last", json!({"tool": "pay", "priority": 60, "effect": "allow"})).await;
    let (status, gone) = send(&server, Method::DELETE, "/api/rules/newer", json!({})).await;
    assert!((200..300).contains(&status), "{gone}");
    assert_eq!(pay().await["verdict"], "deny", "what it stood before is gone, and it denies all the same");
}
