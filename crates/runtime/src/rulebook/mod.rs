//! The rulebook: the policy of the configuration, with what was changed in the store while the server ran. Compiled once,
//! and anew when something changes.

mod change;
mod everyone;
mod grant;
mod merge;
mod stored;
mod trial;
mod view;

pub use change::{ChangeError, Footing, Kept, Wish};
pub use grant::{Giving, Side, StoredGrant};
pub use merge::Wrong;
pub use stored::{StoredOverride, StoredRule, tool_key};
pub use trial::{MOST_CALLS, Told, Trial, TrialError, Tried};
pub use view::{Book, Listed};

use crate::Runtime;
use crate::path::GRANTEE;
use crate::ports::{PolicyChange, PolicyItem, PolicyKind, StoreError};
use change::stands_nowhere;
use countersign_domain::{Call, Digest};
use countersign_policy::Policy;
use countersign_policy::source::{
    EffectName, EffectSource, FullEffect, GrantSource, PolicySource, RiskEffect, RiskEffects, Source, ToolSource,
    UserSource,
};
use merge::Merged;
use serde::Deserialize as _;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

pub(crate) struct Rulebook {
    standing: RwLock<Standing>,
}

/// A policy: what the configuration says, and the version of the store's changes that it holds.
#[derive(Clone)]
struct Standing {
    version: u64,
    policy: Arc<Policy>,
    /// What is said of tools, by the configuration first.
    tools: Arc<Vec<ToolSource>>,
    configured: Arc<Configured>,
}

/// The configuration's own policy.
struct Configured {
    version: Digest,
    source: Source,
}

impl Rulebook {
    pub(crate) fn new(policy: Policy, source: Source) -> Self {
        let tools = Arc::new(source.tools.clone());
        let configured = Arc::new(Configured { version: policy.version(), source });
        Self { standing: RwLock::new(Standing { version: 0, policy: Arc::new(policy), tools, configured }) }
    }

    /// The version of the configuration's own policy.
    pub(crate) fn configured(&self) -> Digest {
        self.standing().configured.version
    }

