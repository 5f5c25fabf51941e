//! Runs: starting them, reading them, following them, reaching them.

pub mod agents;
pub mod body;
pub mod cancel;
pub mod delegated;
pub mod events;
pub mod list;
pub mod message;
pub mod read;
pub mod signal;
pub mod start;
pub mod suspended;
pub mod tool_calls;
pub mod tree;
