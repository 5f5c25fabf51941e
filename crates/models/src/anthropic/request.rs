//! What is sent.

use crate::conversation::tidied;
use crate::endpoint::Settings;
use countersign_domain::run::{Message, Said};
use countersign_runtime::ports::{Prompt, ToolDefinition};
use serde_json::{Map, Value, json};

/// The most tokens an answer may have, unless the settings say: the API wants to be told.
const MAX_TOKENS: u32 = 8192;

/// What stands where somebody said nothing: the API refuses empty texts, and turns without any.
const NOTHING: &str = "(nothing)";

/// What all requests to a model have in common.
#[derive(Debug, Clone)]
pub struct Request {
    model: String,
    max_tokens: u32,
    temperature: Option<f64>,
}

impl Request {
    pub fn of(settings: &Settings) -> Self {
        let Settings { model, max_tokens, temperature, .. } = settings;
        Self { model: model.clone(), max_tokens: max_tokens.unwrap_or(MAX_TOKENS), temperature: *temperature }
    }

    /// The body of a request that asks what comes next.
    pub fn body(&self, prompt: &Prompt<'_>) -> Vec<u8> {
        let mut body = json!({
            "model": self.model,
            "max_tokens": self.max_tokens,
            "messages": messages(&tidied(prompt.messages)),
            "stream": true,
        });
        let tools = (!prompt.tools.is_empty()).then(|| prompt.tools.iter().map(tool).collect::<Value>());
        let further = [
            prompt.system.filter(|text| !text.trim().is_empty()).map(|text| ("system", text.into())),
            tools.map(|tools| ("tools", tools)),
            self.temperature.map(|temperature| ("temperature", temperature.into())),
        ];
        if let Some(fields) = body.as_object_mut() {
            fields.extend(further.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)));
        }
        body.to_string().into_bytes()
    }
}

/// Turns of user and assistant, one after the other: the results of a turn are one message, with what the user wrote after
/// them.
fn messages(conversation: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in conversation {
        let (role, blocks) = match message {
            Message::User(words) => ("user", text(words).into_iter().collect()),
            Message::Assistant { text: words, calls } => {
                ("assistant", text(words).into_iter().chain(calls.iter().map(call)).collect())
            }
            Message::Tool(result) => {
                let content: Vec<Value> = text(&result.text).into_iter().collect();
                let block = json!({"type": "tool_result", "tool_use_id": result.id, "content": content,
                    "is_error": result.failed});
                ("user", vec![block])
            }
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    let whole = |(role, mut blocks): (&str, Vec<Value>)| {
        if blocks.is_empty() {
            blocks.extend(text(NOTHING));
        }
        json!({"role": role, "content": blocks})
    };
    turns.into_iter().map(whole).collect()
}

/// A block of text, if there is anything to be read in it.
fn text(words: &str) -> Option<Value> {
    (!words.trim().is_empty()).then(|| json!({"type": "text", "text": words}))
}

fn call(said: &Said) -> Value {
    json!({"type": "tool_use", "id": said.id, "name": said.name, "input": input(&said.arguments)})
}

/// The arguments. The API takes nothing but an object; what was none is shown to the model as it wrote it.
fn input(arguments: &str) -> Map<String, Value> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(input)) => input,
        _ if arguments.trim().is_empty() => Map::new(),
        _ => Map::from_iter([("not_an_object".to_owned(), Value::from(arguments))]),
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}
