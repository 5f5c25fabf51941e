//! The log: every entry that was ever made, in one Merkle tree, provable to somebody who trusts only a public key.
//!
//! An [`Entry`] is an event in the shape in which it is stored and exported: a skeleton that stays for ever, and beside it
//! a payload that can be erased without breaking the log. [`tree`] is the tree over them, [`checkpoint`] what is signed of
//! it. [`verify`] finds what is wrong with a log, [`calls`] shows what it says of each call, and [`csv`] writes that for
//! spreadsheets.

pub mod calls;
pub mod checkpoint;
pub mod csv;
pub mod entry;
pub mod export;
pub mod note;
mod reading;
mod recorded;
#[cfg(test)]
pub(crate) mod scribe;
pub mod tree;
pub mod verify;

pub use checkpoint::Checkpoint;
pub use entry::{BadStream, Entry, Payload, Stream, hex};
pub use note::{SignerKey, VerifierKey};
pub use recorded::NoEvent;
pub use tree::{Frontier, Hash, Leaf};
