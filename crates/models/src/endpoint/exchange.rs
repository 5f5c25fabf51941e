//! One attempt: a request, and the stream that answers it.

use super::events::Events;
use super::patience::{self, Again, Failure};
use super::refusal::Refusal;
use super::{Answer, Broken, Endpoint, Live};
use countersign_runtime::ports::ModelError;
use reqwest::Response;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use std::error::Error;
use std::time::Duration;
use tokio::time::timeout;

/// More than this is no answer. An event that does not end is bounded by it too.
const LONGEST_STREAM: usize = 32 * 1024 * 1024;
/// How much of a refusal is read.
const LONGEST_REFUSAL: usize = 64 * 1024;
/// An endpoint that keeps a stream alive for longer than this without ending it is stuck.
const LONGEST_TURN: Duration = Duration::from_hours(1);

impl Endpoint {
    /// Asks once.
    pub(super) async fn ask<A: Answer>(&self, body: &[u8], live: &Live<'_>) -> Result<A, Failure> {
        let exchange = async {
            let response = self.send(body).await?;
            if response.status().is_success() {
                self.listen(response, live).await
            } else {
                Err(self.refused(response).await)
            }
        };
        let stuck = || self.unreachable(&format!("its answer did not end within {LONGEST_TURN:?}"));
        timeout(LONGEST_TURN, exchange).await.unwrap_or_else(|_| Err(stuck()))
    }

    async fn send(&self, body: &[u8]) -> Result<Response, Failure> {
        let request = self
            .client
            .post(self.address.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body.to_vec());
        match timeout(self.idle_timeout, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(self.unreachable(&cause(&error))),
            Err(_) => Err(self.silent()),
        }
    }

    /// Reads the stream until the answer is complete.
    async fn listen<A: Answer>(&self, mut response: Response, live: &Live<'_>) -> Result<A, Failure> {
        let (mut events, mut answer, mut length) = (Events::default(), A::default(), 0);
        loop {
            let chunk = match self.chunk(&mut response).await {
                Ok(chunk) => chunk,
                // What comes after the end of an answer is only its price.
                Err(_) if answer.is_complete() => return Ok(answer),
                Err(failure) => return Err(failure),
            };
            let ended = chunk.is_none();
            length += chunk.as_ref().map_or(0, |bytes| bytes.as_ref().len());
            if length > LONGEST_STREAM {
                let why = format!("it is longer than {LONGEST_STREAM} bytes");
                return Err(Failure::for_good(ModelError::Garbled(why)));
            }
            let found = match chunk {
                Some(bytes) => events.take(bytes.as_ref()),
                None => events.last(),
            };
            for data in found {
                answer.take(&data, live).map_err(|broken| match broken {
                    Broken::Told(refusal) => self.failure(&refusal, None),
                    Broken::Garbled(why) => broke(&self.blot(&why)),
                })?;
            }
            if answer.is_done() || (ended && answer.is_complete()) {
                return Ok(answer);
            }
            if ended {
                return Err(cut_short(&response, &events));
            }
        }
    }

    /// The next bytes; `None` at the end.
    async fn chunk(&self, response: &mut Response) -> Result<Option<impl AsRef<[u8]> + use<>>, Failure> {
        match timeout(self.idle_timeout, response.chunk()).await {
            Ok(Ok(chunk)) => Ok(chunk),
            Ok(Err(error)) => Err(broke(&self.blot(&format!("its stream broke: {}", cause(&error))))),
            Err(_) => Err(self.silent()),
        }
    }

    /// What a response that is no answer means.
    async fn refused(&self, mut response: Response) -> Failure {
        let (status, wait) = (response.status(), patience::asked_wait(response.headers()));
        let mut body = Vec::new();
        while let Ok(Some(chunk)) = self.chunk(&mut response).await {
            body.extend_from_slice(chunk.as_ref());
            if body.len() > LONGEST_REFUSAL {
                body.truncate(LONGEST_REFUSAL);
                break;
            }
        }
        self.failure(&Refusal::of_response(status, &body), wait)
    }

    fn failure(&self, refusal: &Refusal, wait: Option<Duration>) -> Failure {
        refusal.failure(&self.model, |text| self.blot(text), wait.map(Again::After))
    }

    fn silent(&self) -> Failure {
        self.unreachable(&format!("it was silent for {:?}", self.idle_timeout))
    }

    fn unreachable(&self, why: &str) -> Failure {
        let host = self.address.host_str().unwrap_or_default();
        Failure::passing(ModelError::Unavailable(self.blot(&format!("{host}: {why}"))))
    }
}

fn broke(why: &str) -> Failure {
    Failure::passing(ModelError::Garbled(why.to_owned()))
}

/// A stream that ended too early; what never was one is not asked for again.
fn cut_short(response: &Response, events: &Events) -> Failure {
    if events.any() {
        return broke("its stream ended before the answer did");
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.is_empty() || kind.starts_with("text/event-stream") {
        return broke("its stream ended before it began");
    }
    let kind: String = kind.chars().take(LONGEST_KIND).collect();
    Failure::for_good(ModelError::Garbled(format!("expected an event stream, got `{kind}`")))
}

/// How much of a content type is repeated, in characters.
const LONGEST_KIND: usize = 80;

/// The innermost reason, which says most; the outer ones repeat the address.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let timed_out = if error.is_timeout() { "timed out: " } else { "" };
    format!("{timed_out}{cause}")
}
