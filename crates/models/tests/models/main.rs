//! Models as the runtime meets them: scripts, and endpoints over real HTTP.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at once")]

mod anthropic_answers;
mod anthropic_failures;
mod anthropic_requests;
mod fake;
mod openai_answers;
mod openai_failures;
mod openai_requests;
mod scripted;

use countersign_domain::run::{Message, ToolResult};
use countersign_runtime::ports::{Heard, Model, ModelError, Prompt, Spoken};
use std::sync::Mutex;

const BROKE_OFF: &str = "(anew)";

/// What `model` says to `messages`, and the pieces that were heard live; `BROKE_OFF` where it began anew.
async fn speak(model: &dyn Model, messages: &[Message]) -> (Result<Spoken, ModelError>, Vec<String>) {
    let heard = Mutex::new(Vec::new());
    let live = |piece: Heard<'_>| {
        let piece = if let Heard::Words(words) = piece { words } else { BROKE_OFF };
        heard.lock().unwrap().push(piece.to_owned());
    };
    let spoken = model.speak(&Prompt { system: None, messages, tools: &[] }, &live).await;
    (spoken, heard.into_inner().unwrap())
}

fn user(text: &str) -> Message {
    Message::User(text.to_owned())
}

fn assistant(text: &str) -> Message {
    Message::Assistant { text: text.to_owned(), calls: Vec::new() }
}

fn result(text: &str) -> Message {
    Message::Tool(ToolResult { id: "call_1".into(), name: "bash".into(), text: text.to_owned(), failed: false })
}
