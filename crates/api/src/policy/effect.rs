//! Effects, as the API writes them: one word, and how it asks beside it.

use countersign_policy::source::{EffectName, EffectSource, FullEffect, RuleSource};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a rule or a capability does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffectBody {
    /// The call may be made.
    Allow,
    /// A person or an authorised service is asked; a remembered answer will do.
    RequireApproval,
    /// A person is asked, every time.
    RequireHuman,
    /// A person other than the run's own user is asked, every time.
    SecondPerson,
    /// The call is refused. Nothing undoes it.
    Deny,
}

impl From<EffectBody> for EffectName {
    fn from(body: EffectBody) -> Self {
        match body {
            EffectBody::Allow => Self::Allow,
            EffectBody::RequireApproval => Self::RequireApproval,
            EffectBody::RequireHuman => Self::RequireHuman,
            EffectBody::SecondPerson => Self::SecondPerson,
            EffectBody::Deny => Self::Deny,
        }
    }
}

impl From<EffectName> for EffectBody {
    fn from(name: EffectName) -> Self {
        match name {
            EffectName::Allow => Self::Allow,
            EffectName::RequireApproval => Self::RequireApproval,
            EffectName::RequireHuman => Self::RequireHuman,
            EffectName::SecondPerson => Self::SecondPerson,
            EffectName::Deny => Self::Deny,
        }
    }
}

/// An effect with how it asks, however it was written.
pub fn full(source: EffectSource) -> FullEffect {
    match source {
        EffectSource::Full(full) => full,
        EffectSource::Name(effect) => FullEffect { effect, remember: None, approvals: None, approvers: vec![] },
    }
}

/// The effect of a rule, however it was written.
pub fn of_rule(rule: &RuleSource) -> Option<FullEffect> {
    let beside = |effect| FullEffect {
        effect,
        remember: rule.remember,
        approvals: rule.approvals,
        approvers: rule.approvers.clone(),
    };
    match (&rule.effect, rule.auto_approve) {
        (Some(EffectSource::Full(full)), _) => Some(full.clone()),
        (Some(EffectSource::Name(effect)), _) => Some(beside(*effect)),
        (None, Some(old)) if old.approves() => Some(beside(EffectName::Allow)),
        (None, Some(_)) => Some(beside(EffectName::RequireApproval)),
        (None, None) => None,
    }
}
