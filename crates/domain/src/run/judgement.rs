//! What the policy said of a call, in the form that is stored.

use crate::Digest;
use crate::interaction::{AnswerableBy, Reason};
use serde::{Deserialize, Serialize};

/// A verdict with everything that people and the record need of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The digest of the call that was judged.
    pub digest: Digest,
    /// What is to become of it.
    #[serde(flatten)]
    pub ruling: Ruling,
    /// Why.
    pub reasons: Vec<Reason>,
    /// The version of the policy.
    pub policy: Digest,
    /// What the call touches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// What the tool is able to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Which results somebody looks at before the agent does.
    #[serde(default, skip_serializing_if = "is_never")]
    pub review: Review,
    /// Whether `resource` is a pattern that covers this call, and a grant of it would answer the question.
    #[serde(default, skip_serializing_if = "is_false")]
    pub can_be_remembered: bool,
    /// How dangerous it is.
    pub risk: String,
}

/// The code by which programs and models know that a call was refused because too many questions are open.
pub const TOO_MANY_QUESTIONS: &str = "TOO_MANY_QUESTIONS";

impl Judgement {
    /// The layer that speaks where too many questions are open.
    pub const CROWDED: &str = "open_questions";

    /// Whether somebody would have been asked, and too many questions were open.
    pub fn is_crowded_out(&self) -> bool {
        let last = self.reasons.last();
        matches!(self.ruling, Ruling::Deny { .. }) && last.is_some_and(|reason| reason.layer == Self::CROWDED)
    }
}

/// What is to become of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Ruling {
    /// It may be made.
    Allow,
    /// Somebody is asked first.
    Ask {
        /// Who may answer.
        by: AnswerableBy,
        /// `once` or `always`.
        mode: String,
        /// How many must approve.
        approvals: u32,
        /// Sets of groups: whoever answers must be in one of each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        approvers: Vec<Vec<String>>,
    },
    /// It is refused.
    Deny {
        /// What the agent is told.
        refusal: String,
    },
}

/// Which results somebody looks at before the agent does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// None.
    #[default]
    Never,
    /// Those of calls that failed.
    OnError,
    /// All.
    Always,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_never(review: &Review) -> bool {
    *review == Review::Never
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(value: &bool) -> bool {
    !value
}
