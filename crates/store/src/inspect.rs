//! What somebody sees who only looks at a database: nothing in it or beside it is changed by that, its schema least of all.

use crate::vault::Vault;
use countersign_domain::RunId;
use countersign_domain::secret::Key;
use countersign_runtime::ports::SignedTree;
use jiff::Timestamp;

/// What was seen.
#[derive(Debug)]
pub struct Inspected {
    /// The number of its last migration; 0 where there is none yet.
    pub schema: i64,
    /// The number of the last migration that this program knows.
    pub known: i64,
    /// What its clock shows, where it has one of its own.
    pub clock: Option<Timestamp>,
    /// When the last thing was written that says when.
    pub written: Option<Timestamp>,
    /// The newest of what was signed.
    pub signed: Option<SignedTree>,
    pub(crate) sealed: Option<Sealed>,
}

/// Something that is sealed, and the place that it is bound to.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub run: RunId,
    pub seq: i64,
    pub bytes: Vec<u8>,
}

/// Whether a key is the one that secrets are sealed under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opens {
    /// It opens what is sealed.
    Yes,
    /// It does not.
    No,
    /// Nothing is sealed at the moment.
    NothingSealed,
}

impl Inspected {
    /// Whether `key` opens what is sealed here.
    pub fn opens(&self, key: Key) -> Opens {
        match &self.sealed {
            None => Opens::NothingSealed,
            Some(Sealed { run, seq, bytes }) if Vault::new(key).can_open(*run, *seq, bytes) => Opens::Yes,
            Some(_) => Opens::No,
        }
    }
}
