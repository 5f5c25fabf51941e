//! The life of a call as one table. Whatever is not listed is refused, so a forgotten move fails closed.

use super::event::{End, EndStatus};
use super::judgement::Ruling;
use super::turn::Proposal;
use crate::InteractionId;
use crate::interaction::Decision;

/// A call of a run, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct CallEntry {
    /// What the model proposed.
    pub proposal: Proposal,
    /// Where it stands.
    pub state: CallState,
    /// How often somebody was asked about it.
    pub asked: u32,
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// It has not been judged, or must be judged again because it was approved.
    Proposed,
    /// Somebody is being asked.
    Waiting(InteractionId),
    /// It may be executed.
    Cleared,
    /// A worker with this fencing number is executing it.
    Running {
        /// The fencing number.
        fence: u64,
    },
    /// It has ended.
    Ended(End),
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// The policy spoke.
    Judged(Ruling),
    /// Somebody is asked.
    Asked(InteractionId),
    /// Somebody answered, and that settles it.
    Answered(Decision),
    /// A worker starts it.
    Started {
        /// The worker's fencing number.
        fence: u64,
    },
    /// It ends.
    Finished(End),
}

/// A move that a call in that state does not make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a call that is {state} cannot be {input}")]
pub struct Refused {
    /// Where the call stands.
    pub state: &'static str,
    /// What was to happen.
    pub input: &'static str,
}

impl CallEntry {
    /// A call as it enters.
    pub fn new(proposal: Proposal) -> Self {
        Self { proposal, state: CallState::Proposed, asked: 0 }
    }
}

/// Moves a call one step along its path.
///
/// Only [`Move::Finished`] ends a call, and each state takes only the endings that make sense in it, so that every call
/// ends once and in one way.
pub fn advance(state: &CallState, input: &Move) -> Result<CallState, Refused> {
    use EndStatus::{Completed, Denied, Error, Expired, Rejected, Unknown};
    Ok(match (state, input) {
        (CallState::Proposed, Move::Judged(Ruling::Allow)) => CallState::Cleared,
        // An approval is an input of the next judgement, not a way around it.
        (CallState::Proposed, Move::Judged(_)) | (CallState::Waiting(_), Move::Answered(Decision::Approve)) => {
            CallState::Proposed
        }
        // What was rejected is finished by the next event of the same step.
        (CallState::Proposed, Move::Asked(id)) | (CallState::Waiting(id), Move::Answered(Decision::Reject)) => {
            CallState::Waiting(*id)
        }
        (CallState::Cleared, Move::Started { fence }) => CallState::Running { fence: *fence },
        (CallState::Proposed, Move::Finished(end)) if matches!(end.status, Error | Denied) => ended(end),
        (CallState::Waiting(_), Move::Finished(end)) if matches!(end.status, Rejected | Expired) => ended(end),
        (CallState::Running { .. }, Move::Finished(end)) if matches!(end.status, Completed | Error | Unknown) => {
            ended(end)
        }
        (state, input) => return Err(Refused { state: state.word(), input: input.word() }),
    })
}

fn ended(end: &End) -> CallState {
    CallState::Ended(end.clone())
}

impl CallState {
    /// The word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Waiting(_) => "waiting",
            Self::Cleared => "cleared",
            Self::Running { .. } => "running",
            Self::Ended(_) => "ended",
        }
    }
}

impl Move {
    const fn word(&self) -> &'static str {
        match self {
            Self::Judged(_) => "judged",
            Self::Asked(_) => "asked about",
            Self::Answered(_) => "answered",
            Self::Started { .. } => "started",
            Self::Finished(_) => "finished",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interaction::AnswerableBy;
    use proptest::prelude::*;

    fn input() -> impl Strategy<Value = Move> {
        let id = InteractionId::new(uuid::Uuid::nil());
        let ask = Ruling::Ask { by: AnswerableBy::Anyone, mode: "once".into(), approvals: 1, approvers: vec![] };
        let ended = |status| Move::Finished(End { status, output: String::new(), latency_ms: None });
        prop::sample::select(vec![
            Move::Judged(Ruling::Allow),
            Move::Judged(ask),
            Move::Judged(Ruling::Deny { refusal: String::new() }),
            Move::Asked(id),
            Move::Answered(Decision::Approve),
            Move::Answered(Decision::Reject),
            Move::Started { fence: 1 },
            ended(EndStatus::Completed),
            ended(EndStatus::Error),
            ended(EndStatus::Denied),
            ended(EndStatus::Rejected),
            ended(EndStatus::Expired),
            ended(EndStatus::Unknown),
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Whatever arrives, in whatever order, a call starts at most once, and only after the policy allowed it.
        #[test]
        fn nothing_starts_without_an_allow_and_nothing_starts_twice(inputs in prop::collection::vec(input(), 0..16)) {
            let (mut state, mut starts, mut allowed) = (CallState::Proposed, 0, false);
            for input in &inputs {
                let Ok(next) = advance(&state, input) else { continue };
                allowed |= matches!(input, Move::Judged(Ruling::Allow));
                if matches!(input, Move::Started { .. }) {
                    starts += 1;
                    prop_assert!(allowed, "{state:?} started");
                }
                prop_assert!(!matches!(state, CallState::Ended(_)), "an ended call took {input:?}");
                state = next;
            }
            prop_assert!(starts <= 1);
        }
    }
}
