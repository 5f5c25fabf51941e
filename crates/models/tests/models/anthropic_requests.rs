//! What Anthropic's API is sent.

use super::anthropic_answers::{begin, end};
use super::fake::{Answer, Fake, KEY};
use super::{result, speak, user};
use countersign_domain::run::{Message, Said, ToolResult};
use countersign_models::{Anthropic, Secret, Settings};
use countersign_runtime::ports::{Model, Prompt, ToolDefinition};
use serde_json::{Value, json};

fn done() -> Answer {
    Answer::named_events(&[vec![begin()], end("end_turn").to_vec()].concat())
}

/// The messages that a conversation is sent as.
async fn sent(messages: &[Message]) -> Value {
    let fake = Fake::new([done()]).await;
    speak(&fake.anthropic(), messages).await.0.unwrap();
    fake.requests().remove(0).body["messages"].clone()
}

fn call(id: &str, arguments: &str) -> Said {
    Said { id: id.into(), name: "bash".into(), arguments: arguments.into() }
}

#[tokio::test]
async fn a_conversation_is_sent_with_its_tools() {
    let fake = Fake::new([done()]).await;
    let calls = vec![call("call_1", r#"{"command": "ls"}"#), call("call_2", r#"{"command": ls}"#)];
    let failed = ToolResult { id: "call_2".into(), name: "bash".into(), text: "not JSON".into(), failed: true };
    let messages = [
        user("look"),
        Message::Assistant { text: "I will.".into(), calls },
        result("a.md"),
        Message::Tool(failed),
        user("and hurry"),
        Message::Assistant { text: "One file.".into(), calls: vec![] },
    ];
    let tool =
        ToolDefinition { name: "bash".into(), description: "Runs.".into(), parameters: json!({"type": "object"}) };
    let headers = vec![("X-Team".into(), Secret::new("blue"))];
    let settings = Settings { headers, max_tokens: Some(99), temperature: Some(1.0), ..fake.settings() };
    let prompt = Prompt { system: Some("You help."), messages: &messages, tools: &[tool] };
    Anthropic::new(settings).unwrap().speak(&prompt, &|_| {}).await.unwrap();
    let request = fake.requests().remove(0);
    assert!(request.head.starts_with("POST /v1/messages HTTP/1.1"), "{}", request.head);
    let head = request.head.to_lowercase();
    for header in [&*format!("x-api-key: {KEY}"), "anthropic-version: 2023-06-01", "x-team: blue"] {
        assert!(head.contains(header), "{head}");
    }
    assert!(!head.contains("authorization"), "{head}");
    assert_eq!(
        request.body,
        json!({
            "model": "small",
            "max_tokens": 99,
            "temperature": 1.0,
            "stream": true,
            "system": "You help.",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "look"}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "I will."},
                    {"type": "tool_use", "id": "call_1", "name": "bash", "input": {"command": "ls"}},
                    {"type": "tool_use", "id": "call_2", "name": "bash", "input": {"not_an_object": "{\"command\": ls}"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "call_1", "is_error": false,
                     "content": [{"type": "text", "text": "a.md"}]},
                    {"type": "tool_result", "tool_use_id": "call_2", "is_error": true,
                     "content": [{"type": "text", "text": "not JSON"}]},
                    {"type": "text", "text": "and hurry"},
                ]},
                {"role": "assistant", "content": [{"type": "text", "text": "One file."}]},
            ],
            "tools": [{"name": "bash", "description": "Runs.", "input_schema": {"type": "object"}}],
        })
    );
}

#[tokio::test]
async fn roles_take_turns_and_no_text_is_empty() {
    let nothing = json!([{"type": "text", "text": "(nothing)"}]);
    let silent = |calls| Message::Assistant { text: " \n".into(), calls };
    let call = call("c", "");
    let messages = [user(" "), silent(vec![]), user("a"), user("b"), silent(vec![call]), result("")];
    let messages = sent(&messages).await;
    let roles: Vec<_> = messages.as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
    assert_eq!((&messages[0]["content"], &messages[1]["content"]), (&nothing, &nothing));
    assert_eq!(messages[2]["content"].as_array().unwrap().len(), 2);
    assert_eq!(messages[3]["content"], json!([{"type": "tool_use", "id": "c", "name": "bash", "input": {}}]));
    assert_eq!(messages[4]["content"][0]["content"], json!([]));
}

#[tokio::test]
async fn without_settings_an_answer_still_has_a_longest_length() {
    let fake = Fake::new([done()]).await;
    let model = Anthropic::new(Settings { key: None, ..fake.settings() }).unwrap();
    speak(&model, &[user("x")]).await.0.unwrap();
    let request = fake.requests().remove(0);
    assert_eq!(request.body["max_tokens"], 8192);
    assert!(["system", "tools", "temperature"].iter().all(|key| request.body.get(key).is_none()));
    assert!(!request.head.to_lowercase().contains("x-api-key"));
}

#[test]
fn nothing_prints_a_key() {
    let headers = vec![("X-Key".to_owned(), Secret::new(KEY))];
    let settings = Settings { key: Some(Secret::new(KEY)), headers, ..Settings::new("http://127.0.0.1:1", "m") };
    assert!(!format!("{:?}", Anthropic::new(settings).unwrap()).contains(KEY));
}
