//! Calls of programs outside: they ask before they act, make the call themselves, and report what came of it.
//!
//! Such a call is a run of its own: one step with one call, judged on the same path as any other. Whatever is decided is on
//! disk before the program is told; while it waits, for a person or for the report, it is a few rows that nobody looks at.

use crate::Runtime;
use crate::drive::DriveError;
use crate::ports::{Once, Save, StoreError};
use crate::start::{OtherRequest, StartError, check_frames, check_names, made_before};
use countersign_domain::call::BadCall;
use countersign_domain::delegation::Chain;
use countersign_domain::run::{
    Draft, End, EndStatus, Input, OnReject, OnTimeout, Outside, Proposal, Refused, Run, RunKind, Said, Stands, Started,
    Turn, Usage, start,
};
use countersign_domain::{Call, Principal, RunId};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// How long receipts are kept: longer than anybody tries again.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How often whoever waits looks for itself, whatever it was told.
const LOOK: Duration = Duration::from_secs(1);
/// The longest output that a program reports, in bytes.
const LONGEST_OUTPUT: usize = 768 * 1024;

/// What a program asks before it makes a call.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// The server whose tool it is.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: Map<String, Value>,
    /// The agent that makes it; without one it is called as whoever asks.
    pub agent: Option<String>,
    /// The user it is made for.
    pub user_id: Option<String>,
    /// The session.
    pub session_id: Option<String>,
    /// The organisation.
    pub org_id: Option<String>,
    /// The project.
    pub project_id: Option<String>,
    /// The working folder.
    pub cwd: Option<String>,
    /// What it is handed.
    pub delegated_permissions: Chain,
    /// The run within which it is made: its session, folder and frames hold for the call too.
    pub parent: Option<RunId>,
    /// Whoever asks.
    pub started_by: Principal,
    /// The key under which it is asked for once.
    pub once: Option<Once>,
}

/// A call that a program asked about, now or before.
#[derive(Debug)]
pub struct Asked {
    /// Its run as it stands, with nothing masked that is said of it now.
    pub run: Run,
    /// Whether it had been asked about before, by the same request under the same key.
    pub repeated: bool,
}

