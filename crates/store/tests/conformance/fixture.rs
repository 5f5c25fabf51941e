//! Runs to save, made the way the runtime makes them.

use countersign_domain::delegation::Chain;
use countersign_domain::interaction::{AnswerableBy, Decision, Response};
use countersign_domain::principal::{Kind, Role};
use countersign_domain::run::{
    Draft, Failure, Input, Judgement, OnReject, OnTimeout, Proposal, Review, Ruling, Run, Said, Started, Turn, Usage,
    start,
};
use countersign_domain::{Call, CallId, Digest, InteractionId, Principal, RunId};
use countersign_runtime::ports::{Claim, Save, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// `seconds` after the moment at which all these tales begin.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

/// When the questions of these tales end.
pub fn end_of_questions() -> Timestamp {
    at(3_600)
}

pub fn person(name: &str) -> Principal {
    Principal::new(Kind::User, name, Role::Approver)
}

pub fn started() -> Started {
    Started {
        agent: "builder".into(),
        input: "tidy up".into(),
        user_id: Some("ann".into()),
        session_id: Some("s1".into()),
        org_id: None,
        project_id: None,
        cwd: Some("/srv".into()),
        delegated_permissions: Chain::default(),
        started_by: person("ann"),
        on_reject: OnReject::Continue,
        on_timeout: OnTimeout::Deny,
        limits: countersign_domain::run::Limits::default(),
        earlier: vec![],
        kind: countersign_domain::run::RunKind::Agent,
        parent_run_id: None,
        behind: vec![],
    }
}

/// A run in a test: the last state that was saved, and what is done to it.
#[derive(Debug, Clone)]
pub struct Tale {
    pub run: Run,
    pub claim: Option<Claim>,
}

impl Tale {
    /// A new run, saved.
    pub async fn begin(store: &dyn Store, now: Timestamp) -> Self {
        let (save, run) = Self::unsaved(now);
        store.save(save).await.unwrap();
        Self { run, claim: None }
    }

    /// A new run, not saved.
    pub fn unsaved(now: Timestamp) -> (Save, Run) {
        let step = start(RunId::new(Uuid::now_v7()), started(), now).unwrap();
        let draft = Draft { run: step.run.clone(), seen: 0, events: step.events };
        (Save::of(draft, now), step.run)
    }

    /// A run that waits for answers to this many questions, and the ids of them.
    pub async fn waiting(store: &dyn Store, now: Timestamp, questions: usize) -> (Self, Vec<InteractionId>) {
        let mut tale = Self::begin(store, now).await;
        tale.asks(store, now, questions, end_of_questions()).await;
        tale.then(store, Input::Slept, now).await.unwrap();
        let open = tale.run.open_interactions().iter().map(|open| open.id).collect();
        (tale, open)
    }

    /// The model proposes this many calls, and somebody is asked about each.
    pub async fn asks(&mut self, store: &dyn Store, now: Timestamp, questions: usize, end: Timestamp) {
        let calls: Vec<_> = (0..questions).map(|n| self.proposal(n, json!({"n": n}))).collect();
        self.then(store, said(calls.clone()), now).await.unwrap();
        for call in calls {
            self.then(store, asked(&call, end), now).await.unwrap();
        }
    }

    /// Takes `input` in and saves what comes of it.
    pub async fn then(&mut self, store: &dyn Store, input: Input, now: Timestamp) -> Result<(), StoreError> {
        let (save, run) = self.next(input, now);
        store.save(save).await?;
        self.run = run;
        Ok(())
    }

    /// What `input` makes of it, not saved.
    pub fn next(&self, input: Input, now: Timestamp) -> (Save, Run) {
        let draft = Draft::of(self.run.clone()).take(input, now).unwrap();
        let run = draft.run.clone();
        (Save { claim: self.claim, ..Save::of(draft, now) }, run)
    }

    pub fn proposal(&self, position: usize, args: Value) -> Proposal {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        let call = Call::new(None, "bash".into(), args, Some("/srv".into())).unwrap();
        let call = call.defined_by(Digest::of(b"definition"));
        let said = Said { id: format!("m{position}"), name: "bash".into(), arguments: String::new() };
        let step = u32::try_from(self.run.steps.len()).unwrap() + 1;
        Proposal::new(self.run.id, step, position, &said, Ok((call, Some(Digest::of(b"definition")))))
    }
}

pub fn said(calls: Vec<Proposal>) -> Input {
    Input::Said(Turn {
        text: "let me see".into(),
        calls,
        usage: Usage { input_tokens: 10, output_tokens: 2 },
        heard: 0,
    })
}

/// The model is done: the run completes.
pub fn done() -> Input {
    said(vec![])
}

pub fn failed() -> Input {
    Input::Failed(Failure { code: "CANCELLED".into(), message: "somebody stopped it".into() })
}

pub fn asked(call: &Proposal, expires_at: Timestamp) -> Input {
    let ruling = Ruling::Ask { by: AnswerableBy::Anyone, mode: "once".into(), approvals: 1, approvers: vec![] };
    judged(call.call_id, ruling, expires_at, call)
}

pub fn allowed(call: &Proposal, fence: u64) -> Input {
    let Input::Judged { call, judgement, expires_at, .. } =
        judged(call.call_id, Ruling::Allow, end_of_questions(), call)
    else {
        panic!("a judgement")
    };
    Input::Judged { call, judgement, preview: None, fence, expires_at }
}

fn judged(id: CallId, ruling: Ruling, expires_at: Timestamp, call: &Proposal) -> Input {
    let judgement = Judgement {
        digest: call.call().unwrap().digest(),
        ruling,
        reasons: vec![],
        policy: Digest::of(b"policy"),
        resource: Some("bash(ls)".into()),
        capabilities: vec![],
        risk: "low".into(),
        review: Review::Never,
        can_be_remembered: false,
    };
    Input::Judged { call: id, judgement, preview: None, fence: 1, expires_at }
}

pub fn answered(interaction: InteractionId, decision: Decision, by: &str) -> Input {
    let response = Response::new(interaction, Some(decision), None).unwrap();
    Input::Answered { interaction, response, by: person(by) }
}

/// Arguments of a call.
pub fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Map<_, _>>())
}

/// Later than anything in these tales.
pub fn much_later() -> Timestamp {
    end_of_questions() + SignedDuration::from_hours(24)
}

/// Has all of them go on by turns, on this one task: each is somewhere else on its way when the others go on.
pub async fn together<F: Future>(all: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut all: Vec<_> = all.into_iter().map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|context| {
        for (one, done) in all.iter_mut().filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(came) = one.as_mut().poll(context) {
                *done = Some(came);
            }
        }
        if all.iter().all(|(_, done)| done.is_some()) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    all.into_iter().filter_map(|(_, done)| done).collect()
}
