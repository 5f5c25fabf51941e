//! What goes wrong on the way to Anthropic's API: told in words that help, tried again where that helps.

use super::anthropic_answers::{begin, end, words};
use super::fake::{Answer, Fake, KEY};
use super::{speak, user};
use countersign_models::{Anthropic, Settings};
use countersign_runtime::ports::ModelError;
use serde_json::{Value, json};
use std::time::Duration;

fn hi() -> Answer {
    Answer::named_events(&[vec![begin(), words("hi")], end("end_turn").to_vec()].concat())
}

fn error(status: &str, kind: &str, message: &str) -> Answer {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
    Answer::status(status, &body.to_string())
}

/// An error in the middle of a stream.
fn within(kind: &str, message: &str) -> Answer {
    let error: Value = json!({"type": "error", "error": {"type": kind, "message": message}});
    Answer::named_events(&[begin(), words("h"), error])
}

/// What the model says after these answers, and how often it was asked.
async fn after(answers: impl IntoIterator<Item = Answer>) -> (Result<String, ModelError>, usize) {
    let fake = Fake::new(answers).await;
    let (spoken, _) = speak(&fake.anthropic(), &[user("x")]).await;
    (spoken.map(|spoken| spoken.text), fake.requests().len())
}

#[tokio::test]
async fn what_no_patience_cures_is_told_at_once() {
    let unknown = ModelError::UnknownModel("small".into());
    let long = "prompt is too long: 210000 tokens > 200000 maximum";
    for (answer, expected) in [
        (error("401 Unauthorized", "authentication_error", "invalid x-api-key"), ModelError::BadKey),
        (error("403 Forbidden", "permission_error", "no"), ModelError::BadKey),
        (error("404 Not Found", "not_found_error", "model: small"), unknown.clone()),
        (error("400 Bad Request", "invalid_request_error", long), ModelError::TooLong),
        (error("413 Content Too Large", "request_too_large", "x"), ModelError::TooLong),
        (
            error("400 Bad Request", "invalid_request_error", &format!("max_tokens: too many, {KEY}")),
            ModelError::Refused("400 Bad Request: max_tokens: too many, •••".into()),
        ),
        (within("authentication_error", "x"), ModelError::BadKey),
        (within("not_found_error", "x"), unknown),
        (within("invalid_request_error", long), ModelError::TooLong),
    ] {
        let shown = format!("{answer:?}");
        assert_eq!(after([answer, hi()]).await, (Err(expected), 1), "{shown}");
    }
}

#[tokio::test]
async fn what_passes_is_tried_four_times() {
    let busy = || error("529 Overloaded", "overloaded_error", "Overloaded");
    let limit = error("429 Too Many Requests", "rate_limit_error", "slow down");
    assert_eq!(after([busy(), limit, within("overloaded_error", "x"), hi()]).await, (Ok("hi".into()), 4));
    let (spoken, asked) = after([busy(), busy(), busy(), busy(), hi()]).await;
    assert!(matches!(spoken, Err(ModelError::Unavailable(why)) if why.contains("Overloaded")));
    assert_eq!(asked, 4);
}

#[tokio::test]
async fn the_wait_that_is_asked_for_counts() {
    let later = |after: &str| Answer::status(&format!("429 Too Many Requests\r\nRetry-After: {after}"), "");
    // Our own pause would last longer than this test may.
    let fake = Fake::new([later("0"), hi()]).await;
    let patient = Settings { first_pause: Duration::from_hours(24), ..fake.settings() };
    let (spoken, _) = speak(&Anthropic::new(patient).unwrap(), &[user("x")]).await;
    assert_eq!((spoken.unwrap().text.as_str(), fake.requests().len()), ("hi", 2));
    let (spoken, asked) = after([later("3600"), hi()]).await;
    assert_eq!((spoken, asked), (Err(ModelError::Unavailable("429 Too Many Requests".into())), 1));
}

#[tokio::test]
async fn a_stream_that_is_no_answer_is_asked_for_again() {
    let half = || Answer::named_events(&[begin(), words("h")]);
    let wrong = |event: &str| Answer::stream(&format!("data: {event}\n\n"));
    for bad in [
        half(),
        half().then_broken(),
        wrong("{\"type\": \"content_block_delta\", \"index\": \"zero\"}"),
        wrong("[1, 2]"),
        wrong("{\"no\": \"type\"}"),
        wrong("not even JSON"),
    ] {
        let shown = format!("{bad:?}");
        assert_eq!(after([bad, hi()]).await, (Ok("hi".into()), 2), "{shown}");
    }
}

#[tokio::test]
async fn an_endpoint_that_falls_silent_is_given_up() {
    let fake = Fake::new([Answer::named_events(&[begin(), words("h")]).then_silent(), hi()]).await;
    let hasty = Settings { idle_timeout: Duration::from_secs(1), ..fake.settings() };
    let (spoken, _) = speak(&Anthropic::new(hasty).unwrap(), &[user("x")]).await;
    assert_eq!((spoken.unwrap().text.as_str(), fake.requests().len()), ("hi", 2));
}
