//! The effects that rules, capabilities and risks can have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a rule or a capability does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffectName {
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

/// An effect, alone or with what it asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EffectSource {
    /// Just the effect.
    Name(EffectName),
    /// The effect and how it asks.
    Full(FullEffect),
}

/// An effect and how it asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullEffect {
    /// The effect.
    pub effect: EffectName,
    /// `false`: no remembered answer and no grant will do. Default: `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<bool>,
    /// How many different people or services must approve. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<u32>,
    /// Groups of people who may answer; nobody else may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<String>,
}

/// Untagged, with the error of the form that was meant.
impl<'de> Deserialize<'de> for EffectSource {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = EffectSource;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an effect (`allow`, `require_approval`, `require_human`, `second_person`, `deny`) or a map with `effect`")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<EffectSource, E> {
                EffectName::deserialize(serde::de::value::StrDeserializer::new(name)).map(EffectSource::Name)
            }

            fn visit_map<M: serde::de::MapAccess<'de>>(self, map: M) -> Result<EffectSource, M::Error> {
                FullEffect::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(EffectSource::Full)
            }
        }
        from.deserialize_any(Either)
    }
}

/// The verdict where nothing speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// Ask.
    #[default]
    Ask,
    /// Refuse.
    Deny,
}

/// A tool's risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RiskName {
    /// Reads what is harmless.
    Low,
    /// Changes what can be changed back.
    Medium,
    /// Runs programs, changes what cannot be changed back.
    High,
    /// Money, data of others, production.
    Critical,
    /// Nobody knows: nothing follows from it.
    Unknown,
}

/// What follows from a risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RiskEffect {
    /// The call may be made.
    Allow,
    /// A person or an authorised service is asked; a remembered answer will do.
    #[serde(alias = "require_approval")]
    Ask,
    /// A person is asked, every time.
    RequireHuman,
    /// A person other than the run's own user is asked, every time.
    SecondPerson,
    /// The call is refused.
    Deny,
}

/// What follows from each risk where nothing else speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RiskEffects {
    /// Default: `allow`.
    pub low: RiskEffect,
    /// Default: `ask`.
    pub medium: RiskEffect,
    /// Default: `ask`.
    pub high: RiskEffect,
    /// Default: `require_human`. As `require_human`, `second_person` or `deny` it holds unless a rule allows the call.
    pub critical: RiskEffect,
}

impl Default for RiskEffects {
    fn default() -> Self {
        Self {
            low: RiskEffect::Allow,
            medium: RiskEffect::Ask,
            high: RiskEffect::Ask,
            critical: RiskEffect::RequireHuman,
        }
    }
}
