//! Rows of `policy_changes` and `policy_items`.

use super::Place;
use crate::{json, time};
use countersign_domain::secret::Masker;
use countersign_runtime::ports::{PastChange, PolicyChange, PolicyItem, PolicyKind, StoreError};
use jiff::SignedDuration;
use serde_json::Value;

/// How long short memory lasts.
pub const SHORT_MEMORY: SignedDuration = SignedDuration::from_hours(24);

/// A change of the policy, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    pub kind: String,
    pub key: String,
    pub body: Option<String>,
    pub by: String,
    pub why: Option<String>,
    pub at: i64,
}

/// Masks the secrets in why the policy is changed. What it says from then on stays as it is, or it would say something else.
pub fn mask_change(change: &mut PolicyChange, masker: &mut Masker) {
    change.why.iter_mut().for_each(|why| masker.mask_words(why));
    let reason = change.body.as_mut().and_then(|body| body.get_mut("reason"));
    if let Some(Value::String(reason)) = reason {
        masker.mask_words(reason);
    }
}

impl TryFrom<&PolicyChange> for ChangeRow {
    type Error = StoreError;

    fn try_from(change: &PolicyChange) -> Result<Self, StoreError> {
        let place = Place { table: "policy_changes", row: &change.key };
        Ok(Self {
            kind: change.kind.word().to_owned(),
            key: change.key.clone(),
            body: change.body.as_ref().map(json::text_of).transpose().map_err(|why| place.wrong(why))?,
            by: json::text_of(&change.by).map_err(|why| place.wrong(why))?,
            why: change.why.clone(),
            at: time::column(change.at),
        })
    }
}

impl TryFrom<ChangeRow> for PolicyChange {
    type Error = StoreError;

    fn try_from(row: ChangeRow) -> Result<Self, StoreError> {
        let place = Place { table: "policy_changes", row: &row.key };
        Ok(Self {
            kind: kind(&row.kind, place)?,
            body: row.body.as_deref().map(json::parse).transpose().map_err(|why| place.wrong(why))?,
            by: json::thing_in(&row.by).map_err(|why| place.wrong(why))?,
            at: place.time(row.at)?,
            why: row.why,
            key: row.key,
        })
    }
}

/// What stands after the change that these columns say, which made `version`.
pub fn item(version: u64, row: ChangeRow) -> Result<PolicyItem, StoreError> {
    let key = row.key.clone();
    let item = PolicyChange::try_from(row)?.item(version);
    item.ok_or_else(|| Place { table: "policy_items", row: &key }.wrong("nothing stands after its change"))
}

/// The change that these columns say, which made `version` and replaced `before`.
pub fn past(version: u64, row: ChangeRow, before: Option<&str>) -> Result<PastChange, StoreError> {
    let place = Place { table: "policy_changes", row: &row.key };
    let before = before.map(json::parse).transpose().map_err(|why| place.wrong(why))?;
    Ok(PastChange { version, change: row.try_into()?, before })
}

fn kind(word: &str, place: Place<'_>) -> Result<PolicyKind, StoreError> {
    let found = PolicyKind::ALL.into_iter().find(|kind| kind.word() == word);
    found.ok_or_else(|| place.wrong(format!("`{word}` is nothing that can be changed")))
}
