//! Receipts: whoever sends the same request twice under one key makes one thing.

use countersign_domain::canonical::canonical;
use countersign_domain::{Digest, Principal};
use jiff::Timestamp;
use serde_json::json;

/// The key under which somebody makes something once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    /// Whoever makes it. The keys of others are theirs.
    pub by: String,
    /// The key that they chose.
    pub key: String,
    /// The digest of their request.
    pub digest: Digest,
}

impl Once {
    /// What `by` asks for under `key`, in a request with this digest.
    pub fn new(by: &Principal, key: String, digest: Digest) -> Self {
        let by = canonical(&json!({"acts_for": by.acts_for, "kind": by.kind, "name": by.name}));
        Self { by, key, digest }
    }

    /// The receipt for `made`, which is made at `at`.
    pub fn receipt(self, made: String, at: Timestamp) -> Receipt {
        Receipt { once: self, made, at }
    }
}

/// What was made under a key. Saved with it, or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The key, and the request.
    pub once: Once,
    /// The id of what was made.
    pub made: String,
    /// When.
    pub at: Timestamp,
}
