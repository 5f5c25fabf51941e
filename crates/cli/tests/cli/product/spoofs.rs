//! Texts that are made to deceive whoever decides, through the server and onto the page: nothing of them runs, nothing
//! hides, and the buttons stay where they are.

use super::browser::Browser;
use super::server::Server;
use serde_json::{Value, json};

const TABLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/e2e/spoofs.json"));

/// How many go into one command, and into one form.
const IN_COMMAND: usize = 4;
const IN_FORM: usize = 28;

fn strings() -> Vec<String> {
    let rows: Vec<Value> = serde_json::from_str(TABLE).unwrap();
    let times = |row: &Value| usize::try_from(row["times"].as_u64().unwrap()).unwrap();
    let text = |row: &Value| match row["of"].as_str() {
        Some(of) => format!("{}{}", of.repeat(times(row)), row["then"].as_str().unwrap()),
        None => row["text"].as_str().unwrap().to_owned(),
    };
    rows.iter().map(text).collect()
}

fn command(strings: &[String]) -> Value {
    json!({"tool": "bash", "args": {"command": strings.join(" && "), "description": strings[0]}})
}

/// A form whose every part has one as its name and the next as its description.
fn form(strings: &[String]) -> Value {
    let parts = strings.iter().enumerate().map(|(i, text)| {
        let about = &strings[(i + 1) % strings.len()];
        let start: String = about.chars().take(200).collect();
        json!({"id": format!("p{i}"), "type": "input", "title": text, "description": about, "placeholder": start})
    });
    let parts: Vec<_> = parts.collect();
    json!({"tool": "ask_user", "args": {
        "title": strings[0], "description": strings[1], "type": "combined", "interactions": parts}})
}

#[tokio::test]
async fn nothing_that_is_made_to_deceive_runs_hides_or_moves_the_buttons() {
    let strings = strings();
    assert!(strings.len() >= 200);
    let mut calls: Vec<_> = strings.chunks(IN_COMMAND).map(command).collect();
    let commands = calls.len();
    calls.extend(strings.chunks(IN_FORM).map(form));
    // A tool of a name that was made up is no tool: nobody is asked about it.
    let asked = calls.len();
    calls.push(json!({"tool": "b\u{200b}ash", "args": {"command": "ls"}}));
    let server = Server::new(vec![json!(calls), json!("all done")], "hitl: { max_open_per_run: 200 }");
    let browser = Browser::signed_in(&server);
    let run = server.run().await;
    server.until_status(&run, "waiting").await;
    let refused = server.events(&run).await.into_iter().filter(|event| event["type"] == "tool_finished");
    let refused: Vec<_> = refused.map(|event| event["data"]["output"].clone()).collect();
    assert_eq!(refused.len(), 1, "{refused:#?}");
    let seen = browser.see(&server, &["spoofs"]).unwrap();
    assert_eq!((&seen["looked"], &seen["approvals"]), (&json!(asked), &json!(commands)), "{seen:#}");
    assert_eq!(seen["wrong"], json!([]), "{seen:#}");
    let shown = browser.see_run(&server, &run);
    assert!(!shown.contains('\u{200b}') && shown.contains(r"b\\u{200B}ash"), "{shown}");
}
