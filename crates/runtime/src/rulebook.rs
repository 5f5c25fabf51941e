//! The rulebook: the policy of the configuration, with what was changed in the store while the server ran. Compiled once,
//! and anew when something changes.

use crate::Runtime;
use crate::path::GRANTEE;
use crate::ports::{PolicyChange, PolicyItem, PolicyKind, StoreError};
use countersign_domain::secret::in_text;
use countersign_domain::{Digest, Principal};
use countersign_policy::Policy;
use countersign_policy::source::{FullGrant, GrantSource, PolicySource, RiskEffect, RiskEffects, Source, UserSource};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, PoisonError, RwLock};

pub(crate) struct Rulebook {
    standing: RwLock<Standing>,
}

/// A policy: what the configuration says, and the version of the store's changes that it holds.
#[derive(Clone)]
struct Standing {
    version: u64,
    policy: Arc<Policy>,
    configured: Arc<Configured>,
}

/// The configuration's own policy.
struct Configured {
    version: Digest,
    source: Source,
}

impl Rulebook {
    pub(crate) fn new(policy: Policy, source: Source) -> Self {
        let configured = Arc::new(Configured { version: policy.version(), source });
        Self { standing: RwLock::new(Standing { version: 0, policy: Arc::new(policy), configured }) }
    }

    /// The version of the configuration's own policy.
    pub(crate) fn configured(&self) -> Digest {
        self.standing().configured.version
    }

    /// Whether another configuration's policy goes together with `items`.
    pub(crate) fn fits(policy: &Policy, source: &Source, items: &[PolicyItem]) -> Result<(), String> {
        let configured = Configured { version: policy.version(), source: source.clone() };
        configured.with_all_that_fits(items).map(drop)
    }

    /// Puts another configuration's policy in force, with `items` in it, which are those of `version`.
    pub(crate) fn replace(
        &self,
        policy: &Policy,
        source: Source,
        version: u64,
        items: &[PolicyItem],
    ) -> Result<(), String> {
        let configured = Arc::new(Configured { version: policy.version(), source });
        let policy = Arc::new(configured.with_all_that_fits(items)?);
        *self.standing.write().unwrap_or_else(PoisonError::into_inner) = Standing { version, policy, configured };
        Ok(())
    }

    /// The policy as it stands.
    pub(crate) fn policy(&self) -> Arc<Policy> {
        self.standing().policy
    }

    /// A policy that asks about everything, but for one grant. `None` if it cannot be granted.
    pub(crate) fn granting(&self, pattern: &str) -> Option<Policy> {
        let grant = GrantSource::Pattern(pattern.to_owned());
        let user = UserSource { allow: vec![grant], ..UserSource::default() };
        let risk = RiskEffects {
            low: RiskEffect::Ask,
            medium: RiskEffect::Ask,
            high: RiskEffect::Ask,
            critical: RiskEffect::Ask,
        };
        let users = [(GRANTEE.to_owned(), user)].into();
        let source = Source {
            policy: PolicySource { risk, users, ..PolicySource::default() },
            tools: self.standing().configured.source.tools.clone(),
            ..Source::default()
        };
        Policy::compile(&source).ok()
    }

