//! `wait`: waits for a signal, a message or a time. Nothing is held meanwhile but a row.

use crate::failed;
use async_trait::async_trait;
use countersign_domain::interaction::Answer;
use countersign_domain::run::{Awaited, LONGEST_WAIT};
use countersign_runtime::ports::{Order, Outcome, Report, Tool, ToolDefinition, Until, Wait};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Waits, and gives what came.
#[derive(Debug, Clone, Copy)]
pub struct WaitFor;

/// The longest wait, in seconds. A time that is further away is refused by whoever knows what time it is.
const LONGEST: u64 = LONGEST_WAIT.as_secs();

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    signal: Option<String>,
    message: Option<Value>,
    until: Option<Timestamp>,
    seconds: Option<u64>,
    timeout_seconds: Option<u64>,
}

#[async_trait]
impl Tool for WaitFor {
    fn definition(&self) -> ToolDefinition {
        let text = |description: &str| json!({"type": "string", "description": description});
        ToolDefinition {
            name: "wait".to_owned(),
            description: "Waits for one thing, however long it takes, and costs nothing meanwhile: for a `signal` with a \
                          key of your choice that another program sends to this run, for a `message` of the user, or for \
                          a time, given by `until` or `seconds`."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "signal": text("The key of the signal. Gives what it brings."),
                    "message": {
                        "type": ["boolean", "string"],
                        "description": "`true` for any message, or the channel that it must come by.",
                    },
                    "until": text("A time such as `2026-01-31T09:00:00Z`, not more than a year away."),
                    "seconds": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": LONGEST,
                        "description": "How many seconds to wait.",
                    },
                    "timeout_seconds": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": LONGEST,
                        "description": "For `signal` and `message`: how long to wait at the most.",
                    },
                },
                "required": [],
                "additionalProperties": false,
            }),
        }
    }

    async fn execute(&self, order: Order<'_>) -> Outcome {
        let wait = match wait(order.call.call.args().clone()) {
            Ok(wait) => wait,
            Err(why) => return failed(why).into(),
        };
        match order.answers.last() {
            Some(answer) => came(&wait.awaited, answer).into(),
            None => Outcome::Wait(wait),
        }
    }

    fn is_idempotent(&self) -> bool {
        true
    }
}

fn wait(args: serde_json::Map<String, Value>) -> Result<Wait, String> {
    let wrong = |error: serde_json::Error| format!("What to wait for cannot be understood: {error}.");
    let Args { signal, message, until, seconds, timeout_seconds } =
        serde_json::from_value(Value::Object(args)).map_err(wrong)?;
    if [seconds, timeout_seconds].into_iter().flatten().any(|seconds| seconds == 0 || seconds > LONGEST) {
        return Err(format!("A wait lasts 1 to {LONGEST} seconds."));
    }
    let within = timeout_seconds.map(|seconds| Until::In(Duration::from_secs(seconds)));
    let timer = |until| Ok(Wait { awaited: Awaited::Timer, until: Some(until) });
    match (signal, message, until, seconds) {
        (Some(key), None, None, None) => Ok(Wait { awaited: Awaited::Signal { key }, until: within }),
        (None, Some(Value::Bool(true)), None, None) => {
            Ok(Wait { awaited: Awaited::Message { channel: None }, until: within })
        }
        (None, Some(Value::String(channel)), None, None) => {
            Ok(Wait { awaited: Awaited::Message { channel: Some(channel) }, until: within })
        }
        (None, None, Some(at), None) if timeout_seconds.is_none() => timer(Until::At(at)),
        (None, None, None, Some(seconds)) if timeout_seconds.is_none() => {
            timer(Until::In(Duration::from_secs(seconds)))
        }
        _ => Err("Say one thing to wait for: `signal`, `message`, `until` or `seconds`.".to_owned()),
    }
}

fn came(awaited: &Awaited, answer: &Answer) -> Report {
    let brought = answer.reply.as_ref().and_then(|reply| reply.text.clone());
    let output = match awaited {
        Awaited::Signal { key } => brought.unwrap_or_else(|| format!("the signal `{key}` came, and brought nothing")),
        Awaited::Message { .. } => "a message has come; you read it next".to_owned(),
        // No tool waits for a report.
        Awaited::Timer | Awaited::Report => "the time has come".to_owned(),
    };
    Report { output, failed: false }
}
