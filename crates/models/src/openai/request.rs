//! What is sent.

use countersign_domain::run::{Message, Said};
use countersign_runtime::ports::{Prompt, ToolDefinition};
use serde_json::{Value, json};

/// The body of a request that asks `model` what comes next.
pub fn body(model: &str, prompt: &Prompt<'_>) -> Vec<u8> {
    let system = prompt.system.map(|text| json!({"role": "system", "content": text}));
    let messages: Vec<Value> = system.into_iter().chain(prompt.messages.iter().map(message)).collect();
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    // Providers refuse an empty list.
    if let (Some(fields), false) = (body.as_object_mut(), prompt.tools.is_empty()) {
        fields.insert("tools".to_owned(), prompt.tools.iter().map(tool).collect());
    }
    body.to_string().into_bytes()
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
