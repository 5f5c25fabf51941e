//! What the entries of a run mean: each follows from those before it, and whatever was executed was allowed.
//!
//! The rules are not written here once more. Which moves a call makes says the table in [`crate::run::call`], and who may
//! answer what says [`crate::interaction::advance`]; here they are held against what was recorded. Only skeletons are
//! looked at, so that a log whose payloads are erased means as much.

mod breach;
mod question;

pub use breach::{Breach, Unapproved};

use crate::canonical::canonical;
use crate::interaction::{Answer, Decision, Interaction, Purpose, Status};
use crate::run::call::{self, CallState, Move};
use crate::run::{
    End, EndStatus, Event, Judgement, Letter, OnTimeout, Owner, Proposal, Ruling, RunKind, Started, Turn, WaitOutcome,
};
use crate::{CallId, Digest, InteractionId, RunId};
use serde_json::json;
use std::collections::HashMap;

/// A run, as far as its entries have been read. Of its steps only the present one is remembered: what came before has
/// ended.
#[derive(Debug)]
pub(super) struct Course {
    run: RunId,
    started: Option<Box<Started>>,
    step: u32,
    calls: HashMap<CallId, Called>,
    questions: HashMap<InteractionId, Interaction>,
    /// One of each who wrote to the agent.
    letters: Vec<(usize, Letter)>,
    /// How many letters there were, and how many of them the model had read when it spoke last.
    received: usize,
    heard: usize,
}

/// A call of the present step.
#[derive(Debug)]
struct Called {
    state: CallState,
    position: usize,
    /// `None`: it could not be read.
    key: Option<Digest>,
    judged: Option<Judged>,
    /// The digest of what somebody made of it.
    edited: Option<Digest>,
    asked: u32,
    /// The latest question whose answer may let it be made.
    latest: Option<InteractionId>,
    /// Whether the answer to it has let it be made.
    spent: bool,
    /// Whether it was started and never reported, and has not been started since.
    in_doubt: bool,
}

/// What the policy said last.
#[derive(Debug)]
struct Judged {
    digest: Digest,
    ruling: Ruling,
    by_approval: bool,
}

impl Course {
    pub(super) fn new(run: RunId) -> Self {
        Self {
            run,
            started: None,
            step: 0,
            calls: HashMap::new(),
            questions: HashMap::new(),
            letters: vec![],
            received: 0,
            heard: 0,
        }
    }

    /// Takes the next event. Whatever is wrong with it, the run goes on as the event says, so that what comes next is
    /// judged by itself.
    pub(super) fn take(&mut self, event: Event) -> Result<(), Breach> {
        if self.started.is_none() != matches!(event, Event::RunStarted(_)) {
            return Err(Breach::Beginning);
        }
        match event {
            Event::RunStarted(started) => self.started = Some(started),
            Event::StepCompleted(turn) => return self.spoken(turn),
            Event::ToolJudged { call_id, judgement } => return self.judged(call_id, *judgement),
            Event::InteractionRequest(asked) => return self.asked(&asked),
            Event::InteractionResponse { interaction_request_id, response, settled } => {
                return self.answered(interaction_request_id, &response, settled);
            }
            Event::Reminder { interaction_request_id } => return self.reminded(interaction_request_id),
            Event::WaitCompleted { interaction_request_id, outcome } => {
                return self.waited(interaction_request_id, outcome);
            }
            Event::ToolStarted { call_id, fence } => return self.executed(call_id, fence),
            Event::ToolPaused { call_id } => {
                // The tool goes on where it was, so the approval that it was started by still holds.
                let call = self.called(call_id)?;
                call.spent = false;
                return call.make(&Move::Paused);
            }
            Event::ToolHeld { call_id, end } => return self.called(call_id)?.make(&Move::Held(end)),
            Event::ToolLost { call_id, again } => {
                let call = self.called(call_id)?;
                (call.spent, call.in_doubt) = (call.spent && !again, !again);
                return call.make(&Move::Lost { again });
            }
            Event::ToolFinished { call_id, end } => return self.finished(call_id, end),
            Event::MessageReceived(letter) => {
                self.received += 1;
                if !self.letters.iter().any(|(_, before)| before.by.is(&letter.by)) {
                    self.letters.push((0, Letter { text: String::new(), ..letter }));
                }
            }
            Event::ExecutionSuspended { .. } | Event::ExecutionResumed {} | Event::PermissionsNarrowed { .. } => {}
            Event::RunCompleted { .. }
            | Event::RunFailed { .. }
            | Event::RunCancelled { .. }
            | Event::RunSetAside { .. } => return self.ended(),
        }
        Ok(())
    }

    fn called(&mut self, id: CallId) -> Result<&mut Called, Breach> {
        self.calls.get_mut(&id).ok_or(Breach::NoCall)
    }

    /// Whether it is one call that a program outside makes.
    fn is_of_call(&self) -> bool {
        self.started.as_ref().is_some_and(|started| started.kind == RunKind::Call)
    }

