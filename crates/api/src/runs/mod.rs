//! Runs: starting them, reading them, following them.

pub mod agents;
mod body;
pub mod events;
pub mod list;
pub mod read;
pub mod signal;
pub mod start;
pub mod suspended;
