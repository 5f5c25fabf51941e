//! Changing the policy while the server runs: looked at with everything else first, and kept only if that is a policy.

use super::merge::{Merged, Wrong, defines};
use super::stored::{StoredRule, rule_name};
use super::told;
use crate::Runtime;
use crate::ports::{Once, PastChange, PolicyChange, PolicyItem, PolicyKind, Receipt, StoreError};
use crate::start::OtherRequest;
use countersign_domain::Principal;
use countersign_domain::secret::in_text;
use countersign_policy::source::Source;
use jiff::Timestamp;
use serde::Deserialize as _;
use serde_json::Value;

/// What somebody wants a thing of the policy to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// What kind of thing.
    pub kind: PolicyKind,
    /// Its name among those of its kind.
    pub key: String,
    /// What it is to be; `None` if it is to be no more.
    pub body: Option<Value>,
    /// What may stand there so far.
    pub footing: Footing,
}

/// What may stand where somebody wants something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Footing {
    /// Whatever there is.
    Any,
    /// Nothing: it is to be new.
    New,
}

/// Why the policy was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// What it would be is no policy.
    #[error("{}", told(.0))]
    Invalid(Vec<Wrong>),
    /// It would keep what is no secret any more then.
    #[error(
        "it holds what looks like a secret, and what the policy says is kept as it is: put a wildcard in its place"
    )]
    Secret,
    /// It is more than can be kept.
    #[error("{0}")]
    TooMuch(String),
    /// The configuration file says it.
    #[error("the {} `{}` stands in the configuration file, and is changed there", .0.word(), .1.replace('\n', " "))]
    FromFile(PolicyKind, String),
    /// There is one of that name.
    #[error("there is a {} `{}` already", .0.word(), .1.replace('\n', " "))]
    Taken(PolicyKind, String),
    /// There is nothing of that name.
    #[error("there is no {} `{}`", .0.word(), .1.replace('\n', " "))]
    Unknown(PolicyKind, String),
    /// There is no such change.
    #[error("there is no change {0} of the policy")]
    NoChange(u64),
    /// The same thing was changed again.
    #[error("the {} `{}` was changed again by version {by}: undo that first", .kind.word(), .key.replace('\n', " "))]
    ChangedSince {
        /// What kind of thing.
        kind: PolicyKind,
        /// Its name.
        key: String,
        /// The version that changed it.
        by: u64,
    },
    /// It came with the configuration.
    #[error("version {0} came with the configuration file, and is undone there")]
    OfFile(u64),
    /// The policy is another one than whoever wants to change it has seen.
    #[error("the policy has been changed since: it is version {now} by now; look again")]
    Stale {
        /// The version that it has.
        now: u64,
    },
    /// Another request was made under the same key.
    #[error(transparent)]
    OtherRequest(#[from] OtherRequest),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a change of the policy came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// The version that it made.
    pub version: u64,
    /// Whether it had been made before, by the same request under the same key.
    pub repeated: bool,
}

/// The largest thing of a policy, in bytes of JSON.
const LARGEST: usize = 64 * 1024;
/// Changes that are looked at at a time.
const LOOKED_AT: u32 = 500;
/// What the receipt of a change of the policy begins with.
const MADE: &str = "policy ";
/// The longest name of a thing, in bytes.
const LONGEST_NAME: usize = 1_000;
/// The most things of one kind that are kept beside the configuration file. Grants are each user's own.
const MOST_THINGS: usize = 5_000;

impl Runtime {
    /// Changes the policy, if what it would be is one. It counts for the next judgement here, and within a second
    /// everywhere.
    pub async fn change_policy(&self, changes: Vec<PolicyChange>) -> Result<u64, ChangeError> {
        Ok(self.keep_policy(None, None, |_, _| Ok(changes.clone())).await?.version)
    }

    /// The same, once under a key.
    pub(super) async fn change_policy_once(
        &self,
        changes: Vec<PolicyChange>,
        once: Option<Once>,
    ) -> Result<Kept, ChangeError> {
        self.keep_policy(None, once, |_, _| Ok(changes.clone())).await
    }

    /// Makes the policy what somebody wishes, all of it or nothing. Where they have `seen` a version, only if it is still
    /// that one; and where they gave a key, once.
    pub async fn wish(
        &self,
        wishes: &[Wish],
        by: &Principal,
        why: Option<String>,
        seen: Option<u64>,
        once: Option<Once>,
    ) -> Result<Kept, ChangeError> {
        let at = self.inner.store.now().await?;
        let configured = self.inner.rulebook.standing().configured;
        let wanted = Wanted { wishes, by, why, at };
        self.keep_policy(seen, once, |version, items| wanted.changes(&configured.source, version, items)).await
    }

