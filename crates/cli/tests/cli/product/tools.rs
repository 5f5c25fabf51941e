//! The built-in tools, from the proposal to what is on disk.

use super::server::{Server, count};
use serde_json::{Value, json};
use std::fs;

/// A conversation in which the model proposes one call, and then has a last word.
fn one(tool: &str, args: &Value) -> Vec<Value> {
    vec![json!([{"tool": tool, "args": args}]), json!("all done")]
}

async fn approve(server: &Server, asked: &Value) {
    let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
}

/// What the call of the run ended with.
async fn end(server: &Server, run: &str) -> String {
    server.until_status(run, "completed").await;
    let events = server.events(run).await;
    assert_eq!(count(&events, "tool_started"), 1);
    let finished = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
    finished["data"].to_string()
}

#[tokio::test]
async fn whoever_approves_a_change_sees_it_and_it_is_what_happens() {
    let edit = json!({"file_path": "notes.md", "old_string": "two", "new_string": "2"});
    let server = Server::new(one("file_edit", &edit), "");
    fs::write(server.path("work/notes.md"), "one\ntwo\nthree\n").unwrap();
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    let preview = &asked["preview"];
    assert_eq!(preview["kind"], "diff", "{asked:#}");
    assert_eq!(preview["text"], "--- now\n+++ then\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    assert!(preview["path"].as_str().unwrap().ends_with("/work/notes.md"));
    assert!(preview["digest"].as_str().unwrap().starts_with("sha256:"));
    approve(&server, &asked).await;
    assert!(end(&server, &run).await.contains("was written"));
    assert_eq!(fs::read_to_string(server.path("work/notes.md")).unwrap(), "one\n2\nthree\n");
}

#[tokio::test]
async fn a_file_that_changed_while_somebody_thought_is_not_overwritten() {
    let write = json!({"file_path": "notes.md", "content": "of the agent\n"});
    let mut server = Server::new(one("file_write", &write), "");
    fs::write(server.path("work/notes.md"), "old\n").unwrap();
    let run = server.run().await;
    let asked = server.open(1).await.remove(0);
    // What was shown is on disk, and holds for the server that comes after this one.
    server.kill();
    fs::write(server.path("work/notes.md"), "of somebody else\n").unwrap();
    server.start(None);
    approve(&server, &asked).await;
    assert!(end(&server, &run).await.contains("changed since this was approved"));
    assert_eq!(fs::read_to_string(server.path("work/notes.md")).unwrap(), "of somebody else\n");
}

#[tokio::test]
async fn a_link_that_is_swapped_while_somebody_thinks_leads_nowhere() {
    for target in ["other.md", "../outside.md"] {
        let server = Server::new(one("file_read", &json!({"file_path": "notes.md"})), "policy: { risk: { low: ask } }");
        fs::write(server.path("work/notes.md"), "harmless").unwrap();
        fs::write(server.path("work/other.md"), "hunter2").unwrap();
        fs::write(server.path("outside.md"), "hunter2").unwrap();
        let run = server.run().await;
        let asked = server.open(1).await.remove(0);
        assert_eq!(asked["preview"]["kind"], "place");
        fs::remove_file(server.path("work/notes.md")).unwrap();
        std::os::unix::fs::symlink(target, server.path("work/notes.md")).unwrap();
        approve(&server, &asked).await;
        let told = end(&server, &run).await;
        assert!(told.contains("now leads elsewhere than when it was approved"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
}

#[tokio::test]
async fn commands_are_held_to_the_working_folder() {
    if !countersign_tools::is_held_by_kernel() {
        return;
    }
    let server = Server::new(one("bash", &json!({"command": "cat ../outside.md"})), "");
    fs::write(server.path("outside.md"), "hunter2").unwrap();
    let run = server.run().await;
    approve(&server, &server.open(1).await[0]).await;
    let told = end(&server, &run).await;
    assert!(told.contains("Permission denied") && !told.contains("hunter2"), "{told}");
}
