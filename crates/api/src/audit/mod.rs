//! The record: every call, verdict and answer.

mod body;
pub(crate) mod erase;
pub(crate) mod export;
pub(crate) mod list;
pub(crate) mod verify;

pub use export::{Export, Filter, Format, Stopped};
