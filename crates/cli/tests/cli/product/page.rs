//! Everything that a run can wait for is answered on the page.

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
