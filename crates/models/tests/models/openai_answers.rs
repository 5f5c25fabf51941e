//! What an endpoint answers, however it is cut.

use super::fake::{Answer, Fake};
use super::{speak, user};
use countersign_domain::run::{Said, Usage};
use countersign_runtime::ports::ModelError;
use serde_json::{Value, json};

fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn piece(index: u64, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    delta(&json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}))
}

fn said(id: &str, name: &str, arguments: &str) -> Said {
    Said { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn two_calls() -> Vec<Value> {
    vec![
        delta(&json!({"role": "assistant", "content": ""})),
        delta(&json!({"content": "日本語 "})),
        delta(&json!({"content": "and 🦀."})),
        piece(1, Some("b"), Some("file_read"), ""),
        piece(0, Some("a"), Some("bash"), "{\"command\":"),
        piece(1, None, None, "{\"file_path\": \"/x\""),
        piece(0, Some("a"), None, " \"echo ü\"}"),
        piece(1, None, None, ",}"),
        finish("tool_calls"),
        json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}),
    ]
}

#[tokio::test]
async fn calls_that_come_interleaved_are_assembled_by_index_wherever_bytes_are_cut() {
    for size in [1, 2, 3, 5, 7, 64, 100_000] {
        let fake = Fake::new([Answer::events(&two_calls()).in_pieces_of(size)]).await;
        let (spoken, heard) = speak(&fake.model(), &[user("x")]).await;
        let spoken = spoken.unwrap();
        assert_eq!(spoken.text, "日本語 and 🦀.");
        assert_eq!(heard, ["日本語 ", "and 🦀."]);
        // What is no JSON is not repaired.
        let calls = [("a", "bash", r#"{"command": "echo ü"}"#), ("b", "file_read", r#"{"file_path": "/x",}"#)];
        assert_eq!(spoken.calls, calls.map(|(id, name, arguments)| said(id, name, arguments)));
        assert_eq!(spoken.usage, Usage { input_tokens: 11, output_tokens: 7 });
    }
}

#[tokio::test]
async fn calls_of_the_same_index_with_names_and_ids_of_their_own_are_two() {
    let events = [
        piece(0, Some("a"), Some("bash"), r#"{"command":"ls"}"#),
        piece(0, Some("b"), Some("bash"), r#"{"command":"pwd"}"#),
        finish("tool_calls"),
    ];
    let fake = Fake::new([Answer::events(&events)]).await;
    let calls = speak(&fake.model(), &[user("x")]).await.0.unwrap().calls;
    assert_eq!(calls, [said("a", "bash", r#"{"command":"ls"}"#), said("b", "bash", r#"{"command":"pwd"}"#)]);
}

#[tokio::test]
async fn a_call_without_an_id_gets_one() {
    let fake = Fake::new([Answer::events(&[piece(0, None, Some("bash"), "{}"), finish("stop")])]).await;
    let calls = speak(&fake.model(), &[user("x")]).await.0.unwrap().calls;
    assert_eq!(calls, [said("call_1_0", "bash", "{}")]);
}

#[tokio::test]
async fn an_answer_is_complete_with_a_reason_or_with_the_mark_of_the_end() {
    let words = delta(&json!({"content": "hi"}));
    let reason = format!("data: {words}\n\ndata: {}\n\n", finish("stop"));
    let mark = format!(": keep-alive\n\ndata: {words}\r\n\r\ndata: [DONE]");
    for answer in [
        Answer::stream(&reason),
        Answer::stream(&reason).then_broken(),
        Answer::stream(&mark),
        Answer::stream(&format!("{mark}\n\n")).then_silent(),
    ] {
        let fake = Fake::new([answer]).await;
        assert_eq!(speak(&fake.model(), &[user("x")]).await.0.unwrap().text, "hi");
        assert_eq!(fake.requests().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_or_filtered_is_none() {
    let bare = [piece(0, Some("a"), Some("bash"), ""), finish("length")];
    let fake = Fake::new([
        Answer::events(&[finish("length")]),
        Answer::events(&bare),
        Answer::events(&[finish("content_filter")]),
    ])
    .await;
    let model = fake.model();
    assert!(matches!(speak(&model, &[user("x")]).await.0, Err(ModelError::Garbled(why)) if why.contains("cut off")));
    assert!(matches!(speak(&model, &[user("x")]).await.0, Err(ModelError::Garbled(why)) if why.contains("cut off")));
    assert!(matches!(speak(&model, &[user("x")]).await.0, Err(ModelError::Refused(why)) if why.contains("filter")));
    assert_eq!(fake.requests().len(), 3);
}

#[tokio::test]
async fn more_calls_than_anybody_makes_are_refused() {
    let many: Vec<Value> = (0..1100).map(|index| piece(index, Some("a"), Some("bash"), "{}")).collect();
    let fake = Fake::new(std::iter::repeat_n(Answer::events(&many), 4)).await;
    let (spoken, _) = speak(&fake.model(), &[user("x")]).await;
    assert!(matches!(spoken, Err(ModelError::Garbled(why)) if why.contains("more than 1024 calls")));
}
