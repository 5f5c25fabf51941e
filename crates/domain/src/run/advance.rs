//! Advance: a run and what arrived in; new events and the state they make out. Pure.

use super::ask::{ask, ask_approval};
use super::awaited::{Awaited, received, waits};
use super::call::{CallEntry, CallState};
use super::ending::{
    after_answer, after_silence, cancelled, end_of_run, finished, given_up, in_doubt, set_aside, wait_completed,
};
use super::event::{End, EndStatus, Event, Failure, Letter, Question, WaitOutcome};
use super::judgement::{Judgement, Review, Ruling};
use super::outside;
use super::started::{OnTimeout, Started};
use super::turn::{Reading, Turn};
use super::{Phase, Recorded, Run};
use crate::delegation::Frame;
use crate::interaction::{self, AnswerError, Given, Interaction, Preview, Purpose, Response, Status};
use crate::{CallId, InteractionId, Principal, RunId};
use jiff::Timestamp;

/// What arrives at a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The model has spoken.
    Said(Turn),
    /// The policy has judged a call. An allowed one is started by the worker with this fencing number.
    Judged {
        /// The call.
        call: CallId,
        /// What the policy said.
        judgement: Judgement,
        /// What the call would do, where somebody is asked about it.
        preview: Option<Preview>,
        /// The worker's fencing number.
        fence: u64,
        /// When a question about it would end.
        expires_at: Timestamp,
    },
    /// The tool reported.
    Finished {
        /// The call.
        call: CallId,
        /// How it ended.
        end: End,
        /// When a question about the result would end.
        expires_at: Timestamp,
    },
    /// The program outside that makes the call reports.
    Reported {
        /// How it ended.
        end: End,
        /// When a question about the result would end.
        expires_at: Timestamp,
    },
    /// The call that is all of the run has ended.
    CallEnded,
    /// The tool wants to know something of a person before it goes on.
    Paused {
        /// The call.
        call: CallId,
        /// What it wants to know.
        question: Question,
        /// When the question ends.
        expires_at: Timestamp,
    },
    /// The tool wants to know something of a person, and there are too many questions open to ask one more.
    Unasked {
        /// The call.
        call: CallId,
        /// What the agent is told.
        why: String,
    },
    /// The tool waits for something that is no person's answer before it goes on.
    Waits {
        /// The call.
        call: CallId,
        /// What it waits for.
        awaited: Awaited,
        /// When the wait ends.
        expires_at: Timestamp,
    },
    /// Whoever executed the call is gone.
    Lost {
        /// The call.
        call: CallId,
        /// Whether it may simply be made again, under the same key.
        again: bool,
        /// When a question about it would end.
        expires_at: Timestamp,
    },
    /// Somebody answers.
    Answered {
        /// The question.
        interaction: InteractionId,
        /// The answer.
        response: Response,
        /// By whom.
        by: Principal,
    },
    /// Half of the time for an answer may be over.
    Reminded(InteractionId),
    /// Nobody answered in time.
    Expired(InteractionId),
    /// Somebody takes tools away from the run.
    Narrowed {
        /// What is left.
        frame: Frame,
        /// Who does.
        by: Principal,
    },
    /// Somebody writes to the agent.
    Message(Letter),
    /// Nothing is left to do but wait.
    Slept,
    /// It goes on.
    Resumed,
    /// It cannot go on.
    Failed(Failure),
    /// Somebody stops it.
    Cancelled {
        /// Who.
        by: Principal,
        /// Why.
        reason: Option<String>,
    },
    /// Whoever took it up ended without a word, so many times in a row.
    SetAside {
        /// How often.
        attempts: u32,
    },
}

/// New events, and the state they make. Saved together or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The run as it is now.
    pub run: Run,
    /// What happened. None: what arrived had been here before.
    pub events: Vec<Event>,
}

/// Why nothing happens.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refused {
    /// The answer does not count.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// There is no such call or question in the run.
    #[error("the run knows no such {0}")]
    Unknown(&'static str),
    /// Nothing happens to a run that has ended.
    #[error("the run has ended")]
    Ended,
    /// It does not follow from where the run stands.
    #[error("{0}")]
    Misplaced(String),
}

