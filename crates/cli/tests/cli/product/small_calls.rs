//! Small calls: a run's tree, its status in lists, an answer by run and call, the time left, tokens.

use super::server::{Server, one_call};
use countersign_testkit::Postgres;
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn a_call_is_approved_and_declined_by_its_run_and_its_id() {
    let server = Server::new(one_call(), "");
    let agent = server.token(&["--kind", "agent", "--name", "w", "--for", "kim"]);
    for (verb, status, ran) in [("decline", "rejected", 0), ("approve", "completed", 1)] {
        let body = json!({"agent": "worker", "input": "do it", "user_id": verb});
        let run = server.post(&server.operator, "/api/runs", body).await.1["id"].as_str().unwrap().to_owned();
        let call = server.open(1).await[0]["tool_call_id"].as_str().unwrap().to_owned();
        let path = format!("/api/runs/{run}/tool-calls/{call}/{verb}");
        assert_eq!(server.post(&agent, &path, json!({})).await.0, 403);
        let (code, told) = server.post(&server.approver, &path, json!({"reason": "because"})).await;
        assert_eq!((code, &told["interaction_request"]["status"]), (200, &json!("answered")), "{told}");
        server.until_status(&run, "completed").await;
        let events = server.events(&run).await;
        let end = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
        assert_eq!((&end["data"]["status"], server.counted()), (&json!(status), ran));
        let (code, told) = server.post(&server.approver, &path, json!({"reason": "because"})).await;
        assert_eq!((code, &told["repeated"]), (200, &json!(true)));
        let other =
            format!("/api/runs/{run}/tool-calls/{call}/{}", if verb == "approve" { "decline" } else { "approve" });
        assert_eq!(server.post(&server.approver, &other, json!({})).await.1["code"], "ALREADY_ANSWERED");
        let nobody = format!("/api/runs/{run}/tool-calls/call_{}/approve", "0".repeat(32));
        assert_eq!(server.post(&server.approver, &nobody, json!({})).await.0, 404);
    }
}

