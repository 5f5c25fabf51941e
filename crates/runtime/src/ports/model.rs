//! A model that says what comes next.

use super::ToolDefinition;
use async_trait::async_trait;
use countersign_domain::run::{Message, Said, Usage};

/// A model.
#[async_trait]
pub trait Model: Send + Sync + 'static {
    /// Says what comes next. Pieces of its words go to `live` as they come; only what is returned counts.
    ///
    /// Retries what is worth it by itself, and says so to `live`; an error is final.
    async fn speak(
        &self,
        prompt: &Prompt<'_>,
        live: &(dyn for<'a> Fn(Heard<'a>) + Send + Sync),
    ) -> Result<Spoken, ModelError>;

    /// Whether it is a script: nothing was thought, and every surface says so. Asked again it says the same, and whoever asks may
    /// stop listening at any time: it costs nothing.
    fn is_script(&self) -> bool {
        false
    }
}

/// What is heard of a model while it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard<'a> {
    /// The next of its words.
    Words(&'a str),
    /// It broke off, and speaks from the beginning: what comes does not go on from what was heard.
    Anew,
}

/// What a model is told.
#[derive(Debug, Clone)]
pub struct Prompt<'a> {
    /// What the agent is.
    pub system: Option<&'a str>,
    /// The conversation so far.
    pub messages: &'a [Message],
    /// The tools it may call.
    pub tools: &'a [ToolDefinition],
}

/// What a model said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spoken {
    /// Its words.
    pub text: String,
    /// The calls it proposes, unchecked.
    pub calls: Vec<Said>,
    /// What it cost.
    pub usage: Usage,
}

/// Why a model said nothing. Never holds a key, nor what was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider does not take the key.
    #[error("the provider refused the key of this model: check `api_key`")]
    BadKey,
    /// The provider does not know the model.
    #[error("the provider knows no model `{0}`: check `model`")]
    UnknownModel(String),
    /// The conversation no longer fits.
    #[error("the conversation is longer than the model can read")]
    TooLong,
    /// It could not be reached, or failed, also after several attempts.
    #[error("the model cannot be reached: {0}")]
    Unavailable(String),
    /// It said what cannot be understood.
    #[error("the model's answer cannot be understood: {0}")]
    Garbled(String),
    /// The provider refused for another reason.
    #[error("the provider refused: {0}")]
    Refused(String),
}

impl ModelError {
    /// A stable word for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::BadKey => "MODEL_BAD_KEY",
            Self::UnknownModel(_) => "MODEL_UNKNOWN",
            Self::TooLong => "MODEL_CONTEXT_TOO_LONG",
            Self::Unavailable(_) => "MODEL_UNAVAILABLE",
            Self::Garbled(_) => "MODEL_GARBLED",
            Self::Refused(_) => "MODEL_REFUSED",
        }
    }
}
