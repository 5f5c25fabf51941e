//! A turn: what the model said, and the calls it proposed, each with the identity it keeps for ever.

use crate::canonical::canonical;
use crate::{Call, CallId, Digest, RunId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What the model said in one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Its words.
    pub text: String,
    /// The calls it proposes, in its order.
    pub calls: Vec<Proposal>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Usage::is_zero")]
    pub usage: Usage,
    /// How many letters of the mailbox the model had read.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub heard: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Tokens that a step used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

impl Usage {
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}

/// A call that the model proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its identity.
    pub call_id: CallId,
    /// What the model calls it.
    pub model_id: String,
    /// The tool's name, as the model said it.
    pub name: String,
    /// What came of reading it.
    #[serde(flatten)]
    pub reading: Reading,
}

/// What came of reading a proposal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reading {
    /// A call.
    Call {
        /// The server whose tool it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        /// The tool.
        tool: String,
        /// The arguments.
        args: Map<String, Value>,
        /// The working folder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        /// The digest of the tool's definition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        definition: Option<Digest>,
        /// The key under which it is executed: SHA-256 over run, step, position and the call's digest.
        key: Digest,
    },
    /// No call: the model is told why.
    Unreadable {
        /// Why not.
        error: String,
        /// The arguments as the model wrote them.
        arguments: String,
    },
}

impl Proposal {
    /// The proposal at `position` in step `step` of `run`.
    pub fn new(
        run: RunId,
        step: u32,
        position: usize,
        said: &Said,
        read: Result<(Call, Option<Digest>), String>,
    ) -> Self {
        let key = |digest: Option<Digest>| {
            let identity = json!({"call": digest, "position": position, "run": run, "step": step, "v": 1});
            Digest::of(canonical(&identity).as_bytes())
        };
        let (key, reading) = match read {
            Ok((call, definition)) => {
                let key = key(Some(call.digest()));
                let reading = Reading::Call {
                    server: call.server().map(Into::into),
                    tool: call.tool().into(),
                    args: call.args().clone(),
                    cwd: call.cwd().map(Into::into),
                    definition,
                    key,
                };
                (key, reading)
            }
            Err(error) => (key(None), Reading::Unreadable { error, arguments: said.arguments.clone() }),
        };
        Self { call_id: CallId::derived(key), model_id: said.id.clone(), name: said.name.clone(), reading }
    }

    /// The call, exactly as it was saved.
    pub fn call(&self) -> Option<Call> {
        let Reading::Call { server, tool, args, cwd, definition, .. } = &self.reading else { return None };
        let call = Call::new(server.clone(), tool.clone(), args.clone(), cwd.clone()).ok()?;
        Some(match definition {
            Some(definition) => call.defined_by(*definition),
            None => call,
        })
    }

    /// The digest of the tool's definition when the call was proposed.
    pub fn definition(&self) -> Option<Digest> {
        if let Reading::Call { definition, .. } = &self.reading { *definition } else { None }
    }

    /// The key under which it is executed.
    pub fn key(&self) -> Option<Digest> {
        if let Reading::Call { key, .. } = &self.reading { Some(*key) } else { None }
    }
}

/// A call in the model's own words: nothing of it has been checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// What the model calls it.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as text.
    pub arguments: String,
}
