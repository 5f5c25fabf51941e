//! Advance: a run and what arrived in; new events and the state they make out. Pure.

use super::call::{CallEntry, CallState};
use super::event::{End, EndStatus, Event, Failure, Started, WaitOutcome, WaitType};
use super::judgement::{Judgement, Ruling};
use super::turn::{Reading, Turn};
use super::{Phase, Recorded, Run, step_id};
use crate::canonical::canonical;
use crate::interaction::{
    self, AnswerError, AnswerableBy, AskedBy, Decision, Interaction, Kind, Outcome, Purpose, Response, ShownCall,
    Status,
};
use crate::{CallId, Digest, InteractionId, Principal, RunId};
use jiff::Timestamp;
use serde_json::json;

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
        /// The worker's fencing number.
        fence: u64,
        /// When a question about it would end.
        expires_at: Timestamp,
    },
    /// The tool reported, or nobody knows.
    Finished {
        /// The call.
        call: CallId,
        /// How it ended.
        end: End,
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
    /// Nobody answered in time.
    Expired(InteractionId),
    /// Nothing is left to do but wait.
    Slept,
    /// A worker has taken it up again.
    Resumed,
    /// It cannot go on.
    Failed(Failure),
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
    let events = events(run, input, now)?;
    let mut next = run.clone();
    for event in &events {
        next.apply(event).map_err(Refused::Misplaced)?;
    }
    next.updated_at = now;
    Ok(Step { run: next, events })
}

fn events(run: &Run, input: Input, now: Timestamp) -> Result<Vec<Event>, Refused> {
    match input {
        Input::Said(turn) => said(run, turn),
        Input::Judged { call, judgement, fence, expires_at } => {
            let entry = run.call(call).ok_or(Refused::Unknown("call"))?;
            Ok(judged(run, entry, judgement, fence, now, expires_at))
        }
        Input::Finished { call, end } => Ok(vec![Event::ToolFinished { call_id: call, end }]),
        Input::Answered { interaction, response, by } => answered(run, interaction, &response, &by, now),
        Input::Expired(id) => expired(run, id),
        Input::Slept => Ok(run.open_interactions().into_iter().map(suspended).collect()),
        Input::Resumed => Ok(vec![Event::ExecutionResumed {}]),
        Input::Failed(error) => Ok(vec![Event::RunFailed { error }]),
    }
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
    let done = turn.calls.is_empty().then(|| Event::RunCompleted { output: turn.text.clone() });
    Ok([Event::StepCompleted(turn)].into_iter().chain(unreadable).chain(done).collect())
}

fn judged(
    run: &Run,
    call: &CallEntry,
    judgement: Judgement,
    fence: u64,
    now: Timestamp,
    expires_at: Timestamp,
) -> Vec<Event> {
    let call_id = call.proposal.call_id;
    let then = match &judgement.ruling {
        Ruling::Allow => Event::ToolStarted { call_id, fence },
        Ruling::Deny { refusal } => finished(call_id, EndStatus::Denied, refusal),
        Ruling::Ask { .. } => {
            let asked = ask(run, call, &judgement, now, expires_at);
            Event::InteractionRequest { interaction_request: Box::new(asked) }
        }
    };
    vec![Event::ToolJudged { call_id, judgement: Box::new(judgement) }, then]
}

