//! Speaks to models: any OpenAI-compatible endpoint, Anthropic's messages API, and scripts that stand in for one.

mod anthropic;
mod conversation;
mod endpoint;
mod openai;
mod scripted;
mod secret;

pub use anthropic::Anthropic;
pub use endpoint::{BadSettings, Settings};
pub use openai::OpenAi;
pub use scripted::{BadScript, Scripted};
pub use secret::Secret;
