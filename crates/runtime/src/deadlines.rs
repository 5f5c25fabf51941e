//! Deadlines: questions that nobody answered in time, and reminders at half of it. They are rows, not sleeps.

use crate::Runtime;
use crate::ports::{Save, StoreError};
use countersign_domain::run::{Draft, Input};
use countersign_domain::{InteractionId, RunId};
use jiff::Timestamp;

/// Questions that are looked at at a time.
pub(crate) const BATCH: u32 = 100;

/// Whether a run was read with what is sealed in it.
enum Opened {
    Yes,
    No,
}

/// Whether a question was there to be changed, and was.
#[derive(PartialEq, Eq)]
enum Changed {
    Yes,
    No,
}

impl Runtime {
    /// Ends the questions whose time is over, and wakes their runs. Gives how many.
    pub(crate) async fn end_overdue(&self) -> Result<usize, StoreError> {
        let store = &self.inner.store;
        let now = store.now().await?;
        let overdue = store.overdue(now, BATCH).await?;
        Ok(self.change_all(overdue, Input::Expired, now).await)
    }

    /// Reminds people of the questions of which half the time is over, once each. Gives how many.
    pub(crate) async fn remind(&self) -> Result<usize, StoreError> {
        let store = &self.inner.store;
        let now = store.now().await?;
        let due = store.unreminded(now, BATCH).await?;
        Ok(self.change_all(due, Input::Reminded, now).await)
    }

    async fn change_all(
        &self,
        questions: Vec<(RunId, InteractionId)>,
        input: impl Fn(InteractionId) -> Input,
        now: Timestamp,
    ) -> usize {
        let mut many = 0;
        for (run, question) in questions {
            match self.change(run, input(question), now).await {
                Ok(changed) => many += usize::from(changed == Changed::Yes),
                // One run that cannot be read must not keep all others waiting.
                Err(error) => tracing::error!(%run, %question, %error, "what is due for a question cannot be saved"),
            }
        }
        many
    }

    async fn change(&self, id: RunId, input: Input, now: Timestamp) -> Result<Changed, StoreError> {
        let store = &self.inner.store;
        let (run, opened) = match store.load(id).await {
            // It needs nothing of what is sealed in its run; left open, it would be looked at for ever.
            Err(StoreError::Sealed(_)) => (store.shown(id).await?, Opened::No),
            loaded => (loaded?, Opened::Yes),
        };
        let Some(run) = run else { return Ok(Changed::No) };
        let Ok(draft) = Draft::of(run).take(input, now) else { return Ok(Changed::No) };
        if draft.events.is_empty() {
            return Ok(Changed::No);
        }
        let save = Save::of(draft, now);
        let pushed = match opened {
            Opened::Yes => self.push(save).await,
            Opened::No => self.put(save).await,
        };
        match pushed {
            // Answered at the last moment, or another node was faster: the next look will tell.
            Err(StoreError::Conflict(_)) => Ok(Changed::No),
            pushed => pushed.map(|()| Changed::Yes),
        }
    }
}
