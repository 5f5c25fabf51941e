//! Findings: what is wrong with a log, and where.

use super::meaning::Breach;
use crate::audit::checkpoint::Unopened;
use crate::audit::entry::Stream;
use crate::audit::tree::proof::BadProof;
use std::fmt;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The place in the log.
    pub place: Option<u64>,
    /// The entry: its stream, and its place there.
    pub entry: Option<(Stream, u64)>,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Wrong {
    /// Entries are missing before it, or it was moved.
    #[error("it stands where the entry of place {expected} is due: entries were removed, added or moved")]
    Place {
        /// The place that is due.
        expected: u64,
    },
    /// The entry or its leaf was changed.
    #[error("it is not what its leaf was made of: the entry or its leaf was changed")]
    Leaf,
    /// The payload or the commitment to it was changed.
    #[error("what was written does not match the commitment to it: the payload was changed")]
    Payload,
    /// Nothing proves that it is in the log.
    #[error("its proof does not lead to the root that was signed: {0}")]
    Proof(BadProof),
    /// It has no proof.
    #[error("it has no proof that it is in the log")]
    Unproven,
    /// What was written in it is gone, and nothing says by whose hand.
    #[error("what was written in it was erased, and no entry says who did that and why")]
    Erased,
    /// Nobody has ever signed for the log, or nothing that was signed is there.
    #[error("no checkpoint was there to hold the log against: it proves nothing")]
    Unsigned,
    /// There is more than the log has.
    #[error("{0} events stand beside the log: they were added behind its back, or taken out of it")]
    Beside(u64),
    /// It is not the next of its stream.
    #[error("entry {expected} of its stream is due: entries are missing, repeated or out of order")]
    Gap {
        /// The one that is due.
        expected: u64,
    },
    /// Nobody can tell what it says.
    #[error("its data cannot be read as a `{kind}`")]
    Unreadable {
        /// What it is said to be.
        kind: String,
    },
    /// It does not follow from what came before, or nothing allowed it.
    #[error("{0}")]
    Meaning(Breach),
    /// The tree is not the one that was signed.
    #[error(
        "the root of the first {size} entries is not the one that {named} signed: what was signed has been changed"
    )]
    Root {
        /// The checkpoint.
        named: Named,
        /// Its size.
        size: u64,
    },
    /// A checkpoint cannot be relied on.
    #[error("{named} cannot be relied on: {why}")]
    Checkpoint {
        /// The checkpoint.
        named: Named,
        /// Why not.
        why: Unopened,
    },
    /// A checkpoint is of another log.
    #[error("{named} is of the log `{origin}`, while the others are of `{expected}`")]
    Origin {
        /// The checkpoint.
        named: Named,
        /// Its log.
        origin: String,
        /// The log of those before it.
        expected: String,
    },
    /// Two checkpoints cannot both be true.
    #[error("{named} and {other} are both of {size} entries and differ: two logs were signed")]
    Fork {
        /// The checkpoint.
        named: Named,
        /// The other one.
        other: Named,
        /// The size of both.
        size: u64,
    },
    /// The log lacks its end.
    #[error("the log has {entries} entries, and {named} is of {size}: its end was removed")]
    Short {
        /// The checkpoint.
        named: Named,
        /// Its size.
        size: u64,
        /// How many entries there are.
        entries: u64,
    },
}

/// A checkpoint, by where it was kept and its number there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Where it was kept.
    pub kept_in: std::sync::Arc<str>,
    /// Its number there, from 1.
    pub number: u64,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "checkpoint {} in `{}`", self.number, self.kept_in)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((stream, seq)) = self.entry {
            write!(f, "entry {seq} of {stream}")?;
        }
        if let Some(place) = self.place {
            write!(f, " at place {place}")?;
        }
        if self.entry.is_some() || self.place.is_some() {
            f.write_str(": ")?;
        }
        self.wrong.fmt(f)
    }
}
