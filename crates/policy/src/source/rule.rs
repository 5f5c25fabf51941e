//! Rules, as they are written.

use super::EffectSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule. The first one whose server, tool and condition match counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleSource {
    /// Its name, as reasons give it. Default: `rule-` and its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Lower is looked at first. Default: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// The server whose tools it is about, `*` as wildcard. Without it: every server, and tools without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tools it is about: a pattern, brackets included; `*` for all.
    pub tool: String,
    /// A condition in CEL over `args`, `call`, `user`, `agent`, `run` and `now`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectSource>,
    /// `false`: no remembered answer and no grant will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<bool>,
    /// How many different people or services must approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<u32>,
    /// Groups of people who may answer; nobody else may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<String>,
    /// Older spelling of `effect`: 1 is `allow`, 0 is `require_approval`.
    #[serde(default, alias = "autoApprove", skip_serializing_if = "Option::is_none")]
    pub auto_approve: Option<AutoApprove>,
    /// For the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The older spelling of a rule's effect: `1` or `true`, `0` or `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AutoApprove {
    /// As a truth value.
    Flag(bool),
    /// As a number.
    Number(u8),
}

impl AutoApprove {
    /// Whether it approves.
    pub fn approves(self) -> bool {
        matches!(self, Self::Flag(true) | Self::Number(1))
    }
}

impl<'de> Deserialize<'de> for AutoApprove {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl serde::de::Visitor<'_> for Either {
            type Value = AutoApprove;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("`1`, `0`, `true` or `false`")
            }

            fn visit_bool<E>(self, flag: bool) -> Result<AutoApprove, E> {
                Ok(AutoApprove::Flag(flag))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<AutoApprove, E> {
                match number {
                    0 => Ok(AutoApprove::Number(0)),
                    1 => Ok(AutoApprove::Number(1)),
                    other => Err(E::invalid_value(serde::de::Unexpected::Unsigned(other), &self)),
                }
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<AutoApprove, E> {
                self.visit_u64(u64::try_from(number).unwrap_or(u64::MAX))
            }
        }
        from.deserialize_any(Either)
    }
}
