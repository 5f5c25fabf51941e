//! What belongs to one user: grants and overrides.

use super::OverrideSource;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Grants and overrides of one user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserSource {
    /// What the user lets agents do without being asked.
    pub allow: Vec<GrantSource>,
    /// What the user forbids. It wins over everything that allows.
    pub deny: Vec<GrantSource>,
    /// How tools are asked about for this user.
    pub overrides: BTreeMap<String, OverrideSource>,
}

/// A grant: a pattern alone, or with its particulars.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum GrantSource {
    /// Just the pattern: `bash(npm run lint)`.
    Pattern(String),
    /// The pattern and its particulars.
    Full(FullGrant),
}

/// A grant and its particulars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullGrant {
    /// The pattern: `bash(npm run lint)`.
    pub resource: String,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Timestamp>,
    /// Who gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_by: Option<String>,
    /// When it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub given_at: Option<Timestamp>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl GrantSource {
    /// The pattern.
    pub fn pattern(&self) -> &str {
        match self {
            Self::Pattern(pattern) => pattern,
            Self::Full(full) => &full.resource,
        }
    }

    /// When it ends.
    pub fn expires_at(&self) -> Option<Timestamp> {
        match self {
            Self::Pattern(_) => None,
            Self::Full(full) => full.expires_at,
        }
    }
}

/// Untagged, with the error of the form that was meant.
impl<'de> Deserialize<'de> for GrantSource {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> serde::de::Visitor<'de> for Either {
            type Value = GrantSource;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a pattern such as `bash(npm run lint)` or a map with `resource`")
            }

            fn visit_str<E>(self, pattern: &str) -> Result<GrantSource, E> {
                Ok(GrantSource::Pattern(pattern.to_owned()))
            }

            fn visit_map<M: serde::de::MapAccess<'de>>(self, map: M) -> Result<GrantSource, M::Error> {
                FullGrant::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(GrantSource::Full)
            }
        }
        from.deserialize_any(Either)
    }
}
