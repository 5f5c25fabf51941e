//! What is sent.

use crate::conversation::tidied;
use crate::endpoint::Settings;
use countersign_domain::run::{Message, Said};
use countersign_runtime::ports::{Prompt, ToolDefinition};
use reqwest::Url;
use serde_json::{Value, json};

/// What all requests to a model have in common.
#[derive(Debug, Clone)]
pub struct Request {
    model: String,
    max_tokens: Option<(&'static str, u32)>,
    temperature: Option<f64>,
}

/// The provider that renamed its limit of length, and refuses the old name with newer models. Others know only that.
const RENAMED_BY: &str = "api.openai.com";

impl Request {
    pub fn of(settings: &Settings, address: &Url) -> Self {
        let Settings { model, max_tokens, temperature, .. } = settings;
        let limit = if address.host_str() == Some(RENAMED_BY) { "max_completion_tokens" } else { "max_tokens" };
        let max_tokens = max_tokens.map(|most| (limit, most));
        Self { model: model.clone(), max_tokens, temperature: *temperature }
    }

    /// The body of a request that asks what comes next.
    pub fn body(&self, prompt: &Prompt<'_>) -> Vec<u8> {
        let system = prompt.system.map(|text| json!({"role": "system", "content": text}));
        let messages: Vec<Value> = system.into_iter().chain(tidied(prompt.messages).iter().map(message)).collect();
        let mut body = json!({
            "model": self.model,
            "messages": messages,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        // Providers refuse an empty list, and settings that they do not know.
        let tools = (!prompt.tools.is_empty()).then(|| prompt.tools.iter().map(tool).collect::<Value>());
        let further = [
            tools.map(|tools| ("tools", tools)),
            self.max_tokens.map(|(limit, most)| (limit, most.into())),
            self.temperature.map(|temperature| ("temperature", temperature.into())),
        ];
        if let Some(fields) = body.as_object_mut() {
            fields.extend(further.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)));
        }
        body.to_string().into_bytes()
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::User(text) => json!({"role": "user", "content": text}),
        Message::Assistant { text, calls } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Message::Assistant { text, calls } => {
            let content = (!text.is_empty()).then_some(text);
            json!({"role": "assistant", "content": content, "tool_calls": calls.iter().map(call).collect::<Value>()})
        }
        Message::Tool(result) => json!({"role": "tool", "tool_call_id": result.id, "content": result.text}),
    }
}

fn call(said: &Said) -> Value {
    json!({
        "id": said.id,
        "type": "function",
        "function": {"name": said.name, "arguments": said.arguments},
    })
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    })
}
