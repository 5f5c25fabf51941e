//! Endings: how a call ends by what somebody said or did not say, and how a whole run does.

use super::call::{CallEntry, CallState};
use super::event::{End, EndStatus, Event, Failure, WaitOutcome};
use super::{Phase, Refused, Run};
use crate::interaction::{Answer, Decision, Interaction, Purpose};
use crate::{CallId, Principal};
use jiff::Timestamp;

/// How a call ends that was lost once, was to be made again, and is not: of the first time nobody knows.
pub(super) fn in_doubt(call: &CallEntry, ending: Event) -> Event {
    match ending {
        Event::ToolFinished { call_id, end } if call.in_doubt && !matches!(call.state, CallState::Lost(_)) => {
            finished(call_id, EndStatus::Unknown, &told(UNKNOWN, Some(&end.output)))
        }
        ending => ending,
    }
}

/// How the call of a settled question ends; `None` if it goes on.
pub(super) fn after_answer(asked: &Interaction, answer: &Answer) -> Option<Event> {
    let call = asked.tool_call_id;
    let reason = answer.reason.as_deref();
    Some(match (asked.purpose, answer.decision) {
        (_, Decision::Approve | Decision::Edit | Decision::RunAgain)
        | (
            Purpose::Question | Purpose::Signal | Purpose::Message | Purpose::Timer | Purpose::Report,
            Decision::Answer,
        ) => {
            return None;
        }
        (Purpose::Question | Purpose::Signal | Purpose::Message | Purpose::Timer | Purpose::Report, _) => {
            finished(call, EndStatus::Rejected, &told("the user declined to answer", reason))
        }
        (Purpose::ResultReview, Decision::Release) => {
            Event::ToolFinished { call_id: call, end: asked.result.clone().unwrap_or_else(|| lost_result(reason)) }
        }
        (Purpose::ResultReview, Decision::Replace) => {
            let mut end = asked.result.clone().unwrap_or_else(|| lost_result(reason));
            end.output = answer.replacement.clone().unwrap_or_default();
            Event::ToolFinished { call_id: call, end }
        }
        (Purpose::ResultReview, _) => {
            let told = told("the tool was used, but the user withheld its result", reason);
            finished(call, EndStatus::Rejected, &told)
        }
        (Purpose::UncertainOutcome, Decision::Happened) => {
            let told = told("no report of the tool was saved, but a person says that it did its work", reason);
            finished(call, EndStatus::Completed, &told)
        }
        (Purpose::UncertainOutcome, _) => finished(call, EndStatus::Unknown, &told(UNKNOWN, reason)),
        (Purpose::Approval, Decision::Answer) => {
            let given = answer.replacement.as_deref().unwrap_or_default();
            let told = format!("a person answered in the tool's place, and the tool was not used. They say:\n{given}");
            finished(call, EndStatus::Completed, &told)
        }
        (Purpose::Approval, _) => {
            let told = match reason {
                Some(reason) => format!("the user declined this call: {reason}"),
                None => "the user declined this call and gave no reason".to_owned(),
            };
            finished(call, EndStatus::Rejected, &told)
        }
    })
}

/// How the call of a question ends that nobody answered in time.
pub(super) fn after_silence(asked: &Interaction) -> Event {
    let (status, told) = match asked.purpose {
        Purpose::Approval => (EndStatus::Expired, "nobody answered in time, so the call was not made"),
        Purpose::Question => (EndStatus::Expired, "nobody answered the tool's question in time"),
        Purpose::ResultReview => {
            (EndStatus::Expired, "the tool was used, but nobody released its result in time: it stays withheld")
        }
        Purpose::UncertainOutcome => (EndStatus::Unknown, UNKNOWN),
        Purpose::Report => (EndStatus::Unknown, UNREPORTED),
        Purpose::Signal | Purpose::Message | Purpose::Timer => {
            (EndStatus::Expired, "what was waited for did not come in time")
        }
    };
    finished(asked.tool_call_id, status, told)
}

/// What is told of a call that was started and never reported.
const UNKNOWN: &str = "nobody knows what came of this call: it was started, and no report of the tool was saved. It was \
                       not run again. Find out what happened before you try once more";

/// What is told of a call that a program outside was allowed to make, and never reported.
const UNREPORTED: &str = "nobody knows what came of this call: it was allowed, and was not reported in time";

/// The whole run ends before the agent is done: what waits is withdrawn, what was not made is not made, and of what was
/// being made nobody knows.
pub(super) fn end_of_run(run: &Run, last: Event) -> Vec<Event> {
    let withdrawn = run.open_interactions().into_iter().map(|asked| wait_completed(asked, WaitOutcome::Cancelled));
    let open = |call: &&CallEntry| !matches!(call.state, CallState::Ended(_));
    let stopped = run.calls().filter(open).map(|call| {
        let (status, told) = match call.state {
            CallState::Running { .. } => (EndStatus::Unknown, "the run was ended while the tool was at work"),
            CallState::Lost(_) => (EndStatus::Unknown, UNKNOWN),
            CallState::Held(..) => (EndStatus::Cancelled, "the run was ended before its result was released"),
            _ => (EndStatus::Cancelled, "the run was ended before the call was made"),
        };
        in_doubt(call, finished(call.proposal.call_id, status, told))
    });
    withdrawn.chain(stopped).chain([last]).collect()
}

/// Somebody stops the run. To stop what is stopped changes nothing; what has ended otherwise cannot be stopped.
pub(super) fn cancelled(run: &Run, by: Principal, reason: Option<String>) -> Result<Vec<Event>, Refused> {
    match run.phase {
        Phase::Cancelled { .. } => Ok(vec![]),
        _ if run.has_ended() => Err(Refused::Ended),
        _ => Ok(end_of_run(run, Event::RunCancelled { by, reason })),
    }
}

/// A run is stopped because a question of it ended unanswered, which these events say.
pub(super) fn given_up(run: &Run, mut events: Vec<Event>, now: Timestamp) -> Result<Vec<Event>, Refused> {
    let mut after = run.clone();
    for event in &events {
        after.apply(event, now).map_err(Refused::Misplaced)?;
    }
    let reason = Some("nobody answered in time, and `on_timeout` is `cancel`".to_owned());
    events.extend(end_of_run(&after, Event::RunCancelled { by: Principal::time_out(), reason }));
    Ok(events)
}

/// Why a run is set aside.
pub(super) fn set_aside(attempts: u32) -> Failure {
    Failure {
        code: "SET_ASIDE".into(),
        message: format!(
            "whoever took the run up ended without a word {attempts} times in a row; nobody takes it up any more"
        ),
    }
}

pub(super) fn wait_completed(asked: &Interaction, outcome: WaitOutcome) -> Event {
    Event::WaitCompleted { interaction_request_id: asked.id, outcome }
}

pub(super) fn finished(call_id: CallId, status: EndStatus, output: &str) -> Event {
    Event::ToolFinished { call_id, end: End { status, output: output.to_owned(), latency_ms: None } }
}

/// A result that is held is stored with the call, so this is never told.
fn lost_result(reason: Option<&str>) -> End {
    End { status: EndStatus::Error, output: told("the result is gone", reason), latency_ms: None }
}

/// What an agent is told, with the person's reason if there is one.
fn told(what: &str, reason: Option<&str>) -> String {
    reason.map_or_else(|| what.to_owned(), |reason| format!("{what}: {reason}"))
}
