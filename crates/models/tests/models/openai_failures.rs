//! What goes wrong on the way: told in words that help, tried again where that helps.

use super::fake::{Answer, Fake, KEY};
use super::{BROKE_OFF, speak, user};
use countersign_models::{BadSettings, OpenAi, Settings};
use countersign_runtime::ports::ModelError;
use serde_json::json;
use std::time::Duration;

const HI: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";

fn hi() -> Answer {
    Answer::stream(&format!("{HI}data: [DONE]\n\n"))
}

fn error(status: &str, message: &str, code: &str) -> Answer {
    Answer::status(status, &json!({"error": {"message": message, "type": "t", "code": code}}).to_string())
}

/// What the model says after these answers, and how often it was asked.
async fn after(answers: impl IntoIterator<Item = Answer>) -> (Result<String, ModelError>, usize) {
    let fake = Fake::new(answers).await;
    let (spoken, _) = speak(&fake.model(), &[user("x")]).await;
    (spoken.map(|spoken| spoken.text), fake.requests().len())
}

#[tokio::test]
async fn what_no_patience_cures_is_told_at_once() {
    let unknown = ModelError::UnknownModel("small".into());
    for (answer, expected) in [
        (error("401 Unauthorized", &format!("Incorrect key {KEY}"), "invalid_api_key"), ModelError::BadKey),
        (Answer::status("403 Forbidden", "no"), ModelError::BadKey),
        (Answer::status("404 Not Found", "<html>"), unknown.clone()),
        (error("400 Bad Request", "no such", "model_not_found"), unknown),
        (error("400 Bad Request", "x", "context_length_exceeded"), ModelError::TooLong),
        (error("400 Bad Request", "This model's maximum context length is 8192 tokens", ""), ModelError::TooLong),
        (
            error("422 Unprocessable", "bad field", ""),
            ModelError::Refused("422 Unprocessable Entity: bad field".into()),
        ),
        (Answer::status("400 Bad Request", "[{\"error\": \"oh\"}]"), ModelError::Refused("400 Bad Request: oh".into())),
        (
            error("429 Too Many Requests", "pay first", "insufficient_quota"),
            ModelError::Refused("429 Too Many Requests: pay first".into()),
        ),
        (Answer::status("302 Found\r\nLocation: http://127.0.0.1:1/", ""), ModelError::Refused("302 Found".into())),
        (
            Answer::status("200 OK\r\nContent-Type: text/html", "<html>"),
            ModelError::Garbled("expected an event stream, got `text/html`".into()),
        ),
    ] {
        let shown = format!("{answer:?}");
        assert_eq!(after([answer, hi()]).await, (Err(expected), 1), "{shown}");
    }
}

#[tokio::test]
async fn a_providers_message_is_cut_and_holds_no_key() {
    // The key stands where the message is cut.
    let message = format!("{}{KEY} \u{1b}[31m{}", "x".repeat(290), "y".repeat(500));
    let (spoken, _) = after([error("400 Bad Request", &message, "")]).await;
    let Err(ModelError::Refused(shown)) = spoken else { panic!("{spoken:?}") };
    assert!(!shown.contains("sk-") && !shown.contains('\u{1b}'), "{shown}");
    assert_eq!(shown.chars().count(), "400 Bad Request: ".len() + 301);
}

#[tokio::test]
async fn what_passes_is_tried_four_times() {
    let busy = || error("503 Service Unavailable", "overloaded", "");
    assert_eq!(after([busy(), error("429 Too Many", "slow down", ""), busy(), hi()]).await, (Ok("hi".into()), 4));
    let gone = Err(ModelError::Unavailable("503 Service Unavailable: overloaded".into()));
    assert_eq!(after([busy(), busy(), busy(), busy(), hi()]).await, (gone, 4));
}

