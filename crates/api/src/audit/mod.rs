//! The record: every call, verdict and answer.

mod body;
pub(crate) mod erase;
pub(crate) mod export;
mod filter;
pub(crate) mod list;
pub(crate) mod verify;
mod writer;

pub use filter::{Filter, Format};
pub use writer::{Export, Stopped};
