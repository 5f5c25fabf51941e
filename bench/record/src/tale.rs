//! Runs as the product makes them: a call that is asked about, approved, executed, and a last word.

use countersign_domain::delegation::Chain;
use countersign_domain::interaction::{AnswerableBy, Decision, Reason, Response};
use countersign_domain::principal::{Kind, Role};
use countersign_domain::run::{
    Draft, End, EndStatus, Input, Judgement, Limits, OnReject, OnTimeout, Proposal, Review, Ruling, Run, RunKind, Said,
    Started, Turn, Usage, start,
};
use countersign_domain::{Call, Digest, Principal, RunId};
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn person(name: &str) -> Principal {
    Principal::new(Kind::User, name, Role::Approver)
}

/// The steps of one run, as they are saved: what was seen before each, and what it adds.
pub fn steps(now: Timestamp) -> Result<Vec<Draft>, Failure> {
    let started = Started {
        agent: "assistant".into(),
        input: "please tidy up the build folder and tell me what you did".into(),
        user_id: Some("ann".into()),
        session_id: Some("ses_1".into()),
        org_id: None,
        project_id: None,
        cwd: Some("/srv/repo".into()),
        delegated_permissions: Chain::default(),
        started_by: person("ann"),
        on_reject: OnReject::Continue,
        on_timeout: OnTimeout::Deny,
        limits: Limits::default(),
        earlier: vec![],
        kind: RunKind::Agent,
        parent_run_id: None,
        behind: vec![],
    };
    let step = start(RunId::new(Uuid::now_v7()), started, now)?;
    let first = Draft { run: step.run, seen: 0, events: step.events };
    let args = json!({"command": format!("rm -rf build/{}", "x".repeat(80))});
    let call = Call::new(None, "bash".into(), args.as_object().cloned().unwrap_or_default(), Some("/srv/repo".into()))?;
    let definition = Digest::of(b"definition");
    let digest = call.clone().defined_by(definition).digest();
    let said = Said { id: "call_1".into(), name: "bash".into(), arguments: String::new() };
    let read = Ok((call.defined_by(definition), Some(definition)));
    let proposal = Proposal::new(first.run.id, 1, 0, &said, read);
    let id = proposal.call_id;
    let ends = now.saturating_add(jiff::SignedDuration::from_hours(1))?;
    let ask = Ruling::Ask { by: AnswerableBy::Anyone, mode: "always".into(), approvals: 1, approvers: vec![] };
    let judged = |ruling, layer: &str| Input::Judged {
        call: id,
        preview: None,
        judgement: Judgement {
            digest,
            ruling,
            reasons: vec![Reason {
                layer: layer.into(),
                said: "ask".into(),
                name: None,
                text: "asked: the risk of `bash` is high".into(),
            }],
            policy: Digest::of(b"policy"),
            resource: Some("bash(rm -rf build)".into()),
            capabilities: vec!["execute".into()],
            risk: "high".into(),
            review: Review::Never,
            can_be_remembered: false,
        },
        fence: 1,
        expires_at: ends,
    };
    let turn = |calls, text: &str| {
        Input::Said(Turn { text: text.into(), calls, usage: Usage { input_tokens: 900, output_tokens: 60 }, heard: 0 })
    };
    let after = |draft: &Draft, inputs: Vec<Input>| -> Result<Draft, Failure> {
        inputs.into_iter().try_fold(Draft::of(draft.run.clone()), |draft, input| Ok(draft.take(input, now)?))
    };
    let waits = after(&first, vec![turn(vec![proposal], "I will tidy up."), judged(ask, "risk"), Input::Slept])?;
    let asked = open(&waits.run)?;
    let response = Response::new(asked, Some(Decision::Approve), None)?;
    let answered = after(&waits, vec![Input::Answered { interaction: asked, response, by: person("bob") }])?;
    let starts = after(&answered, vec![Input::Resumed, judged(Ruling::Allow, "approval")])?;
    let end = End { status: EndStatus::Completed, output: "removed 214 files\n".repeat(8), latency_ms: Some(12) };
    let finished = after(&starts, vec![Input::Finished { call: id, end, expires_at: ends }])?;
    let done = after(&finished, vec![turn(vec![], "I removed the build folder: 214 files.")])?;
    Ok(vec![first, waits, answered, starts, finished, done])
}

fn open(run: &Run) -> Result<countersign_domain::InteractionId, Failure> {
    run.open_interactions().first().map(|asked| asked.id).ok_or_else(|| "nobody is asked".into())
}