#[tokio::test]
async fn the_wait_that_is_asked_for_counts() {
    let later = |after: &str| {
        Answer::status(
            &format!("429 Too Many Requests\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: {after}"),
            "",
        )
    };
    // Our own pause would last longer than this test may.
    let fake = Fake::new([later("0"), later("Sun, 06 Nov 1994 08:49:37 GMT"), hi()]).await;
    let patient = Settings { first_pause: Duration::from_hours(24), ..fake.settings() };
    let (spoken, _) = speak(&OpenAi::new(patient).unwrap(), &[user("x")]).await;
    assert_eq!((spoken.unwrap().text.as_str(), fake.requests().len()), ("hi", 3));
    for long in ["3600", "Sun, 06 Nov 1994 09:49:37 GMT"] {
        let (spoken, asked) = after([later(long), hi()]).await;
        assert_eq!((spoken, asked), (Err(ModelError::Unavailable("429 Too Many Requests".into())), 1));
    }
}

#[tokio::test]
async fn a_stream_that_breaks_is_asked_for_again_from_its_beginning() {
    let half = || Answer::stream(HI);
    let garbled = || Answer::stream("data: {\"choices\": [{\"del\n\n");
    assert_eq!(after([half(), half().then_broken(), garbled(), hi()]).await, (Ok("hi".into()), 4));
    let (spoken, asked) = after([half(), half(), half(), half(), hi()]).await;
    assert_eq!(asked, 4);
    assert_eq!(spoken, Err(ModelError::Garbled("its stream ended before the answer did".into())));
    let fake = Fake::new([half(), hi()]).await;
    let (_, heard) = speak(&fake.model(), &[user("x")]).await;
    assert_eq!(heard, ["hi", BROKE_OFF, "hi"]);
}

#[tokio::test]
async fn an_error_within_a_stream_is_an_error() {
    let within = |error: serde_json::Value| Answer::stream(&format!("{HI}data: {}\n\n", json!({"error": error})));
    let busy = within(json!({"message": "busy", "code": 502}));
    let failed = within(json!({"message": "oops", "type": "server_error"}));
    assert_eq!(after([busy, failed, hi()]).await, (Ok("hi".into()), 3));
    let refused = within(json!({"message": format!("no, {KEY}"), "code": "bad"}));
    assert_eq!(after([refused, hi()]).await, (Err(ModelError::Refused("no, •••".into())), 1));
}

#[tokio::test]
async fn an_endpoint_that_falls_silent_is_given_up() {
    for silent in [Answer::stream(HI).then_silent(), Answer::mute()] {
        let fake = Fake::new([silent, hi()]).await;
        let hasty = Settings { idle_timeout: Duration::from_secs(1), ..fake.settings() };
        let (spoken, _) = speak(&OpenAi::new(hasty).unwrap(), &[user("x")]).await;
        assert_eq!((spoken.unwrap().text.as_str(), fake.requests().len()), ("hi", 2));
    }
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_unavailable() {
    // Connections are closed as soon as they are made.
    let (spoken, asked) = after([]).await;
    assert!(matches!(spoken, Err(ModelError::Unavailable(_))), "{spoken:?}");
    assert_eq!(asked, 4);
    let nobody = Settings { first_pause: Duration::from_millis(1), ..Settings::new("http://127.0.0.1:1/v1", "m") };
    let (spoken, _) = speak(&OpenAi::new(nobody).unwrap(), &[user("x")]).await;
    let error = spoken.unwrap_err().to_string();
    assert!(error.contains("127.0.0.1: Connection refused"), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_speaks_no_tls_is_unavailable() {
    let fake = Fake::new([]).await;
    let plain = fake.settings();
    match OpenAi::new(Settings { base_url: plain.base_url.replace("http:", "https:"), ..plain }) {
        Ok(model) => {
            let (spoken, _) = speak(&model, &[user("x")]).await;
            assert!(matches!(spoken, Err(ModelError::Unavailable(_))), "{spoken:?}");
        }
        // A machine may have no certificates at all.
        Err(error) => assert!(matches!(error, BadSettings::Certificates(_)), "{error}"),
    }
    assert!(fake.requests().is_empty(), "nothing is sent in clear");
}

#[tokio::test]
async fn an_answer_without_an_end_is_cut_short() {
    let endless = Answer::stream(&"x".repeat(33 * 1024 * 1024)).in_pieces_of(1024 * 1024);
    let (spoken, asked) = after([endless, hi()]).await;
    assert!(matches!(spoken, Err(ModelError::Garbled(why)) if why.contains("longer than")));
    assert_eq!(asked, 1);
}
