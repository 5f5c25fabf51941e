//! A run that is one call of a program outside: the program asks, makes the call itself once it may, and reports.

use super::ask::ask;
use super::call::{CallEntry, CallState};
use super::ending::wait_completed;
use super::event::{End, EndStatus, Event, WaitOutcome};
use super::judgement::{Judgement, Ruling, TOO_MANY_QUESTIONS};
use super::{Awaited, Next, Refused, Run, RunKind, advance};
use crate::interaction::{Decision, Edited, Interaction, Purpose, Status};
use jiff::Timestamp;

/// The call of a program outside, and how it stands.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'a> {
    /// The call.
    pub call: &'a CallEntry,
    /// How it stands.
    pub stands: Stands<'a>,
}

/// How the call of a program outside stands.
#[derive(Debug, Clone, Copy)]
pub enum Stands<'a> {
    /// Nobody has decided yet.
    Pending {
        /// The question that is open.
        asked: Option<&'a Interaction>,
    },
    /// The program may make it, once.
    Allowed {
        /// What somebody made of its arguments: only with these it may be made.
        edited: Option<&'a Edited>,
        /// Until when it is waited for the report.
        report_by: Option<Timestamp>,
        /// What was reported, and what became of that.
        result: Option<ResultState<'a>>,
    },
    /// The program may not make it.
    Denied {
        /// Why, for programs.
        code: &'static str,
        /// Why, for the agent.
        message: &'a str,
        /// What somebody said in the tool's place.
        output: Option<&'a str>,
    },
}

