//! Edits: other arguments for a call than the agent proposed, by somebody's decision.

use super::{Misfit, ShownCall};
use crate::{Call, Digest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The arguments that somebody put in place of those that the agent proposed. They make another call, with a digest of its
/// own: whoever edits approves that one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// The server whose tool it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: Map<String, Value>,
    /// The digest of the call that they make.
    pub digest: Digest,
}

impl Edited {
    /// The call `shown`, with these arguments in place of its own.
    pub(super) fn of(shown: &ShownCall, args: Map<String, Value>) -> Result<Self, Misfit> {
        let wrong = |why: String| Misfit { place: vec!["edited_args".into()], why };
        let ShownCall { server, tool, cwd, definition, .. } = shown;
        let call = Call::new(server.clone(), tool.clone(), args, cwd.clone()).map_err(|bad| wrong(bad.to_string()))?;
        let call = if let Some(definition) = definition { call.defined_by(*definition) } else { call };
        let digest = call.digest();
        if digest == shown.digest {
            return Err(wrong("these are the arguments as they were proposed; approve the call instead".into()));
        }
        Ok(Self { server: server.clone(), tool: tool.clone(), args: call.args().clone(), digest })
    }
}
