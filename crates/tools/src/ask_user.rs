//! `ask_user`: puts a question to the person the run works for.

use crate::failed;
use async_trait::async_trait;
use countersign_domain::interaction::{Answer, BadForm};
use countersign_domain::run::Question;
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition};
use serde_json::{Value, json};

/// Asks a person, and gives their answer.
#[derive(Debug, Clone, Copy)]
pub struct AskUser;

#[async_trait]
impl Tool for AskUser {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "ask_user".to_owned(),
            description:
                "Asks the user a question and waits for the answer, however long it takes. Use it when you need \
                          something that only the user knows or may decide. `type` says what is asked for: `input` \
                          (words), `select` (one of `options`, or several with `multiple`), `confirm` (yes or no), or \
                          `combined` (several of these in `interactions`, each with an `id` of its own)."
                    .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "title": {"type": "string", "description": "The question, in a line."},
                    "description": {"type": "string", "description": "What the user needs to know to answer it."},
                    "required": {"type": "boolean", "description": "Whether it must be filled in. Default: true."},
                    "type": {
                        "type": "string",
                        "enum": ["input", "select", "confirm", "combined"],
                        "description": "What is asked for.",
                    },
                    "placeholder": {"type": "string", "description": "For `input`: what stands in the empty field."},
                    "multiline": {"type": "boolean", "description": "For `input`: whether to expect several lines."},
                    "options": {
                        "type": "array",
                        "description": "For `select`: what there is to choose from.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "value": {"type": "string"},
                                "label": {"type": "string"},
                                "description": {"type": "string"},
                            },
                            "required": ["value", "label"],
                        },
                    },
                    "multiple": {"type": "boolean", "description": "For `select`: whether several may be chosen."},
                    "confirm_text": {"type": "string", "description": "For `confirm`: the word for yes."},
                    "cancel_text": {"type": "string", "description": "For `confirm`: the word for no."},
                    "default": {
                        "type": "object",
                        "description": "What counts as the answer if nobody gives one in time, where the user has it so: \
                                        `text`, `selected_values`, `confirmed` or `responses`.",
                    },
                    "interactions": {
                        "type": "array",
                        "description": "For `combined`: the parts, each like a question, with an `id`.",
                        "items": {"type": "object"},
                    },
                },
                "required": ["title", "type"],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        match order.answers.last() {
            Some(answer) => told(answer).into(),
            None => question(order).map_or_else(|why| failed(why).into(), Outcome::Ask),
        }
    }

    fn is_idempotent(&self) -> bool {
        true
    }
}

/// The members that a question may have.
const KNOWN: [&str; 12] = [
    "title",
    "description",
    "required",
    "type",
    "placeholder",
    "multiline",
    "options",
    "multiple",
    "confirm_text",
    "cancel_text",
    "default",
    "interactions",
];

fn question(order: Order<'_>) -> Result<Question, String> {
    let args = order.call.call.args();
    if let Some(odd) = args.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        return Err(format!("There is no argument `{odd}`. Nobody was asked."));
    }
    let wrong = |error: serde_json::Error| format!("The question cannot be understood: {error}. Nobody was asked.");
    let question: Question = serde_json::from_value(Value::Object(args.clone())).map_err(wrong)?;
    if question.title.trim().is_empty() {
        return Err("`title` is empty. Nobody was asked.".to_owned());
    }
    question.check().map_err(|bad: BadForm| format!("{bad}. Nobody was asked."))?;
    Ok(question)
}

/// What the user filled in, as JSON with the members of a reply.
fn told(answer: &Answer) -> Report {
    let reply = answer.reply.as_ref().map(|reply| serde_json::to_value(reply).unwrap_or_default());
    Report { output: reply.unwrap_or_else(|| json!({})).to_string(), failed: false }
}
