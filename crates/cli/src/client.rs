//! Speaks to a server, for the commands that need one.

use crate::args::ServerArgs;
use crate::failure::Failure;
use futures_util::{Stream, StreamExt as _};
use reqwest::{Client as Http, RequestBuilder, Response, StatusCode};
use rustls_platform_verifier::BuilderVerifierExt as _;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// A server, and who we are there.
pub struct Client {
    http: Http,
    base: String,
    token: String,
}

impl Client {
    /// The server that the command line names.
    pub fn new(server: &ServerArgs) -> Result<Self, Failure> {
        let token = server.token.clone().filter(|token| !token.trim().is_empty()).ok_or_else(|| {
            Failure::new(
                "no token: set COUNTERSIGN_TOKEN; `countersign token create --kind user --name YOU --role approver` makes one",
            )
        })?;
        let base = server.server.trim_end_matches('/').to_owned();
        let http = http(&base)?;
        Ok(Self { http, base, token: token.trim().to_owned() })
    }

    /// Where a person sees `path` in the web page.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Reads something.
    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        json(self.sent(self.http.get(self.address(path))).await?).await
    }

    /// Sends something.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        json(self.sent(self.http.post(self.address(path)).json(body)).await?).await
    }

    /// Sends something, and gives the events that follow.
    pub async fn post_and_follow(&self, path: &str, body: &Value) -> Result<Events, Failure> {
        let request = self.http.post(self.address(path)).json(body).header("accept", "text/event-stream");
        Ok(events(self.sent(request).await?))
    }

    /// The events after `after`, as they come.
    pub async fn follow(&self, path: &str, after: u64) -> Result<Events, Failure> {
        let request = self.http.get(self.address(path)).header("accept", "text/event-stream");
        Ok(events(self.sent(request.header("last-event-id", after.to_string())).await?))
    }

    fn address(&self, path: &str) -> String {
        format!("{}/api{path}", self.base)
    }

    async fn sent(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let response = request.bearer_auth(&self.token).send().await.map_err(|_| {
            Failure::new(format!("no Countersign answers at {}: is `countersign serve` running there?", self.base))
        })?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let problem: Value = response.json().await.unwrap_or_default();
        let said = |key: &str| problem.get(key).and_then(Value::as_str).map(str::to_owned);
        let detail = said("detail").unwrap_or_else(|| status.to_string());
        let code = said("code").unwrap_or_else(|| status.as_u16().to_string());
        let hint = if status == StatusCode::UNAUTHORIZED { " (the token is COUNTERSIGN_TOKEN or --token)" } else { "" };
        Err(Failure::new(format!("{code}: {detail}{hint}")))
    }
}

async fn json(response: Response) -> Result<Value, Failure> {
    response.json().await.map_err(|error| Failure::new(format!("the server's answer cannot be read: {error}")))
}

/// Events of a run, as they come. An item of `Err` is a connection that broke.
pub type Events = std::pin::Pin<Box<dyn Stream<Item = Result<Value, String>>>>;

fn events(response: Response) -> Events {
    use eventsource_stream::Eventsource as _;
    let events = response.bytes_stream().eventsource().map(|event| {
        let event = event.map_err(|error| error.to_string())?;
        serde_json::from_str(&event.data).map_err(|error| error.to_string())
    });
    Box::pin(events)
}

/// A plain client, which goes nowhere but where it is sent.
pub fn http(base: &str) -> Result<Http, Failure> {
    Http::builder()
        .tls_backend_preconfigured(tls(base)?)
        .connect_timeout(Duration::from_secs(10))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .map_err(|error| Failure::new(format!("cannot speak HTTP: {error}")))
}

/// The platform's certificates; none where they are not needed.
fn tls(base: &str) -> Result<rustls::ClientConfig, Failure> {
    let bad = |error: rustls::Error| Failure::new(format!("cannot use TLS: {error}"));
    let builder = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(bad)?;
    let builder = if base.starts_with("https:") {
        builder.with_platform_verifier().map_err(bad)?
    } else {
        builder.with_root_certificates(rustls::RootCertStore::empty())
    };
    Ok(builder.with_no_client_auth())
}
