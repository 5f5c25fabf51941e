//! Who gets in, and how they are told that they do not.

use super::server::Server;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

#[tokio::test]
async fn a_link_signs_in_once_and_a_cookie_is_for_our_own_page_only() {
    let server = Server::new(vec![json!("hello")], "");
    let link = server.link.clone().unwrap();
    let (base, secret) = link.split_once("/sign-in#").unwrap();
    assert_eq!(base, server.base);
    let http = server.http();
    let sign_in = || http.post(format!("{base}/api/sign-in")).json(&json!({"link": secret}));
    let response = sign_in().send().await.unwrap();
    assert_eq!(response.status(), 200);
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert_eq!(sign_in().send().await.unwrap().status(), 401, "a link signs in once");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let me = http.get(format!("{base}/api/me")).header("cookie", &cookie).send().await.unwrap();
    assert_eq!(me.json::<serde_json::Value>().await.unwrap()["role"], "operator");
    let start = |origin: Option<&str>| {
        let request = http.post(format!("{base}/api/runs")).header("cookie", &cookie);
        let request = request.json(&json!({"agent": "worker", "input": "x"}));
        match origin {
            Some(origin) => request.header("origin", origin),
            None => request,
        }
    };
    assert_eq!(start(Some("https://evil.example")).send().await.unwrap().status(), 403);
    assert_eq!(start(None).send().await.unwrap().status(), 403);
    assert_eq!(start(Some(base)).send().await.unwrap().status(), 201);
    let out = http.post(format!("{base}/api/sign-out")).header("cookie", &cookie).header("origin", base);
    assert_eq!(out.send().await.unwrap().status(), 204);
    let me = http.get(format!("{base}/api/me")).header("cookie", &cookie).send().await.unwrap();
    assert_eq!(me.status(), 401);
}

#[tokio::test]
async fn a_page_of_another_name_gets_nothing_from_this_machine() {
    let server = Server::new(vec![json!("hello")], "");
    let rebound = server
        .http()
        .get(format!("{}/api/me", server.base))
        .header("host", "evil.example")
        .bearer_auth(&server.operator);
    assert_eq!(rebound.send().await.unwrap().status(), 403);
}

#[tokio::test]
async fn an_agent_acts_for_its_user_and_sees_no_other() {
    let server = Server::new(vec![json!("hello")], "");
    let agent = server.token(&["--kind", "agent", "--name", "coder", "--for", "dana"]);
    let (status, run) = server.post(&agent, "/api/runs", json!({"agent": "worker", "input": "x"})).await;
    assert_eq!((status, &run["user_id"]), (201, &json!("dana")));
    let other = json!({"agent": "worker", "input": "x", "user_id": "root"});
    assert_eq!(server.post(&agent, "/api/runs", other).await.0, 403);
    let theirs = server.run().await;
    let get = |path: String| {
        let request = server.http().get(format!("{}{path}", server.base)).bearer_auth(&agent);
        async move { request.send().await.unwrap().status().as_u16() }
    };
    assert_eq!(get(format!("/api/runs/{theirs}")).await, 404);
    assert_eq!(get(format!("/api/runs/{}", run["id"].as_str().unwrap())).await, 200);
    let signed_in = server.http().post(format!("{}/api/sign-in", server.base)).json(&json!({"token": agent}));
    assert_eq!(signed_in.send().await.unwrap().status(), 403, "only a person signs in");
}

#[tokio::test]
async fn bad_requests_get_a_problem_that_says_what_to_do() {
    let server = Server::new(vec![json!("hello")], "");
    assert_eq!(server.get("/healthz").await.0, 200);
    assert_eq!(server.get("/readyz").await.0, 200);
    let cases = [
        (json!({"agent": "nobody", "input": "x"}), 404, "UNKNOWN_AGENT", "`worker`"),
        (json!({"agent": "worker"}), 400, "INVALID", "input"),
        (json!({"agent": "worker", "input": "x", "inputs": 1}), 400, "INVALID", "inputs"),
        (json!({"agent": "worker", "input": "x", "cwd": "src"}), 400, "INVALID", "absolute"),
        (
            json!({"agent": "worker", "input": "x", "delegated_permissions": [{"denied_tools": ["bash("]}]}),
            400,
            "INVALID",
            "delegated_permissions",
        ),
    ];
    for (body, status, code, says) in cases {
        let (got, problem) = server.post(&server.operator, "/api/runs", body.clone()).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{body}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(says), "{problem}");
    }
    let twice = server.http().post(format!("{}/api/policy/check", server.base)).bearer_auth(&server.operator);
    let twice =
        twice.body(r#"{"tool": "bash", "args": {"command": "ls", "command": "rm -rf /"}}"#).send().await.unwrap();
    assert_eq!(twice.status(), 400, "two readers would see two calls");
    assert_eq!(twice.headers()["content-type"], "application/problem+json");
    let (status, verdict) = server
        .post(&server.operator, "/api/policy/check", json!({"tool": "bash", "args": {"command": "ls"}, "cwd": "/srv"}))
        .await;
    assert_eq!((status, &verdict["verdict"]), (200, &json!("ask")), "{verdict}");
    for path in [
        "/api/nothing",
        "/api/runs/run_00000000000000000000000000000000",
        "/api/runs/nonsense",
        "/api/interactions/nonsense",
    ] {
        let (status, problem) = server.get(path).await;
        assert_eq!((status, &problem["code"]), (404, &json!("NOT_FOUND")), "{path}");
    }
}

