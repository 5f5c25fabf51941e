//! Answering: one transaction from open to answered. After it is acknowledged no crash can lose it.

use crate::Runtime;
use crate::failpoint::failpoint;
use crate::news::News;
use crate::ports::{Save, StoreError};
use countersign_domain::interaction::{AnswerError, Decision, Interaction, LongReason, Response};
use countersign_domain::run::{Input, Refused, advance};
use countersign_domain::{InteractionId, Principal, RunId};

/// An answer that counts, or counted before.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The question as it stands now.
    pub interaction: Interaction,
    /// Whether the same answer had been given before.
    pub repeated: bool,
}

/// Why an answer does not count. Nothing changed.
#[derive(Debug, thiserror::Error)]
pub enum AnswerFailure {
    /// There is no such question.
    #[error("there is no interaction `{0}`")]
    NotFound(InteractionId),
    /// There is no such run.
    #[error("there is no run `{0}`")]
    NoRun(RunId),
    /// No question of the run has that key.
    #[error("run `{run}` waits for nothing with the key `{key}`")]
    UnknownKey {
        /// The run.
        run: RunId,
        /// The key.
        key: String,
    },
    /// The answer itself.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The reason is too long.
    #[error(transparent)]
    Reason(#[from] LongReason),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run does not take it: a defect of ours.
    #[error("{0}")]
    Misplaced(String),
}

impl Runtime {
    /// Answers a question on behalf of `by`.
    pub async fn answer(
        &self,
        id: InteractionId,
        response: Response,
        by: &Principal,
    ) -> Result<Answered, AnswerFailure> {
        let store = &self.inner.store;
        loop {
            let asked = store.interaction(id).await?.ok_or(AnswerFailure::NotFound(id))?;
            let run = store.load(asked.run_id).await?.ok_or(AnswerFailure::NoRun(asked.run_id))?;
            let now = store.now().await?;
            let input = Input::Answered { interaction: id, response: response.clone(), by: by.clone() };
            let step = match advance(&run, input, now) {
                Ok(step) => step,
                Err(Refused::Answer(error)) => return Err(error.into()),
                Err(Refused::Unknown(_)) => return Err(AnswerFailure::NotFound(id)),
                Err(refused @ Refused::Misplaced(_)) => return Err(AnswerFailure::Misplaced(refused.to_string())),
            };
            let interaction = step.run.interactions.get(&id).cloned().ok_or(AnswerFailure::NotFound(id))?;
            if step.events.is_empty() {
                return Ok(Answered { interaction, repeated: true });
            }
            failpoint("before_answer_saved");
            let save = Save { run: step.run, seen: run.seq, events: step.events, at: now, claim: None };
            match store.save(save).await {
                // A worker or another answer was first: look again, and judge this one by what stands then.
                Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(error.into()),
                Ok(()) => {
                    failpoint("after_answer_saved");
                    self.inner.newsroom.tell(News::Run(run.id));
                    self.inner.newsroom.work.notify_one();
                    return Ok(Answered { interaction, repeated: false });
                }
            }
        }
    }

    /// Answers the question of `run` that has this correlation key. The decision is part of the signal.
    pub async fn signal(
        &self,
        run: RunId,
        key: &str,
        decision: Decision,
        reason: Option<String>,
        by: &Principal,
    ) -> Result<Answered, AnswerFailure> {
        let loaded = self.inner.store.load(run).await?.ok_or(AnswerFailure::NoRun(run))?;
        let asked = loaded.interactions.values().find(|asked| asked.correlation_key == key);
        let id = asked.ok_or_else(|| AnswerFailure::UnknownKey { run, key: key.to_owned() })?.id;
        self.answer(id, Response::new(id, decision, reason)?, by).await
    }
}
