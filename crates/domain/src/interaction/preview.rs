//! Previews: what a call would do, drawn by its tool from the stored call and the world as it is, before anybody is asked.

use crate::Digest;
use serde::{Deserialize, Serialize};

/// What a call of a tool that works on files would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// Where its path leads, links followed.
    pub path: String,
    /// What would change there, or why nothing would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
}

/// What would change in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// How `text` is to be read.
    pub kind: ChangeKind,
    /// The change. What is left out of it says so.
    pub text: String,
    /// The digest of the file that it was drawn from; `None` where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// How a change is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// As a unified diff.
    Diff,
    /// In words: there is no diff to draw.
    Note,
}

impl Preview {
    /// The word for what it shows: `place`, `diff` or `note`.
    pub fn word(&self) -> &'static str {
        match self.change.as_ref().map(|change| change.kind) {
            None => "place",
            Some(ChangeKind::Diff) => "diff",
            Some(ChangeKind::Note) => "note",
        }
    }
}
