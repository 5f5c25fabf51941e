//! What a provider means by an error: in a response, or in the middle of a stream.

use super::patience::{Again, Failure};
use countersign_runtime::ports::ModelError;
use reqwest::StatusCode;
use serde_json::Value;

/// How much of a provider's message is repeated, in characters.
const LONGEST_MESSAGE: usize = 300;

/// What a provider says went wrong.
#[derive(Debug)]
pub struct Refusal {
    status: Option<StatusCode>,
    /// Its `code` and `type`.
    words: String,
    message: String,
}

impl Refusal {
    /// Reads the body of a response with an error's status.
    pub fn of_response(status: StatusCode, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let told = serde_json::from_str::<Value>(&text).ok();
        // Some wrap it in a list.
        let told = told.as_ref().map(|told| told.get(0).unwrap_or(told));
        let message = told.map_or_else(|| text.trim().to_owned(), message);
        Self { status: Some(status), words: told.map(words).unwrap_or_default(), message }
    }

    /// Reads an `error` that came in a stream.
    pub fn of_event(error: &Value) -> Self {
        let whole = serde_json::json!({"error": error});
        let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let status = status.and_then(|code| StatusCode::from_u16(code).ok());
        Self { status, words: words(&whole), message: message(&whole) }
    }

    /// What it means for us: `model` was asked, `blot` takes secrets out of a text, and the endpoint asked to wait for
    /// `wait`.
    pub fn failure(&self, model: &str, blot: impl Fn(&str) -> String, wait: Option<Again>) -> Failure {
        let status = self.status.map_or(0, |status| status.as_u16());
        if self.is_too_long(status) {
            return Failure::for_good(ModelError::TooLong);
        }
        let says = |words: &[&str]| status == 0 && words.iter().any(|word| self.words.contains(word));
        if status == 404 || self.words.contains("model_not_found") || says(&["not_found_error"]) {
            return Failure::for_good(ModelError::UnknownModel(model.to_owned()));
        }
        if matches!(status, 401 | 403) || says(&["authentication_error", "permission_error"]) {
            return Failure::for_good(ModelError::BadKey);
        }
        let shown = self.shown(blot);
        if self.is_passing(status) {
            return Failure { error: ModelError::Unavailable(shown), again: wait.unwrap_or(Again::Soon) };
        }
        Failure::for_good(ModelError::Refused(shown))
    }

    fn is_too_long(&self, status: u16) -> bool {
        let message = self.message.to_lowercase();
        let said = ["context length", "context window", "context size", "context limit", "prompt is too long"];
        let worded = self.words.contains("context_length") || self.words.contains("context_size");
        status == 413 || worded || (status != 429 && said.iter().any(|words| message.contains(words)))
    }

    fn is_passing(&self, status: u16) -> bool {
        // An empty account is told as too many requests, but no patience fills it.
        if self.words.contains("insufficient_quota") {
            return false;
        }
        let worded = ["server_error", "api_error", "timeout_error", "overloaded", "rate_limit"];
        let worded = worded.iter().any(|word| self.words.contains(word));
        matches!(status, 408 | 429 | 500..=599) || (status == 0 && worded)
    }

    /// Secrets go before the text is cut, for half a key is one too many as well.
    fn shown(&self, blot: impl Fn(&str) -> String) -> String {
        let plain: String = blot(&self.message).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut shown: String = plain.chars().take(LONGEST_MESSAGE).collect();
        if shown.len() < plain.len() {
            shown.push('…');
        }
        match self.status {
            Some(status) if shown.is_empty() => status.to_string(),
            Some(status) => format!("{status}: {shown}"),
            None => shown,
        }
    }
}

fn message(told: &Value) -> String {
    let places = ["/error/message", "/error", "/message", "/detail"];
    let found = places.iter().find_map(|place| told.pointer(place)?.as_str());
    found.map_or_else(|| told.to_string(), str::to_owned)
}

fn words(told: &Value) -> String {
    let words = ["/error/code", "/error/type", "/code", "/type"];
    let found: Vec<&str> = words.iter().filter_map(|place| told.pointer(place)?.as_str()).collect();
    found.join(" ").to_lowercase()
}
