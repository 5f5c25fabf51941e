//! The shape of a script, and how it is read.

use serde::Deserialize;
use serde_json::Value;

/// Longer scripts are a mistake.
const LONGEST: usize = 1024 * 1024;
/// Nobody waits longer for a reply that is already written.
const LONGEST_DELAY_MS: u64 = 600_000;

/// Reads a script.
pub fn read(text: &str) -> Result<Script, BadScript> {
    if text.len() > LONGEST {
        return Err(BadScript(format!("it is longer than {LONGEST} bytes")));
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let place = error.location().map(|at| format!("line {}, column {}: ", at.line(), at.column()));
        let plain = error.without_snippet().to_string();
        let what = plain.rsplit_once(" at line ").map_or(&*plain, |(what, _)| what);
        BadScript(format!("{}{what}", place.unwrap_or_default()))
    })
}

/// Why a text is no script: the line, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the script cannot be read: {0}")]
pub struct BadScript(String);

/// What a scripted model says, in which case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub scenarios: Vec<Scenario>,
}

/// One case: the first whose words all occur in the user's message counts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    #[serde(default)]
    pub when: Vec<String>,
    pub replies: Vec<Reply>,
}

/// What is said in one turn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "WrittenReply")]
pub struct Reply {
    pub say: String,
    pub calls: Vec<ScriptedCall>,
    pub delay_ms: u64,
}

/// A call that is proposed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "WrittenCall")]
pub struct ScriptedCall {
    pub tool: String,
    /// As a model would write them.
    pub arguments: String,
    pub id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenReply {
    #[serde(default)]
    say: String,
    #[serde(default)]
    calls: Vec<ScriptedCall>,
    #[serde(default)]
    delay_ms: u64,
}

impl TryFrom<WrittenReply> for Reply {
    type Error = String;

    fn try_from(written: WrittenReply) -> Result<Self, String> {
        let WrittenReply { say, calls, delay_ms } = written;
        if say.is_empty() && calls.is_empty() {
            return Err("a reply needs `say` or `calls`".to_owned());
        }
        if delay_ms > LONGEST_DELAY_MS {
            return Err(format!("`delay_ms` must be at most {LONGEST_DELAY_MS}"));
        }
        Ok(Self { say, calls, delay_ms })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCall {
    tool: String,
    args: Value,
    id: Option<String>,
}

impl TryFrom<WrittenCall> for ScriptedCall {
    type Error = String;

    fn try_from(written: WrittenCall) -> Result<Self, String> {
        let arguments = match written.args {
            args @ Value::Object(_) => args.to_string(),
            // What a model got wrong can be scripted too.
            Value::String(text) => text,
            _ => return Err("`args` must be a map, or the text of the arguments as a model would write it".to_owned()),
        };
        Ok(Self { tool: written.tool, arguments, id: written.id })
    }
}
