//! Runs, written down as they happen.

use crate::interaction::{AnswerableBy, Decision, Reason, Response};
use crate::principal::{Kind, Principal, Role};
use crate::run::{
    Draft, End, EndStatus, Input, Judgement, OnReject, OnTimeout, Proposal, Recorded, Refused, Review, Ruling, RunKind,
    Said, Started, Turn, Usage, start,
};
use crate::{Call, CallId, Digest, InteractionId, RunId};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

pub struct Scribe {
    pub draft: Draft,
    now: Timestamp,
    /// The step of each event.
    steps: Vec<Option<u32>>,
}

pub fn person(name: &str, groups: &[&str]) -> Principal {
    let groups = groups.iter().map(|&group| group.to_owned()).collect();
    Principal { groups, ..Principal::new(Kind::User, name, Role::Approver) }
}

pub fn ask(by: AnswerableBy, approvals: u32, approvers: &[&[&str]]) -> Ruling {
    let approvers = approvers.iter().map(|set| set.iter().map(|&group| group.to_owned()).collect()).collect();
    Ruling::Ask { by, mode: "always".into(), approvals, approvers }
}

pub fn end(status: EndStatus) -> End {
    End { status, output: "what the tool gave".into(), latency_ms: Some(12) }
}

impl Scribe {
    /// A run of ann's, whose agent is told to do something.
    pub fn new(number: u128) -> Self {
        Self::of_kind(number, RunKind::Agent)
    }

    /// A run of ann's of this kind.
    pub fn of_kind(number: u128, kind: RunKind) -> Self {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let started = Started {
            agent: "helper".into(),
            input: "tidy up".into(),
            user_id: Some("ann".into()),
            session_id: None,
            org_id: None,
            project_id: None,
            cwd: Some("/srv".into()),
            delegated_permissions: crate::delegation::Chain::default(),
            started_by: person("ann", &[]),
            on_reject: OnReject::Continue,
            on_timeout: OnTimeout::Deny,
            limits: crate::run::Limits::default(),
            earlier: vec![],
            kind,
            parent_run_id: None,
            behind: vec![],
        };
        let step = start(RunId::new(uuid::Uuid::from_u128(number)), started, now).unwrap();
        Self { draft: Draft { run: step.run, seen: 0, events: step.events }, now, steps: vec![None] }
    }

    pub fn take(&mut self, input: Input) -> &mut Self {
        self.try_take(input).unwrap();
        self
    }

    pub fn try_take(&mut self, input: Input) -> Result<(), Refused> {
        self.now += SignedDuration::from_millis(7);
        self.draft = self.draft.clone().take(input, self.now)?;
        self.steps.resize(self.draft.events.len(), self.draft.run.step());
        Ok(())
    }

    /// Nothing happens for so long.
    pub fn passes(&mut self, time: SignedDuration) {
        self.now += time;
    }

    /// The model proposes so many calls.
    pub fn says(&mut self, calls: usize) -> Vec<CallId> {
        let turn = self.turn(calls);
        let ids = turn.calls.iter().map(|call| call.call_id).collect();
        self.take(Input::Said(turn));
        ids
    }

    /// A turn with so many calls, of which every third cannot be read.
    pub fn turn(&self, calls: usize) -> Turn {
        let (run, step) = (self.draft.run.id, self.draft.run.step().unwrap_or_default() + 1);
        let proposal = |position: usize| {
            let said = Said { id: format!("c{position}"), name: "bash".into(), arguments: String::new() };
            let args = json!({"command": format!("rm -r /srv/{run}/{step}/{position}")});
            let call = Call::new(None, "bash".into(), args.as_object().cloned().unwrap(), Some("/srv".into())).unwrap();
            let definition = Digest::of(b"definition");
            let read = (call.defined_by(definition), Some(definition));
            let read = if position % 3 == 2 { Err("no JSON".into()) } else { Ok(read) };
            Proposal::new(run, step, position, &said, read)
        };
        let calls = (0..calls).map(proposal).collect();
        Turn { text: "so be it".into(), calls, usage: Usage::default(), heard: self.draft.run.letters.len() }
    }

