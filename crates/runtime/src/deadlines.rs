//! Deadlines: questions that nobody answered in time. They are rows, not sleeps.

use crate::Runtime;
use crate::ports::{Save, StoreError};
use countersign_domain::run::{Draft, Input};
use countersign_domain::{InteractionId, RunId};
use jiff::Timestamp;

/// Questions that are ended at a time.
const BATCH: u32 = 100;

/// Whether a run was read with what is sealed in it.
enum Opened {
    Yes,
    No,
}

impl Runtime {
    /// Ends the questions whose time is over, and wakes their runs. Gives how many.
    pub(crate) async fn end_overdue(&self) -> Result<usize, StoreError> {
        let store = &self.inner.store;
        let now = store.now().await?;
        let overdue = store.overdue(now, BATCH).await?;
        for (run, question) in &overdue {
            // One run that cannot be read must not keep all others waiting.
            if let Err(error) = self.end_question(*run, *question, now).await {
                tracing::error!(%run, %question, %error, "a question that is over cannot be ended");
            }
        }
        Ok(overdue.len())
    }

    async fn end_question(&self, id: RunId, question: InteractionId, now: Timestamp) -> Result<(), StoreError> {
        let store = &self.inner.store;
        let (run, opened) = match store.load(id).await {
            // To end a question needs nothing of what is sealed in its run; left open, it would be looked at for ever.
            Err(StoreError::Sealed(_)) => (store.shown(id).await?, Opened::No),
            loaded => (loaded?, Opened::Yes),
        };
        let Some(run) = run else { return Ok(()) };
        let Ok(draft) = Draft::of(run).take(Input::Expired(question), now) else { return Ok(()) };
        if draft.events.is_empty() {
            return Ok(());
        }
        let save = Save::of(draft, now);
        let pushed = match opened {
            Opened::Yes => self.push(save).await,
            Opened::No => self.put(save).await,
        };
        match pushed {
            // Answered at the last moment: the next look will tell.
            Err(StoreError::Conflict(_)) => Ok(()),
            pushed => pushed,
        }
    }
}