/// Why nothing was decided about a call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// It is none.
    #[error(transparent)]
    Bad(#[from] BadCall),
    /// Something else in the request cannot be.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Another request was made under the same key.
    #[error(transparent)]
    OtherRequest(#[from] OtherRequest),
    /// The run within which it is to be made is not there.
    #[error("there is no run `{0}`")]
    NoRun(RunId),
    /// It is there, and has ended.
    #[error("run `{0}` has ended: nothing is done in it any more")]
    Ended(RunId),
    /// It is of another user.
    #[error("run `{0}` is of another user than the call")]
    OtherUser(RunId),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A step does not follow: a defect of ours.
    #[error("{0}")]
    Refused(String),
}

/// What a program reports of a call that it made.
#[derive(Debug, Clone)]
pub struct CallReport {
    /// What the tool gave.
    pub output: String,
    /// Whether it failed.
    pub failed: bool,
    /// How long it took.
    pub latency_ms: Option<u64>,
}

/// A report that counts, or counted before.
#[derive(Debug)]
pub struct Reported {
    /// The run of the call as it stands.
    pub run: Run,
    /// Whether the same had been reported before.
    pub repeated: bool,
}

/// Why a report does not count. Nothing changed.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// There is no such run.
    #[error("there is no run `{0}`")]
    NoRun(RunId),
    /// It was not allowed, so it cannot have been made.
    #[error("this call was not allowed, so there is nothing to report of it")]
    NotAllowed,
    /// Something else was reported, or it was given up.
    #[error("{0}")]
    Settled(&'static str),
    /// It is too long.
    #[error("`output` is longer than {LONGEST_OUTPUT} bytes: report the part that the agent needs")]
    TooLong,
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A step does not follow: a defect of ours.
    #[error("{0}")]
    Refused(String),
}

impl Runtime {
    /// Asks whether a call may be made. What was decided is on disk when this returns; where it is to be made, so is that
    /// it was started.
    pub async fn ask(&self, mut request: CallRequest) -> Result<Asked, CallError> {
        let Some(once) = request.once.take() else {
            return Ok(Asked { run: self.ask_anew(request, None).await?, repeated: false });
        };
        let store = &self.inner.store;
        let before = match store.receipt(&once).await? {
            Some(before) => before,
            None => match self.ask_anew(request, Some(once.clone())).await {
                Err(CallError::Store(StoreError::Made(before))) => *before,
                asked => return Ok(Asked { run: asked?, repeated: false }),
            },
        };
        let run = match made_before(&once, &before)? {
            Some(run) => store.shown(run).await?,
            None => None,
        };
        let run = run.filter(|run| run.outside().is_some());
        Ok(Asked { run: run.ok_or_else(|| OtherRequest::of(&once))?, repeated: true })
    }

    async fn ask_anew(&self, request: CallRequest, once: Option<Once>) -> Result<Run, CallError> {
        let id = RunId::new(Uuid::now_v7());
        let now = self.inner.store.now().await?;
        let (started, call) = self.asked_for(request).await?;
        let turn = Turn { text: String::new(), calls: vec![proposal(id, call)], usage: Usage::default(), heard: 0 };
        let refused = |refused: Refused| CallError::Refused(refused.to_string());
        let step = start(id, started, now).map_err(refused)?;
        let draft = Draft { run: step.run, seen: 0, events: step.events };
        let draft = draft.take(Input::Said(turn), now).map_err(refused)?;
        let (draft, ..) = self.moves(draft, &BTreeSet::new(), 0, now).await.map_err(|error| match error {
            DriveError::Store(error) => CallError::Store(error),
            error => CallError::Refused(error.to_string()),
        })?;
        let run = draft.run.clone();
        let receipt = once.map(|once| once.receipt(id.to_string(), now));
        self.push(Save { receipt, ..Save::of(draft, now) }).await?;
        Ok(run)
    }

    /// What the run of the call starts with, and the call.
    async fn asked_for(&self, request: CallRequest) -> Result<(Started, Call), CallError> {
        check_names([
            ("agent", &request.agent),
            ("user_id", &request.user_id),
            ("session_id", &request.session_id),
            ("org_id", &request.org_id),
            ("project_id", &request.project_id),
        ])?;
        check_frames(&request.delegated_permissions)?;
        let parent = match request.parent {
            Some(id) => Some(self.parent(id, request.user_id.as_deref()).await?),
            None => None,
        };
        let above = parent.as_ref().map(|parent| &parent.started);
        let cwd = request.cwd.or_else(|| above.and_then(|above| above.cwd.clone()));
        let call = Call::new(request.server, request.tool, request.args, cwd.clone())?;
        // With what was taken away from it since it started.
        let mut chain = parent.as_ref().map(Run::delegated).unwrap_or_default();
        for frame in request.delegated_permissions.frames() {
            chain = chain.narrowed_by(frame.clone());
        }
        let started = Started {
            agent: request.agent.unwrap_or_else(|| request.started_by.name.clone()),
            input: call.name(),
            user_id: request.user_id,
            session_id: above.and_then(|above| above.session_id.clone()).or(request.session_id),
            org_id: above.and_then(|above| above.org_id.clone()).or(request.org_id),
            project_id: above.and_then(|above| above.project_id.clone()).or(request.project_id),
            cwd,
            delegated_permissions: chain,
            started_by: request.started_by,
            // The program is told, whatever becomes of the call.
            on_reject: OnReject::Continue,
            on_timeout: OnTimeout::Deny,
            limits: countersign_domain::run::Limits::default(),
            earlier: vec![],
            kind: RunKind::Call,
            parent_run_id: request.parent,
            behind: parent.iter().flat_map(|parent| parent.owner().principals()).cloned().collect(),
        };
        Ok((started, call))
    }

    /// The run within which a call for `user` is to be made.
    async fn parent(&self, id: RunId, user: Option<&str>) -> Result<Run, CallError> {
        let parent = self.inner.store.load(id).await?.ok_or(CallError::NoRun(id))?;
        if parent.started.user_id.as_deref() != user {
            return Err(CallError::OtherUser(id));
        }
        if parent.has_ended() { Err(CallError::Ended(id)) } else { Ok(parent) }
    }

    /// The run of a call of a program outside, as anybody may see it, once nothing about it is left to decide; or as it
    /// stands when `wait` is over.
    pub async fn decided(&self, id: RunId, wait: Duration) -> Result<Option<Run>, StoreError> {
        let mut news = self.news_of(id);
        let end = Instant::now() + wait;
        loop {
            let Some(run) = self.inner.store.shown(id).await? else { return Ok(None) };
            if !run.outside().is_some_and(|call| call.is_pending()) || Instant::now() >= end {
                return Ok(Some(run));
            }
            let look = end.min(Instant::now() + LOOK);
            // Whatever it is that happened, or nothing in time: look.
            let _ = timeout_at(look, news.next()).await;
        }
    }

    /// The run of a call, with the arguments as somebody edited them: for the program that makes it, and for nobody else.
    pub async fn to_be_made(&self, id: RunId) -> Result<Option<Run>, StoreError> {
        self.inner.store.load(id).await
    }

    /// Takes the report of the program that made a call.
    pub async fn report(&self, id: RunId, report: CallReport) -> Result<Reported, ReportError> {
        if report.output.len() > LONGEST_OUTPUT {
            return Err(ReportError::TooLong);
        }
        let status = if report.failed { EndStatus::Error } else { EndStatus::Completed };
        let end = End { status, output: report.output, latency_ms: report.latency_ms };
        let store = &self.inner.store;
        loop {
            let run = match store.load(id).await {
                // To take a report needs nothing of what is sealed.
                Err(StoreError::Sealed(_)) => store.shown(id).await?,
                loaded => loaded?,
            };
            let run = run.ok_or(ReportError::NoRun(id))?;
            let outside = run.outside().ok_or(ReportError::NoRun(id))?;
            if !awaits_report(&outside) {
                return self.reported_before(run, end);
            }
            let now = store.now().await?;
            match self.push_report(run, end.clone(), now).await {
                // Somebody stopped it, or reported as well: look again.
                Err(ReportError::Store(StoreError::Conflict(_))) => {}
                pushed => return Ok(Reported { run: pushed?, repeated: false }),
            }
        }
    }

    async fn push_report(&self, run: Run, end: End, now: Timestamp) -> Result<Run, ReportError> {
        let expires_at = self.ends(now);
        let draft = Draft::of(run).take(Input::Reported { end, expires_at }, now);
        let draft = draft.map_err(|refused| ReportError::Refused(refused.to_string()))?;
        let (draft, ..) = self.moves(draft, &BTreeSet::new(), 0, now).await.map_err(|error| match error {
            DriveError::Store(error) => ReportError::Store(error),
            error => ReportError::Refused(error.to_string()),
        })?;
        let run = draft.run.clone();
        self.push(Save::of(draft, now)).await?;
        Ok(run)
    }

    /// The same report changes nothing; another one is refused.
    fn reported_before(&self, run: Run, mut end: End) -> Result<Reported, ReportError> {
        let Some(before) = run.report() else {
            return Err(match run.outside().map(|call| call.stands) {
                Some(Stands::Allowed { .. }) => ReportError::Settled("nobody waits for a report of this call any more"),
                _ => ReportError::NotAllowed,
            });
        };
        // Of a run that has ended only what is masked is left.
        if run.has_ended() {
            self.inner.store.masks().masker(run.id).mask_words(&mut end.output);
        }
        let is_same = (before.status, &before.output) == (end.status, &end.output);
        if !is_same {
            return Err(ReportError::Settled("something else was reported of this call before, and stands"));
        }
        Ok(Reported { run, repeated: true })
    }

    /// Removes receipts that nobody comes back to.
    pub(crate) async fn forget_receipts(&self) -> Result<(), StoreError> {
        let store = &self.inner.store;
        let before = store.now().await?.saturating_sub(KEPT).unwrap_or(Timestamp::MIN);
        store.forget_receipts(before).await.map(drop)
    }
}

/// Whether the program is to make the call, and has not reported.
fn awaits_report(call: &Outside<'_>) -> bool {
    matches!(call.stands, Stands::Allowed { report_by: Some(_), .. })
}

/// The call as it is proposed: the only one of the only step.
fn proposal(run: RunId, call: Call) -> Proposal {
    let said = Said { id: "1".into(), name: call.name(), arguments: String::new() };
    Proposal::new(run, 1, 0, &said, Ok((call, None)))
}
