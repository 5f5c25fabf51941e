//! Reaching a run from outside: stopping it, writing to its agent, and taking tools away from it.

use crate::Runtime;
use crate::ports::{Once, Receipt, RunSummary, Save, StoreError};
use crate::start::{OtherRequest, check_frames, made_before};
use countersign_domain::delegation::{Chain, Frame};
use countersign_domain::run::{Draft, Input, Letter, Refused};
use countersign_domain::{Principal, RunId};

/// Why nothing was done to a run.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// There is no such run.
    #[error("there is no run `{0}`")]
    NoRun(RunId),
    /// It has ended.
    #[error("run `{0}` has ended")]
    Ended(RunId),
    /// What was sent cannot be.
    #[error("{0}")]
    Invalid(String),
    /// Another request was made under the same key.
    #[error(transparent)]
    OtherRequest(#[from] OtherRequest),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The longest letter, in bytes.
const LONGEST_LETTER: usize = 256 * 1024;
/// All letters of a run together, in bytes.
const ALL_LETTERS: usize = 1024 * 1024;
/// The most letters that a run takes.
const MOST_LETTERS: usize = 1_000;
/// The most frames that a run has.
const MOST_FRAMES: usize = 100;

impl Runtime {
    /// Stops a run: what waits is withdrawn, what is at work is stopped.
    pub async fn cancel(&self, run: RunId, by: &Principal, reason: Option<String>) -> Result<RunSummary, ReachError> {
        let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        if reason.as_ref().is_some_and(|reason| reason.len() > 10_000) {
            return Err(ReachError::Invalid("`reason` is longer than 10000 bytes".into()));
        }
        self.reach(run, &Input::Cancelled { by: by.clone(), reason }).await
    }

    /// Writes to the agent of a run. It reads the letter before it speaks next.
    pub async fn write(&self, run: RunId, letter: Letter) -> Result<RunSummary, ReachError> {
        if letter.text.trim().is_empty() || letter.text.len() > LONGEST_LETTER {
            return Err(ReachError::Invalid(format!("`text` must have 1 to {LONGEST_LETTER} bytes")));
        }
        self.reach(run, &Input::Message(letter)).await
    }

    /// Takes tools away from a run, from its next call on; under a key, once.
    pub async fn narrow(
        &self,
        run: RunId,
        frame: Frame,
        by: &Principal,
        once: Option<Once>,
    ) -> Result<RunSummary, ReachError> {
        if let Some(once) = &once
            && let Some(before) = self.inner.store.receipt(once).await?
        {
            return self.narrowed_before(run, once, &before).await;
        }
        check_frames(&Chain::new(vec![frame.clone()])).map_err(|wrong| ReachError::Invalid(wrong.to_string()))?;
        let narrowed = Input::Narrowed { frame, by: by.clone() };
        match (self.reach_once(run, &narrowed, once.clone()).await, once) {
            (Err(ReachError::Store(StoreError::Made(before))), Some(once)) => {
                self.narrowed_before(run, &once, &before).await
            }
            (reached, _) => reached,
        }
    }

    /// The run as it stands, if the same request narrowed it before.
    async fn narrowed_before(&self, run: RunId, once: &Once, before: &Receipt) -> Result<RunSummary, ReachError> {
        if made_before(once, before)? != Some(run) {
            return Err(OtherRequest::of(once).into());
        }
        self.inner.store.run(run).await?.ok_or(ReachError::NoRun(run))
    }

    async fn reach(&self, id: RunId, input: &Input) -> Result<RunSummary, ReachError> {
        self.reach_once(id, input, None).await
    }

    async fn reach_once(&self, id: RunId, input: &Input, once: Option<Once>) -> Result<RunSummary, ReachError> {
        let store = &self.inner.store;
        loop {
            let run = match (store.load(id).await, input) {
                // Whoever stops a run needs nothing of what is sealed in it.
                (Err(StoreError::Sealed(_)), Input::Cancelled { .. }) => store.shown(id).await?,
                (loaded, _) => loaded?,
            };
            let run = run.ok_or(ReachError::NoRun(id))?;
            if matches!(input, Input::Narrowed { .. }) && run.delegated().frames().len() >= MOST_FRAMES {
                return Err(ReachError::Invalid(format!("a run has {MOST_FRAMES} frames at the most")));
            }
            let written: usize = run.letters.iter().map(|(_, letter)| letter.text.len()).sum();
            if let Input::Message(letter) = input
                && (run.letters.len() >= MOST_LETTERS || written + letter.text.len() > ALL_LETTERS)
            {
                let why = format!("a run takes {MOST_LETTERS} messages and {ALL_LETTERS} bytes of them at the most");
                return Err(ReachError::Invalid(why));
            }
            let now = store.now().await?;
            let draft = match Draft::of(run).take(input.clone(), now) {
                Ok(draft) => draft,
                Err(Refused::Ended) => return Err(ReachError::Ended(id)),
                Err(refused) => return Err(ReachError::Invalid(refused.to_string())),
            };
            let summary = RunSummary::of(&draft.run).masked(&mut store.masks().masker(id));
            if draft.events.is_empty() {
                return Ok(summary);
            }
            let receipt = once.clone().map(|once| once.receipt(id.to_string(), now));
            match self.push(Save { receipt, ..Save::of(draft, now) }).await {
                // Something else happened to it: look again.
                Err(StoreError::Conflict(_)) => {}
                pushed => return Ok(pushed.map(|()| summary)?),
            }
        }
    }
}
