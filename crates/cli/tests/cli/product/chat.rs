//! A conversation on the page: whatever the agent is asked there waits, is answered and goes on in the same place, also
//! when the page was loaded again meanwhile.

use super::browser::Browser;
use super::server::{Server, one_call};
use serde_json::{Value, json};

/// Says something to the worker on the page, and does what `steps` name.
fn chat(server: &Server, steps: &Value) -> Value {
    Browser::signed_in(server).see(server, &["chat", "worker", "do it", &steps.to_string()]).unwrap()
}

fn texts(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_conversation_is_the_same_after_the_page_was_loaded_again() {
    let server = Server::new(one_call(), "");
    let shown = chat(&server, &json!([["reload"], ["approve"], ["say", "and now?"]]));
    let asked = &shown["found"][0];
    assert!(asked["before"].as_str().unwrap().contains("worker wants to run a command"), "{shown:#}");
    assert_eq!(asked["before"], asked["after"], "the question is still there");
    let turn = &shown["turns"][0];
    assert_eq!(turn["status"], "completed", "{shown:#}");
    assert_eq!(texts(&turn["said"]), ["Asked: do it", "all done"]);
    let steps = texts(&turn["steps"]);
    for line in ["worker proposes bash", "The policy asks a person about bash", "bash finished"] {
        assert!(steps.contains(&line), "{line}: {steps:?}");
    }
    assert!(steps.iter().any(|line| line.ends_with(" approved bash")), "{steps:?}");
    assert_eq!(server.counted(), 1);
    // The next turn is of the same session, and the agent hears what was said before.
    assert_eq!(texts(&shown["turns"][1]["said"])[0], "Asked: and now?", "{shown:#}");
    let session = shown["at"].as_str().unwrap().trim_start_matches("/chat/").to_owned();
    let runs = server.get(&format!("/api/runs?session_id={session}")).await.1;
    let asked: Vec<_> = runs["items"].as_array().unwrap().iter().map(|run| run["input"].clone()).collect();
    assert_eq!(asked, ["and now?", "do it"]);
    let sessions = server.get("/api/sessions").await.1;
    assert_eq!(sessions["items"][0]["newest_run_id"], runs["items"][0]["id"]);
}

#[tokio::test]
async fn a_rejection_in_a_conversation_reaches_the_agent_and_its_reply_is_shown() {
    let mut turns = one_call();
    turns[1] = json!("then I use make clean");
    let server = Server::new(turns, "");
    let shown = chat(&server, &json!([["reject", "use make clean instead"]]));
    let turn = &shown["turns"][0];
    assert_eq!(texts(&turn["said"]).last(), Some(&"then I use make clean"), "{shown:#}");
    let told = server.model.last_asked().to_string();
    assert!(told.contains("use make clean instead"), "{told}");
    assert!(texts(&turn["steps"]).contains(&"bash was not run: rejected"), "{shown:#}");
    assert_eq!(server.counted(), 0);
}

#[tokio::test]
async fn a_question_with_choices_is_answered_within_the_conversation() {
    let form = json!({"title": "Which colour?", "type": "select", "options": [
        {"value": "red", "label": "Red"}, {"value": "blue", "label": "Blue"}]});
    let server = Server::new(vec![json!([{"tool": "ask_user", "args": form}]), json!("blue it is")], "");
    let shown = chat(&server, &json!([["reload"], ["answer", {"Your answer": ["Blue"]}]]));
    assert_eq!(texts(&shown["turns"][0]["said"]).last(), Some(&"blue it is"), "{shown:#}");
    let told = server.model.last_asked().to_string();
    assert!(told.contains("blue"), "{told}");
}

#[tokio::test]
async fn a_conversation_is_stopped_where_it_waits() {
    let server = Server::new(one_call(), "");
    let shown = chat(&server, &json!([["stop", "the wrong folder"]]));
    let turn = &shown["turns"][0];
    assert_eq!(turn["status"], "cancelled", "{shown:#}");
    let told = texts(&turn["told"]).join("\n");
    assert!(told.contains("stopped the run") && told.contains("the wrong folder"), "{told}");
    assert!(told.contains("This question was withdrawn"), "{told}");
    assert_eq!(server.counted(), 0);
}
