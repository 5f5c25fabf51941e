//! A run: an append-only list of events, and the state that they fold to.
//!
//! [`advance`] is the only way to new events, [`Run::apply`] the only way to new state, and [`Run::next`] says from the
//! state alone what must be done next: an effect cannot be lost, because it is never kept apart from its cause.

mod advance;
mod apply;
mod ask;
mod awaited;
pub mod call;
mod conversation;
mod draft;
mod ending;
pub mod event;
pub mod judgement;
mod limits;
mod names;
mod next;
mod outside;
mod skeleton;
mod started;
mod texts;
pub mod turn;

pub use advance::{Input, Refused, Step, advance, start};
pub use apply::Inconsistent;
pub use awaited::{Awaited, LONGEST_WAIT};
pub use call::{CallEntry, CallState};
pub use conversation::{Message, ToolResult};
pub use draft::Draft;
pub use event::{Asked, End, EndStatus, Event, Failure, Letter, Question, Recorded, WaitOutcome, WaitType};
pub use judgement::{Judgement, Review, Ruling, TOO_MANY_QUESTIONS};
pub use limits::{CostLimit, Limits, MOST_TURNS};
pub use next::Next;
pub use outside::{Outside, ResultState, Stands};
pub use skeleton::{BadTexts, ERASED};
pub use started::{OnReject, OnTimeout, RunKind, Started};
pub use texts::Text;
pub use turn::{Proposal, Reading, Said, Turn, Usage};

use crate::delegation::{Chain, Frame};
use crate::interaction::{Answer, Interaction, Preview, Purpose, Status};
use crate::{CallId, Digest, InteractionId, Principal, RunId};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;

/// Where a run stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// What it started with.
    pub started: Started,
    /// How many events it has.
    pub seq: u64,
    /// When it started.
    pub created_at: Timestamp,
    /// When its last event was saved.
    pub updated_at: Timestamp,
    /// What has been said and called, step by step.
    pub steps: Vec<StepEntry>,
    /// Every question that was asked, as it stands now.
    pub interactions: Interactions,
    /// What it is doing.
    pub phase: Phase,
    /// Tokens used so far.
    pub usage: Usage,
    /// How long it was at work, and waited for nobody.
    pub worked: Duration,
    /// What was written to the agent, each with the number of steps there were when it came.
    pub letters: Vec<(usize, Letter)>,
    /// What was taken away from it since it started.
    pub narrowed: Vec<Frame>,
}

/// The questions of a run. Boxed: the map keeps room for ten more, and most runs ask one.
pub type Interactions = BTreeMap<InteractionId, Box<Interaction>>;

/// One step of a run: what the model said and what became of its calls.
#[derive(Debug, Clone, PartialEq)]
pub struct StepEntry {
    /// The model's words.
    pub text: String,
    /// Its calls.
    pub calls: Vec<CallEntry>,
    /// How many letters it had read.
    pub heard: usize,
}

/// What a run is doing.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// There is something to do.
    Active,
    /// It waited, and what it waited for has come.
    Woken,
    /// It waits. It costs nothing but a row.
    Waiting,
    /// The agent is done.
    Completed {
        /// What it said last.
        output: String,
    },
    /// It ended before the agent was done.
    Failed(Failure),
    /// Somebody stopped it.
    Cancelled {
        /// Who.
        by: Principal,
        /// Why.
        reason: Option<String>,
    },
    /// Nobody takes it up any more.
    SetAside(Failure),
}

/// Whose run it is.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// The user.
    pub user: Option<&'a str>,
    /// Whoever started it.
    pub started_by: Option<&'a Principal>,
    /// What was written to its agent, and by whom.
    pub letters: &'a [(usize, Letter)],
    /// Whoever told the agent of the run above it what to do.
    pub behind: &'a [Principal],
}

