//! Reading the configuration anew while the server runs: whole or not at all.
//!
//! Whoever acts takes what is in force when it begins: a run goes by the new configuration from its next act on, and a call
//! that waits is judged by the new policy when it is answered.

use crate::ports::{BadConfiguration, Configuration, Fresh, PolicyChange, PolicyKind, StoreError};
use crate::rulebook::Rulebook;
use crate::{Runtime, Standing};
use countersign_domain::{Digest, Principal};
use serde_json::json;
use std::sync::{Arc, PoisonError};

/// What came of reading the configuration anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reloaded {
    /// Where it differs from the one before, as places: `agents.assistant`.
    pub changed: Vec<String>,
    /// Where it differs in what counts only after a restart: `server.listen`.
    pub needs_restart: Vec<String>,
    /// The version of the policy that is in force now, with what was changed while the server ran.
    pub policy: Digest,
}

/// Why the configuration before stays in force.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// There is nowhere to read it from.
    #[error("this server has no configuration to read anew")]
    NoOrigin,
    /// It cannot be used.
    #[error("the configuration before stays in force: {0}")]
    Bad(#[from] BadConfiguration),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runtime {
    /// Reads the configuration anew and puts it in force, on behalf of `by`. Of a bad one nothing is taken.
    pub async fn reload(&self, by: &Principal) -> Result<Reloaded, ReloadError> {
        let origin = self.origin.clone().ok_or(ReloadError::NoOrigin)?;
        let _one_at_a_time = self.inner.reloading.lock().await;
        let reading = Arc::clone(&origin);
        let read = tokio::task::spawn_blocking(move || reading.read()).await;
        let unread = |_| BadConfiguration(vec!["reading it ended in a panic".to_owned()]);
        let Fresh { configuration, changed, needs_restart } = read.map_err(unread)??;
        self.take(configuration, by).await?;
        origin.accepted();
        Ok(Reloaded { changed, needs_restart, policy: self.policy().version() })
    }

    async fn take(&self, configuration: Configuration, by: &Principal) -> Result<(), ReloadError> {
        let Configuration { policy, source, agents, tools, settings, review } = configuration;
        let bad = |why: String| BadConfiguration(vec![format!("with what was changed while the server ran: {why}")]);
        let rulebook = &self.inner.rulebook;
        Rulebook::fits(&policy, &source, &self.inner.store.policy_items().await?.1).map_err(bad)?;
        if rulebook.configured() != policy.version() {
            self.record(policy.version(), by).await?;
        }
        let (version, items) = self.inner.store.policy_items().await?;
        rulebook.replace(&policy, source, version, &items).map_err(bad)?;
        let standing = Arc::new(Standing::new(agents, tools, settings, review, self.inner.store.masks()));
        *self.inner.standing.write().unwrap_or_else(PoisonError::into_inner) = standing;
        Ok(())
    }

    /// That the configuration's policy is another one is an entry of the record, and a version of the policy.
    async fn record(&self, version: Digest, by: &Principal) -> Result<(), StoreError> {
        let change = PolicyChange {
            kind: PolicyKind::Configuration,
            key: "policy".into(),
            body: Some(json!({"version": version})),
            by: by.clone(),
            why: Some("the configuration was read anew".into()),
            at: self.inner.store.now().await?,
        };
        self.inner.store.change_policy(vec![change]).await.map(drop)
    }
}
