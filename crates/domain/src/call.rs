//! A call: which tool of which server, with which arguments, in which folder. Its digest is its identity.

use crate::Digest;
use crate::canonical::{Limits, canonical, depth};
use serde_json::{Map, Value, json};

/// A tool call as it was proposed. What was checked here is what is judged, shown, stored and executed.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    server: Option<String>,
    tool: String,
    args: Map<String, Value>,
    cwd: Option<String>,
    definition: Option<Digest>,
}

/// Why a call cannot even be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCall {
    /// A name is missing.
    #[error("`{0}` must not be empty")]
    Empty(&'static str),
    /// A name or folder is longer than anything sensible.
    #[error("`{0}` is longer than {1} bytes")]
    TooLong(&'static str, usize),
    /// The working folder is not absolute.
    #[error("`cwd` must be an absolute path without NUL, such as `/srv/repo`")]
    RelativeFolder,
    /// The arguments are too large.
    #[error("`args` is longer than {0} bytes")]
    ArgsTooLong(usize),
    /// The arguments are nested too deeply.
    #[error("`args` is nested more than {0} deep")]
    ArgsTooDeep(usize),
}

const LONGEST_NAME: usize = 512;
const LONGEST_FOLDER: usize = 4096;

impl Call {
    /// A call of `tool` (of `server`, where it is not a built-in) with these arguments.
    pub fn new(
        server: Option<String>,
        tool: String,
        args: Map<String, Value>,
        cwd: Option<String>,
    ) -> Result<Self, BadCall> {
        for (what, name) in [("server", server.as_deref()), ("tool", Some(&*tool))] {
            match name {
                Some("") => return Err(BadCall::Empty(what)),
                Some(name) if name.len() > LONGEST_NAME => return Err(BadCall::TooLong(what, LONGEST_NAME)),
                _ => {}
            }
        }
        if let Some(cwd) = &cwd {
            if cwd.len() > LONGEST_FOLDER {
                return Err(BadCall::TooLong("cwd", LONGEST_FOLDER));
            }
            if !cwd.starts_with('/') || cwd.contains('\0') {
                return Err(BadCall::RelativeFolder);
            }
        }
        let value = Value::Object(args);
        if depth(&value) > Limits::CALL.depth {
            return Err(BadCall::ArgsTooDeep(Limits::CALL.depth));
        }
        if canonical(&value).len() > Limits::CALL.bytes {
            return Err(BadCall::ArgsTooLong(Limits::CALL.bytes));
        }
        let Value::Object(args) = value else { return Err(BadCall::Empty("args")) };
        Ok(Self { server, tool, args, cwd, definition: None })
    }

    /// The same call, of a tool with this definition.
    #[must_use]
    pub fn defined_by(self, definition: Digest) -> Self {
        Self { definition: Some(definition), ..self }
    }

    /// The server whose tool it is; `None` for a built-in tool and for an outside program's.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments.
    pub fn args(&self) -> &Map<String, Value> {
        &self.args
    }

    /// The working folder.
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// `server/tool`, or `tool` alone.
    pub fn name(&self) -> String {
        self.server.as_ref().map_or_else(|| self.tool.clone(), |server| format!("{server}/{}", self.tool))
    }

    /// The digest of exactly this call: server, tool, the tool's definition, arguments and working folder.
    pub fn digest(&self) -> Digest {
        let identity = json!({
            "args": self.args,
            "cwd": self.cwd,
            "definition": self.definition,
            "server": self.server,
            "tool": self.tool,
            "v": 1,
        });
        Digest::of(canonical(&identity).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(server: Option<&str>, tool: &str, args: Value, cwd: Option<&str>) -> Result<Call, BadCall> {
        let Value::Object(args) = args else { panic!("args") };
        Call::new(server.map(Into::into), tool.into(), args, cwd.map(Into::into))
    }

    #[test]
    fn the_digest_covers_every_part_of_the_call() {
        let base = call(Some("s"), "t", json!({"a": 1}), Some("/x")).unwrap();
        let others = [
            call(None, "t", json!({"a": 1}), Some("/x")).unwrap(),
            call(Some("s"), "u", json!({"a": 1}), Some("/x")).unwrap(),
            call(Some("s"), "t", json!({"a": 2}), Some("/x")).unwrap(),
            call(Some("s"), "t", json!({"a": 1}), None).unwrap(),
            base.clone().defined_by(Digest::of(b"definition")),
        ];
        for other in others {
            assert_ne!(base.digest(), other.digest(), "{other:?}");
        }
        assert_eq!(base.digest(), call(Some("s"), "t", json!({"a": 1}), Some("/x")).unwrap().digest());
    }

    #[test]
    fn a_call_that_cannot_be_one_is_refused() {
        assert_eq!(call(None, "", json!({}), None), Err(BadCall::Empty("tool")));
        assert_eq!(call(Some(""), "t", json!({}), None), Err(BadCall::Empty("server")));
        assert_eq!(call(None, "t", json!({}), Some("src")), Err(BadCall::RelativeFolder));
        assert_eq!(call(None, &"t".repeat(513), json!({}), None), Err(BadCall::TooLong("tool", 512)));
        assert_eq!(call(None, "t", json!({"x": "y".repeat(300_000)}), None), Err(BadCall::ArgsTooLong(262_144)));
    }
}
