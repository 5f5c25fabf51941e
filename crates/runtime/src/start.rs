//! Starting a run: checked, saved, and left for a worker.

use crate::ports::{RunSummary, Save, StoreError};
use crate::principals::is_name;
use crate::{Runtime, Standing};
use countersign_domain::delegation::Chain;
use countersign_domain::run::{self, Draft, Refused, Started};
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
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The first step was refused: a defect of ours.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// The longest input.
const LONGEST_INPUT: usize = 256 * 1024;

impl Runtime {
    /// Starts a run. It is on disk when this returns.
    pub async fn start(&self, request: RunRequest) -> Result<RunSummary, StartError> {
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
        };
        let step = run::start(id, started, now)?;
        let summary = RunSummary::of(&step.run).masked(&mut self.inner.store.masks().masker(id));
        self.push(Save::of(Draft { run: step.run, seen: 0, events: step.events }, now)).await?;
        Ok(summary)
    }
}

fn check(request: &RunRequest, standing: &Standing) -> Result<(), StartError> {
    if !standing.agents.contains_key(&request.agent) {
        let known: Vec<_> = standing.agents.keys().map(String::as_str).collect();
        let given = request.agent.chars().take(100).collect();
        return Err(StartError::UnknownAgent { given, known: known.join("`, `") });
    }
    for (what, name) in [
        ("user_id", &request.user_id),
        ("session_id", &request.session_id),
        ("org_id", &request.org_id),
        ("project_id", &request.project_id),
    ] {
        if name.as_ref().is_some_and(|name| !is_name(name)) {
            let wrong = format!("`{what}` must have 1 to 200 characters, none of them hidden");
            return Err(StartError::Invalid(wrong));
        }
        // It stands in the record as it is, and cannot be masked without becoming another one.
        if name.as_ref().is_some_and(|name| !in_text(name).is_empty()) {
            return Err(StartError::Invalid(format!("`{what}` looks like a secret: give it another name")));
        }
    }
    if request.input.len() > LONGEST_INPUT {
        return Err(StartError::Invalid(format!("`input` is longer than {LONGEST_INPUT} bytes")));
    }
    if request.cwd.as_ref().is_some_and(|cwd| !cwd.starts_with('/') || cwd.contains('\0') || cwd.len() > 4096) {
        return Err(StartError::Invalid("`cwd` must be an absolute path, such as `/srv/repo`".into()));
    }
    // A frame that cannot be read is refused now, not at the first call.
    let context = ContextSource { delegated: request.delegated_permissions.clone(), ..ContextSource::default() };
    let digest = countersign_domain::Digest::of(b"");
    countersign_policy::Context::new(&context, digest, jiff::Timestamp::UNIX_EPOCH)
        .map_err(|wrong| StartError::Invalid(format!("`delegated_permissions`: {wrong}")))?;
    let frames = request.delegated_permissions.frames().iter();
    let mut patterns = frames.flat_map(|frame| [&frame.allowed_tools, &frame.denied_tools]).flatten().flatten();
    if patterns.any(|pattern| !in_text(pattern).is_empty()) {
        let wrong = "`delegated_permissions` hold what looks like a secret, which would stand in the record";
        return Err(StartError::Invalid(wrong.into()));
    }
    Ok(())
}
