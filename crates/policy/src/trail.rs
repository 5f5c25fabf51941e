//! The trail of a judgement: each layer that was consulted and what it said, as ids.

use crate::effect::{By, Effect, Mode};
use crate::verdict::{Cause, Layer};
use std::ops::Deref;

/// The reasons that led to a verdict, in order; the last one decided.
///
/// A usual trail needs no memory of its own: nearly all judgements leave one that nobody reads.
#[derive(Debug, Clone)]
pub struct Trail {
    few: [Reason; FEW],
    used: usize,
    /// All reasons, where there are more than a few.
    many: Vec<Reason>,
    /// What [`Several`] are.
    places: Vec<usize>,
}

/// As many layers as a usual judgement consults.
const FEW: usize = 8;

/// One layer that was consulted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// The layer.
    pub layer: Layer,
    /// What it said; `None` is silence.
    pub said: Option<Said>,
    /// What made it say so.
    pub(crate) cause: Cause,
}

/// What a layer said: an effect, but for who exactly may answer an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The call may be made.
    Allow,
    /// Somebody is asked first.
    Ask {
        /// Whether a remembered answer will do.
        mode: Mode,
        /// Who may answer.
        by: By,
        /// How many different principals must approve.
        approvals: u32,
    },
    /// The call is refused.
    Deny,
}

/// A place in the policy, the context or the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct At(u32);

/// Several places, which the trail keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Several {
    start: u32,
    len: u32,
}

impl At {
    pub(crate) fn get(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for At {
    fn from(place: usize) -> Self {
        Self(u32::try_from(place).unwrap_or(u32::MAX))
    }
}

impl Said {
    /// `allow`, `ask` or `deny`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask { .. } => "ask",
            Self::Deny => "deny",
        }
    }
}

impl From<&Effect> for Said {
    fn from(effect: &Effect) -> Self {
        match effect {
            Effect::Allow => Self::Allow,
            Effect::Ask(ask) => Self::Ask { mode: ask.mode, by: ask.by, approvals: ask.approvals },
            Effect::Deny => Self::Deny,
        }
    }
}

impl Trail {
    pub(crate) fn push(&mut self, layer: Layer, said: Option<Said>, cause: Cause) {
        let reason = Reason { layer, said, cause };
        match self.few.get_mut(self.used) {
            Some(free) if self.many.is_empty() => {
                *free = reason;
                self.used += 1;
            }
            _ => {
                if self.many.is_empty() {
                    self.many.extend(&self.few);
                }
                self.many.push(reason);
            }
        }
    }

    /// Adds a reason before the last one, which goes on being what decided.
    pub(crate) fn push_before_last(&mut self, layer: Layer, said: Option<Said>, cause: Cause) {
        let Some(last) = self.last().copied() else { return self.push(layer, said, cause) };
        let place = self.len() - 1;
        self.push(last.layer, last.said, last.cause);
        let slot = if self.many.is_empty() { self.few.get_mut(place) } else { self.many.get_mut(place) };
        if let Some(slot) = slot {
            *slot = Reason { layer, said, cause };
        }
    }

    /// Keeps `places`.
    pub(crate) fn keep(&mut self, places: impl IntoIterator<Item = usize>) -> Several {
        let start = self.places.len();
        self.places.extend(places);
        let len = self.places.len() - start;
        Several { start: At::from(start).0, len: At::from(len).0 }
    }

    pub(crate) fn kept(&self, several: Several) -> &[usize] {
        let start = several.start as usize;
        self.places.get(start..start + several.len as usize).unwrap_or_default()
    }
}

impl Default for Trail {
    fn default() -> Self {
        let blank = Reason { layer: Layer::Default, said: None, cause: Cause::Silence };
        Self { few: [blank; FEW], used: 0, many: Vec::new(), places: Vec::new() }
    }
}

impl Deref for Trail {
    type Target = [Reason];

    fn deref(&self) -> &[Reason] {
        if self.many.is_empty() { self.few.get(..self.used).unwrap_or_default() } else { &self.many }
    }
}

impl PartialEq for Trail {
    fn eq(&self, other: &Self) -> bool {
        **self == **other && self.places == other.places
    }
}

impl Eq for Trail {}