    /// The policy speaks, for these layers.
    pub fn judged(&mut self, call: CallId, ruling: Ruling, layers: &[&str]) -> &mut Self {
        self.judged_for(call, ruling, layers, Review::Never)
    }

    pub fn judged_for(&mut self, call: CallId, ruling: Ruling, layers: &[&str], review: Review) -> &mut Self {
        let input = self.judgement(call, ruling, layers, review);
        self.take(input)
    }

    pub fn judgement(&self, call: CallId, ruling: Ruling, layers: &[&str], review: Review) -> Input {
        let entry = self.draft.run.call(call).unwrap();
        let said = match ruling {
            Ruling::Allow => "allow",
            Ruling::Ask { .. } => "ask",
            Ruling::Deny { .. } => "deny",
        };
        let reason = |layer: &&str| Reason {
            layer: (*layer).to_owned(),
            said: said.into(),
            name: Some("a rule".into()),
            text: "because of a rule".into(),
        };
        let judgement = Judgement {
            digest: entry.call().unwrap().digest(),
            ruling,
            reasons: layers.iter().map(reason).collect(),
            policy: Digest::of(b"policy"),
            resource: Some("bash(rm -r /srv)".into()),
            capabilities: vec!["command".into()],
            review,
            can_be_remembered: false,
            risk: "high".into(),
        };
        Input::Judged { call, judgement, preview: None, fence: 1, expires_at: self.expires_at() }
    }

    pub fn expires_at(&self) -> Timestamp {
        self.now + SignedDuration::from_hours(1)
    }

    pub fn question(&self) -> InteractionId {
        self.draft.run.open_interactions().last().unwrap().id
    }

    pub fn answers(&mut self, by: &Principal, decision: Decision) -> &mut Self {
        let id = self.question();
        let response = Response::new(id, Some(decision), Some("I looked at it".into())).unwrap();
        self.take(Input::Answered { interaction: id, response, by: by.clone() })
    }

    /// Somebody has the call made with other arguments.
    pub fn edits(&mut self, by: &Principal) -> &mut Self {
        let id = self.question();
        let args = json!({"command": "ls"}).as_object().cloned();
        let response = Response::new(id, Some(Decision::Edit), None).unwrap().editing(args);
        self.take(Input::Answered { interaction: id, response, by: by.clone() })
    }

    pub fn reports(&mut self, call: CallId, status: EndStatus) -> &mut Self {
        let expires_at = self.expires_at();
        self.take(Input::Finished { call, end: end(status), expires_at })
    }

    /// What happened, in order.
    pub fn recorded(&self) -> Vec<Recorded> {
        let run = self.draft.run.id;
        let events = self.draft.events.iter().zip(&self.steps).zip(1..);
        let record = |((event, step), seq): ((&_, &_), u64)| Recorded {
            run,
            seq,
            at: self.now + SignedDuration::from_micros(i64::try_from(seq).unwrap()),
            step: *step,
            event: Clone::clone(event),
        };
        events.map(record).collect()
    }
}

/// A run with two calls: one is asked about and approved by two people of the right groups, the other just allowed.
pub fn approved(number: u128) -> Vec<Recorded> {
    let mut run = Scribe::new(number);
    let calls = run.says(2);
    run.judged(calls[0], ask(AnswerableBy::SecondPerson, 2, &[&["ops", "board"]]), &["capability", "rule"])
        .judged(calls[1], Ruling::Allow, &["rule"])
        .reports(calls[1], EndStatus::Completed)
        .take(Input::Slept)
        .answers(&person("bob", &["ops"]), Decision::Approve)
        .answers(&person("eve", &["board"]), Decision::Approve)
        .take(Input::Resumed)
        .judged(calls[0], Ruling::Allow, &["capability", "approval"])
        .reports(calls[0], EndStatus::Completed);
    run.says(0);
    run.recorded()
}

