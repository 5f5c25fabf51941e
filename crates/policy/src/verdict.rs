//! A verdict and the trail that led to it. The trail is kept as ids; its words are made on demand.

use crate::effect::Effect;
use countersign_domain::Digest;

/// What is to become of a call, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What is to become of it.
    pub effect: Effect,
    /// A question was due, and there is nobody to ask.
    pub hitl_disabled: bool,
    /// Each layer that was consulted and what it said; the last entry decided.
    pub trail: Vec<Reason>,
    /// The version of the policy that judged.
    pub policy: Digest,
}

/// One layer that was consulted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The layer.
    pub layer: Layer,
    /// What it said; `None` is silence.
    pub said: Option<Effect>,
    /// What made it say so.
    pub(crate) cause: Cause,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Nothing did.
    Silence,
    /// A pattern over Countersign's own files and commands.
    Own(usize),
    /// The same, where nobody can tell.
    PerhapsOwn(usize),
    /// An entry in the denied list of a boundary.
    Denied { frame: usize, entry: usize },
    /// An entry in the denied list of a boundary that may fit.
    PerhapsDenied { frame: usize, entry: usize },
    /// The allowed list of a boundary lacks the tool.
    Lacking { frame: usize },
    /// Nobody defined the role.
    UnknownRole,
    /// The role's allowed list holds the tool.
    Listed,
    /// A grant.
    Grant(usize),
    /// A deny grant that may fit.
    PerhapsGrant(usize),
    /// The one grant that covers the call.
    Granted(usize),
    /// Grants that together cover the call.
    Grants(Vec<usize>),
    /// A capability of the call.
    Capability(usize),
    /// A rule that matches.
    Rule(usize),
    /// A rule whose condition could not be evaluated.
    UndecidedRule(usize),
    /// A rule whose pattern may fit.
    PerhapsRule(usize),
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
    Remembered(usize),
    /// Approvals of this call.
    Approvals(Vec<usize>),
    /// A switch is off.
    Off,
}
