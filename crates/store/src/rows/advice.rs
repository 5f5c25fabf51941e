//! A row of `advice`: what a model said beside a question.

use crate::failure::inconsistent;
use crate::time;
use countersign_domain::InteractionId;
use countersign_domain::interaction::Advice;
use countersign_runtime::ports::StoreError;
use uuid::Uuid;

/// One advice, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceRow {
    pub interaction: Uuid,
    pub text: Option<String>,
    pub model: String,
    pub at: i64,
}

impl AdviceRow {
    pub fn new(id: InteractionId, advice: Advice) -> Self {
        let Advice { model, text, at } = advice;
        Self { interaction: id.uuid(), text, model, at: time::column(at) }
    }

    pub const fn status(&self) -> &'static str {
        if self.text.is_some() { "given" } else { "none" }
    }

    /// The question, and what was said beside it.
    pub fn read(self) -> Result<(InteractionId, Advice), StoreError> {
        let Self { interaction, text, model, at } = self;
        let at = time::at(at).ok_or_else(|| inconsistent("advice", interaction, "its time is none"))?;
        Ok((InteractionId::new(interaction), Advice { model, text, at }))
    }
}
