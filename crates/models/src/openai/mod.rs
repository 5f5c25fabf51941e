//! Any endpoint that speaks OpenAI's chat completions, streamed.

mod answer;
mod request;

use crate::endpoint::{BadSettings, Endpoint, Settings};
use answer::Answer;
use async_trait::async_trait;
use countersign_runtime::ports::{Heard, Model, ModelError, Prompt, Spoken};
use request::Request;
use reqwest::header::{AUTHORIZATION, HeaderMap};

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAi {
    endpoint: Endpoint,
    request: Request,
}

impl OpenAi {
    /// A model as `settings` describe it. Nothing is sent yet.
    pub fn new(settings: Settings) -> Result<Self, BadSettings> {
        let address = settings.address(&["chat", "completions"])?;
        let mut headers = HeaderMap::new();
        headers.extend(settings.key_as(|key| format!("Bearer {key}"))?.map(|key| (AUTHORIZATION, key)));
        let request = Request::of(&settings, &address);
        Ok(Self { endpoint: Endpoint::new(settings, address, headers)?, request })
    }
}

#[async_trait]
impl Model for OpenAi {
    async fn speak(
        &self,
        prompt: &Prompt<'_>,
        live: &(dyn for<'a> Fn(Heard<'a>) + Send + Sync),
    ) -> Result<Spoken, ModelError> {
        self.endpoint.speak::<Answer>(&self.request.body(prompt), prompt.messages.len(), live).await
    }
}
