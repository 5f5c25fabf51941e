//! Questions and answers as they were recorded, held against who may answer what.

use super::{Breach, Called, Course};
use crate::interaction::{
    self, Answer, AnswerableBy, AskedBy, Decision, Form, Interaction, Outcome, Purpose, Response, ShownCall, Status,
};
use crate::run::call::{CallState, Move};
use crate::run::{Asked, Ruling};
use crate::{Digest, InteractionId};
use jiff::Timestamp;
use serde_json::Map;

impl Course {
    pub(super) fn asked(&mut self, asked: &Asked) -> Result<(), Breach> {
        let call = self.calls.get(&asked.call_id).ok_or(Breach::NoCall)?;
        let is_due = is_due(call, asked.purpose) || self.awaits_report(call, asked.purpose);
        let drawn = self.drawn(asked, call);
        let is_new = self.questions.insert(asked.id, drawn).is_none();
        let call = self.called(asked.call_id)?;
        call.asked += 1;
        if matches!(asked.purpose, Purpose::Approval | Purpose::UncertainOutcome) {
            (call.latest, call.spent) = (Some(asked.id), false);
        }
        let made = call.make(&Move::asked(asked.purpose, asked.id));
        made.and(if is_due && is_new { Ok(()) } else { Err(Breach::Question) })
    }

    pub(super) fn answered(&mut self, id: InteractionId, answer: &Answer, settled: bool) -> Result<(), Breach> {
        let asked = self.questions.get(&id).ok_or(Breach::NoQuestion)?;
        let call = asked.tool_call_id;
        let counted = counted(asked, answer, self);
        let mut now = match &counted {
            Ok(now) => now.clone(),
            Err(_) => asked.clone(),
        };
        let is_settled = now.status == Status::Answered;
        let (given, needed) = (now.approvals.len(), now.approvals_needed);
        if settled {
            // As it is said; whether enough had approved is looked at when the call is executed.
            (now.status, now.answer) = (Status::Answered, Some(bare(answer)));
        }
        self.questions.insert(id, now);
        let made = if settled {
            let call = self.called(call)?;
            call.edited = answer.edited.as_ref().map(|edited| edited.digest).or(call.edited);
            call.make(&Move::Answered(answer.decision))
        } else {
            Ok(())
        };
        counted?;
        if settled != is_settled {
            return Err(Breach::Settled { given, needed });
        }
        made
    }

    /// People are reminded once, and of what they have not answered.
    pub(super) fn reminded(&mut self, id: InteractionId) -> Result<(), Breach> {
        let asked = self.questions.get_mut(&id).ok_or(Breach::NoQuestion)?;
        let again = std::mem::replace(&mut asked.reminded, true);
        let is_due = asked.status == Status::Open && asked.purpose.is_for_people();
        if again || !is_due { Err(Breach::Reminder) } else { Ok(()) }
    }

    /// Whether the report of a program outside is due.
    fn awaits_report(&self, call: &Called, purpose: Purpose) -> bool {
        purpose == Purpose::Report && self.is_of_call() && matches!(call.state, CallState::Running { .. })
    }

    /// The question without words, as far as it matters who may answer it.
    fn drawn(&self, asked: &Asked, call: &Called) -> Interaction {
        let (answerable_by, approvals_needed, approvers) = self.whoever(asked, call);
        Interaction {
            id: asked.id,
            ordinal: call.asked,
            form: Form::Confirm { confirm_text: String::new(), cancel_text: String::new() },
            title: String::new(),
            description: String::new(),
            // What was filled in is part of the payload; whether it fitted was seen to before it was recorded.
            required: false,
            default: asked.question.as_ref().and_then(|question| question.default.clone()),
            awaited: None,
            run_id: self.run,
            step_id: String::new(),
            tool_call_id: asked.call_id,
            tool_name: String::new(),
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: asked.expires_at,
            reminded: false,
            status: Status::Open,
            purpose: asked.purpose,
            correlation_key: String::new(),
            call: ShownCall {
                server: None,
                // Not empty, so that what somebody made of it can be.
                tool: "-".into(),
                args: Map::new(),
                cwd: None,
                definition: None,
                digest: call.judged.as_ref().map_or_else(|| Digest::of(b""), |judged| judged.digest),
                resource: None,
                capabilities: vec![],
                risk: String::new(),
            },
            preview: None,
            result: None,
            reasons: vec![],
            can_be_remembered: false,
            asked_by: AskedBy { user_id: None, agent: String::new(), role: None, run_path: vec![] },
            answerable_by,
            approvals_needed,
            approvers,
            approvals: vec![],
            answer: None,
        }
    }

    /// Whoever may say that a call is made once more is whoever may say that it is made.
    fn whoever(&self, asked: &Asked, call: &Called) -> (AnswerableBy, u32, Vec<Vec<String>>) {
        let ruling = call.judged.as_ref().map(|judged| &judged.ruling);
        let before = || call.latest.and_then(|id| self.questions.get(&id));
        match (asked.purpose, ruling) {
            (Purpose::Approval, Some(Ruling::Ask { by, approvals, approvers, .. })) => {
                (*by, (*approvals).max(1), approvers.clone())
            }
            (Purpose::UncertainOutcome, _) if let Some(before) = before() => {
                (before.answerable_by, before.approvals_needed, before.approvers.clone())
            }
            _ => (AnswerableBy::Anyone, 1, vec![]),
        }
    }
}

/// Whether a call that stands there is asked about for this purpose.
fn is_due(call: &Called, purpose: Purpose) -> bool {
    match (&call.state, purpose) {
        (CallState::Proposed, Purpose::Approval) => {
            call.judged.as_ref().is_some_and(|judged| matches!(judged.ruling, Ruling::Ask { .. }))
        }
        (CallState::Paused(None), Purpose::Question | Purpose::Signal | Purpose::Message | Purpose::Timer)
        | (CallState::Held(_, None), Purpose::ResultReview)
        | (CallState::Lost(None), Purpose::UncertainOutcome) => true,
        _ => false,
    }
}

/// The question after an answer that counts.
fn counted(asked: &Interaction, answer: &Answer, course: &Course) -> Result<Interaction, Breach> {
    let wrong = |why: &dyn std::fmt::Display| Breach::Answer(why.to_string());
    let response = Response::new(asked.id, Some(answer.decision), None).map_err(|error| wrong(&error))?;
    if (answer.decision == Decision::Edit) != answer.edited.is_some() {
        return Err(wrong(&"an edit, and nothing else, says what was made of the call"));
    }
    // What was written is part of the payload; here it only matters that something was.
    let is_written = match answer.decision {
        Decision::Replace => true,
        Decision::Answer => asked.purpose == Purpose::Approval,
        _ => false,
    };
    let response =
        response.replacing(is_written.then(|| "-".to_owned())).editing(answer.edited.as_ref().map(|_| Map::new()));
    match interaction::advance(asked, &response, &answer.by, course.owner(), answer.responded_at) {
        Ok(Outcome::Counted(settled)) => Ok(settled.interaction),
        Ok(Outcome::Repeated) => Err(wrong(&"the same principal had given it before")),
        Err(error) => Err(wrong(&error)),
    }
}

/// The answer without words.
fn bare(answer: &Answer) -> Answer {
    Answer { reason: None, reply: None, replacement: None, remember: None, ..answer.clone() }
}
