//! The life of a call as one table. Whatever is not listed is refused, so a forgotten move fails closed.

use super::event::{End, EndStatus};
use super::judgement::{Judgement, Ruling};
use super::turn::Proposal;
use crate::canonical::canonical;
use crate::interaction::{Decision, Edited, Purpose};
use crate::{Call, Digest, InteractionId};
use serde_json::json;

/// A call of a run, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct CallEntry {
    /// What the model proposed.
    pub proposal: Proposal,
    /// What somebody made of its arguments.
    pub edited: Option<Box<Edited>>,
    /// Where it stands.
    pub state: CallState,
    /// What the policy said last.
    pub judgement: Option<Judgement>,
    /// How often somebody was asked about it.
    pub asked: u32,
    /// Whether it was started and never reported, and has not been started since.
    pub in_doubt: bool,
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// It has not been judged, or must be judged again because somebody has answered.
    Proposed,
    /// Somebody is being asked whether it may be made.
    Waiting(InteractionId),
    /// It may be executed.
    Cleared,
    /// A worker with this fencing number is executing it.
    Running {
        /// The fencing number.
        fence: u64,
    },
    /// The tool asks somebody something. `None` only within a step.
    Paused(Option<InteractionId>),
    /// Somebody looks at the result. `None` only within a step.
    Held(End, Option<InteractionId>),
    /// It was started and never reported; somebody is asked what became of it. `None` only within a step.
    Lost(Option<InteractionId>),
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
    /// The program outside that makes it is waited for.
    Awaited,
    /// Somebody answered, and that settles it.
    Answered(Decision),
    /// A worker starts it.
    Started {
        /// The worker's fencing number.
        fence: u64,
    },
    /// The tool wants to know something.
    Paused,
    /// The tool has reported, and somebody looks at it first.
    Held(End),
    /// Whoever executed it is gone.
    Lost {
        /// Whether it may simply be made again.
        again: bool,
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
        Self { proposal, edited: None, state: CallState::Proposed, judgement: None, asked: 0, in_doubt: false }
    }

    /// The call as it is to be made: exactly as it was saved, with the arguments that somebody put in place of its own.
    pub fn call(&self) -> Option<Call> {
        let call = self.proposal.call()?;
        let Some(edited) = &self.edited else { return Some(call) };
        let cwd = call.cwd().map(Into::into);
        let made = Call::new(edited.server.clone(), edited.tool.clone(), edited.args.clone(), cwd).ok()?;
        Some(match self.proposal.definition() {
            Some(definition) => made.defined_by(definition),
            None => made,
        })
    }

    /// The key under which it is executed. Edited, it is another execution.
    pub fn key(&self) -> Option<Digest> {
        let key = self.proposal.key()?;
        let Some(edited) = &self.edited else { return Some(key) };
        let identity = json!({"edited": edited.digest, "key": key, "v": 1});
        Some(Digest::of(canonical(&identity).as_bytes()))
    }

    /// Whether somebody must answer before it goes on.
    pub fn waits(&self) -> bool {
        use CallState::{Held, Lost, Paused, Waiting};
        matches!(self.state, Waiting(_) | Paused(_) | Held(..) | Lost(_))
    }
}

/// Moves a call one step along its path.
///
/// Only [`Move::Finished`] ends a call, and each state takes only the endings that make sense in it, so that every call
/// ends once and in one way. Only a judgement clears a call: whatever a person says, it is judged again.
pub fn advance(state: &CallState, input: &Move) -> Result<CallState, Refused> {
    use CallState::{Cleared, Held, Lost, Paused, Proposed, Running, Waiting};
    use Decision::{Answer, Approve, Edit, RunAgain};
    Ok(match (state, input) {
        (Proposed, Move::Judged(Ruling::Allow)) => Cleared,
        // An approval is an input of the next judgement, not a way around it; so is the answer that a tool waited for.
        (Proposed, Move::Judged(_))
        | (Waiting(_), Move::Answered(Approve | Edit))
        | (Paused(Some(_)), Move::Answered(Answer))
        | (Lost(Some(_)), Move::Answered(RunAgain))
        | (Running { .. }, Move::Lost { again: true }) => Proposed,
        (Proposed, Move::Asked(id)) => Waiting(*id),
        // A report is waited for while the call is being made.
        (Cleared, Move::Started { fence }) | (Running { fence }, Move::Awaited) => Running { fence: *fence },
        (Running { .. }, Move::Paused) => Paused(None),
        (Paused(None), Move::Asked(id)) => Paused(Some(*id)),
        (Running { .. }, Move::Held(end)) => Held(end.clone(), None),
        (Held(end, None), Move::Asked(id)) => Held(end.clone(), Some(*id)),
        (Running { .. }, Move::Lost { again: false }) => Lost(None),
        (Lost(None), Move::Asked(id)) => Lost(Some(*id)),
        // Any other answer ends the call with the next event of the same step.
        (Waiting(_) | Paused(Some(_)) | Held(_, Some(_)) | Lost(Some(_)), Move::Answered(_)) => state.clone(),
        (_, Move::Finished(end)) if state.may_end(end.status) => CallState::Ended(end.clone()),
        (state, input) => return Err(Refused { state: state.word(), input: input.word() }),
    })
}

