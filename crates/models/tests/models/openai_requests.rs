//! What an endpoint is sent.

use super::fake::{Answer, Fake, KEY};
use super::{result, user};
use countersign_domain::run::{Message, Said};
use countersign_models::{BadSettings, OpenAi, Secret, Settings};
use countersign_runtime::ports::{Model, Prompt, ToolDefinition};
use serde_json::json;

#[tokio::test]
async fn a_conversation_is_sent_with_its_tools() {
    let fake = Fake::new([Answer::events(&[])]).await;
    let call = Said { id: "call_1".into(), name: "bash".into(), arguments: r#"{"command": ls}"#.into() };
    let messages = [
        user("look"),
        Message::Assistant { text: String::new(), calls: vec![call] },
        result("a.md"),
        Message::Assistant { text: "One file.".into(), calls: vec![] },
    ];
    let tool =
        ToolDefinition { name: "bash".into(), description: "Runs.".into(), parameters: json!({"type": "object"}) };
    let settings = Settings { headers: vec![("X-Team".into(), Secret::new("blue"))], ..fake.settings() };
    let prompt = Prompt { system: Some("You help."), messages: &messages, tools: &[tool] };
    OpenAi::new(settings).unwrap().speak(&prompt, &|_| {}).await.unwrap();
    let request = fake.requests().remove(0);
    assert!(request.head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{}", request.head);
    let head = request.head.to_lowercase();
    for header in [&*format!("authorization: bearer {KEY}"), "x-team: blue", "content-type: application/json"] {
        assert!(head.contains(header), "{head}");
    }
    assert_eq!(
        request.body,
        json!({
            "model": "small",
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [
                {"role": "system", "content": "You help."},
                {"role": "user", "content": "look"},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": r#"{"command": ls}"#}},
                ]},
                {"role": "tool", "tool_call_id": "call_1", "content": "a.md"},
                {"role": "assistant", "content": "One file."},
            ],
            "tools": [{"type": "function", "function": {
                "name": "bash", "description": "Runs.", "parameters": {"type": "object"},
            }}],
        })
    );
}

#[tokio::test]
async fn without_tools_and_key_none_are_sent() {
    let fake = Fake::new([Answer::events(&[])]).await;
    let model = OpenAi::new(Settings { key: None, ..fake.settings() }).unwrap();
    super::speak(&model, &[user("x")]).await.0.unwrap();
    let request = fake.requests().remove(0);
    assert_eq!(request.body.get("tools"), None);
    assert!(!request.head.to_lowercase().contains("authorization"));
}

#[tokio::test]
async fn limits_are_sent_by_the_name_that_the_endpoint_knows() {
    let fake = Fake::new([Answer::events(&[])]).await;
    let model = OpenAi::new(Settings { max_tokens: Some(100), temperature: Some(0.5), ..fake.settings() }).unwrap();
    super::speak(&model, &[user("x")]).await.0.unwrap();
    let body = fake.requests().remove(0).body;
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&json!(100), &json!(0.5)));
}

#[tokio::test]
async fn names_and_ids_that_a_provider_would_refuse_are_made_plain() {
    let fake = Fake::new([Answer::events(&[])]).await;
    let call = || Said { id: "call 1".into(), name: "functions.bash".into(), arguments: "{}".into() };
    let said = Message::Assistant { text: String::new(), calls: vec![call(), call()] };
    super::speak(&fake.model(), &[user("x"), said]).await.0.unwrap();
    let calls = fake.requests().remove(0).body["messages"][1]["tool_calls"].clone();
    assert_eq!((&calls[0]["id"], &calls[0]["function"]["name"]), (&json!("call_1"), &json!("functions_bash")));
    assert_eq!(calls[1]["id"], "call_1_2");
}

#[test]
fn nothing_prints_a_key() {
    let headers = vec![("X-Key".to_owned(), Secret::new(KEY))];
    let settings = Settings { key: Some(Secret::new(KEY)), headers, ..Settings::new("http://127.0.0.1:1", "m") };
    assert!(!format!("{settings:?}").contains(KEY));
    assert!(!format!("{:?}", OpenAi::new(settings).unwrap()).contains(KEY));
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let refused = |change: fn(&mut Settings)| {
        let mut settings = Settings::new("http://127.0.0.1:1/v1", "m");
        change(&mut settings);
        OpenAi::new(settings).unwrap_err()
    };
    assert!(matches!(refused(|s| s.base_url = "example.com".into()), BadSettings::BaseUrl(_)));
    assert!(matches!(refused(|s| s.base_url = "ftp://example.com".into()), BadSettings::BaseUrl(_)));
    let password = refused(|s| s.base_url = "http://me:hunter2@example.com".into());
    assert!(!password.to_string().contains("hunter2"), "{password}");
    assert_eq!(refused(|s| s.key = Some(Secret::new("a\nb"))), BadSettings::Key);
    assert_eq!(refused(|s| s.headers = vec![("a b".into(), Secret::new("c"))]), BadSettings::Header("a b".into()));
    assert_eq!(refused(|s| s.proxy = Some("http://".into())), BadSettings::Proxy);
}
