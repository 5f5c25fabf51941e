//! Sends spans to the collector, many at once. Whatever becomes of that, nobody waits for it.

use super::settings::{Protocol, Settings};
use super::span::Span;
use super::{json, protobuf};
use crate::client;
use crate::failure::Failure;
use countersign_runtime::spans::SPANS;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, StatusCode};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

/// How long to wait before a collector that is away or has too much to do is asked again; after the last, no more.
const AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// Whoever sends them.
pub struct Export {
    settings: Settings,
    headers: HeaderMap,
    http: Client,
    /// Whether the collector did not take the last ones.
    is_down: bool,
}

impl Export {
    pub fn new(settings: Settings) -> Result<Self, Failure> {
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let bad = || Failure::new(format!("`OTEL_EXPORTER_OTLP_HEADERS`: `{name}` cannot be sent as a header"));
            let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?, value);
        }
        let kind = match settings.protocol {
            Protocol::Protobuf => "application/x-protobuf",
            Protocol::Json => "application/json",
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        Ok(Self { http: client::http(&settings.endpoint)?, headers, settings, is_down: false })
    }

    /// Sends what has ended, until it is stopped and nothing is left.
    pub async fn run(mut self, mut ended: mpsc::Receiver<Span>, mut stopped: watch::Receiver<bool>) {
        let mut batch = vec![];
        loop {
            let is_over = tokio::select! {
                () = gather(&mut ended, &mut batch, &self.settings) => false,
                _ = stopped.wait_for(|stopped| *stopped) => true,
            };
            if is_over {
                ended.close();
                // Some may have been waiting for others.
                while ended.recv_many(&mut batch, self.settings.batch).await > 0 || !batch.is_empty() {
                    self.send(std::mem::take(&mut batch), &stopped).await;
                }
                return;
            }
            self.send(std::mem::take(&mut batch), &stopped).await;
        }
    }

    async fn send(&mut self, batch: Vec<Span>, stopped: &watch::Receiver<bool>) {
        let body = match self.settings.protocol {
            Protocol::Protobuf => protobuf::body(&self.settings.resource, &batch),
            Protocol::Json => json::body(&self.settings.resource, &batch),
        };
        let mut pauses = AGAIN.iter();
        let why = loop {
            let why = match self.post(body.clone()).await {
                Ok(()) => {
                    SPANS.sent.add_many(batch.len());
                    if self.is_down {
                        tracing::info!("traces are sent again");
                    }
                    self.is_down = false;
                    return;
                }
                Err(Refusal::Final(why)) => break why,
                Err(Refusal::Passing(why)) => why,
            };
            // One that has been away for a while is not waited for again and again.
            match pauses.next().filter(|_| !self.is_down && !*stopped.borrow()) {
                Some(pause) => sleep(*pause).await,
                None => break why,
            }
        };
        SPANS.dropped.add_many(batch.len());
        if !self.is_down {
            tracing::warn!(why, "traces cannot be sent: they are dropped until they can, without another word");
        }
        self.is_down = true;
    }

    async fn post(&self, body: Vec<u8>) -> Result<(), Refusal> {
        let request = self.http.post(&self.settings.endpoint).headers(self.headers.clone()).body(body);
        // The address may hold a password: it is in no error.
        let answer = request.timeout(self.settings.timeout).send().await.map_err(|error| {
            Refusal::Passing(
                if error.is_timeout() { "the collector does not answer" } else { "no collector is there" }.into(),
            )
        })?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status @ (StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT) => Err(Refusal::Passing(format!("the collector says {status}"))),
            status => Err(Refusal::Final(format!("the collector says {status}"))),
        }
    }
}

/// Why spans were not taken.
enum Refusal {
    Passing(String),
    Final(String),
}

/// Waits for a span, and then for a while for more.
async fn gather(ended: &mut mpsc::Receiver<Span>, batch: &mut Vec<Span>, settings: &Settings) {
    let full = settings.batch;
    if ended.recv_many(batch, full).await == 0 {
        // Nobody is left who could say anything: only being stopped ends this.
        return std::future::pending().await;
    }
    let more = async {
        while batch.len() < full {
            if ended.recv_many(batch, full - batch.len()).await == 0 {
                return;
            }
        }
    };
    // Those that came by then are kept.
    let _ = timeout(settings.delay, more).await;
}