/// A run whose one call is made as a person edited it.
pub fn edited(number: u128) -> Vec<Recorded> {
    let mut run = Scribe::new(number);
    let call = run.says(1)[0];
    run.judged(call, ask(AnswerableBy::Human, 1, &[]), &["rule"])
        .take(Input::Slept)
        .edits(&person("bob", &[]))
        .take(Input::Resumed)
        .judged(call, Ruling::Allow, &["rule", "approval"])
        .reports(call, EndStatus::Completed);
    run.says(0);
    run.recorded()
}

/// A run in which everything happens to its one call that can without an end: it is approved, pauses, is lost, made again,
/// and its result is looked at.
pub fn eventful(number: u128) -> Vec<Recorded> {
    let mut run = Scribe::new(number);
    let call = run.says(1)[0];
    let bob = person("bob", &[]);
    let question = crate::run::Question {
        title: "Which?".into(),
        description: None,
        required: true,
        default: None,
        form: crate::interaction::Form::Input { placeholder: None, multiline: false },
    };
    let by_approval = |run: &mut Scribe| {
        run.judged_for(call, Ruling::Allow, &["risk", "approval"], Review::Always);
    };
    run.judged(call, ask(AnswerableBy::Human, 1, &[]), &["risk"]).take(Input::Slept).answers(&bob, Decision::Approve);
    run.take(Input::Resumed);
    by_approval(&mut run);
    let expires_at = run.expires_at();
    run.take(Input::Paused { call, question, expires_at });
    let id = run.question();
    let reply = crate::interaction::Reply { text: Some("this".into()), ..Default::default() };
    let response = Response::new(id, None, None).unwrap().filled_in(reply);
    run.take(Input::Answered { interaction: id, response, by: bob.clone() });
    by_approval(&mut run);
    run.take(Input::Lost { call, again: true, expires_at });
    by_approval(&mut run);
    run.take(Input::Lost { call, again: false, expires_at });
    run.answers(&bob, Decision::RunAgain);
    by_approval(&mut run);
    run.reports(call, EndStatus::Completed).answers(&bob, Decision::Release);
    run.says(0);
    run.recorded()
}

/// A call of a program outside: it is approved, made, reported, and what was reported is looked at.
pub fn outside(number: u128) -> Vec<Recorded> {
    let mut run = Scribe::of_kind(number, RunKind::Call);
    let call = run.says(1)[0];
    let bob = person("bob", &[]);
    run.judged(call, ask(AnswerableBy::Human, 1, &[]), &["rule"]).take(Input::Slept).answers(&bob, Decision::Approve);
    run.take(Input::Resumed).judged_for(call, Ruling::Allow, &["rule", "approval"], Review::Always);
    let expires_at = run.expires_at();
    run.take(Input::Waits { call, awaited: crate::run::Awaited::Report, expires_at }).take(Input::Slept);
    run.take(Input::Reported { end: end(EndStatus::Completed), expires_at }).take(Input::Resumed).take(Input::Slept);
    run.answers(&bob, Decision::Release).take(Input::Resumed).take(Input::CallEnded);
    run.recorded()
}

/// A run whose calls end in every way in which a call ends unmade.
pub fn refused(number: u128) -> Vec<Recorded> {
    let mut run = Scribe::new(number);
    let calls = run.says(5);
    run.judged(calls[0], Ruling::Deny { refusal: "no".into() }, &["rule"])
        .judged(calls[1], ask(AnswerableBy::Anyone, 1, &[]), &["rule"])
        .answers(&person("ann", &[]), Decision::Reject)
        .judged(calls[3], ask(AnswerableBy::Anyone, 1, &[]), &["rule"]);
    let late = run.question();
    run.take(Input::Expired(late)).judged(calls[4], ask(AnswerableBy::Anyone, 1, &[]), &["rule"]);
    run.take(Input::Cancelled { by: person("ann", &[]), reason: Some("enough".into()) });
    run.recorded()
}