/// The first event of a run.
pub fn start(id: RunId, started: Started, now: Timestamp) -> Result<Step, Refused> {
    let event = Event::RunStarted(Box::new(started));
    let first = Recorded { run: id, seq: 1, at: now, step: None, event: event.clone() };
    let run = Run::fold([first]).map_err(|wrong| Refused::Misplaced(wrong.to_string()))?;
    Ok(Step { run, events: vec![event] })
}

/// Takes `input` in.
pub fn advance(run: &Run, input: Input, now: Timestamp) -> Result<Step, Refused> {
    let mut next = run.clone();
    let events = take_in(&mut next, input, now)?;
    Ok(Step { run: next, events })
}

/// The same in place. If it is refused, the run is no longer of any use.
pub(super) fn take_in(run: &mut Run, input: Input, now: Timestamp) -> Result<Vec<Event>, Refused> {
    let events = events(run, input, now)?;
    for event in &events {
        run.apply(event, now).map_err(Refused::Misplaced)?;
    }
    Ok(events)
}

fn events(run: &Run, input: Input, now: Timestamp) -> Result<Vec<Event>, Refused> {
    let call = |id| run.call(id).ok_or(Refused::Unknown("call"));
    Ok(match input {
        Input::Answered { interaction, response, by } => answered(run, interaction, &response, &by, now)?,
        Input::Expired(id) => expired(run, id, now)?,
        Input::Reminded(id) => reminded(run, id, now)?,
        Input::Cancelled { by, reason } => cancelled(run, by, reason)?,
        _ if run.has_ended() => return Err(Refused::Ended),
        Input::Said(turn) => said(run, turn)?,
        Input::Judged { call: id, judgement, preview, fence, expires_at } => {
            judged(call(id)?, judgement, preview, fence, expires_at)
        }
        Input::Finished { call: id, end, expires_at } => reported(call(id)?, end, expires_at),
        Input::Reported { end, expires_at } => outside::reported(run, end, expires_at)?,
        Input::CallEnded => outside::completed(run)?,
        Input::Paused { call: id, question, expires_at } => paused(call(id)?, question, expires_at),
        Input::Unasked { call: id, why } => vec![finished(call(id)?.proposal.call_id, EndStatus::Error, &why)],
        Input::Lost { call: id, again, expires_at } => lost(call(id)?, again, expires_at),
        Input::Waits { call: id, awaited, expires_at } => waits(run, call(id)?, awaited, expires_at, now),
        Input::Message(letter) => received(run, letter),
        Input::Narrowed { frame, by } => vec![Event::PermissionsNarrowed { frame, by }],
        Input::Slept => run.open_interactions().into_iter().map(suspended).collect(),
        Input::Resumed => vec![Event::ExecutionResumed {}],
        Input::Failed(error) => end_of_run(run, Event::RunFailed { error }),
        Input::SetAside { attempts } => end_of_run(run, Event::RunSetAside { error: set_aside(attempts) }),
    })
}

fn said(run: &Run, turn: Turn) -> Result<Vec<Event>, Refused> {
    let open = |call: &CallEntry| !matches!(call.state, CallState::Ended(_));
    if run.phase != Phase::Active || run.calls().any(open) {
        return Err(Refused::Misplaced("the model speaks only when all its calls have ended".into()));
    }
    let unreadable = turn.calls.iter().filter_map(|call| match &call.reading {
        Reading::Unreadable { error, .. } => Some(finished(call.call_id, EndStatus::Error, error)),
        Reading::Call { .. } => None,
    });
    let unreadable: Vec<_> = unreadable.collect();
    // A letter that came while the model was thinking is read before the last word counts.
    let is_last = turn.calls.is_empty() && turn.heard >= run.letters.len();
    let done = is_last.then(|| Event::RunCompleted { output: turn.text.clone() });
    Ok([Event::StepCompleted(turn)].into_iter().chain(unreadable).chain(done).collect())
}

fn judged(
    call: &CallEntry,
    judgement: Judgement,
    preview: Option<Preview>,
    fence: u64,
    expires_at: Timestamp,
) -> Vec<Event> {
    let call_id = call.proposal.call_id;
    let then = match &judgement.ruling {
        Ruling::Allow => Event::ToolStarted { call_id, fence },
        Ruling::Deny { refusal } => in_doubt(call, finished(call_id, EndStatus::Denied, refusal)),
        Ruling::Ask { .. } => {
            let judged = CallEntry { judgement: Some(judgement.clone()), ..call.clone() };
            ask_approval(&judged, preview, expires_at)
        }
    };
    vec![Event::ToolJudged { call_id, judgement: Box::new(judgement) }, then]
}