    /// Undoes one change by another one: what it changed is as it was before it.
    pub async fn undo(
        &self,
        version: u64,
        by: &Principal,
        why: Option<String>,
        seen: Option<u64>,
        once: Option<Once>,
    ) -> Result<Kept, ChangeError> {
        if let Some(kept) = self.kept_before(once.as_ref()).await? {
            return Ok(kept);
        }
        let found = self.inner.store.policy_history(Some(version.saturating_add(1)), 1).await?.items;
        let found = found.into_iter().find(|past| past.version == version);
        let PastChange { change, before, .. } = found.ok_or(ChangeError::NoChange(version))?;
        if change.kind == PolicyKind::Configuration {
            return Err(ChangeError::OfFile(version));
        }
        let at = self.inner.store.now().await?;
        let configured = self.inner.rulebook.standing().configured;
        let PolicyChange { kind, key, .. } = change;
        if defines(&configured.source, kind, &key) {
            return Err(ChangeError::FromFile(kind, key));
        }
        let back = PolicyChange { kind, key, body: before, by: by.clone(), why, at };
        loop {
            // What was changed again up to this version, and of this version only it is undone.
            let now = self.inner.store.policy_version().await?;
            if let Some(by) = self.changed_since(version, &back).await? {
                let (kind, key) = (back.kind, back.key);
                let error = ChangeError::ChangedSince { kind, key, by };
                // The same request may have been faster.
                return self.kept_before(once.as_ref()).await?.ok_or(error);
            }
            match self.keep_policy(Some(seen.unwrap_or(now)), once.clone(), |_, _| Ok(vec![back.clone()])).await {
                Err(ChangeError::Stale { .. }) if seen.is_none() => {}
                kept => return kept,
            }
        }
    }

    /// The last version after `version` that changed the same thing. To look at the thing is not enough: one that is gone may
    /// have come and gone again.
    async fn changed_since(&self, version: u64, change: &PolicyChange) -> Result<Option<u64>, StoreError> {
        let (mut after, mut last) = (version, None);
        loop {
            let page = self.inner.store.policy_changes(after, LOOKED_AT).await?;
            let Some((end, _)) = page.last() else { return Ok(last) };
            after = *end;
            let same = |(_, later): &&(u64, PolicyChange)| later.kind == change.kind && later.key == change.key;
            last = page.iter().rfind(same).map(|(version, _)| *version).or(last);
        }
    }

    /// What was kept before under the same key.
    async fn kept_before(&self, once: Option<&Once>) -> Result<Option<Kept>, ChangeError> {
        let Some(once) = once else { return Ok(None) };
        let receipt = self.inner.store.receipt(once).await?;
        receipt.map(|receipt| kept(once, &receipt)).transpose()
    }

    /// Keeps the changes that `make` makes of a version and its things, if what they lead to is a policy.
    async fn keep_policy(
        &self,
        seen: Option<u64>,
        once: Option<Once>,
        make: impl Fn(u64, &[PolicyItem]) -> Result<Vec<PolicyChange>, ChangeError>,
    ) -> Result<Kept, ChangeError> {
        loop {
            if let Some(kept) = self.kept_before(once.as_ref()).await? {
                return Ok(kept);
            }
            match self.try_policy(seen, once.clone(), &make).await {
                // Somebody else was first: what it would be now must be looked at anew.
                Err(ChangeError::Store(StoreError::PolicyMoved)) => {}
                Err(ChangeError::Store(StoreError::Made(before))) => {
                    return match &once {
                        Some(once) => kept(once, &before),
                        None => Err(StoreError::Made(before).into()),
                    };
                }
                // It may not fit because the same request was faster.
                Err(error) => return self.kept_before(once.as_ref()).await?.ok_or(error),
                Ok(version) => {
                    self.refresh_policy().await?;
                    return Ok(Kept { version, repeated: false });
                }
            }
        }
    }

    async fn try_policy(
        &self,
        seen: Option<u64>,
        once: Option<Once>,
        make: &impl Fn(u64, &[PolicyItem]) -> Result<Vec<PolicyChange>, ChangeError>,
    ) -> Result<u64, ChangeError> {
        let store = &self.inner.store;
        let (version, before) = store.policy_items().await?;
        if seen.is_some_and(|seen| seen != version) {
            return Err(ChangeError::Stale { now: version });
        }
        let changes = make(version, &before)?;
        let mut items = before.clone();
        apply(&mut items, &changes, version);
        self.inner
            .rulebook
            .standing()
            .configured
            .may_become(&before, &items, &changes)
            .map_err(ChangeError::Invalid)?;
        let receipt = match once {
            Some(once) => Some(once.receipt(made(version + changes.len() as u64), store.now().await?)),
            None => None,
        };
        Ok(store.change_policy_of(version, changes, receipt).await?)
    }
}

/// What a receipt says of a change of the policy: the version that it made.
fn made(version: u64) -> String {
    format!("{MADE}{version}")
}

fn kept(once: &Once, receipt: &Receipt) -> Result<Kept, ChangeError> {
    let version = receipt.made.strip_prefix(MADE).and_then(|version| version.parse().ok());
    let is_same = receipt.once.digest == once.digest;
    let version = version.filter(|_| is_same).ok_or_else(|| OtherRequest::of(once))?;
    Ok(Kept { version, repeated: true })
}

/// What somebody wishes, and why.
pub(super) struct Wanted<'a> {
    pub(super) wishes: &'a [Wish],
    pub(super) by: &'a Principal,
    pub(super) why: Option<String>,
    pub(super) at: Timestamp,
}

