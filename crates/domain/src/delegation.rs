//! Delegation: what a run was handed, frame by frame. A frame can only narrow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One limit on tools. `None` is no limit, an empty list is nothing at all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// Only these tools, if there is a list. Entries are tool patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Never these tools. Entries are tool patterns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_tools: Option<Vec<String>>,
}

/// The frames of a run, the root's first. Frames are checked one after the other as they are; no two are ever merged,
/// because the intersection of two patterns need not be a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Chain(Vec<Frame>);

impl Chain {
    /// The chain of these frames.
    pub fn new(frames: Vec<Frame>) -> Self {
        Self(frames)
    }

    /// The chain of a child run: this one and one frame more.
    #[must_use]
    pub fn narrowed_by(&self, frame: Frame) -> Self {
        let mut frames = self.0.clone();
        frames.push(frame);
        Self(frames)
    }

    /// Whether nothing limits the run.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The frames, the root's first.
    pub fn frames(&self) -> &[Frame] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_list_and_an_empty_list_are_told_apart() {
        let none: Frame = serde_json::from_str("{}").unwrap();
        let nothing: Frame = serde_json::from_str(r#"{"allowed_tools": []}"#).unwrap();
        assert_eq!(none.allowed_tools, None);
        assert_eq!(nothing.allowed_tools, Some(vec![]));
        assert_eq!(serde_json::to_string(&nothing).unwrap(), r#"{"allowed_tools":[]}"#);
        assert!(serde_json::from_str::<Frame>(r#"{"alowed_tools": []}"#).is_err());
    }

    #[test]
    fn a_child_keeps_its_parents_frames() {
        let parent = Chain::new(vec![Frame { allowed_tools: Some(vec![]), denied_tools: None }]);
        let child = parent.narrowed_by(Frame::default());
        assert_eq!(child.frames().len(), 2);
        assert_eq!(child.frames().first(), parent.frames().first());
    }
}
