//! Hints of other processes on the same database become news here.

use crate::Runtime;
use crate::ports::Hint;
use tokio::sync::broadcast::error::RecvError;

impl Runtime {
    /// Passes on what other processes tell, for as long as there are any to hear from. Whoever is told looks: a hint that
    /// was lost costs time, and nothing else.
    pub(crate) async fn pass_on_hints(&self) {
        let Some(mut hints) = self.inner.store.hints() else { return };
        loop {
            match hints.recv().await {
                Ok(Hint::Work) => self.inner.newsroom.work.notify_one(),
                Ok(Hint::Runs(runs)) => runs.into_iter().for_each(|run| self.inner.newsroom.tell_driver(run)),
                Ok(Hint::Policy) => self.look_at_policy().await,
                Ok(Hint::Look) | Err(RecvError::Lagged(_)) => {
                    self.inner.newsroom.work.notify_one();
                    self.inner.newsroom.tell_everybody();
                    self.look_at_policy().await;
                }
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Reads the policy if it was changed. Where that fails, whoever looks from time to time does.
    async fn look_at_policy(&self) {
        if let Err(error) = self.refresh_policy().await {
            tracing::warn!(%error, "cannot read the policy that another node changed");
        }
    }
}
