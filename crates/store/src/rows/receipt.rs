//! A row of `receipts`.

use super::Place;
use crate::time;
use countersign_runtime::ports::{Once, Receipt, StoreError};

/// What was made under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptRow {
    pub by: String,
    pub key: String,
    pub digest: String,
    pub made: String,
    pub at: i64,
}

impl From<Receipt> for ReceiptRow {
    fn from(Receipt { once, made, at }: Receipt) -> Self {
        let Once { by, key, digest } = once;
        Self { by, key, digest: digest.to_string(), made, at: time::column(at) }
    }
}

impl TryFrom<ReceiptRow> for Receipt {
    type Error = StoreError;

    fn try_from(row: ReceiptRow) -> Result<Self, StoreError> {
        let ReceiptRow { by, key, digest, made, at } = row;
        let place = Place { table: "receipts", row: &key };
        let (digest, at) = (place.parse(&digest)?, place.time(at)?);
        Ok(Self { once: Once { by, key, digest }, made, at })
    }
}