    fn owner(&self) -> Owner<'_> {
        Owner {
            user: self.started.as_ref().and_then(|started| started.user_id.as_deref()),
            started_by: self.started.as_ref().map(|started| &started.started_by),
            letters: &self.letters,
            behind: self.started.as_ref().map_or(&[], |started| &started.behind),
        }
    }

    fn spoken(&mut self, turn: Turn) -> Result<(), Breach> {
        let all_ended = self.calls.values().all(Called::has_ended);
        self.step += 1;
        let is_one_call = self.step == 1 && turn.calls.len() == 1;
        let says_more = self.is_of_call() && !is_one_call;
        self.heard = turn.heard;
        self.calls.clear();
        self.questions.clear();
        let mut is_identified = true;
        for (position, proposal) in turn.calls.into_iter().enumerate() {
            let Proposal { call_id, .. } = proposal;
            let key = proposal.key();
            is_identified &= call_id == CallId::derived(key.unwrap_or_else(|| self.key(position, None)));
            is_identified &= self.calls.insert(call_id, Called::new(position, key)).is_none();
        }
        match (all_ended, is_identified) {
            (false, _) => Err(Breach::Spoke),
            _ if says_more => Err(Breach::OneCall),
            (true, false) => Err(Breach::Identity),
            (true, true) => Ok(()),
        }
    }

    /// The key of the call with this digest at `position` of the present step.
    fn key(&self, position: usize, digest: Option<Digest>) -> Digest {
        let identity = json!({"call": digest, "position": position, "run": self.run, "step": self.step, "v": 1});
        Digest::of(canonical(&identity).as_bytes())
    }

    fn judged(&mut self, id: CallId, judgement: Judgement) -> Result<(), Breach> {
        let Judgement { digest, ruling, reasons, .. } = judgement;
        let position = self.called(id)?.position;
        let key = self.key(position, Some(digest));
        let call = self.called(id)?;
        let allowed = |layer: Option<&str>| {
            reasons.iter().any(|reason| reason.said == "allow" && layer.is_none_or(|layer| reason.layer == layer))
        };
        // Where somebody was asked and nothing else is said to have allowed it, only their answer can have.
        let by_approval = allowed(Some("approval")) || call.latest.is_some() && !allowed(None);
        let made = call.make(&Move::Judged(ruling.clone()));
        // Edited, it is the call that whoever edited it approved, and no other.
        let is_proposed = call.edited.map_or_else(|| call.key == Some(key), |edited| edited == digest);
        call.judged = Some(Judged { digest, ruling, by_approval });
        made.and(if is_proposed { Ok(()) } else { Err(Breach::Digest) })
    }

    /// A tool was executed: it must have been allowed to be.
    fn executed(&mut self, id: CallId, fence: u64) -> Result<(), Breach> {
        let call = self.calls.get(&id).ok_or(Breach::NoCall)?;
        let authority = if call.state == CallState::Cleared {
            self.approval(call).map_err(Breach::Unapproved)
        } else {
            Err(Breach::Unallowed(call.state.word()))
        };
        let call = self.called(id)?;
        let made = call.make(&Move::Started { fence });
        call.spent |= call.judged.as_ref().is_some_and(|judged| judged.by_approval);
        call.in_doubt = false;
        authority.and(made)
    }

    /// Whether the approval is there that is said to have allowed `call`, if one is.
    fn approval(&self, call: &Called) -> Result<(), Unapproved> {
        let Some(judged) = call.judged.as_ref().filter(|judged| judged.by_approval) else { return Ok(()) };
        let asked = call.latest.and_then(|id| self.questions.get(&id)).ok_or(Unapproved::Unasked)?;
        let settled = asked.answer.as_ref().filter(|answer| answer.decision.authorises());
        let Some(settled) = settled.filter(|_| asked.status == Status::Answered) else {
            return Err(Unapproved::Unanswered);
        };
        let approved = settled.edited.as_ref().map_or(asked.call.digest, |edited| edited.digest);
        if approved != judged.digest {
            return Err(Unapproved::Digest);
        }
        let is_new =
            |(i, given): &(usize, &Answer)| !asked.approvals.iter().take(*i).any(|before| before.by.is(&given.by));
        let given = asked.approvals.iter().enumerate().filter(is_new).count();
        let needed = asked.approvals_needed;
        if given < needed as usize {
            return Err(Unapproved::TooFew { given, needed });
        }
        if call.spent { Err(Unapproved::Spent) } else { Ok(()) }
    }

    fn finished(&mut self, id: CallId, end: End) -> Result<(), Breach> {
        let call = self.calls.get(&id).ok_or(Breach::NoCall)?;
        let fits = self.ends_so(call, end.status);
        let made = self.called(id)?.make(&Move::Finished(end));
        made.and(if fits { Ok(()) } else { Err(Breach::Ending) })
    }

    /// Whether something stands before it for which `call` ends so. What ends with its run needs nothing.
    fn ends_so(&self, call: &Called, status: EndStatus) -> bool {
        use CallState::{Held, Lost, Paused, Proposed, Waiting};
        let asked = match call.state {
            Waiting(id) | Paused(Some(id)) | Held(_, Some(id)) | Lost(Some(id)) => self.questions.get(&id),
            _ => None,
        };
        let decided = asked.and_then(|asked| asked.answer.as_ref()).map(|answer| answer.decision);
        match (&call.state, status) {
            (_, EndStatus::Expired) => asked.is_some_and(|asked| asked.status == Status::Expired),
            (_, EndStatus::Rejected) => decided == Some(Decision::Reject),
            (Proposed, EndStatus::Denied) => {
                call.judged.as_ref().is_some_and(|judged| matches!(judged.ruling, Ruling::Deny { .. }))
            }
            (Proposed, EndStatus::Error) => call.key.is_none(),
            (Proposed | Waiting(_), EndStatus::Unknown) => call.in_doubt,
            (Held(end, _), EndStatus::Completed | EndStatus::Error) => {
                matches!(decided, Some(Decision::Release | Decision::Replace)) && end.status == status
            }
            (Lost(_), EndStatus::Completed) => decided == Some(Decision::Happened),
            (Waiting(_), EndStatus::Completed) => decided == Some(Decision::Answer),
            _ => true,
        }
    }

    fn waited(&mut self, id: InteractionId, outcome: WaitOutcome) -> Result<(), Breach> {
        let may_default = self.started.as_ref().is_some_and(|started| started.on_timeout == OnTimeout::Default);
        // By which way it came is not looked at: a name in which a secret stands is masked anew in each event.
        let has_letter = self.received > self.heard;
        let asked = self.questions.get_mut(&id).ok_or(Breach::NoQuestion)?;
        let (before, after) = match outcome {
            WaitOutcome::Answered => (Status::Answered, Status::Answered),
            WaitOutcome::Came => (Status::Open, Status::Answered),
            WaitOutcome::Expired | WaitOutcome::Defaulted => (Status::Open, Status::Expired),
            WaitOutcome::Cancelled => (Status::Open, Status::Cancelled),
        };
        let was = std::mem::replace(&mut asked.status, after);
        let (purpose, call) = (asked.purpose, asked.tool_call_id);
        let fits = match outcome {
            WaitOutcome::Defaulted => purpose == Purpose::Question && may_default && asked.default.is_some(),
            WaitOutcome::Came => match purpose {
                Purpose::Timer => true,
                Purpose::Message => has_letter,
                Purpose::Report => self.calls.get(&call).is_some_and(Called::is_running),
                _ => false,
            },
            _ => true,
        };
        if was != before || !fits {
            return Err(Breach::Wait);
        }
        match outcome {
            // What was reported is told by the next event.
            WaitOutcome::Came if purpose == Purpose::Report => Ok(()),
            // It allows nothing: only a tool that asked something goes on.
            WaitOutcome::Defaulted | WaitOutcome::Came => self.called(call)?.make(&Move::Answered(Decision::Answer)),
            _ => Ok(()),
        }
    }

    fn ended(&self) -> Result<(), Breach> {
        if self.questions.values().any(|asked| asked.status == Status::Open) {
            return Err(Breach::OpenQuestion);
        }
        if self.calls.values().all(Called::has_ended) { Ok(()) } else { Err(Breach::OpenCall) }
    }
}

