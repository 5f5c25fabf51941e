//! Everything that a run can wait for is answered on the page, and what the page shows is what the server says.

use super::browser::Browser;
use super::server::{Server, count, one_call};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn what_became_of_a_call_is_said_on_the_page() {
    let policy = "policy: { rules: [ { name: all, priority: 1, tool: bash, effect: allow } ] }";
    let mut server = Server::with(one_call(), policy, Some("after_tool"));
    let browser = Browser::signed_in(&server);
    let run = server.run().await;
    for _ in 0..2400 {
        if !server.is_alive() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(server.was_killed(), "the failpoint kills");
    server.start(None);
    let asked = server.open(1).await.remove(0);
    assert_eq!(asked["purpose"], "uncertain_outcome");
    let says = browser.decide(&server, asked["id"].as_str().unwrap(), "It happened").unwrap();
    assert!(says.contains("that it happened"), "{says}");
    server.until_status(&run, "completed").await;
    let events = server.events(&run).await;
    assert_eq!((server.counted(), count(&events, "tool_started")), (1, 1), "it is not run again");
    let shown = browser.see_run(&server, &run);
    assert!(shown.contains("bash was started, and nobody knows whether it happened"), "{shown}");
    assert!(shown.contains("says that bash happened"), "{shown}");
}

#[tokio::test]
async fn a_form_within_a_form_is_filled_in_on_the_page() {
    let form = json!({"title": "How shall I release it?", "type": "combined", "interactions": [
        {"id": "version", "title": "Version", "type": "input"},
        {"id": "more", "title": "Around it", "type": "combined", "interactions": [
            {"id": "tell", "title": "Whom to tell", "type": "select", "multiple": true, "options": [
                {"value": "mail", "label": "Customers"}, {"value": "chat", "label": "The team"}]},
            {"id": "tag", "title": "Tag it?", "type": "confirm", "cancel_text": "No tag"},
        ]},
    ]});
    let server = Server::new(vec![json!([{"tool": "ask_user", "args": form}]), json!("all done")], "");
    let browser = Browser::signed_in(&server);
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let fields = json!({"Version": "1.4.0", "Whom to tell": ["The team"], "Tag it?": ["No tag"]});
    let says = browser.answer(&server, &id, &fields).unwrap();
    assert!(says.contains("You answered"), "{says}");
    server.until_status(&run, "completed").await;
    let events = server.events(&run).await;
    let finished = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
    let inner = json!([{"request_id": "tell", "selected_values": ["chat"]}, {"request_id": "tag", "confirmed": false}]);
    let reply = json!({"responses": [
        {"request_id": "version", "text": "1.4.0"}, {"request_id": "more", "responses": inner}]});
    let told: serde_json::Value = serde_json::from_str(finished["data"]["output"].as_str().unwrap()).unwrap();
    assert_eq!(told, reply);
}

#[tokio::test]
async fn calls_that_are_exactly_the_same_are_answered_together_and_each_has_its_own_answer() {
    let server = Server::new(one_call(), "");
    let browser = Browser::signed_in(&server);
    let runs = [server.run().await, server.run().await, server.run().await];
    let asked = server.open(3).await;
    let id = asked[1]["id"].as_str().unwrap();
    let seen = browser.see(&server, &["together", id, "Approve"]).unwrap();
    let rows = seen["before"].as_array().unwrap();
    assert!(rows.len() == 1 && rows[0].as_str().unwrap().contains("3 alike"), "{seen:#}");
    for run in &runs {
        server.until_status(run, "completed").await;
        assert_eq!(count(&server.events(run).await, "interaction_response"), 1);
    }
    assert_eq!(server.counted(), 3);
    // And counted as three.
    let figures = browser.see(&server, &["insights"]).unwrap();
    assert_eq!(figures["figures"]["Asked"], "3", "{figures:#}");
    assert_eq!(figures["figures"]["Approved, of those answered"], "100 %", "{figures:#}");
    assert!(figures["askers"][0][1].as_str().unwrap().contains("always approved"), "{figures:#}");
    assert!(figures["days"].as_array().unwrap().last().unwrap().as_str().unwrap().ends_with("33"), "{figures:#}");
}

#[tokio::test]
async fn the_page_says_why_as_the_server_does_and_a_grant_changes_it() {
    let server =
        Server::new(one_call(), "policy: { rules: [ { name: no-curl, priority: 1, tool: fetch, effect: deny } ] }");
    let browser = Browser::signed_in(&server);
    for call in
        [json!({"tool": "bash", "args": {"command": "npm run lint"}}), json!({"tool": "fetch", "args": {"url": "x"}})]
    {
        let (_, told) = server.post(&server.operator, "/api/policy/check", call.clone()).await;
        let shown = browser.see(&server, &["why", &call.to_string()]).unwrap();
        assert_eq!(shown["verdict"], told["verdict"], "{shown:#} {told:#}");
        assert_eq!(shown["digest"], told["digest"]);
        let layers = |steps: &serde_json::Value| -> Vec<_> {
            steps.as_array().unwrap().iter().map(|step| (step["layer"].clone(), step["said"].clone())).collect()
        };
        assert_eq!(layers(&shown["steps"]), layers(&told["reasons"]));
    }
    let refused = browser.see(&server, &["grant", "allow", "bash(npm run"]).unwrap_err();
    assert!(refused.contains("does not take this grant"), "{refused}");
    let given = browser.see(&server, &["grant", "allow", "bash(npm run lint)"]).unwrap();
    assert_eq!(given, json!({"allow": ["bash(npm run lint)"], "deny": []}));
    let call = json!({"tool": "bash", "args": {"command": "npm run lint"}}).to_string();
    let now = browser.see(&server, &["why", &call]).unwrap();
    assert_eq!(now["verdict"], "allow", "{now:#}");
    let left = browser.see(&server, &["take-back", "bash(npm run lint)"]).unwrap();
    assert_eq!(left, json!({"allow": [], "deny": []}));
}

#[tokio::test]
async fn the_record_is_read_verified_and_exported_on_the_page() {
    let server = Server::new(one_call(), "");
    let browser = Browser::signed_in(&server);
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    browser.see(&server, &["keys", &format!("/interactions/{id}"), "End a"]).unwrap();
    server.until_status(&run, "completed").await;
    server.until("/api/audit/verify", |report| report["waiting"] == 0).await;
    let found = browser.see(&server, &["audit", "tool=bash&user_id=kim"]).unwrap();
    assert_eq!(found["calls"][0]["status"], "completed", "{found:#}");
    assert!(found["detail"].as_str().unwrap().contains("echo ran >> count"), "{found:#}");
    assert!(found["verified"].as_str().unwrap().contains("Verified"), "{found:#}");
    assert_eq!(found["file"], "audit.csv");
    assert!(found["exported"].as_str().unwrap().contains(&run), "{found:#}");
}

#[tokio::test]
async fn the_page_speaks_the_language_that_is_chosen() {
    let server = Server::new(one_call(), "");
    let browser = Browser::signed_in(&server);
    for (language, theme, lang, title) in [
        ("简体中文", "dark", "zh-Hans", "设置"),
        ("日本語", "light", "ja", "設定"),
        ("English", "system", "en", "Settings"),
    ] {
        let shown = browser.see(&server, &["settings", language, theme]).unwrap();
        assert_eq!((&shown["lang"], &shown["title"], &shown["theme"]), (&json!(lang), &json!(title), &json!(theme)));
    }
}
