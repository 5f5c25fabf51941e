//! Speaks to models: any OpenAI-compatible endpoint, and scripts that stand in for one.

mod openai;
mod scripted;
mod secret;

pub use openai::{BadSettings, OpenAi, Settings};
pub use scripted::{BadScript, Scripted};
pub use secret::Secret;
