//! Anthropic's messages API, and whatever else speaks it, streamed.

mod answer;
mod request;

use crate::endpoint::{BadSettings, Endpoint, Settings};
use answer::Answer;
use async_trait::async_trait;
use countersign_runtime::ports::{Heard, Model, ModelError, Prompt, Spoken};
use request::Request;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// The version of the API that is spoken here.
const VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// A model behind Anthropic's messages API.
#[derive(Debug, Clone)]
pub struct Anthropic {
    endpoint: Endpoint,
    request: Request,
}

impl Anthropic {
    /// A model as `settings` describe it. Nothing is sent yet.
    pub fn new(settings: Settings) -> Result<Self, BadSettings> {
        // People name the address with the version of the API, and without.
        let versioned = settings.base_url.trim_end_matches('/').ends_with("/v1");
        let path: &[&str] = if versioned { &["messages"] } else { &["v1", "messages"] };
        let address = settings.address(path)?;
        let mut headers = HeaderMap::from_iter([(HeaderName::from_static("anthropic-version"), VERSION)]);
        headers.extend(settings.key_as(str::to_owned)?.map(|key| (HeaderName::from_static("x-api-key"), key)));
        let request = Request::of(&settings);
        Ok(Self { endpoint: Endpoint::new(settings, address, headers)?, request })
    }
}

#[async_trait]
impl Model for Anthropic {
    async fn speak(
        &self,
        prompt: &Prompt<'_>,
        live: &(dyn for<'a> Fn(Heard<'a>) + Send + Sync),
    ) -> Result<Spoken, ModelError> {
        self.endpoint.speak::<Answer>(&self.request.body(prompt), prompt.messages.len(), live).await
    }
}
