//! The fold: a run's events, one after the other, make its state.

use super::call::{self, CallEntry, CallState, Move};
use super::event::{Event, Recorded, WaitOutcome};
use super::{Phase, Run, StepEntry, Usage, ask};
use crate::CallId;
use crate::interaction::{Answer, Decision, Purpose, Status};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::time::Duration;

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
            worked: Duration::ZERO,
            letters: vec![],
            narrowed: vec![],
        };
        for event in events {
            if event.seq != run.seq + 1 {
                return Err(Inconsistent { seq: event.seq, why: format!("it follows event {}", run.seq) });
            }
            run.apply(&event.event, event.at).map_err(|why| Inconsistent { seq: event.seq, why })?;
        }
        Ok(run)
    }

    /// Adds one event, which happened at `at`.
    pub(super) fn apply(&mut self, event: &Event, at: Timestamp) -> Result<(), String> {
        if self.has_ended() {
            return Err("the run has ended".into());
        }
        self.seq += 1;
        if self.phase == Phase::Active {
            // A clock that was set back takes nothing away.
            self.worked += Duration::try_from(at.duration_since(self.updated_at)).unwrap_or_default();
        }
        self.updated_at = at;
        match event {
            Event::RunStarted(_) => return Err("a run starts once".into()),
            Event::StepCompleted(turn) => {
                self.usage += turn.usage;
                let calls = turn.calls.iter().cloned().map(CallEntry::new).collect();
                self.steps.push(StepEntry { text: turn.text.clone(), calls, heard: turn.heard });
            }
            Event::ToolJudged { call_id, judgement } => {
                let call = self.move_call(*call_id, &Move::Judged(judgement.ruling.clone()))?;
                call.judgement = Some((**judgement).clone());
            }
            Event::InteractionRequest(asked) => {
                let drawn = ask::draw(self, asked, at)?;
                self.move_call(asked.call_id, &Move::asked(asked.purpose, asked.id))?.asked += 1;
                self.interactions.insert(asked.id, Box::new(drawn));
            }
            Event::ExecutionSuspended { .. } => self.phase = Phase::Waiting,
            Event::InteractionResponse { interaction_request_id, response, settled } => {
                let asked = self.interactions.get_mut(interaction_request_id).ok_or("nobody asked that")?;
                let call = asked.tool_call_id;
                if response.decision.authorises() {
                    asked.approvals.push(response.clone());
                }
                if *settled {
                    (asked.status, asked.answer) = (Status::Answered, Some(response.clone()));
                    let call = self.move_call(call, &Move::Answered(response.decision))?;
                    call.edited = response.edited.clone().or_else(|| call.edited.take());
                }
            }
            Event::Reminder { interaction_request_id } => {
                let asked = self.interactions.get_mut(interaction_request_id).ok_or("nobody asked that")?;
                if asked.status != Status::Open || std::mem::replace(&mut asked.reminded, true) {
                    return Err("one is reminded once, of what is open".into());
                }
            }
            Event::WaitCompleted { interaction_request_id, outcome } => {
                let asked = self.interactions.get_mut(interaction_request_id).ok_or("nobody asked that")?;
                asked.status = match outcome {
                    WaitOutcome::Answered => asked.status,
                    WaitOutcome::Came => Status::Answered,
                    WaitOutcome::Expired | WaitOutcome::Defaulted => Status::Expired,
                    WaitOutcome::Cancelled => Status::Cancelled,
                };
                // What a program outside reports is told by the next event.
                let goes_on = matches!(outcome, WaitOutcome::Defaulted | WaitOutcome::Came);
                if goes_on && asked.purpose != Purpose::Report {
                    asked.answer = Some(Answer::by_default(asked.default.clone(), at));
                    let call = asked.tool_call_id;
                    self.move_call(call, &Move::Answered(Decision::Answer))?;
                }
                if self.phase == Phase::Waiting {
                    self.phase = Phase::Woken;
                }
            }
            Event::ExecutionResumed {} => self.phase = Phase::Active,
            Event::ToolStarted { call_id, fence } => {
                self.move_call(*call_id, &Move::Started { fence: *fence })?.in_doubt = false;
            }
            Event::ToolPaused { call_id } => drop(self.move_call(*call_id, &Move::Paused)?),
            Event::ToolHeld { call_id, end } => drop(self.move_call(*call_id, &Move::Held(end.clone()))?),
            Event::ToolLost { call_id, again } => {
                self.move_call(*call_id, &Move::Lost { again: *again })?.in_doubt = !again;
            }
            Event::ToolFinished { call_id, end } => drop(self.move_call(*call_id, &Move::Finished(end.clone()))?),
            Event::PermissionsNarrowed { frame, .. } => self.narrowed.push(frame.clone()),
            Event::MessageReceived(letter) => self.letters.push((self.steps.len(), letter.clone())),
            Event::RunCompleted { output } => self.end(Phase::Completed { output: output.clone() })?,
            Event::RunFailed { error } => self.end(Phase::Failed(error.clone()))?,
            Event::RunCancelled { by, reason } => {
                self.end(Phase::Cancelled { by: by.clone(), reason: reason.clone() })?;
            }
            Event::RunSetAside { error } => self.end(Phase::SetAside(error.clone()))?,
        }
        Ok(())
    }

    fn move_call(&mut self, id: CallId, input: &Move) -> Result<&mut CallEntry, String> {
        let calls = self.steps.iter_mut().rev().flat_map(|step| &mut step.calls);
        let call = calls.into_iter().find(|call| call.proposal.call_id == id).ok_or("there is no such call")?;
        call.state = call::advance(&call.state, input).map_err(|refused| refused.to_string())?;
        Ok(call)
    }

    /// A run that ended waits for nothing, and nothing of it goes on.
    fn end(&mut self, phase: Phase) -> Result<(), String> {
        if self.calls().any(|call| !matches!(call.state, CallState::Ended(_))) {
            return Err("a call has not ended".into());
        }
        if self.interactions.values().any(|asked| asked.status == Status::Open) {
            return Err("a question is open".into());
        }
        self.phase = phase;
        Ok(())
    }
}
