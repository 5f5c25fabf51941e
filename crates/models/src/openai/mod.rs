//! Any endpoint that speaks OpenAI's chat completions, streamed.

mod answer;
mod events;
mod exchange;
mod patience;
mod refusal;
mod request;
mod settings;

pub use settings::{BadSettings, Settings};

use crate::Secret;
use async_trait::async_trait;
use countersign_runtime::ports::{Model, ModelError, Prompt, Spoken};
use patience::Failure;
use reqwest::{Client, Url};
use std::time::Duration;

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAi {
    client: Client,
    address: Url,
    model: String,
    /// What must not stand in any error.
    secrets: Vec<Secret>,
    idle_timeout: Duration,
    first_pause: Duration,
}

impl OpenAi {
    /// A model as `settings` describe it. Nothing is sent yet.
    pub fn new(settings: Settings) -> Result<Self, BadSettings> {
        let (address, client) = (settings.address()?, settings.client()?);
        let Settings { model, key, headers, idle_timeout, first_pause, .. } = settings;
        let secrets = headers.into_iter().map(|(_, value)| value).chain(key).collect();
        Ok(Self { client, address, model, secrets, idle_timeout, first_pause })
    }

    /// `text` without any of the secrets.
    fn blot(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| secret.blot(&text))
    }
}

#[async_trait]
impl Model for OpenAi {
    /// After a broken stream the whole turn is asked again, and `live` hears it from its beginning.
    async fn speak(
        &self,
        prompt: &Prompt<'_>,
        live: &(dyn for<'a> Fn(&'a str) + Send + Sync),
    ) -> Result<Spoken, ModelError> {
        let body = request::body(&self.model, prompt);
        let mut attempt = 1;
        loop {
            let Failure { error, again } = match self.ask(&body, live).await {
                Ok(answer) => return answer.spoken(prompt.messages.len()),
                Err(failure) => failure,
            };
            let Some(pause) = again.pause(self.first_pause, attempt) else { return Err(error) };
            tracing::debug!(model = self.model, attempt, ?pause, %error, "asking the model again");
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }
}
