//! What Anthropic's API answers, however it is cut.

use super::fake::{Answer, Fake};
use super::{speak, user};
use countersign_domain::run::{Said, Usage};
use countersign_runtime::ports::ModelError;
use serde_json::{Value, json};

pub fn begin() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [],
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 4, "cache_read_input_tokens": 3, "output_tokens": 1}}})
}

fn block(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

pub fn words(text: &str) -> Value {
    delta(0, &json!({"type": "text_delta", "text": text}))
}

fn piece(index: u64, json: &str) -> Value {
    delta(index, &json!({"type": "input_json_delta", "partial_json": json}))
}

fn tool(index: u64, id: &str, name: &str) -> Value {
    block(index, &json!({"type": "tool_use", "id": id, "name": name, "input": {}}))
}

pub fn end(reason: &str) -> [Value; 2] {
    let usage = json!({"output_tokens": 25});
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage}),
        json!({"type": "message_stop"}),
    ]
}

fn said(id: &str, name: &str, arguments: &str) -> Said {
    Said { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn two_calls() -> Vec<Value> {
    let mut events = vec![
        begin(),
        block(0, &json!({"type": "text", "text": ""})),
        json!({"type": "ping"}),
        words("日本語 "),
        words("and 🦀."),
        json!({"type": "content_block_stop", "index": 0}),
        block(1, &json!({"type": "thinking", "thinking": ""})),
        delta(1, &json!({"type": "thinking_delta", "thinking": "hm"})),
        tool(2, "toolu_a", "bash"),
        piece(2, ""),
        piece(2, "{\"command\":"),
        piece(2, " \"echo ü\"}"),
        json!({"type": "content_block_stop", "index": 2}),
        json!({"type": "something_new", "of": ["tomorrow"]}),
        tool(3, "toolu_b", "file_read"),
        piece(3, "{\"file_path\": \"/x\",}"),
    ];
    events.extend(end("tool_use"));
    events
}

#[tokio::test]
async fn words_and_calls_are_assembled_wherever_bytes_are_cut() {
    let whole = Answer::named_events(&two_calls());
    let length = whole.len();
    for size in (1..=9).chain([64, length / 2, length]) {
        let fake = Fake::new([whole.clone().in_pieces_of(size)]).await;
        let (spoken, heard) = speak(&fake.anthropic(), &[user("x")]).await;
        let spoken = spoken.unwrap();
        assert_eq!(spoken.text, "日本語 and 🦀.");
        assert_eq!(heard, ["日本語 ", "and 🦀."]);
        // What is no JSON is not repaired.
        let calls =
            [("toolu_a", "bash", r#"{"command": "echo ü"}"#), ("toolu_b", "file_read", r#"{"file_path": "/x",}"#)];
        assert_eq!(spoken.calls, calls.map(|(id, name, arguments)| said(id, name, arguments)));
        assert_eq!(spoken.usage, Usage { input_tokens: 17, output_tokens: 25 });
    }
}

#[tokio::test]
async fn a_stream_cut_after_any_byte_is_asked_for_again() {
    let mut events = vec![begin(), words("hello"), tool(1, "t", "bash"), piece(1, "{}")];
    events.extend(end("tool_use"));
    let whole = Answer::named_events(&events);
    // Up to where the reason to stop has been told, nothing is an answer.
    let told = whole.text().find("event: message_stop").unwrap();
    for cut in (0..told - 2).step_by(7).chain([told - 3]) {
        let fake = Fake::new([whole.clone().cut_to(cut), whole.clone()]).await;
        let (spoken, _) = speak(&fake.anthropic(), &[user("x")]).await;
        assert_eq!(spoken.unwrap().calls, [said("t", "bash", "{}")], "cut after {cut}");
        assert_eq!(fake.requests().len(), 2, "cut after {cut}");
    }
}

#[tokio::test]
async fn arguments_may_come_at_once_and_a_call_without_an_id_gets_one() {
    let at_once = json!({"type": "tool_use", "name": "bash", "input": {"command": "ls"}});
    let mut events = vec![begin(), block(0, &at_once), block(1, &json!({"type": "tool_use", "id": "x", "name": "y"}))];
    events.extend(end("tool_use"));
    let fake = Fake::new([Answer::named_events(&events)]).await;
    let calls = speak(&fake.anthropic(), &[user("x")]).await.0.unwrap().calls;
    assert_eq!(calls, [said("call_1_0", "bash", r#"{"command":"ls"}"#), said("x", "y", "")]);
}

#[tokio::test]
async fn an_answer_that_was_cut_off_or_declined_is_none() {
    let stopped =
        |reason: &str, more: Vec<Value>| Answer::named_events(&[vec![begin()], more, end(reason).to_vec()].concat());
    let fake = Fake::new([
        stopped("max_tokens", vec![]),
        stopped("max_tokens", vec![tool(0, "t", "bash")]),
        stopped("refusal", vec![]),
        stopped("model_context_window_exceeded", vec![]),
        stopped("max_tokens", vec![words("some")]),
    ])
    .await;
    let model = fake.anthropic();
    for _ in 0..2 {
        let spoken = speak(&model, &[user("x")]).await.0;
        assert!(matches!(spoken, Err(ModelError::Garbled(why)) if why.contains("cut off")));
    }
    assert!(matches!(speak(&model, &[user("x")]).await.0, Err(ModelError::Refused(why)) if why.contains("declined")));
    assert_eq!(speak(&model, &[user("x")]).await.0, Err(ModelError::TooLong));
    assert_eq!(speak(&model, &[user("x")]).await.0.unwrap().text, "some");
    assert_eq!(fake.requests().len(), 5);
}
