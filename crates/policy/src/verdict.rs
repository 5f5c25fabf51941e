//! A verdict, and what can lead to it. The trail is kept as ids; its words are made on demand.

use crate::effect::Effect;
use crate::trail::{At, Several, Trail};
use countersign_domain::Digest;

/// What is to become of a call, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What is to become of it.
    pub effect: Effect,
    /// A question was due, and there is nobody to ask.
    pub hitl_disabled: bool,
    /// Each layer that was consulted and what it said; the last entry decided.
    pub trail: Trail,
    /// The version of the policy that judged.
    pub policy: Digest,
}

/// The layers of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// What belongs to Countersign itself.
    Own,
    /// The run's delegation chain.
    Delegation,
    /// The role.
    Role,
    /// The agent's own list of tools.
    Agent,
    /// Deny grants of the user.
    DenyGrant,
    /// Policies of capabilities.
    Capability,
    /// The first rule that matches.
    Rule,
    /// The tool's risk.
    Risk,
    /// Allow grants of the user.
    AllowGrant,
    /// What the tool declares, or its override.
    Tool,
    /// What holds where nothing speaks.
    Default,
    /// What could not be understood.
    Doubt,
    /// The short memory of answers.
    Remembered,
    /// An approval of this very call.
    Approval,
    /// `policy.enabled: false`.
    Policy,
    /// `hitl.enabled: false`.
    Hitl,
}

impl Layer {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Delegation => "delegation",
            Self::Role => "role",
            Self::Agent => "agent",
            Self::DenyGrant => "deny_grant",
            Self::Capability => "capability",
            Self::Rule => "rule",
            Self::Risk => "risk",
            Self::AllowGrant => "allow_grant",
            Self::Tool => "tool",
            Self::Default => "default",
            Self::Doubt => "doubt",
            Self::Remembered => "remembered",
            Self::Approval => "approval",
            Self::Policy => "policy",
            Self::Hitl => "hitl",
        }
    }
}

/// What made a layer speak, as places in the policy, the context or the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Nothing did.
    Silence,
    /// A pattern over Countersign's own files and commands.
    Own(At),
    /// The same, where nobody can tell.
    PerhapsOwn(At),
    /// An entry in the denied list of a boundary.
    Denied { frame: At, entry: At },
    /// An entry in the denied list of a boundary that may fit.
    PerhapsDenied { frame: At, entry: At },
    /// The allowed list of a boundary lacks the tool.
    Lacking { frame: At },
    /// Nobody defined the role.
    UnknownRole,
    /// The role's allowed list holds the tool.
    Listed,
    /// A grant.
    Grant(At),
    /// A deny grant that may fit.
    PerhapsGrant(At),
    /// The one grant that covers the call.
    Granted(At),
    /// Grants that together cover the call.
    Grants(Several),
    /// A capability of the call.
    Capability(At),
    /// A rule that matches.
    Rule(At),
    /// A rule whose condition could not be evaluated.
    UndecidedRule(At),
    /// A rule whose pattern may fit.
    PerhapsRule(At),
    /// The tool's risk.
    Risk,
    /// An override of the tool.
    Override,
    /// What the tool declares.
    Declaration,
    /// Nothing spoke.
    Default,
    /// Whatever would allow is not heard, for the first doubt about the call.
    Doubt,
    /// A remembered answer.
    Remembered(At),
    /// Approvals of this call.
    Approvals(Several),
    /// A switch is off.
    Off,
}
