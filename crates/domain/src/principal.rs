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
    /// For an agent: the user it acts for. For a service: [`ANYBODY`], where it may name any user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts_for: Option<String>,
    /// Whether a person is there themselves.
    #[serde(default, skip_serializing_if = "Presence::is_in_person")]
    pub presence: Presence,
    /// Through which door they came.
    #[serde(default)]
    pub door: Door,
}

/// Through which door somebody came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// The page: a browser that is signed in.
    Page,
    /// The HTTP API, with a token.
    #[default]
    Api,
    /// The command line, on a machine that reaches the database itself.
    Terminal,
    /// None: Countersign does by itself what it was told to, or runs the agent that calls.
    Runtime,
}

impl Door {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Api => "api",
            Self::Terminal => "terminal",
            Self::Runtime => "runtime",
        }
    }
}

/// Whether a person is there themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// They are, as far as anybody asks.
    #[default]
    InPerson,
    /// Only a token of theirs is, and where they are that does not count.
    ByToken,
}

impl Presence {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
    fn is_in_person(&self) -> bool {
        *self == Self::InPerson
    }
}

/// Whom a service acts for that may name any user.
pub const ANYBODY: &str = "*";

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
    /// Somebody in person with a token, in no group, who acts for nobody else.
    pub fn new(kind: Kind, name: impl Into<String>, role: Role) -> Self {
        let (name, presence) = (name.into(), Presence::InPerson);
        Self { kind, name, role, groups: vec![], acts_for: None, presence, door: Door::Api }
    }

    /// The same one, who came through that door.
    #[must_use]
    pub fn at(self, door: Door) -> Self {
        Self { door, ..self }
    }

    /// Whether they are a person who is there themselves.
    pub fn is_human(&self) -> bool {
        self.kind == Kind::User && self.presence == Presence::InPerson
    }

    /// Nobody: what happens by itself because nobody answered in time.
    pub(crate) fn time_out() -> Self {
        Self::new(Kind::Service, "time-out", Role::Viewer).at(Door::Runtime)
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