    fn standing(&self) -> Standing {
        self.standing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Configured {
    /// The configuration's policy with `items` in it.
    fn with(&self, items: &[PolicyItem]) -> Result<Policy, String> {
        let mut source = self.source.clone();
        for item in items {
            add(&mut source, item).map_err(|why| format!("{} `{}`: {why}", item.kind.word(), item.key))?;
        }
        let told = |problems: Vec<countersign_policy::Problem>| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        Policy::compile(&source).map_err(told)
    }

    /// The same; where that is no policy, without those allow grants that are none by themselves: to leave one out only
    /// asks more often. Anything else that does not fit is an error.
    fn with_all_that_fits(&self, items: &[PolicyItem]) -> Result<Policy, String> {
        let why = match self.with(items) {
            Err(why) => why,
            fits => return fits,
        };
        let broken = |item: &PolicyItem| {
            let allows = StoredGrant::deserialize(&item.body).is_ok_and(|grant| grant.side == Side::Allow);
            item.kind == PolicyKind::Grant && allows && self.with(std::slice::from_ref(item)).is_err()
        };
        let (left_out, kept): (Vec<_>, Vec<_>) = items.iter().cloned().partition(broken);
        if left_out.is_empty() {
            return Err(why);
        }
        tracing::warn!(grants = left_out.len(), why, "grants that this configuration does not understand are left out");
        self.with(&kept)
    }
}

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

fn add(source: &mut Source, item: &PolicyItem) -> Result<(), String> {
    fn read<T: DeserializeOwned>(body: &Value) -> Result<T, String> {
        T::deserialize(body).map_err(|error| error.to_string())
    }
    let PolicyItem { kind, key, body } = item;
    match kind {
        PolicyKind::Rule => source.policy.rules.push(read(body)?),
        PolicyKind::Capability => drop(source.policy.capabilities.insert(key.clone(), read(body)?)),
        PolicyKind::Override => drop(source.policy.overrides.insert(key.clone(), read(body)?)),
        PolicyKind::Role => drop(source.roles.insert(key.clone(), read(body)?)),
        PolicyKind::Tool => source.tools.push(read(body)?),
        // A note for the record, and nothing that judges.
        PolicyKind::Configuration => {}
        PolicyKind::Grant => {
            let StoredGrant { user, side, grant } = read(body)?;
            let of_user: &mut UserSource = source.policy.users.entry(user).or_default();
            let side = match side {
                Side::Allow => &mut of_user.allow,
                Side::Deny => &mut of_user.deny,
            };
            side.push(GrantSource::Full(grant));
        }
    }
    Ok(())
}

/// Why the policy was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// What it would be is no policy.
    #[error("{0}")]
    Invalid(String),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runtime {
    /// The policy as it stands.
    pub fn policy(&self) -> Arc<Policy> {
        self.inner.rulebook.policy()
    }

    /// Changes the policy, if what it would be is one. It counts for the next judgement here, and within a second
    /// everywhere.
    pub async fn change_policy(&self, changes: Vec<PolicyChange>) -> Result<u64, ChangeError> {
        let (_, mut items) = self.inner.store.policy_items().await?;
        for PolicyChange { kind, key, body, .. } in &changes {
            items.retain(|item| item.kind != *kind || item.key != *key);
            items.extend(body.clone().map(|body| PolicyItem { kind: *kind, key: key.clone(), body }));
        }
        self.inner.rulebook.standing().configured.with(&items).map_err(ChangeError::Invalid)?;
        let version = self.inner.store.change_policy(changes).await?;
        self.refresh_policy().await?;
        Ok(version)
    }

    /// The grants of a user that were given while the server ran.
    pub async fn grants(&self, user: &str) -> Result<Vec<StoredGrant>, StoreError> {
        let (_, items) = self.inner.store.policy_items().await?;
        let grants = items.into_iter().filter(|item| item.kind == PolicyKind::Grant);
        let grants = grants.filter_map(|item| StoredGrant::deserialize(&item.body).ok());
        Ok(grants.filter(|grant| grant.user == user).collect())
    }

    /// Gives a grant, or takes it back. It replaces what was said of the same pattern before.
    pub async fn grant(&self, grant: &StoredGrant, giving: Giving, by: &Principal) -> Result<(), ChangeError> {
        if giving == Giving::Give && !in_text(&grant.grant.resource).is_empty() {
            let why =
                "the pattern holds what looks like a secret, and a grant is kept as it is: put a wildcard in its place";
            return Err(ChangeError::Invalid(why.into()));
        }
        let at = self.inner.store.now().await?;
        self.change_policy(vec![grant.change(giving, by, at)]).await.map(drop)
    }

    /// Reads the policy anew if it was changed.
    pub(crate) async fn refresh_policy(&self) -> Result<(), StoreError> {
        let rulebook = &self.inner.rulebook;
        let Standing { version: known, configured, .. } = rulebook.standing();
        if self.inner.store.policy_version().await? == known {
            return Ok(());
        }
        let (version, items) = self.inner.store.policy_items().await?;
        let policy = match configured.with_all_that_fits(&items) {
            Ok(policy) => Arc::new(policy),
            // Without it stored denials would be missing: nothing is judged at all.
            Err(why) if known == 0 => {
                let row = format!("version {version}");
                return Err(StoreError::Inconsistent { table: "policy_items", row, detail: why });
            }
            Err(why) => {
                tracing::error!(version, why, "the changed policy cannot be used; the one before stays in force");
                return Ok(());
            }
        };
        let mut standing = rulebook.standing.write().unwrap_or_else(PoisonError::into_inner);
        // Another configuration may have come into force meanwhile: then it is looked at again, with that one.
        if version > standing.version && Arc::ptr_eq(&standing.configured, &configured) {
            *standing = Standing { version, policy, configured };
        }
        Ok(())
    }
}