#[tokio::test]
async fn runs_are_listed_by_status_page_by_page_and_a_run_has_a_tree() {
    let server = Server::new(one_call(), "");
    let mut waiting = vec![];
    for _ in 0..3 {
        waiting.insert(0, server.run().await);
    }
    server.open(3).await;
    let ended = server.run().await;
    server.open(4).await;
    server.post(&server.operator, &format!("/api/runs/{ended}/cancel"), json!({})).await;
    for run in &waiting {
        server.until_status(run, "waiting").await;
    }
    let (mut seen, mut after) = (vec![], String::new());
    loop {
        let page = server.get(&format!("/api/runs?status=waiting&limit=2{after}")).await.1;
        seen.extend(page["items"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(seen, waiting);
    let cancelled = server.get("/api/runs?status=cancelled").await.1;
    assert_eq!(cancelled["items"][0]["id"], json!(ended));
    assert_eq!(server.get("/api/runs?status=asleep").await.0, 400);
    let (status, tree) = server.get(&format!("/api/runs/{ended}/tree")).await;
    assert_eq!((status, &tree["run"]["id"], &tree["children"]), (200, &json!(ended), &json!([])));
    let within = json!({"tool": "deploy", "args": {}, "run_id": waiting[0], "user_id": "kim"});
    let (status, asked) = server.post(&server.operator, "/api/tool-calls", within).await;
    assert!(status < 300, "{asked}");
    let (_, tree) = server.get(&format!("/api/runs/{}/tree", waiting[0])).await;
    assert_eq!((tree["children"].as_array().unwrap().len(), &tree["complete"]), (1, &json!(true)), "{tree}");
    assert_eq!(tree["children"][0]["parent_run_id"], json!(waiting[0]));
}

#[tokio::test]
async fn every_listing_of_questions_says_how_much_time_is_left() {
    let server = Server::new(one_call(), "hitl: { timeout: 30m }");
    let run = server.run().await;
    let asked = server.open(1).await[0].clone();
    let one = server.get(&format!("/api/interactions/{}", asked["id"].as_str().unwrap())).await.1;
    server.until_status(&run, "waiting").await;
    let of_run = server.get(&format!("/api/runs/{run}/suspended")).await.1;
    for asked in
        [&asked, &one["interaction_request"], &of_run["interaction_request"], &of_run["all"][0]["interaction_request"]]
    {
        let left = asked["expires_in_seconds"].as_i64().unwrap();
        assert!((1..=1800).contains(&left), "{asked}");
    }
    server.post(&server.operator, &format!("/api/runs/{run}/cancel"), json!({})).await;
    let over = server.get(&format!("/api/interactions/{}", asked["id"].as_str().unwrap())).await.1;
    assert_eq!(over["interaction_request"]["expires_in_seconds"], Value::Null);
}

/// The agent uses the tool twice: in between it is taken away.
async fn is_narrowed(postgres: Option<Postgres>) {
    let call = |word: &str| json!([{"tool": "bash", "args": {"command": format!("echo {word} >> count")}}]);
    let mut server = Server::logging(postgres, vec![call("one"), call("two"), json!("all done")], "");
    let agent = server.token(&["--kind", "agent", "--name", "w", "--for", "kim"]);
    let run = server.run().await;
    let first = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/runs/{run}/delegated-permissions");
    assert_eq!(server.get(&path).await.1["items"], json!([]));
    let approve = |id: &str| format!("/api/interactions/{id}/respond");
    assert_eq!(server.post(&server.approver, &approve(&first), json!({"decision": "approve"})).await.0, 200);
    let page = server
        .until("/api/interactions", |page| page["items"][0]["id"].is_string() && page["items"][0]["id"] != json!(first))
        .await;
    let second = page["items"][0]["id"].as_str().unwrap().to_owned();
    let frame = json!({"denied_tools": ["bash"]});
    assert_eq!(server.post(&agent, &path, frame.clone()).await.0, 403);
    assert_eq!(server.post(&server.approver, &path, json!({"denied_tools": ["bash("]})).await.0, 400);
    let (status, chain) = server.post(&server.approver, &path, frame.clone()).await;
    assert_eq!((status, &chain["items"]), (200, &json!([frame])));
    // Nor does a program outside get round it, within the run.
    let within = json!({"tool": "bash", "args": {"command": "echo x"}, "run_id": run, "user_id": "kim"});
    let (_, asked) = server.post(&server.operator, "/api/tool-calls", within).await;
    assert_eq!(asked["decision"], "deny", "{asked}");
    server.kill();
    server.start(None);
    assert_eq!(server.get(&path).await.1["items"], json!([frame]));
    assert_eq!(server.get(&format!("/api/runs/{run}")).await.1["delegated_permissions"], json!([frame]));
    // An approval does not give back what was taken away.
    assert_eq!(server.post(&server.approver, &approve(&second), json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
    let events = server.events(&run).await;
    let end = events.iter().rfind(|event| event["type"] == "tool_finished").unwrap();
    assert_eq!(end["data"]["status"], "denied", "{end}");
    let narrowed = events.iter().find(|event| event["type"] == "permissions_narrowed").unwrap();
    assert_eq!(narrowed["data"]["by"]["name"], "kim");
    assert_eq!(server.post(&server.approver, &path, frame).await.1["code"], "RUN_ENDED");
    server.sound().await;
}

#[tokio::test]
async fn a_frame_narrows_a_live_run_from_its_next_call_on_on_sqlite() {
    is_narrowed(None).await;
}

#[tokio::test]
async fn a_frame_narrows_a_live_run_from_its_next_call_on_on_postgres() {
    is_narrowed(Some(Postgres::for_test())).await;
}

#[tokio::test]
async fn an_operator_makes_tokens_and_the_record_says_who_did() {
    let server = Server::new(one_call(), "");
    let body = json!({"kind": "agent", "name": "bot", "acts_for": "kim"});
    for token in [&server.approver, &server.token(&["--kind", "agent", "--name", "w", "--for", "root"])] {
        assert_eq!(server.post(token, "/api/tokens", body.clone()).await.0, 403);
        assert_eq!(server.try_send(token, Method::GET, "/api/tokens", None).await.unwrap().0, 403);
    }
    let (status, made) = server.post(&server.operator, "/api/tokens", body).await;
    let (token, id) = (made["token"].as_str().unwrap(), made["id"].as_str().unwrap());
    assert_eq!((status, &made["kind"]), (201, &json!("agent")));
    assert_eq!(server.try_send(token, Method::GET, "/api/me", None).await.unwrap().1["name"], "bot");
    for wrong in [
        json!({"kind": "agent", "name": "x"}),
        json!({"kind": "cat", "name": "x"}),
        json!({"kind": "user", "name": ""}),
    ] {
        assert_eq!(server.post(&server.operator, "/api/tokens", wrong).await.1["code"], "INVALID");
    }
    let listed = server.get("/api/tokens").await.1;
    assert!(listed.to_string().contains(id) && !listed.to_string().contains(token), "{listed}");
    let path = format!("/api/tokens/{id}");
    for expected in [204, 204] {
        let revoked = server.try_send(&server.operator, Method::DELETE, &path, None).await.unwrap();
        assert_eq!(revoked.0, expected);
    }
    assert_eq!(server.try_send(token, Method::GET, "/api/me", None).await.unwrap().0, 401);
    assert_eq!(server.try_send(&server.operator, Method::DELETE, "/api/tokens/tok_0", None).await.unwrap().0, 404);
    server.until("/api/audit/verify", |report| report["waiting"] == 0).await;
    let record = server.get("/api/audit/export?format=jsonl").await.1.to_string();
    for word in ["token_made", "token_ended"] {
        let entry = record.split("\\n").find(|line| line.contains(word) && line.contains(id));
        assert!(entry.is_some_and(|entry| entry.contains("root")), "{word}: {record}");
    }
    assert!(!record.contains(token));
}