impl Called {
    const fn new(position: usize, key: Option<Digest>) -> Self {
        Self {
            state: CallState::Proposed,
            position,
            key,
            judged: None,
            edited: None,
            asked: 0,
            latest: None,
            spent: false,
            in_doubt: false,
        }
    }

    const fn has_ended(&self) -> bool {
        matches!(self.state, CallState::Ended(_))
    }

    const fn is_running(&self) -> bool {
        matches!(self.state, CallState::Running { .. })
    }

    /// Makes a move; one that cannot be made leads where it would have led.
    fn make(&mut self, input: &Move) -> Result<(), Breach> {
        let (state, made) = match call::advance(&self.state, input) {
            Ok(state) => (state, Ok(())),
            Err(refused) => (self.led(input), Err(Breach::Move(refused))),
        };
        self.state = state;
        made
    }

    fn led(&self, input: &Move) -> CallState {
        match input {
            Move::Judged(Ruling::Allow) => CallState::Cleared,
            Move::Judged(_) | Move::Lost { again: true } => CallState::Proposed,
            Move::Asked(id) => CallState::Waiting(*id),
            Move::Answered(_) | Move::Awaited => self.state.clone(),
            Move::Started { fence } => CallState::Running { fence: *fence },
            Move::Paused => CallState::Paused(None),
            Move::Held(end) => CallState::Held(end.clone(), None),
            Move::Lost { again: false } => CallState::Lost(None),
            Move::Finished(end) => CallState::Ended(end.clone()),
        }
    }
}
