//! Starting a run: checked, saved, and left for a worker.

use crate::ports::{Once, Receipt, RunSummary, Save, StoreError};
use crate::principals::is_name;
use crate::{Runtime, Standing};
use countersign_domain::delegation::Chain;
use countersign_domain::run::{self, Draft, Refused, RunKind, Started};
use countersign_domain::secret::in_text;
use countersign_domain::{Principal, RunId};
use countersign_policy::source::ContextSource;
use uuid::Uuid;

/// What somebody asks an agent to do.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// The agent.
    pub agent: String,
    /// What it is asked.
    pub input: String,
    /// The user the run belongs to.
    pub user_id: Option<String>,
    /// The session; a new one if there is none.
    pub session_id: Option<String>,
    /// The organisation.
    pub org_id: Option<String>,
    /// The project.
    pub project_id: Option<String>,
    /// The working folder of its tools.
    pub cwd: Option<String>,
    /// What it is handed.
    pub delegated_permissions: Chain,
    /// Whoever asks.
    pub started_by: Principal,
    /// The key under which it is started once.
    pub once: Option<Once>,
}

/// A run that was started, now or before.
#[derive(Debug, Clone)]
pub struct StartedRun {
    /// The run as it stands.
    pub run: RunSummary,
    /// Whether it had been started before, by the same request under the same key.
    pub repeated: bool,
}

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such agent.
    #[error("there is no agent `{given}`; there are: `{known}`")]
    UnknownAgent {
        /// What was asked for.
        given: String,
        /// What there is.
        known: String,
    },
    /// Something in the request cannot be.
    #[error("{0}")]
    Invalid(String),
    /// Another request was made under the same key.
    #[error(transparent)]
    OtherRequest(#[from] OtherRequest),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The first step was refused: a defect of ours.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Another request was made under the same key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("another request was made under the idempotency key `{0}`: a new request needs a new key")]
pub struct OtherRequest(String);

impl OtherRequest {
    pub(crate) fn of(once: &Once) -> Self {
        Self(once.key.clone())
    }
}

/// The run that was made under the key, if that was by the same request.
pub(crate) fn made_before(once: &Once, receipt: &Receipt) -> Result<Option<RunId>, OtherRequest> {
    if receipt.once.digest != once.digest {
        return Err(OtherRequest::of(once));
    }
    Ok(receipt.made.parse().ok())
}

/// The longest input.
const LONGEST_INPUT: usize = 256 * 1024;

impl Runtime {
    /// Starts a run. It is on disk when this returns.
    pub async fn start(&self, mut request: RunRequest) -> Result<StartedRun, StartError> {
        let Some(once) = request.once.take() else {
            return Ok(StartedRun { run: self.start_anew(request, None).await?, repeated: false });
        };
        let store = &self.inner.store;
        let before = match store.receipt(&once).await? {
            Some(before) => before,
            None => match self.start_anew(request, Some(once.clone())).await {
                Err(StartError::Store(StoreError::Made(before))) => *before,
                started => return Ok(StartedRun { run: started?, repeated: false }),
            },
        };
        let run = match made_before(&once, &before)? {
            Some(run) => store.run(run).await?,
            None => None,
        };
        let run = run.ok_or_else(|| OtherRequest::of(&once))?;
        Ok(StartedRun { run, repeated: true })
    }

    async fn start_anew(&self, request: RunRequest, once: Option<Once>) -> Result<RunSummary, StartError> {
        let standing = self.inner.standing();
        check(&request, &standing)?;
        let id = RunId::new(Uuid::now_v7());
        let now = self.inner.store.now().await?;
        let (session, user) = (request.session_id.as_deref(), request.user_id.as_deref());
        let earlier = self.earlier(session, user, &request.agent).await?;
        let limits = standing.agents.get(&request.agent).map(|agent| agent.limits).unwrap_or_default();
        let started = Started {
            agent: request.agent,
            input: request.input,
            user_id: request.user_id,
            session_id: request.session_id.or_else(|| Some(format!("ses_{}", Uuid::now_v7().simple()))),
            org_id: request.org_id,
            project_id: request.project_id,
            cwd: request.cwd.or_else(|| standing.settings.cwd.clone()),
            delegated_permissions: request.delegated_permissions,
            started_by: request.started_by,
            on_reject: standing.settings.on_reject,
            on_timeout: standing.settings.on_timeout,
            limits,
            earlier,
            kind: RunKind::Agent,
            parent_run_id: None,
            behind: vec![],
        };
        let step = run::start(id, started, now)?;
        let summary = RunSummary::of(&step.run).masked(&mut self.inner.store.masks().masker(id));
        let receipt = once.map(|once| once.receipt(id.to_string(), now));
        let draft = Draft { run: step.run, seen: 0, events: step.events };
        self.push(Save { receipt, ..Save::of(draft, now) }).await?;
        Ok(summary)
    }
}

fn check(request: &RunRequest, standing: &Standing) -> Result<(), StartError> {
    if !standing.agents.contains_key(&request.agent) {
        let known: Vec<_> = standing.agents.keys().map(String::as_str).collect();
        let given = request.agent.chars().take(100).collect();
        return Err(StartError::UnknownAgent { given, known: known.join("`, `") });
    }
    check_names([
        ("user_id", &request.user_id),
        ("session_id", &request.session_id),
        ("org_id", &request.org_id),
        ("project_id", &request.project_id),
    ])?;
    if request.input.len() > LONGEST_INPUT {
        return Err(StartError::Invalid(format!("`input` is longer than {LONGEST_INPUT} bytes")));
    }
    if request.cwd.as_ref().is_some_and(|cwd| !cwd.starts_with('/') || cwd.contains('\0') || cwd.len() > 4096) {
        return Err(StartError::Invalid("`cwd` must be an absolute path, such as `/srv/repo`".into()));
    }
    check_frames(&request.delegated_permissions)
}

/// Refuses names that cannot stand in the record.
pub(crate) fn check_names<const N: usize>(names: [(&str, &Option<String>); N]) -> Result<(), StartError> {
    for (what, name) in names {
        if name.as_ref().is_some_and(|name| !is_name(name)) {
            let wrong = format!("`{what}` must have 1 to 200 characters, none of them hidden");
            return Err(StartError::Invalid(wrong));
        }
        // It stands in the record as it is, and cannot be masked without becoming another one.
        if name.as_ref().is_some_and(|name| !in_text(name).is_empty()) {
            return Err(StartError::Invalid(format!("`{what}` looks like a secret: give it another name")));
        }
    }
    Ok(())
}

/// A frame that cannot be read is refused now, not at the first call.
pub(crate) fn check_frames(chain: &Chain) -> Result<(), StartError> {
    let context = ContextSource { delegated: chain.clone(), ..ContextSource::default() };
    let digest = countersign_domain::Digest::of(b"");
    countersign_policy::Context::new(&context, digest, jiff::Timestamp::UNIX_EPOCH)
        .map_err(|wrong| StartError::Invalid(format!("`delegated_permissions`: {wrong}")))?;
    let mut patterns =
        chain.frames().iter().flat_map(|frame| [&frame.allowed_tools, &frame.denied_tools]).flatten().flatten();
    if patterns.any(|pattern| !in_text(pattern).is_empty()) {
        let wrong = "`delegated_permissions` hold what looks like a secret, which would stand in the record";
        return Err(StartError::Invalid(wrong.into()));
    }
    Ok(())
}
