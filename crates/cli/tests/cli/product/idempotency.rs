//! Keys for whatever makes something: the same request under the same key makes one thing, also when the server dies of it, and
//! when many send it at once.

use super::server::{Server, one_call};
use countersign_testkit::Postgres;
use futures_util::future::join_all;
use serde_json::{Value, json};

/// A request of the operator's under a key; `None` if the server did not live to answer.
async fn under(server: &Server, path: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
    let request = server.http().post(format!("{}{path}", server.base)).bearer_auth(&server.operator);
    let response = request.header("Idempotency-Key", key).json(body).send().await.ok()?;
    Some((response.status().as_u16(), response.json().await.ok()?))
}

async fn version(server: &Server) -> u64 {
    let changes = server.get("/api/policy/changes").await.1;
    changes["items"][0]["version"].as_u64().unwrap_or(0)
}

async fn tokens(server: &Server, name: &str) -> Vec<Value> {
    let all = server.get("/api/tokens").await.1;
    all["items"].as_array().unwrap().iter().filter(|token| token["name"] == name).cloned().collect()
}

async fn frames(server: &Server, run: &str) -> usize {
    let frames = server.get(&format!("/api/runs/{run}/delegated-permissions")).await.1;
    frames["items"].as_array().unwrap().len()
}

/// The path, a body and another one of each request that changes the policy.
fn changes() -> [(&'static str, Value, Value); 3] {
    let rule = |effect: &str| json!({"name": "one", "tool": "deploy", "effect": effect});
    let grant = |resource: &str| json!({"resource": resource});
    [
        ("/api/rules", rule("deny"), rule("allow")),
        ("/api/permissions/kim/allow", grant("bash(make)"), grant("bash(ls)")),
        ("/api/policy/changes/1/undo", json!({"reason": "so"}), json!({"reason": "otherwise"})),
    ]
}

const MISMATCH: &str = "IDEMPOTENCY_MISMATCH";

async fn makes_one_thing(postgres: Option<Postgres>) {
    let mut server = Server::logging(postgres, one_call(), "");
    for (n, (path, body, other)) in (1..).zip(changes()) {
        let (status, first) = under(&server, path, &format!("k{n}"), &body).await.unwrap();
        assert!(matches!(status, 200 | 201), "{path}: {first}");
        assert_eq!(version(&server).await, n, "{path}");
        let (status, again) = under(&server, path, &format!("k{n}"), &body).await.unwrap();
        assert_eq!((status, &again), (200, &first), "{path}: the same answer");
        let (status, refused) = under(&server, path, &format!("k{n}"), &other).await.unwrap();
        assert_eq!((status, &refused["code"]), (422, &json!(MISMATCH)), "{path}: {refused}");
        assert_eq!(version(&server).await, n, "{path}: one effect");
    }
    // What was made and is gone is not made again in silence.
    let [(path, rule, _), ..] = changes();
    let (status, gone) = under(&server, path, "k1", &rule).await.unwrap();
    assert!(status == 404 && gone["detail"].as_str().unwrap().contains("under a new key"), "{gone}");
    assert_eq!(version(&server).await, 3, "{gone}");
    let (status, made) = under(&server, path, "k4", &rule).await.unwrap();
    assert_eq!((status, version(&server).await), (201, 4), "{made}");
    // One key is for one request, whatever it makes.
    let token = json!({"kind": "service", "name": "nightly"});
    let (status, refused) = under(&server, "/api/tokens", "k1", &token).await.unwrap();
    assert_eq!((status, &refused["code"]), (422, &json!(MISMATCH)), "{refused}");

    let (status, made) = under(&server, "/api/tokens", "t1", &token).await.unwrap();
    assert_eq!(status, 201, "{made}");
    let (status, again) = under(&server, "/api/tokens", "t1", &token).await.unwrap();
    assert_eq!((status, &again["code"], &again["id"]), (409, &json!("TOKEN_SHOWN_ONCE"), &made["id"]), "{again}");
    let secret = made["token"].as_str().unwrap();
    assert!(!again.to_string().contains(secret), "it is shown once");
    let other = json!({"kind": "service", "name": "daily"});
    assert_eq!(under(&server, "/api/tokens", "t1", &other).await.unwrap().1["code"], MISMATCH);
    assert_eq!((tokens(&server, "nightly").await.len(), tokens(&server, "daily").await.len()), (1, 0));
    if server.postgres.is_none() {
        for name in ["countersign.db", "countersign.db-wal"] {
            let kept = std::fs::read(server.path("data").join(name)).unwrap_or_default();
            assert!(!kept.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{name} holds the token");
        }
    }

    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    let path = format!("/api/runs/{run}/delegated-permissions");
    let frame = json!({"denied_tools": ["web_fetch"]});
    let (status, first) = under(&server, &path, "n1", &frame).await.unwrap();
    assert_eq!((status, under(&server, &path, "n1", &frame).await), (200, Some((200, first.clone()))), "{first}");
    assert_eq!(under(&server, &path, "n1", &json!({"denied_tools": ["bash"]})).await.unwrap().1["code"], MISMATCH);
    assert_eq!(frames(&server, &run).await, 1);
    // Also when the run has ended since.
    server.post(&server.operator, &format!("/api/runs/{run}/cancel"), json!({})).await;
    assert_eq!(under(&server, &path, "n1", &frame).await.unwrap(), (200, first));
    server.stop();
    server.sound().await;
}

#[tokio::test]
async fn the_same_request_under_the_same_key_makes_one_thing_and_another_is_refused() {
    makes_one_thing(None).await;
    makes_one_thing(Some(Postgres::for_test())).await;
}

async fn makes_one_thing_for_many(postgres: Option<Postgres>) {
    let mut server = Server::logging(postgres, one_call(), "");
    let many = async |path: &str, key: &str, body: &Value| {
        let all = join_all((0..16).map(|_| under(&server, path, key, body))).await;
        let mut all: Vec<_> = all.into_iter().map(Option::unwrap).collect();
        all.sort_by_key(|(status, _)| std::cmp::Reverse(*status));
        all
    };
    for (n, (path, body, _)) in (1..).zip(changes()) {
        let all = many(path, &format!("k{n}"), &body).await;
        let firsts = all.iter().filter(|(status, _)| *status == 201).count();
        assert!(
            firsts <= 1 && all.iter().all(|(status, told)| matches!(status, 200 | 201) && *told == all[0].1),
            "{all:?}"
        );
        assert_eq!(version(&server).await, n, "{path}: {all:?}");
    }
    let all = many("/api/tokens", "t1", &json!({"kind": "service", "name": "nightly"})).await;
    let statuses: Vec<_> = all.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [vec![409; 15], vec![201]].concat(), "{all:?}");
    assert_eq!(tokens(&server, "nightly").await.len(), 1);
    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    let path = format!("/api/runs/{run}/delegated-permissions");
    let all = many(&path, "n1", &json!({"denied_tools": ["web_fetch"]})).await;
    assert!(all.iter().all(|(status, _)| *status == 200), "{all:?}");
    assert_eq!(frames(&server, &run).await, 1);
    server.stop();
    server.sound().await;
}

#[tokio::test]
async fn sixteen_who_send_the_same_at_once_make_one_thing() {
    makes_one_thing_for_many(None).await;
    makes_one_thing_for_many(Some(Postgres::for_test())).await;
}

async fn survives(postgres: Option<Postgres>, failpoint: &str, path: &str, body: &Value) {
    let mut server = Server::doomed(postgres, one_call(), "", failpoint);
    let path = if path.contains("{run}") {
        let run = server.run().await;
        server.until_status(&run, "waiting").await;
        path.replace("{run}", &run)
    } else {
        path.to_owned()
    };
    assert_eq!(under(&server, &path, "k", body).await, None, "{failpoint}: it dies of it");
    server.child.as_mut().unwrap().wait().unwrap();
    server.start(None);
    let (status, told) = under(&server, &path, "k", body).await.unwrap();
    if path.ends_with("tokens") {
        let [token] = &tokens(&server, "nightly").await[..] else { panic!("{failpoint}: one token") };
        assert_eq!((status, &told["code"], &told["id"]), (409, &json!("TOKEN_SHOWN_ONCE"), &token["id"]), "{told}");
    } else if path.ends_with("delegated-permissions") {
        assert_eq!((status, told["items"].as_array().unwrap().len()), (200, 1), "{told}");
    } else {
        assert_eq!((status, version(&server).await), (200, 1), "{failpoint}: {told}");
    }
    server.stop();
    server.sound().await;
}

#[tokio::test]
async fn what_was_made_before_the_server_died_is_not_made_again() {
    let rule = json!({"name": "one", "tool": "deploy", "effect": "deny"});
    let grant = json!({"resource": "bash(make)"});
    let token = json!({"kind": "service", "name": "nightly"});
    let frame = json!({"denied_tools": ["web_fetch"]});
    for (failpoint, path, body) in [
        ("policy_change.after_commit", "/api/rules", &rule),
        ("policy_change.after_commit", "/api/permissions/kim/allow", &grant),
        // The first is the link with which one signs in for the first time.
        ("token.after_commit:2", "/api/tokens", &token),
        ("permissions_narrowed.after_commit", "/api/runs/{run}/delegated-permissions", &frame),
        ("permissions_narrowed.before_ack", "/api/runs/{run}/delegated-permissions", &frame),
    ] {
        survives(None, failpoint, path, body).await;
        survives(Some(Postgres::for_test()), failpoint, path, body).await;
    }
}
