//! Who counts as a person, and who may act for others.

use super::server::{Server, one_call};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn where_only_a_session_counts_a_persons_token_does_not_answer_what_a_person_must() {
    let more = "server: { human: session }\n\
                policy: { rules: [ { name: person, priority: 1, tool: bash, effect: require_human } ] }";
    let mut server = Server::new(one_call(), more);
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/interactions/{id}/respond");
    let (status, refused) = server.post(&server.approver, &path, json!({"decision": "approve"})).await;
    assert_eq!(status, 403, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("sign in"), "{refused}");
    assert_eq!(server.counted(), 0);
    // Nor does it change what a person must be asked about.
    let rule = json!({"tool": "bash", "effect": "allow"});
    let changed = server.try_send(&server.operator, Method::PUT, "/api/rules/all", Some(&rule)).await.unwrap();
    assert_eq!(changed.0, 403, "{}", changed.1);
    let grant = json!({"resource": "bash(ls)"});
    assert_eq!(server.post(&server.approver, "/api/permissions/kim/allow", grant.clone()).await.0, 403);
    assert_eq!(server.post(&server.approver, "/api/permissions/kim/deny", grant).await.0, 200);
    let base = server.base.clone();
    let sign_in = server.http().post(format!("{base}/api/sign-in")).json(&json!({"token": server.approver}));
    let response = sign_in.send().await.unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let answer = server.http().post(format!("{base}{path}")).header("cookie", &cookie).header("origin", &base);
    assert_eq!(answer.json(&json!({"decision": "approve"})).send().await.unwrap().status(), 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
    server.stop();
    server.sound().await;
}

#[tokio::test]
async fn where_only_a_session_counts_a_persons_token_answers_what_anyone_may() {
    let more = "server: { human: session }\n\
                policy: { rules: [ { name: any, priority: 1, tool: bash, effect: require_approval } ] }";
    let server = Server::new(one_call(), more);
    let run = server.run().await;
    let open = server.open(1).await;
    let path = format!("/api/interactions/{}/respond", open[0]["id"].as_str().unwrap());
    let pattern = &open[0]["remember_options"][0]["pattern"];
    let lasting = json!({"decision": "approve", "remember": {"pattern": pattern, "scope": "user"}});
    assert_eq!(server.post(&server.approver, &path, lasting).await.0, 403, "what lasts is a person's to choose");
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
}

#[tokio::test]
async fn a_service_names_another_user_only_if_its_token_was_made_so() {
    let server = Server::new(vec![json!("hello"), json!("hello")], "");
    let start = json!({"agent": "worker", "input": "x", "user_id": "lee"});
    let plain = server.token(&["--kind", "service", "--name", "ci", "--role", "approver"]);
    assert_eq!(server.post(&plain, "/api/runs", start.clone()).await.0, 403);
    let acting = server.token(&["--kind", "service", "--name", "portal", "--role", "approver", "--act-for"]);
    let (status, run) = server.post(&acting, "/api/runs", start).await;
    assert_eq!((status, &run["user_id"]), (201, &json!("lee")), "{run}");
    for wrong in [["--kind", "user", "--name", "ann"], ["--kind", "agent", "--name", "bot"]] {
        let mut create = server.program();
        let made = create.args(["token", "create"]).args(wrong).args(["--act-for", "--db", &server.db()]).output();
        let made = made.unwrap();
        assert!(!made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    }
}
