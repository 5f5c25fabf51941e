//! Rows of `events` for what happens outside of runs: changes of the policy, tokens, erasures.

use super::{ChangeRow, Place, TokenRow};
use crate::{json, salt, time};
use countersign_domain::Principal;
use countersign_domain::audit::verify::TEXTS_ERASED;
use countersign_domain::audit::{Entry, Hash, Leaf, Payload, Stream};
use countersign_runtime::ports::{Erasure, StoreError};
use jiff::Timestamp;
use serde_json::{Value, json};

/// An event outside of runs, before its place among them is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HouseRow {
    pub at: i64,
    pub kind: &'static str,
    pub data: String,
    pub payload: Payload,
    /// What its leaf is the hash of: what stands before its place, and what stands after it.
    pub before: String,
    pub after: String,
}

impl HouseRow {
    /// The row for what happened at `at`.
    pub fn new(at: Timestamp, kind: &'static str, data: &Value, texts: &[Value]) -> Result<Self, StoreError> {
        let place = Place { table: "events", row: &kind };
        let payload = match salt::some(1)?.pop() {
            Some(salt) if !texts.is_empty() => {
                Payload::Kept { salt, texts: json::text_of(&texts).map_err(|why| place.wrong(why))? }
            }
            _ => Payload::None,
        };
        let data = json::text_of(data).map_err(|why| place.wrong(why))?;
        let entry = Entry { of: Stream::House, seq: 0, at, step: None, kind: kind.to_owned(), data, payload };
        let line = entry.line();
        let (before, after) = line.split_once(SEQ).ok_or_else(|| place.wrong("its line has no place"))?;
        let Entry { data, payload, .. } = entry;
        Ok(Self { at: time::column(at), kind, data, payload, before: format!("{before}\"seq\":"), after: after.into() })
    }

    /// Its leaf, if this is its place.
    pub fn leaf(&self, seq: i64) -> Hash {
        Leaf::of(format!("{}{seq}{}", self.before, self.after).as_bytes()).0
    }
}

/// Where the place stands in a line, while it is not known.
const SEQ: &str = r#""seq":0"#;

impl TryFrom<&ChangeRow> for HouseRow {
    type Error = StoreError;

    /// What the policy says is what somebody wrote: a grant may be the call itself.
    fn try_from(change: &ChangeRow) -> Result<Self, StoreError> {
        let place = Place { table: "policy_changes", row: &change.key };
        let by: Value = json::parse(&change.by).map_err(|why| place.wrong(why))?;
        let removed = change.body.is_none();
        let texts = [Some(&change.key), change.body.as_ref(), change.why.as_ref()];
        let texts = texts.map(|text| text.map_or(Value::Null, |text| Value::from(text.as_str())));
        let data = json!({"kind": change.kind, "removed": removed, "by": by});
        Self::new(place.time(change.at)?, "policy_changed", &data, &texts)
    }
}

impl HouseRow {
    /// The row for a token that was made, by whom if that is known.
    pub fn token_made(token: &TokenRow, by: Option<&Principal>) -> Result<Self, StoreError> {
        let place = Place { table: "tokens", row: &token.id };
        let TokenRow { id, form, kind, name, role, acts_for, parent, created_at, expires_at, .. } = token;
        let expires_at = expires_at.map(|at| place.time(at)).transpose()?;
        let mut data = json!({"id": id, "form": form, "kind": kind, "name": name, "role": role, "acts_for": acts_for,
            "parent": parent, "expires_at": expires_at});
        name_maker(&mut data, by);
        Self::new(place.time(*created_at)?, "token_made", &data, &[])
    }
}

impl TryFrom<&Erasure> for HouseRow {
    type Error = StoreError;

    fn try_from(erasure: &Erasure) -> Result<Self, StoreError> {
        let data = json!({"run": erasure.run, "by": erasure.by});
        Self::new(erasure.at, TEXTS_ERASED, &data, &[Value::from(erasure.why.as_str())])
    }
}

/// The row for the end of a token.
pub fn token_ended(id: &str, by: Option<&Principal>, at: Timestamp) -> Result<HouseRow, StoreError> {
    let mut data = json!({"id": id});
    name_maker(&mut data, by);
    HouseRow::new(at, "token_ended", &data, &[])
}

/// Adds who did it, where somebody did who is known by more than that they have the database.
fn name_maker(data: &mut Value, by: Option<&Principal>) {
    if let (Some(data), Some(by)) = (data.as_object_mut(), by) {
        data.insert("by".into(), json!(by));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leaf_is_that_of_the_entry_in_its_place() {
        let at = Timestamp::from_second(1_700_000_000).unwrap();
        let row = HouseRow::new(at, "token_ended", &json!({"seq": 0}), &[json!("\"seq\":0")]).unwrap();
        let (data, payload) = (row.data.clone(), row.payload.clone());
        let entry = Entry { of: Stream::House, seq: 17, at, step: None, kind: "token_ended".into(), data, payload };
        assert_eq!(row.leaf(17), entry.leaf().0);
    }
}
