//! Principals: who speaks to Countersign. People, agents and services, told apart for good.

use serde::{Deserialize, Serialize};

/// Whoever is at a door, after they proved it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// What kind of principal.
    pub kind: Kind,
    /// The name: of the person, the agent or the service.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The groups of approvers it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// For an agent: the user it acts for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts_for: Option<String>,
}

/// The kinds of principals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person.
    User,
    /// An agent. It can ask and wait; it never answers.
    Agent,
    /// A program that people trust with decisions that anyone may take.
    Service,
}

impl Kind {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Service => "service",
        }
    }
}

/// What a principal may do, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Look.
    Viewer,
    /// And answer.
    Approver,
    /// And change everything else.
    Operator,
}

impl Role {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Approver => "approver",
            Self::Operator => "operator",
        }
    }
}

impl Principal {
    /// Nobody: what happens by itself because nobody answered in time.
    pub(crate) fn time_out() -> Self {
        Self { kind: Kind::Service, name: "time-out".into(), role: Role::Viewer, groups: vec![], acts_for: None }
    }

    /// Whether it is the same one as `other`, whatever it may do by now.
    pub fn is(&self, other: &Self) -> bool {
        (self.kind, &self.name) == (other.kind, &other.name)
    }

    /// The user on whose behalf this principal acts.
    pub fn user(&self) -> Option<&str> {
        match self.kind {
            Kind::User => Some(&self.name),
            Kind::Agent => self.acts_for.as_deref(),
            Kind::Service => None,
        }
    }
}

macro_rules! from_word {
    ($name:ident: $($variant:ident),+) => {
        impl std::str::FromStr for $name {
            type Err = BadWord;

            fn from_str(word: &str) -> Result<Self, BadWord> {
                [$(Self::$variant),+].into_iter().find(|one| one.word() == word).ok_or_else(|| BadWord {
                    given: word.chars().take(64).collect(),
                    expected: [$(Self::$variant.word()),+].join("`, `"),
                })
            }
        }
    };
}
from_word!(Kind: User, Agent, Service);
from_word!(Role: Viewer, Approver, Operator);

/// The word stands for none of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is none of `{expected}`")]
pub struct BadWord {
    given: String,
    expected: String,
}
