//! Grants, as the store keeps them: given and taken back while the server runs.

use super::{ChangeError, Kept};
use crate::Runtime;
use crate::ports::{Once, PolicyChange, PolicyKind, StoreError};
use countersign_domain::Principal;
use countersign_domain::secret::in_text;
use countersign_policy::source::{FullGrant, GrantSource};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A grant, as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredGrant {
    /// Whose it is.
    pub user: String,
    /// What it does.
    pub side: Side,
    /// What it covers, who gave it, and until when.
    #[serde(flatten)]
    pub grant: FullGrant,
}

/// What a grant does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// It allows.
    Allow,
    /// It denies.
    Deny,
}

/// What is done with a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Giving {
    /// It holds from now on.
    Give,
    /// It is no more.
    TakeBack,
}

impl StoredGrant {
    /// Its name among all grants: one for each user and pattern, so that what allows replaces what denied.
    pub fn key(&self) -> String {
        format!("{}\n{}", self.user, self.grant.resource)
    }

    /// The change that gives it or takes it back.
    pub(crate) fn change(&self, giving: Giving, by: &Principal, at: Timestamp) -> PolicyChange {
        let body = (giving == Giving::Give).then(|| serde_json::to_value(self).unwrap_or_default());
        let why = self.grant.reason.clone();
        PolicyChange { kind: PolicyKind::Grant, key: self.key(), body, by: by.clone(), why, at }
    }
}

impl Runtime {
    /// The grants of a user that were given while the server ran.
    pub async fn grants(&self, user: &str) -> Result<Vec<StoredGrant>, StoreError> {
        let (_, items) = self.inner.store.policy_items().await?;
        let grants = items.into_iter().filter(|item| item.kind == PolicyKind::Grant);
        let grants = grants.filter_map(|item| StoredGrant::deserialize(&item.body).ok());
        Ok(grants.filter(|grant| grant.user == user).collect())
    }

    /// The grants of a user that the configuration names.
    pub fn configured_grants(&self, user: &str) -> Vec<(Side, FullGrant)> {
        let standing = self.inner.rulebook.standing();
        let Some(named) = standing.configured.source.policy.users.get(user) else { return vec![] };
        let full = |grant: &GrantSource| match grant.clone() {
            GrantSource::Full(full) => full,
            GrantSource::Pattern(resource) => {
                FullGrant { resource, expires_at: None, given_by: None, given_at: None, reason: None }
            }
        };
        let allow = named.allow.iter().map(|grant| (Side::Allow, full(grant)));
        allow.chain(named.deny.iter().map(|grant| (Side::Deny, full(grant)))).collect()
    }

    /// Gives a grant, or takes it back. It replaces what was said of the same pattern before.
    pub async fn grant(
        &self,
        grant: &StoredGrant,
        giving: Giving,
        by: &Principal,
        once: Option<Once>,
    ) -> Result<Kept, ChangeError> {
        if giving == Giving::Give && !in_text(&grant.grant.resource).is_empty() {
            return Err(ChangeError::Secret);
        }
        let at = self.inner.store.now().await?;
        self.change_policy_once(vec![grant.change(giving, by, at)], once).await
    }
}
