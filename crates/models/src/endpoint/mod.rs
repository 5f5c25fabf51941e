//! What all endpoints share, whatever they speak: how they are reached, asked again, and listened to.

mod events;
mod exchange;
mod patience;
mod refusal;
mod settings;

pub use refusal::Refusal;
pub use settings::{BadSettings, Settings};

use crate::Secret;
use countersign_domain::run::Said;
use countersign_runtime::ports::{Heard, ModelError, Spoken};
use patience::Failure;
use reqwest::header::HeaderMap;
use reqwest::{Client, Url};
use std::time::Duration;

/// Where pieces of a model's words go as they come.
pub type Live<'a> = dyn for<'b> Fn(&'b str) + Send + Sync + 'a;

/// An endpoint that can be asked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    client: Client,
    address: Url,
    model: String,
    /// What must not stand in any error.
    secrets: Vec<Secret>,
    idle_timeout: Duration,
    first_pause: Duration,
}

impl Endpoint {
    /// The endpoint at `address` as `settings` describe it, which is sent `headers` and those of the settings.
    pub fn new(settings: Settings, address: Url, headers: HeaderMap) -> Result<Self, BadSettings> {
        let client = settings.client(&address, headers)?;
        let Settings { model, key, headers, idle_timeout, first_pause, .. } = settings;
        let secrets = headers.into_iter().map(|(_, value)| value).chain(key).collect();
        Ok(Self { client, address, model, secrets, idle_timeout, first_pause })
    }

    /// What the model answers to `body`, in a conversation of `messages` messages.
    ///
    /// After a broken stream the whole turn is asked again, and `live` is told so and hears it from its beginning.
    pub async fn speak<A: Answer>(
        &self,
        body: &[u8],
        messages: usize,
        live: &(dyn for<'a> Fn(Heard<'a>) + Send + Sync),
    ) -> Result<Spoken, ModelError> {
        let words = |words: &str| live(Heard::Words(words));
        let mut attempt = 1;
        loop {
            let Failure { error, again } = match self.ask::<A>(body, &words).await {
                Ok(answer) => return answer.spoken(messages),
                Err(failure) => failure,
            };
            let Some(pause) = again.pause(self.first_pause, attempt) else { return Err(error) };
            tracing::debug!(model = self.model, attempt, ?pause, %error, "asking the model again");
            tokio::time::sleep(pause).await;
            attempt += 1;
            live(Heard::Anew);
        }
    }

    /// `text` without any of the secrets.
    fn blot(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| secret.blot(&text))
    }
}

/// An answer, put together from the events that are streamed.
pub trait Answer: Default + Send {
    /// Takes the data of one event; words go to `live`.
    fn take(&mut self, data: &str, live: &Live<'_>) -> Result<(), Broken>;

    /// Whether nothing more can come.
    fn is_done(&self) -> bool;

    /// Whether all was said that was to be.
    fn is_complete(&self) -> bool;

    /// What was said, in a conversation of `messages` messages.
    fn spoken(self, messages: usize) -> Result<Spoken, ModelError>;
}

/// Why an event ends the attempt.
#[derive(Debug)]
pub enum Broken {
    /// The provider says that something went wrong.
    Told(Refusal),
    /// It cannot be understood.
    Garbled(String),
}

impl Broken {
    /// An event that is not what the wire format says.
    pub fn event() -> Self {
        Self::Garbled("an event is not the JSON that was expected".to_owned())
    }
}

/// More calls in one turn are not even read. How many of them are looked at is the runtime's to say.
const MOST_CALLS: usize = 1024;

/// Whether so many calls may still be an answer.
pub fn few_enough(calls: usize) -> Result<(), Broken> {
    let many = || Broken::Garbled(format!("it makes more than {MOST_CALLS} calls"));
    if calls > MOST_CALLS { Err(many()) } else { Ok(()) }
}

/// The call at `place` of a turn, with an id: a result must name its call, so one without an id gets one.
pub fn named(said: Said, messages: usize, place: usize) -> Said {
    if said.id.is_empty() { Said { id: format!("call_{messages}_{place}"), ..said } } else { said }
}

/// An answer that ended before it had said anything that counts.
pub fn cut_off() -> ModelError {
    ModelError::Garbled("it was cut off at the limit of length: `max_tokens`, or the provider's".to_owned())
}
