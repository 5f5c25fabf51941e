//! What a verdict comes to: allow, ask or deny, and how an ask is to be answered.

use std::ops::Deref;
use std::sync::Arc;

/// From least to most strict.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The call may be made.
    Allow,
    /// Somebody is asked first.
    Ask(Ask),
    /// The call is refused.
    Deny,
}

/// How a question is to be answered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ask {
    /// Whether a remembered answer will do.
    pub mode: Mode,
    /// Who may answer.
    pub by: By,
    /// Whether grants and short memory may answer an ask of mode once.
    pub remember: bool,
    /// How many different principals must approve.
    pub approvals: u32,
    /// Which groups must answer.
    pub approvers: Approvers,
}

/// Sets of groups: whoever answers must be in one group of each. No set means whoever may answer at all.
///
/// Hardly any ask has some, and asks are copied at every turn: kept so small, and shared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Approvers(Option<Arc<Sets>>);

type Sets = Vec<Vec<String>>;

impl Approvers {
    /// Whoever may answer at all.
    pub const ANY: Self = Self(None);

    /// Those that satisfy both.
    fn and(self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (_, None) => self,
            (None, _) => other.clone(),
            (Some(own), Some(_)) => {
                let new = other.iter().filter(|set| !own.contains(set));
                own.iter().chain(new).cloned().collect::<Vec<_>>().into()
            }
        }
    }
}

impl From<Vec<Vec<String>>> for Approvers {
    fn from(sets: Vec<Vec<String>>) -> Self {
        Self((!sets.is_empty()).then(|| Arc::new(sets)))
    }
}

impl Deref for Approvers {
    type Target = [Vec<String>];

    fn deref(&self) -> &[Vec<String>] {
        self.0.as_ref().map_or(&[], |sets| sets)
    }
}

/// Whether a remembered answer will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// It will.
    Once,
    /// Every call is asked anew.
    Always,
}

/// Who may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    /// A person or an authorised service.
    Anyone,
    /// An authenticated person.
    Human,
    /// A person other than the run's own user.
    SecondPerson,
}

impl Ask {
    /// The ask that a remembered answer settles.
    pub const ONCE: Self = Self::new(Mode::Once, By::Anyone);
    /// The ask of a tool that is asked about every time.
    pub const ALWAYS: Self = Self::new(Mode::Always, By::Anyone);

    /// An ask of this mode, by these.
    pub const fn new(mode: Mode, by: By) -> Self {
        Self { mode, by, remember: true, approvals: 1, approvers: Approvers::ANY }
    }

    /// An ask that is as strict as both.
    fn and(self, other: &Self) -> Self {
        Self {
            mode: self.mode.max(other.mode),
            by: self.by.max(other.by),
            remember: self.remember && other.remember,
            approvals: self.approvals.max(other.approvals),
            approvers: self.approvers.and(&other.approvers),
        }
    }
}

impl Effect {
    /// An effect that is as strict as both.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Deny, _) | (_, Self::Deny) => Self::Deny,
            (Self::Ask(own), Self::Ask(other)) => Self::Ask(own.and(other)),
            (Self::Allow, other) => other.clone(),
            (own, Self::Allow) => own,
        }
    }

    /// Its place among effects, for comparing how strict they are.
    pub fn strictness(&self) -> (u8, By, Mode) {
        match self {
            Self::Allow => (0, By::Anyone, Mode::Once),
            Self::Ask(ask) => (1, ask.by, ask.mode),
            Self::Deny => (2, By::Anyone, Mode::Once),
        }
    }

    /// `allow`, `ask` or `deny`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask(_) => "ask",
            Self::Deny => "deny",
        }
    }
}

impl Mode {
    /// `once` or `always`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Always => "always",
        }
    }
}

impl By {
    /// `anyone`, `human` or `second_person`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Human => "human",
            Self::SecondPerson => "second_person",
        }
    }
}