impl CallState {
    /// Whether a call in this state can end so.
    const fn may_end(&self, status: EndStatus) -> bool {
        use EndStatus::{Cancelled, Completed, Denied, Error, Expired, Rejected, Unknown};
        match self {
            // Unknown: it was lost before, was to be made once more, and is not.
            Self::Proposed => matches!(status, Error | Denied | Cancelled | Unknown),
            // Completed: somebody answered in the tool's place.
            Self::Waiting(_) => matches!(status, Completed | Rejected | Expired | Cancelled | Unknown),
            Self::Cleared => matches!(status, Cancelled),
            Self::Running { .. } => matches!(status, Completed | Error | Unknown),
            Self::Paused(_) => matches!(status, Rejected | Expired | Cancelled),
            Self::Held(..) => matches!(status, Completed | Error | Rejected | Expired | Cancelled),
            Self::Lost(_) => matches!(status, Completed | Unknown),
            Self::Ended(_) => false,
        }
    }

    /// The word for it.
    pub const fn word(&self) -> &'static str {
        use EndStatus::{Cancelled, Completed, Denied, Error, Expired, Rejected, Unknown};
        match self {
            Self::Proposed => "proposed",
            Self::Waiting(_) => "waiting",
            Self::Cleared => "cleared",
            Self::Running { .. } => "running",
            Self::Paused(_) => "paused",
            Self::Held(..) => "held for review",
            Self::Lost(_) => "unknown",
            Self::Ended(end) => match end.status {
                Completed | Error => "done",
                Denied | Rejected | Expired | Cancelled => "refused",
                Unknown => "unknown",
            },
        }
    }
}

impl Move {
    /// What asking for `purpose` does to a call.
    pub(crate) const fn asked(purpose: Purpose, id: InteractionId) -> Self {
        match purpose {
            Purpose::Report => Self::Awaited,
            _ => Self::Asked(id),
        }
    }

    const fn word(&self) -> &'static str {
        match self {
            Self::Judged(_) => "judged",
            Self::Asked(_) => "asked about",
            Self::Awaited => "reported by a program outside",
            Self::Answered(_) => "answered",
            Self::Started { .. } => "started",
            Self::Paused => "paused",
            Self::Held(_) => "held for review",
            Self::Lost { .. } => "lost",
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
        let end = |status| End { status, output: String::new(), latency_ms: None };
        let mut moves = vec![
            Move::Judged(Ruling::Allow),
            Move::Judged(ask),
            Move::Judged(Ruling::Deny { refusal: String::new() }),
            Move::Asked(id),
            Move::Awaited,
            Move::Started { fence: 1 },
            Move::Paused,
            Move::Held(end(EndStatus::Completed)),
            Move::Lost { again: true },
            Move::Lost { again: false },
        ];
        moves.extend(Decision::ALL.map(Move::Answered));
        moves.extend(EndStatus::ALL.map(|status| Move::Finished(end(status))));
        prop::sample::select(moves)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Whatever arrives, in whatever order: each start has an allow of its own, and a call that was started starts once
        /// more only after the tool itself paused, or a person said so, or it was declared to be harmless.
        #[test]
        fn nothing_starts_without_an_allow_and_nothing_starts_twice_in_silence(
            inputs in prop::collection::vec(input(), 0..24),
        ) {
            let (mut state, mut allowed, mut may_start) = (CallState::Proposed, false, true);
            for input in &inputs {
                let Ok(next) = advance(&state, input) else { continue };
                prop_assert!(!matches!(state, CallState::Ended(_)), "an ended call took {input:?}");
                match (&state, input) {
                    (_, Move::Judged(ruling)) => allowed = *ruling == Ruling::Allow,
                    (_, Move::Paused | Move::Answered(Decision::RunAgain) | Move::Lost { again: true }) => may_start = true,
                    (_, Move::Started { .. }) => {
                        prop_assert!(allowed && may_start, "{state:?} started");
                        (allowed, may_start) = (false, false);
                    }
                    _ => {}
                }
                state = next;
            }
        }

        /// A rejection never leads to a start without another judgement, nor does anything but a judgement.
        #[test]
        fn only_a_judgement_clears(inputs in prop::collection::vec(input(), 0..24)) {
            let mut state = CallState::Proposed;
            for input in &inputs {
                let Ok(next) = advance(&state, input) else { continue };
                if next == CallState::Cleared {
                    prop_assert_eq!(input, &Move::Judged(Ruling::Allow));
                }
                state = next;
            }
        }
    }
}
