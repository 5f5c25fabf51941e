//! What the model is told: the conversation so far, rebuilt from what was saved.

use super::{CallState, EndStatus, Run, turn::Reading};
use crate::canonical::canonical;
use serde_json::Value;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the user said.
    User(String),
    /// What the model said.
    Assistant {
        /// Its words.
        text: String,
        /// The calls it proposed.
        calls: Vec<super::Said>,
    },
    /// What came of a call.
    Tool(ToolResult),
}

/// What came of a call, as the model is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// What the model calls it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What came of it.
    pub text: String,
    /// Whether it came to nothing.
    pub failed: bool,
}

impl Run {
    /// The conversation so far. Calls that have not ended are left out: the model is not asked before all have.
    ///
    /// A letter stands where the model first read it.
    pub fn conversation(&self) -> Vec<Message> {
        let mut messages = vec![Message::User(self.started.input.clone())];
        let mut letters = self.letters.iter().map(|(_, letter)| Message::User(letter.text.clone()));
        let mut heard = 0;
        for step in &self.steps {
            messages.extend(letters.by_ref().take(step.heard.saturating_sub(heard)));
            heard = heard.max(step.heard);
            let said = |call: &super::CallEntry| super::Said {
                id: call.proposal.model_id.clone(),
                name: call.proposal.name.clone(),
                arguments: match &call.proposal.reading {
                    Reading::Call { args, .. } => canonical(&Value::Object(args.clone())),
                    Reading::Unreadable { arguments, .. } => arguments.clone(),
                },
            };
            let calls = step.calls.iter().map(said).collect();
            messages.push(Message::Assistant { text: step.text.clone(), calls });
            for call in &step.calls {
                let CallState::Ended(end) = &call.state else { continue };
                messages.push(Message::Tool(ToolResult {
                    id: call.proposal.model_id.clone(),
                    name: call.proposal.name.clone(),
                    text: told(call, &end.output),
                    failed: end.status != EndStatus::Completed,
                }));
            }
        }
        messages.extend(letters);
        messages
    }
}

/// What the model is told of a call that came to this. It must know that it was another one than it proposed.
fn told(call: &super::CallEntry, output: &str) -> String {
    let Some(edited) = &call.edited else { return output.to_owned() };
    let args = canonical(&Value::Object(edited.args.clone()));
    format!("a person changed the arguments of this call to {args}. What came of it then:\n{output}")
}