/// What became of a report.
#[derive(Debug, Clone, Copy)]
pub enum ResultState<'a> {
    /// Somebody looks at it first.
    Pending(&'a Interaction),
    /// The agent may see it.
    Released(&'a End),
    /// The agent is told something else.
    Replaced(&'a End),
    /// The agent does not see it, and is told so.
    Withheld(&'a End),
    /// Nothing was reported in time.
    Unknown(&'a End),
}

impl Outside<'_> {
    /// Whether somebody is still to decide: about the call, or about its result.
    pub const fn is_pending(&self) -> bool {
        matches!(self.stands, Stands::Pending { .. } | Stands::Allowed { result: Some(ResultState::Pending(_)), .. })
    }
}

impl Run {
    /// The call of a program outside, if the run is one.
    pub fn outside(&self) -> Option<Outside<'_>> {
        let call = self.calls().next().filter(|_| self.started.kind == RunKind::Call)?;
        Some(Outside { call, stands: self.stands(call) })
    }

    /// What was reported of the call of a program outside, as it was reported.
    pub fn report(&self) -> Option<&End> {
        let call = self.outside()?.call;
        let reviewed = self.asked(call, Purpose::ResultReview).and_then(|asked| asked.result.as_ref());
        let came = self.asked(call, Purpose::Report).is_some_and(|wait| wait.status == Status::Answered);
        match &call.state {
            CallState::Held(end, _) => Some(end),
            CallState::Ended(end) if came => Some(reviewed.unwrap_or(end)),
            _ => None,
        }
    }

    /// What is done next with a run that is one call. Its model is never asked, and whoever makes it is never lost here.
    pub(super) fn next_of_call(&self) -> Next<'_> {
        let Some(call) = self.calls().next() else { return Next::Complete };
        match &call.state {
            CallState::Proposed => Next::Judge(call),
            CallState::Running { .. } if self.open(call, Purpose::Report).is_none() => Next::AwaitReport(call),
            CallState::Ended(_) => Next::Complete,
            _ => Next::Sleep,
        }
    }

    fn stands<'a>(&'a self, call: &'a CallEntry) -> Stands<'a> {
        let is_allowed = call.judgement.as_ref().is_some_and(|judgement| judgement.ruling == Ruling::Allow);
        let allowed = |result| Stands::Allowed {
            edited: call.edited.as_deref(),
            report_by: self.open(call, Purpose::Report).map(|wait| wait.expires_at),
            result,
        };
        match &call.state {
            CallState::Ended(end) if is_allowed => allowed(Some(self.result(call, end))),
            CallState::Ended(end) => self.denied(call, end),
            CallState::Held(..) => allowed(self.open(call, Purpose::ResultReview).map(ResultState::Pending)),
            CallState::Running { .. } | CallState::Lost(_) => allowed(None),
            _ => Stands::Pending { asked: self.open(call, Purpose::Approval) },
        }
    }

    /// What became of the result of a call that was made.
    fn result<'a>(&'a self, call: &CallEntry, end: &'a End) -> ResultState<'a> {
        let reviewed = self.asked(call, Purpose::ResultReview).and_then(|asked| asked.answer.as_ref());
        match (end.status, reviewed.map(|answer| answer.decision)) {
            (_, Some(Decision::Replace)) => ResultState::Replaced(end),
            (EndStatus::Completed | EndStatus::Error, _) => ResultState::Released(end),
            (EndStatus::Unknown, _) => ResultState::Unknown(end),
            _ => ResultState::Withheld(end),
        }
    }

    fn denied<'a>(&'a self, call: &CallEntry, end: &'a End) -> Stands<'a> {
        let (code, output) = match end.status {
            EndStatus::Denied if call.judgement.as_ref().is_some_and(Judgement::is_crowded_out) => {
                (TOO_MANY_QUESTIONS, None)
            }
            EndStatus::Denied => ("PERMISSION_DENIED", None),
            EndStatus::Rejected => ("REJECTED", None),
            EndStatus::Expired => ("EXPIRED", None),
            EndStatus::Completed => {
                let answer = self.asked(call, Purpose::Approval).and_then(|asked| asked.answer.as_ref());
                ("ANSWERED", answer.and_then(|answer| answer.replacement.as_deref()))
            }
            EndStatus::Error | EndStatus::Cancelled | EndStatus::Unknown => ("CANCELLED", None),
        };
        Stands::Denied { code, message: &end.output, output }
    }

    /// The latest question about `call` for this purpose.
    fn asked(&self, call: &CallEntry, purpose: Purpose) -> Option<&Interaction> {
        let asked = self.asked_about(call.proposal.call_id).filter(|asked| asked.purpose == purpose);
        asked.max_by_key(|asked| asked.ordinal)
    }

    /// The same, if it is open.
    fn open(&self, call: &CallEntry, purpose: Purpose) -> Option<&Interaction> {
        self.asked(call, purpose).filter(|asked| asked.status == Status::Open)
    }
}

/// The event by which the report of a program is waited for.
pub(super) fn await_report(call: &CallEntry, expires_at: Timestamp) -> Event {
    let mut request = ask(call, Purpose::Report, None, expires_at);
    if let Event::InteractionRequest(asked) = &mut request {
        asked.awaited = Some(Awaited::Report);
    }
    request
}

/// The program reports. Whoever waits for no report takes none.
pub(super) fn reported(run: &Run, end: End, expires_at: Timestamp) -> Result<Vec<Event>, Refused> {
    let call = run.outside().ok_or(Refused::Unknown("call"))?.call;
    let wait = run.open(call, Purpose::Report);
    let wait = wait.ok_or_else(|| Refused::Misplaced("this call waits for no report".into()))?;
    let came = wait_completed(wait, WaitOutcome::Came);
    Ok([came].into_iter().chain(advance::reported(call, end, expires_at)).collect())
}

/// The call has ended, and with it the run.
pub(super) fn completed(run: &Run) -> Result<Vec<Event>, Refused> {
    let call = run.outside().ok_or(Refused::Unknown("call"))?.call;
    match &call.state {
        CallState::Ended(end) => Ok(vec![Event::RunCompleted { output: end.output.clone() }]),
        _ => Err(Refused::Misplaced("the call has not ended".into())),
    }
}
