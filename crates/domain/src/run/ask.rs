//! Questions about a call: which ones there are, and how they are drawn from what is stored.

use super::call::CallEntry;
use super::event::{Asked, Event, Question};
use super::judgement::Ruling;
use super::turn::Reading;
use super::{Awaited, CallState, Run, step_id};
use crate::canonical::canonical;
use crate::interaction::{AnswerableBy, AskedBy, Form, Interaction, Preview, Purpose, Reply, ShownCall, Status};
use crate::{Digest, InteractionId};
use jiff::Timestamp;
use serde_json::{Map, json};

/// The event that puts a question about `call`.
pub(super) fn ask(call: &CallEntry, purpose: Purpose, question: Option<Question>, expires_at: Timestamp) -> Event {
    Event::InteractionRequest(Box::new(asked(call, purpose, question, expires_at)))
}

/// The event that asks whether `call` may be made, with what it would do.
pub(super) fn ask_approval(call: &CallEntry, preview: Option<Preview>, expires_at: Timestamp) -> Event {
    let asked = asked(call, Purpose::Approval, None, expires_at);
    Event::InteractionRequest(Box::new(Asked { preview, ..asked }))
}

fn asked(call: &CallEntry, purpose: Purpose, question: Option<Question>, expires_at: Timestamp) -> Asked {
    let identity = json!({"asked": call.asked, "key": key(call), "v": 1});
    let id = InteractionId::derived(Digest::of(canonical(&identity).as_bytes()));
    Asked { id, call_id: call.proposal.call_id, purpose, expires_at, question, awaited: None, preview: None }
}

/// The question as people see it.
pub(super) fn draw(run: &Run, asked: &Asked, at: Timestamp) -> Result<Interaction, String> {
    let call = run.call(asked.call_id).ok_or("there is no such call")?;
    let judgement = call.judgement.as_ref().ok_or("a call is asked about before it was judged")?;
    let proposal = &call.proposal;
    let (server, tool, args, cwd) = match &proposal.reading {
        Reading::Call { server, tool, args, cwd, .. } => {
            let args = call.edited.as_ref().map_or(args, |edited| &edited.args);
            (server.clone(), tool.clone(), args.clone(), cwd.clone())
        }
        Reading::Unreadable { .. } => (None, proposal.name.clone(), Map::new(), None),
    };
    let name = server.as_ref().map_or_else(|| tool.clone(), |server| format!("{server}/{tool}"));
    let Words { title, description, required, default, form } = words(run, &name, asked, judgement.resource.as_deref());
    let (by, approvals_needed, approvers) = whoever(run, call, asked);
    let result = if let CallState::Held(end, _) = &call.state { Some(end.clone()) } else { None };
    Ok(Interaction {
        id: asked.id,
        ordinal: call.asked,
        form,
        title,
        description,
        required,
        default,
        awaited: asked.awaited.clone(),
        run_id: run.id,
        step_id: step_id(run.step().unwrap_or_default()),
        tool_call_id: proposal.call_id,
        tool_name: name,
        created_at: at,
        expires_at: asked.expires_at,
        reminded: false,
        status: Status::Open,
        purpose: asked.purpose,
        correlation_key: match &asked.awaited {
            Some(Awaited::Signal { key }) => key.clone(),
            _ => correlation_key(call, asked.purpose),
        },
        call: ShownCall {
            server,
            tool,
            args,
            cwd,
            definition: proposal.definition(),
            digest: judgement.digest,
            resource: judgement.resource.clone(),
            capabilities: judgement.capabilities.clone(),
            risk: judgement.risk.clone(),
        },
        preview: asked.preview.clone(),
        result,
        reasons: judgement.reasons.clone(),
        can_be_remembered: judgement.can_be_remembered && run.started.user_id.is_some(),
        asked_by: AskedBy {
            user_id: run.started.user_id.clone(),
            agent: run.started.agent.clone(),
            role: None,
            run_path: run.started.parent_run_id.into_iter().chain([run.id]).collect(),
        },
        answerable_by: by,
        approvals_needed,
        approvers,
        approvals: vec![],
        answer: None,
    })
}

struct Words {
    title: String,
    description: String,
    required: bool,
    default: Option<Reply>,
    form: Form,
}

fn words(run: &Run, name: &str, asked: &Asked, resource: Option<&str>) -> Words {
    let agent = &run.started.agent;
    let what = || resource.map_or_else(|| format!("a call of `{name}`"), ToOwned::to_owned);
    let plain = |title: String, yes: &str, no: &str| Words {
        title,
        description: what(),
        required: true,
        default: None,
        form: Form::Confirm { confirm_text: yes.to_owned(), cancel_text: no.to_owned() },
    };
    match (asked.purpose, &asked.question) {
        (Purpose::Question, Some(question)) => Words {
            title: question.title.clone(),
            description: question.description.clone().unwrap_or_else(what),
            required: question.required,
            default: question.default.clone(),
            form: question.form.clone(),
        },
        (Purpose::ResultReview, _) => plain(format!("May `{agent}` see what `{name}` gave?"), "Release", "Withhold"),
        (Purpose::UncertainOutcome, _) => {
            plain(format!("What became of this call of `{name}`?"), "It happened", "Give up")
        }
        (Purpose::Signal | Purpose::Message | Purpose::Timer | Purpose::Report, _) => Words {
            title: format!("`{agent}` waits"),
            description: what(),
            required: false,
            default: None,
            form: Form::Input { placeholder: None, multiline: true },
        },
        (Purpose::Approval | Purpose::Question, _) => {
            plain(format!("May `{agent}` use `{name}`?"), "Approve", "Reject")
        }
    }
}

/// Who may answer. Whoever may say that a call is made once more is whoever may say that it is made.
fn whoever(run: &Run, call: &CallEntry, asked: &Asked) -> (AnswerableBy, u32, Vec<Vec<String>>) {
    let ruling = call.judgement.as_ref().map(|judgement| &judgement.ruling);
    match (asked.purpose, ruling) {
        (Purpose::Approval, Some(Ruling::Ask { by, approvals, approvers, .. })) => {
            (*by, (*approvals).max(1), approvers.clone())
        }
        (Purpose::UncertainOutcome, _) => run
            .asked_about(call.proposal.call_id)
            .filter(|before| matches!(before.purpose, Purpose::Approval | Purpose::UncertainOutcome))
            .max_by_key(|before| before.ordinal)
            .map_or((AnswerableBy::Anyone, 1, vec![]), |before| {
                (before.answerable_by, before.approvals_needed, before.approvers.clone())
            }),
        _ => (AnswerableBy::Anyone, 1, vec![]),
    }
}

/// Asked again, a call needs a key of its own, or the first answer would settle both.
fn correlation_key(call: &CallEntry, purpose: Purpose) -> String {
    let again = if call.asked == 0 { String::new() } else { format!("-{}", call.asked + 1) };
    let kind = match purpose {
        Purpose::Approval => "cap-approval",
        Purpose::ResultReview => "result-review",
        Purpose::Question => "question",
        Purpose::UncertainOutcome => "outcome",
        Purpose::Signal => "signal",
        Purpose::Message => "message",
        Purpose::Timer => "timer",
        Purpose::Report => "report",
    };
    format!("{kind}-{}{again}", key(call).hex())
}

fn key(call: &CallEntry) -> Digest {
    let judged = || call.judgement.as_ref().map(|judgement| judgement.digest);
    call.proposal.key().or_else(judged).unwrap_or_else(|| Digest::of(b""))
}