impl<'a> Owner<'a> {
    /// Whoever told its agent what to do: who started it, and who wrote to it; and the same of the run above it.
    pub fn principals(self) -> impl Iterator<Item = &'a Principal> {
        self.started_by.into_iter().chain(self.letters.iter().map(|(_, letter)| &letter.by)).chain(self.behind)
    }
}

impl Run {
    /// Whose run it is.
    pub fn owner(&self) -> Owner<'_> {
        Owner {
            user: self.started.user_id.as_deref(),
            started_by: Some(&self.started.started_by),
            letters: &self.letters,
            behind: &self.started.behind,
        }
    }

    /// What it was handed, with what was taken away from it since: what its next call is held to.
    pub fn delegated(&self) -> Chain {
        let handed = self.started.delegated_permissions.clone();
        self.narrowed.iter().cloned().fold(handed, |chain, frame| chain.narrowed_by(frame))
    }

    /// Whose questions they are that it asks, of all who have some open: of its agent; or, where it is one call of a program
    /// outside, of whoever asked for it, which may name any agent.
    pub fn asker(&self) -> Digest {
        let Started { kind, agent, started_by: by, .. } = &self.started;
        let asker = match kind {
            RunKind::Agent => format!("agent {agent}"),
            RunKind::Call => format!("calls of {} {}", by.kind.word(), by.name),
        };
        Digest::of(asker.as_bytes())
    }

    /// How many questions people have not answered yet, and how many of them were asked at `now` or later.
    pub fn asks_people(&self, now: Timestamp) -> (usize, usize) {
        let open =
            || self.interactions.values().filter(|one| one.status == Status::Open && one.purpose.is_for_people());
        (open().count(), open().filter(|one| one.created_at >= now).count())
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        !matches!(self.phase, Phase::Active | Phase::Woken | Phase::Waiting)
    }

    /// A question that was asked.
    pub fn interaction(&self, id: InteractionId) -> Option<&Interaction> {
        self.interactions.get(&id).map(Box::as_ref)
    }

    /// The questions that wait for an answer, oldest first.
    pub fn open_interactions(&self) -> Vec<&Interaction> {
        let mut open: Vec<_> =
            self.interactions.values().map(Box::as_ref).filter(|one| one.status == Status::Open).collect();
        open.sort_by_key(|one| (one.created_at, one.id));
        open
    }

    /// What people have answered to the tool of `call` so far, the first question first.
    pub fn answers(&self, call: CallId) -> Vec<&Answer> {
        let mut asked: Vec<_> = self.asked_about(call).filter(|asked| asked.purpose.is_of_tool()).collect();
        asked.sort_by_key(|asked| asked.ordinal);
        asked.into_iter().filter_map(|asked| asked.answer.as_ref()).collect()
    }

    /// What was shown to whoever approved `call` last, if it was the call with this digest.
    pub fn seen(&self, call: CallId, digest: Digest) -> Option<&Preview> {
        let approved = |asked: &&Interaction| asked.purpose == Purpose::Approval && asked.status == Status::Answered;
        let latest = self.asked_about(call).filter(approved).max_by_key(|asked| asked.ordinal);
        latest.filter(|asked| asked.call.digest == digest)?.preview.as_ref()
    }

    /// The questions about `call`.
    pub fn asked_about(&self, call: CallId) -> impl Iterator<Item = &Interaction> {
        self.interactions.values().map(Box::as_ref).filter(move |asked| asked.tool_call_id == call)
    }

    /// The number of the present step, counted from 1.
    pub fn step(&self) -> Option<u32> {
        u32::try_from(self.steps.len()).ok().filter(|step| *step > 0)
    }

    /// The call with this id.
    pub fn call(&self, id: CallId) -> Option<&CallEntry> {
        self.calls().find(|call| call.proposal.call_id == id)
    }

    /// All calls, the oldest first.
    pub fn calls(&self) -> impl Iterator<Item = &CallEntry> {
        self.steps.iter().flat_map(|step| &step.calls)
    }
}

/// A step as it is named outside: `step_1`.
pub fn step_id(step: u32) -> String {
    format!("step_{step}")
}
