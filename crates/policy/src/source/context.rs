//! Who a call is made for, and what has been answered before: as it stands in a check or a test.

use countersign_domain::delegation::Chain;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What stands around a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContextSource {
    /// The user the run belongs to. Without one there are no grants and nothing is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Other users who told the agent what to do: who started the run, who wrote to it. None of them is a second person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<String>,
    /// The agent that makes the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The role it acts in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The session. Short memory does not reach beyond it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The key that an approval of this call must carry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_key: Option<String>,
    /// The home folder that `~` means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// The time of judging. Default: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub now: Option<Timestamp>,
    /// Where links lead: a path as given, or a folder on its way, to the real place. Default: looked up on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<BTreeMap<String, String>>,
    /// The run's delegation chain, the root's frame first.
    pub delegated: Chain,
    /// Answers given for this very call.
    pub approvals: Vec<ApprovalSource>,
    /// Answers that short memory keeps.
    pub remembered: Vec<RememberedSource>,
}

/// An approval of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalSource {
    /// The digest of the call that was approved; `$self` is the call that is being judged.
    pub digest: String,
    /// Who approved.
    pub by: PrincipalSource,
    /// The run it was given in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The key of the question it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_key: Option<String>,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Timestamp>,
    /// Whether it was used up by a call that started.
    #[serde(default)]
    pub used: bool,
}

/// Whoever gave an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrincipalSource {
    /// What kind of principal.
    pub kind: PrincipalKind,
    /// The user, or the name of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The groups of approvers it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

/// What kind of principal gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalKind {
    /// A signed-in person.
    #[serde(alias = "human", alias = "person")]
    User,
    /// A service with a token of its own.
    Service,
    /// The dialog of an MCP client or a host agent's prompt.
    Client,
    /// An agent. Its word never counts.
    Agent,
}

/// An answer that short memory keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberedSource {
    /// The digest of the call; `$self` is the call that is being judged.
    pub digest: String,
    /// What was answered.
    pub decision: DecisionSource,
    /// When it was answered.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// The user it was asked for. Default: the context's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The session it was asked in. Default: the context's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// What a person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionSource {
    /// Yes.
    #[serde(alias = "allow", alias = "approved")]
    Approve,
    /// No.
    #[serde(alias = "deny", alias = "rejected")]
    Reject,
}