#[tokio::test]
async fn a_second_server_on_the_same_file_is_refused() {
    let server = Server::new(vec![json!("hello")], "");
    let second = server.program().args(["serve", "--listen", "127.0.0.1:0", "--db", &server.db()]).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(said.contains("another Countersign serves"), "{said}");
}

#[tokio::test]
async fn a_token_that_was_revoked_opens_nothing() {
    let server = Server::new(vec![json!("hello")], "");
    let db = server.db();
    let list = server.program().args(["token", "list", "--json", "--db", &db]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    assert!(!list.contains("cs_user_"), "secrets are not kept");
    let kim: serde_json::Value = list
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .find(|token: &serde_json::Value| token["name"] == "kim")
        .unwrap();
    let revoked =
        server.program().args(["token", "revoke", kim["id"].as_str().unwrap(), "--db", &db]).status().unwrap();
    assert!(revoked.success());
    let (status, _) = server.post(&server.approver, "/api/policy/check", json!({"tool": "bash"})).await;
    assert_eq!(status, 401);
}

#[tokio::test]
async fn of_many_who_show_a_token_at_once_none_gets_in_after_it_was_revoked() {
    let server = Server::new(vec![json!("hello")], "");
    let (status, made) =
        server.post(&server.operator, "/api/tokens", json!({"kind": "user", "name": "max", "role": "viewer"})).await;
    assert_eq!(status, 201, "{made}");
    let (token, id) = (made["token"].as_str().unwrap().to_owned(), made["id"].as_str().unwrap());
    let http = server.http().clone();
    let asked = move |base: &str| {
        let request = http.get(format!("{base}/api/me")).bearer_auth(&token).send();
        async move { request.await.unwrap().status().as_u16() }
    };
    let (is_over, got_in) = (Arc::new(AtomicBool::new(false)), Arc::new(Semaphore::new(0)));
    let mut at_once = JoinSet::new();
    for _ in 0..32 {
        let (asked, base) = (asked.clone(), server.base.clone());
        let (is_over, got_in) = (Arc::clone(&is_over), Arc::clone(&got_in));
        at_once.spawn(async move {
            loop {
                // Whoever comes once it is known to be over comes too late, whoever else is being let in.
                let comes_after = is_over.load(Ordering::SeqCst);
                match (asked(&base).await, comes_after) {
                    (200, false) => got_in.add_permits(1),
                    (401, false) => {}
                    (answered, false) => panic!("{answered}"),
                    (answered, true) => return answered,
                }
            }
        });
    }
    let _ = got_in.acquire_many(100).await.unwrap();
    // By another process: nobody tells the server.
    assert!(server.program().args(["token", "revoke", id, "--db", &server.db()]).status().unwrap().success());
    is_over.store(true, Ordering::SeqCst);
    assert_eq!(at_once.join_all().await, vec![401; 32]);
}

#[tokio::test]
async fn a_session_ends_with_the_token_it_was_opened_with() {
    let server = Server::new(vec![json!("hello")], "");
    let response = server.http().post(format!("{}/api/sign-in", server.base)).json(&json!({"token": server.approver}));
    let response = response.send().await.unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let me = || server.http().get(format!("{}/api/me", server.base)).header("cookie", &cookie).send();
    assert_eq!(me().await.unwrap().status(), 200);
    let list = server.program().args(["token", "list", "--db", &server.db()]).output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    let id = list.lines().find(|line| line.contains(" kim")).and_then(|line| line.split_whitespace().next()).unwrap();
    assert!(server.program().args(["token", "revoke", id, "--db", &server.db()]).status().unwrap().success());
    assert_eq!(me().await.unwrap().status(), 401);
}

#[tokio::test]
async fn those_who_may_only_look_start_nothing_and_lists_tell_nobody_of_others() {
    let server = Server::new(vec![json!("hello")], "");
    let viewer = server.token(&["--kind", "user", "--name", "eve"]);
    assert_eq!(server.post(&viewer, "/api/runs", json!({"agent": "worker", "input": "x"})).await.0, 403);
    for _ in 0..3 {
        server.run().await;
    }
    let agent = server.token(&["--kind", "agent", "--name", "coder", "--for", "dana"]);
    let list = server.http().get(format!("{}/api/runs?limit=1", server.base)).bearer_auth(&agent).send().await.unwrap();
    assert_eq!(list.json::<serde_json::Value>().await.unwrap(), json!({"items": [], "next": null}));
    let hidden = json!({"agent": "worker", "input": "x", "user_id": "a\u{202e}b"});
    assert_eq!(server.post(&server.operator, "/api/runs", hidden).await.0, 400);
}

#[tokio::test]
async fn a_database_by_another_name_is_the_same_database() {
    let server = Server::new(vec![json!("hello")], "");
    std::os::unix::fs::symlink(server.path("data"), server.path("other")).unwrap();
    let db = format!("sqlite://{}", server.path("other/countersign.db").display());
    let second = server.program().args(["serve", "--listen", "127.0.0.1:0", "--db", &db]).output().unwrap();
    assert!(String::from_utf8_lossy(&second.stderr).contains("another Countersign serves"));
    for folder in ["data", "other"] {
        let path = server.path(folder).join("countersign.db");
        let call = json!({"tool": "file_read", "args": {"file_path": path}, "cwd": "/srv"});
        let (_, verdict) = server.post(&server.operator, "/api/policy/check", call).await;
        assert_eq!(verdict["verdict"], "deny", "{folder}: {verdict}");
    }
}