    /// Whether another configuration's policy goes together with `items`.
    pub(crate) fn fits(policy: &Policy, source: &Source, items: &[PolicyItem]) -> Result<(), String> {
        let configured = Configured { version: policy.version(), source: source.clone() };
        configured.with_all_that_fits(items).map(drop).map_err(|wrong| told(&wrong))
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
        let (policy, tools) = configured.with_all_that_fits(items).map_err(|wrong| told(&wrong))?;
        let standing = Standing { version, policy: Arc::new(policy), tools: Arc::new(tools), configured };
        *self.standing.write().unwrap_or_else(PoisonError::into_inner) = standing;
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
            tools: self.standing().tools.to_vec(),
            ..Source::default()
        };
        Policy::compile(&source).ok()
    }

    /// How long the tool of `call` may work, where an entry of exactly its name says so.
    pub(crate) fn timeout(&self, call: &Call) -> Option<Duration> {
        self.says(call, |tool| tool.timeout.and_then(|timeout| timeout.try_into().ok()))
    }

    /// Whether executing `call` once more does no harm, where an entry of exactly its tool's name says so.
    pub(crate) fn is_idempotent(&self, call: &Call) -> Option<bool> {
        self.says(call, |tool| tool.idempotent)
    }

    fn says<T>(&self, call: &Call, what: impl Fn(&ToolSource) -> Option<T>) -> Option<T> {
        let (tools, name) = (self.standing().tools, call.name());
        tools.iter().filter(|tool| tool_key(tool) == name).find_map(what)
    }

    fn standing(&self) -> Standing {
        self.standing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Configured {
    /// The configuration's policy with `items` in it, and what is said of tools.
    fn with(&self, items: &[PolicyItem]) -> Result<(Policy, Vec<ToolSource>), Vec<Wrong>> {
        let merged = Merged::new(&self.source, items)?;
        let policy = merged.compile()?;
        Ok((policy, merged.source.tools))
    }

    /// Whether `after` is a policy, which `changes` make of `before`; or at least no less of one than that was. What stood there
    /// before, and this configuration does not understand, must not keep people from changing anything else.
    fn may_become(
        &self,
        before: &[PolicyItem],
        after: &[PolicyItem],
        changes: &[PolicyChange],
    ) -> Result<(), Vec<Wrong>> {
        let wrong_with = |items: &[PolicyItem]| match Merged::new(&self.source, items) {
            Ok(merged) => (merged.compile().err().unwrap_or_default(), Some(merged)),
            Err(wrong) => (wrong, None),
        };
        let (wrong, merged) = wrong_with(after);
        let mut new = vec![];
        if !wrong.is_empty() {
            let mut known = wrong_with(before).0;
            for wrong in &wrong {
                // Its place may be another one by now.
                match known.iter().position(|known| (&known.thing, &known.text) == (&wrong.thing, &wrong.text)) {
                    Some(place) => drop(known.swap_remove(place)),
                    None => new.push(wrong.clone()),
                }
            }
            // Each by itself: the same thing may have been wrong before it was changed.
            let items = changes.iter().filter_map(|change| change.item(0));
            let alone = items.flat_map(|item| self.with(&[item]).err().unwrap_or_default());
            for wrong in alone {
                if !new.iter().any(|told: &Wrong| told.text == wrong.text) {
                    new.push(wrong);
                }
            }
        }
        let nowhere = |merged: &Merged| changes.iter().filter_map(|it| stands_nowhere(it, merged)).collect::<Vec<_>>();
        new.extend(merged.as_ref().map(nowhere).unwrap_or_default());
        if wrong.is_empty() && new.is_empty() {
            return Ok(());
        }
        // Where nothing new is wrong, what stands must be of use without the rest.
        if new.is_empty() { self.with_all_that_fits(after).map(drop) } else { Err(new) }
    }

    /// The same; where that is no policy, without those things that allow and are none by themselves: to leave one out only
    /// asks more often. Anything else that does not fit is an error.
    fn with_all_that_fits(&self, items: &[PolicyItem]) -> Result<(Policy, Vec<ToolSource>), Vec<Wrong>> {
        let why = match self.with(items) {
            Err(why) => why,
            fits => return fits,
        };
        let broken = |item: &PolicyItem| allows(item) && self.with(std::slice::from_ref(item)).is_err();
        let (left_out, kept): (Vec<_>, Vec<_>) = items.iter().cloned().partition(broken);
        if left_out.is_empty() {
            return Err(why);
        }
        let (many, why) = (left_out.len(), told(&why));
        tracing::warn!(many, why, "what was allowed and this configuration does not understand is left out");
        self.with(&kept)
    }
}

/// Whether a thing does nothing but allow.
fn allows(item: &PolicyItem) -> bool {
    match item.kind {
        PolicyKind::Grant => StoredGrant::deserialize(&item.body).is_ok_and(|grant| grant.side == Side::Allow),
        PolicyKind::Rule => StoredRule::deserialize(&item.body).is_ok_and(|stored| {
            matches!(
                stored.rule.effect,
                Some(
                    EffectSource::Name(EffectName::Allow)
                        | EffectSource::Full(FullEffect { effect: EffectName::Allow, .. })
                )
            )
        }),
        _ => false,
    }
}

/// All that is wrong, in one line.
fn told(wrong: &[Wrong]) -> String {
    wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Runtime {
    /// The policy as it stands.
    pub fn policy(&self) -> Arc<Policy> {
        self.inner.rulebook.policy()
    }

    /// Has what was changed while an earlier server ran come into force: nothing is judged by a policy that lacks it.
    pub(crate) async fn know_policy(&self) -> Result<(), StoreError> {
        self.inner.informed.get_or_try_init(|| self.refresh_policy()).await.copied()
    }

    /// Reads the policy anew if it was changed.
    pub(crate) async fn refresh_policy(&self) -> Result<(), StoreError> {
        let rulebook = &self.inner.rulebook;
        let Standing { version: known, configured, .. } = rulebook.standing();
        if self.inner.store.policy_version().await? == known {
            return Ok(());
        }
        let (version, items) = self.inner.store.policy_items().await?;
        let (policy, tools) = match configured.with_all_that_fits(&items).map_err(|wrong| told(&wrong)) {
            Ok((policy, tools)) => (Arc::new(policy), Arc::new(tools)),
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
            *standing = Standing { version, policy, tools, configured };
        }
        Ok(())
    }
}