/// A result that somebody is to look at is on disk before they do.
pub(super) fn reported(call: &CallEntry, end: End, expires_at: Timestamp) -> Vec<Event> {
    let call_id = call.proposal.call_id;
    let review = call.judgement.as_ref().map_or(Review::Never, |judgement| judgement.review);
    let held = match review {
        Review::Never => false,
        Review::OnError => end.status == EndStatus::Error,
        Review::Always => matches!(end.status, EndStatus::Completed | EndStatus::Error),
    };
    if !held {
        return vec![Event::ToolFinished { call_id, end }];
    }
    vec![Event::ToolHeld { call_id, end }, ask(call, Purpose::ResultReview, None, expires_at)]
}

/// A tool whose question nobody could answer has failed.
fn paused(call: &CallEntry, question: Question, expires_at: Timestamp) -> Vec<Event> {
    let call_id = call.proposal.call_id;
    if let Err(wrong) = question.check() {
        return vec![finished(call_id, EndStatus::Error, &format!("the question cannot be put to anybody: {wrong}"))];
    }
    vec![Event::ToolPaused { call_id }, ask(call, Purpose::Question, Some(question), expires_at)]
}

fn lost(call: &CallEntry, again: bool, expires_at: Timestamp) -> Vec<Event> {
    let lost = Event::ToolLost { call_id: call.proposal.call_id, again };
    if again { vec![lost] } else { vec![lost, ask(call, Purpose::UncertainOutcome, None, expires_at)] }
}

fn answered(
    run: &Run,
    id: InteractionId,
    response: &Response,
    by: &Principal,
    now: Timestamp,
) -> Result<Vec<Event>, Refused> {
    let asked = run.interaction(id).ok_or(Refused::Unknown("question"))?;
    let Some(Given { answer, settles }) = interaction::given(asked, response, by, run.owner(), now)? else {
        return Ok(vec![]);
    };
    let mut after = vec![];
    if settles {
        after.push(wait_completed(asked, WaitOutcome::Answered));
        let call = run.call(asked.tool_call_id).ok_or(Refused::Unknown("call"))?;
        after.extend(after_answer(asked, &answer).map(|ending| in_doubt(call, ending)));
    }
    let answered = Event::InteractionResponse { interaction_request_id: id, response: answer, settled: settles };
    Ok([answered].into_iter().chain(after).collect())
}

/// Whoever comes early, late or twice changes nothing: two nodes may look at the same moment.
fn reminded(run: &Run, id: InteractionId, now: Timestamp) -> Result<Vec<Event>, Refused> {
    let asked = run.interaction(id).ok_or(Refused::Unknown("question"))?;
    let is_due = asked.remind_at().is_some_and(|at| at <= now) && now < asked.expires_at;
    Ok(if is_due { vec![Event::Reminder { interaction_request_id: id }] } else { vec![] })
}

fn expired(run: &Run, id: InteractionId, now: Timestamp) -> Result<Vec<Event>, Refused> {
    let asked = run.interaction(id).ok_or(Refused::Unknown("question"))?;
    if asked.status != Status::Open {
        return Ok(vec![]);
    }
    if asked.purpose == Purpose::Timer {
        return Ok(vec![wait_completed(asked, WaitOutcome::Came)]);
    }
    if run.started.on_timeout == OnTimeout::Default && asked.default.is_some() {
        return Ok(vec![wait_completed(asked, WaitOutcome::Defaulted)]);
    }
    let call = run.call(asked.tool_call_id).ok_or(Refused::Unknown("call"))?;
    let ended = vec![wait_completed(asked, WaitOutcome::Expired), in_doubt(call, after_silence(asked))];
    match run.started.on_timeout {
        OnTimeout::Deny | OnTimeout::Default => Ok(ended),
        OnTimeout::Cancel if !asked.purpose.is_for_people() => Ok(ended),
        OnTimeout::Cancel => given_up(run, ended, now),
    }
}

fn suspended(asked: &Interaction) -> Event {
    Event::ExecutionSuspended { interaction_request_id: asked.id, wait_type: asked.purpose.wait_type() }
}