/// The question about a call, drawn from what is stored.
fn ask(run: &Run, call: &CallEntry, judgement: &Judgement, now: Timestamp, expires_at: Timestamp) -> Interaction {
    let proposal = &call.proposal;
    let (server, tool, args, cwd) = match &proposal.reading {
        Reading::Call { server, tool, args, cwd, .. } => (server.clone(), tool.clone(), args.clone(), cwd.clone()),
        Reading::Unreadable { .. } => (None, proposal.name.clone(), serde_json::Map::new(), None),
    };
    let key = proposal.key().unwrap_or(judgement.digest);
    let name = server.as_ref().map_or_else(|| tool.clone(), |server| format!("{server}/{tool}"));
    let (by, approvals_needed, approvers) = match &judgement.ruling {
        Ruling::Ask { by, approvals, approvers, .. } => (*by, (*approvals).max(1), approvers.clone()),
        _ => (AnswerableBy::Anyone, 1, vec![]),
    };
    let identity = json!({"asked": call.asked, "key": key, "v": 1});
    // Asked again because the policy changed, a call needs a key of its own, or the first answer would settle both.
    let again = if call.asked == 0 { String::new() } else { format!("-{}", call.asked + 1) };
    Interaction {
        id: InteractionId::derived(Digest::of(canonical(&identity).as_bytes())),
        kind: Kind::Confirm,
        title: format!("May `{}` use `{name}`?", run.started.agent),
        description: judgement.resource.clone().unwrap_or_else(|| format!("a call of `{name}`")),
        required: true,
        confirm_text: "Approve".into(),
        cancel_text: "Reject".into(),
        run_id: run.id,
        step_id: step_id(run.step().unwrap_or_default()),
        tool_call_id: proposal.call_id,
        tool_name: name,
        metadata: serde_json::Map::new(),
        created_at: now,
        expires_at,
        status: Status::Open,
        purpose: Purpose::Approval,
        correlation_key: format!("cap-approval-{}{again}", key.hex()),
        call: ShownCall {
            server,
            tool,
            args,
            cwd,
            digest: judgement.digest,
            resource: judgement.resource.clone(),
            capabilities: judgement.capabilities.clone(),
            risk: judgement.risk.clone(),
        },
        reasons: judgement.reasons.clone(),
        asked_by: AskedBy {
            user_id: run.started.user_id.clone(),
            agent: run.started.agent.clone(),
            role: None,
            run_path: vec![run.id],
        },
        answerable_by: by,
        approvals_needed,
        approvers,
        allowed_decisions: vec![Decision::Approve, Decision::Reject],
        approvals: vec![],
        answer: None,
    }
}

fn answered(
    run: &Run,
    id: InteractionId,
    response: &Response,
    by: &Principal,
    now: Timestamp,
) -> Result<Vec<Event>, Refused> {
    let asked = run.interactions.get(&id).ok_or(Refused::Unknown("question"))?;
    let settled = match interaction::advance(asked, response, by, run.owner(), now)? {
        Outcome::Repeated => return Ok(vec![]),
        Outcome::Counted(settled) => *settled,
    };
    let is_settled = settled.interaction.status != Status::Open;
    let response = Event::InteractionResponse {
        interaction_request_id: id,
        response: settled.answer.clone(),
        settled: is_settled,
    };
    let mut events = vec![response];
    if is_settled {
        events.push(wait_completed(asked, WaitOutcome::Answered));
        if settled.answer.decision == Decision::Reject {
            events.push(finished(asked.tool_call_id, EndStatus::Rejected, &declined(settled.answer.reason.as_deref())));
        }
    }
    Ok(events)
}

fn expired(run: &Run, id: InteractionId) -> Result<Vec<Event>, Refused> {
    let asked = run.interactions.get(&id).ok_or(Refused::Unknown("question"))?;
    if asked.status != Status::Open {
        return Ok(vec![]);
    }
    let told = "nobody answered in time, so the call was not made";
    Ok(vec![wait_completed(asked, WaitOutcome::Expired), finished(asked.tool_call_id, EndStatus::Expired, told)])
}

fn suspended(asked: &Interaction) -> Event {
    Event::ExecutionSuspended {
        interaction_request_id: asked.id,
        wait_type: WaitType::Human,
        correlation_key: asked.correlation_key.clone(),
        expires_at: asked.expires_at,
    }
}

fn wait_completed(asked: &Interaction, outcome: WaitOutcome) -> Event {
    Event::WaitCompleted { interaction_request_id: asked.id, correlation_key: asked.correlation_key.clone(), outcome }
}

fn finished(call_id: CallId, status: EndStatus, output: &str) -> Event {
    Event::ToolFinished { call_id, end: End { status, output: output.to_owned(), latency_ms: None } }
}

/// What an agent is told of a rejection.
fn declined(reason: Option<&str>) -> String {
    match reason.filter(|reason| !reason.trim().is_empty()) {
        Some(reason) => format!("the user declined this call: {reason}"),
        None => "the user declined this call and gave no reason".to_owned(),
    }
}