impl Wanted<'_> {
    /// The changes that make it of `items`, which are those of `version`.
    pub(super) fn changes(
        &self,
        configured: &Source,
        version: u64,
        items: &[PolicyItem],
    ) -> Result<Vec<PolicyChange>, ChangeError> {
        let (mut items, mut changes) = (items.to_vec(), vec![]);
        for (wish, version) in self.wishes.iter().zip(version..) {
            let there = items.iter().find(|item| item.kind == wish.kind && item.key == wish.key);
            // What the file names since, and hides, can still be taken away.
            let takes_away = wish.body.is_none() && there.is_some();
            if defines(configured, wish.kind, &wish.key) && !takes_away {
                return Err(ChangeError::FromFile(wish.kind, wish.key.clone()));
            }
            may_be(wish, there, &items)?;
            let body = wish.body.clone().map(|body| in_order(wish, body, there, version + 1));
            let change = PolicyChange {
                kind: wish.kind,
                key: wish.key.clone(),
                body: body.map(|body| fastened(wish.kind, body, configured)),
                by: self.by.clone(),
                why: self.why.clone(),
                at: self.at,
            };
            apply(&mut items, std::slice::from_ref(&change), version);
            changes.push(change);
        }
        Ok(changes)
    }
}

/// What `items` are after `changes`, which follow `version`.
pub(super) fn apply(items: &mut Vec<PolicyItem>, changes: &[PolicyChange], version: u64) {
    for (change, version) in changes.iter().zip(version + 1..) {
        items.retain(|item| item.kind != change.kind || item.key != change.key);
        items.extend(change.item(version));
    }
}

/// Refuses what is too much, what holds a secret, and what does not stand on what it should.
fn may_be(wish: &Wish, there: Option<&PolicyItem>, items: &[PolicyItem]) -> Result<(), ChangeError> {
    let (kind, key) = (wish.kind, wish.key.clone());
    match (&wish.body, there) {
        (None, None) => return Err(ChangeError::Unknown(kind, key)),
        (Some(_), Some(_)) if wish.footing == Footing::New => return Err(ChangeError::Taken(kind, key)),
        (Some(_), None) if items.iter().filter(|item| item.kind == kind).count() >= MOST_THINGS => {
            let most = format!("there are {MOST_THINGS} of kind {} already: put more into the file", kind.word());
            return Err(ChangeError::TooMuch(most));
        }
        _ => {}
    }
    if key.len() > LONGEST_NAME {
        return Err(ChangeError::TooMuch(format!("a name has {LONGEST_NAME} bytes at the most")));
    }
    let Some(body) = &wish.body else { return Ok(()) };
    if body.to_string().len() > LARGEST {
        return Err(ChangeError::TooMuch(format!("a {} has {LARGEST} bytes at the most", kind.word())));
    }
    if !in_text(&key).is_empty() || hides(body) {
        return Err(ChangeError::Secret);
    }
    Ok(())
}

/// Whether a text in `value` holds what looks like a secret.
fn hides(value: &Value) -> bool {
    match value {
        Value::String(text) => !in_text(text).is_empty(),
        Value::Array(items) => items.iter().any(hides),
        Value::Object(members) => members.values().any(hides),
        _ => false,
    }
}

/// The same, with its name and its place among those of its kind: that of what it replaces, or else the last.
fn in_order(wish: &Wish, mut body: Value, there: Option<&PolicyItem>, next: u64) -> Value {
    if !matches!(wish.kind, PolicyKind::Rule | PolicyKind::Tool) {
        return body;
    }
    if let Some(body) = body.as_object_mut() {
        let made = there.and_then(|item| item.body.get("made").cloned());
        body.insert("made".into(), made.unwrap_or_else(|| next.into()));
        if wish.kind == PolicyKind::Rule {
            body.insert("name".into(), wish.key.clone().into());
        }
    }
    body
}

/// The same, if it is a rule, fastened to the one that it stands before.
fn fastened(kind: PolicyKind, body: Value, configured: &Source) -> Value {
    match StoredRule::deserialize(&body) {
        Ok(rule) if kind == PolicyKind::Rule && rule.before.is_some() => {
            serde_json::to_value(rule.fastened(&configured.policy.rules)).unwrap_or(body)
        }
        _ => body,
    }
}

/// What is wrong with a rule that is to stand before one that is not there.
pub(super) fn stands_nowhere(change: &PolicyChange, merged: &Merged) -> Option<Wrong> {
    let body = change.body.as_ref().filter(|_| change.kind == PolicyKind::Rule)?;
    let before = StoredRule::deserialize(body).ok()?.before?;
    let rules = &merged.source.policy.rules;
    let other = |name: &str| name == before && name != change.key;
    let is_there = rules.iter().enumerate().any(|(i, rule)| other(&rule_name(rule, i)));
    let text = format!("there is no other rule `{before}`");
    let thing = Some((PolicyKind::Rule, change.key.clone()));
    (!is_there).then(|| Wrong { thing, place: "before".into(), text })
}
