//! The fold: a run's events, one after the other, make its state.

use super::call::{self, CallEntry, Move};
use super::event::{Event, Recorded, WaitOutcome};
use super::{Phase, Run, StepEntry, Usage};
use crate::CallId;
use crate::interaction::{Decision, Status};
use std::collections::BTreeMap;

/// Events that do not follow from one another. The code that wrote them and the code that reads them disagree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} does not follow from those before it: {why}")]
pub struct Inconsistent {
    /// The event's place.
    pub seq: u64,
    /// What does not fit.
    pub why: String,
}

impl Run {
    /// The run that these events make.
    pub fn fold(events: impl IntoIterator<Item = Recorded>) -> Result<Self, Inconsistent> {
        let mut events = events.into_iter();
        let wrong = |why: &str| Inconsistent { seq: 1, why: why.to_owned() };
        let first = events.next().ok_or_else(|| wrong("there is none"))?;
        let Event::RunStarted(started) = first.event else { return Err(wrong("a run begins with `run_started`")) };
        let mut run = Self {
            id: first.run,
            started: *started,
            seq: 1,
            created_at: first.at,
            updated_at: first.at,
            steps: vec![],
            interactions: BTreeMap::new(),
            phase: Phase::Active,
            usage: Usage::default(),
        };
        for event in events {
            if event.seq != run.seq + 1 {
                return Err(Inconsistent { seq: event.seq, why: format!("it follows event {}", run.seq) });
            }
            run.apply(&event.event).map_err(|why| Inconsistent { seq: event.seq, why })?;
            run.updated_at = event.at;
        }
        Ok(run)
    }

    /// Adds one event.
    pub(super) fn apply(&mut self, event: &Event) -> Result<(), String> {
        if self.has_ended() {
            return Err("the run has ended".into());
        }
        self.seq += 1;
        match event {
            Event::RunStarted(_) => return Err("a run starts once".into()),
            Event::StepCompleted(turn) => {
                self.usage += turn.usage;
                let calls = turn.calls.iter().cloned().map(CallEntry::new).collect();
                self.steps.push(StepEntry { text: turn.text.clone(), calls });
            }
            Event::ToolJudged { call_id, judgement } => {
                self.move_call(*call_id, &Move::Judged(judgement.ruling.clone()))?;
            }
            Event::InteractionRequest { interaction_request: asked } => {
                self.move_call(asked.tool_call_id, &Move::Asked(asked.id))?.asked += 1;
                self.interactions.insert(asked.id, (**asked).clone());
            }
            Event::ExecutionSuspended { .. } => self.phase = Phase::Waiting,
            Event::InteractionResponse { interaction_request_id, response, settled } => {
                let asked = self.interactions.get_mut(interaction_request_id).ok_or("nobody asked that")?;
                let call = asked.tool_call_id;
                if response.decision == Decision::Approve {
                    asked.approvals.push(response.clone());
                }
                if *settled {
                    (asked.status, asked.answer) = (Status::Answered, Some(response.clone()));
                    self.move_call(call, &Move::Answered(response.decision))?;
                }
            }
            Event::WaitCompleted { interaction_request_id, outcome, .. } => {
                let asked = self.interactions.get_mut(interaction_request_id).ok_or("nobody asked that")?;
                if *outcome == WaitOutcome::Expired {
                    asked.status = Status::Expired;
                }
                if self.phase == Phase::Waiting {
                    self.phase = Phase::Woken;
                }
            }
            Event::ExecutionResumed {} => self.phase = Phase::Active,
            Event::ToolStarted { call_id, fence } => {
                self.move_call(*call_id, &Move::Started { fence: *fence })?;
            }
            Event::ToolFinished { call_id, end } => {
                self.move_call(*call_id, &Move::Finished(end.clone()))?;
            }
            Event::RunCompleted { output } => self.end(Phase::Completed { output: output.clone() }),
            Event::RunFailed { error } => self.end(Phase::Failed(error.clone())),
        }
        Ok(())
    }

    fn move_call(&mut self, id: CallId, input: &Move) -> Result<&mut CallEntry, String> {
        let calls = self.steps.iter_mut().rev().flat_map(|step| &mut step.calls);
        let call = calls.into_iter().find(|call| call.proposal.call_id == id).ok_or("there is no such call")?;
        call.state = call::advance(&call.state, input).map_err(|refused| refused.to_string())?;
        Ok(call)
    }

    /// A run that ended waits for nothing.
    fn end(&mut self, phase: Phase) {
        self.phase = phase;
        for asked in self.interactions.values_mut().filter(|asked| asked.status == Status::Open) {
            asked.status = Status::Cancelled;
        }
    }
}
