//! How an endpoint is reached.

use crate::Secret;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Proxy, Url, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::Arc;
use std::time::Duration;

/// How an endpoint is reached.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where its API starts, such as `https://api.openai.com/v1` or `https://api.anthropic.com`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The key, where it needs one.
    pub key: Option<Secret>,
    /// Headers to send along; their values are kept as secret as the key.
    pub headers: Vec<(String, Secret)>,
    /// The proxy on the way, such as `http://proxy.example:3128`.
    pub proxy: Option<String>,
    /// The most tokens an answer may have.
    pub max_tokens: Option<u32>,
    /// How freely it chooses its words.
    pub temperature: Option<f64>,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long the endpoint may be silent, before its answer and within it.
    pub idle_timeout: Duration,
    /// The pause before the second attempt; it doubles from one to the next.
    pub first_pause: Duration,
}

impl Settings {
    /// The settings for `model` at `base_url`: no key, and time-outs that suit most.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            headers: Vec::new(),
            proxy: None,
            max_tokens: None,
            temperature: None,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(2),
            first_pause: Duration::from_millis(500),
        }
    }

    /// The address of `path` in its API.
    pub(crate) fn address(&self, path: &[&str]) -> Result<Url, BadSettings> {
        let mut url = Url::parse(&self.base_url).map_err(|error| BadSettings::BaseUrl(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BadSettings::BaseUrl("it must start with `http://` or `https://`".to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadSettings::BaseUrl("a key belongs into `api_key`, not into the address".to_owned()));
        }
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        Ok(url)
    }

    /// A client for `address`, which sends `headers` and our own.
    pub(super) fn client(&self, address: &Url, headers: HeaderMap) -> Result<Client, BadSettings> {
        let mut builder = Client::builder()
            .tls_backend_preconfigured(self.tls(address)?)
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .default_headers(self.with_own(headers)?)
            .connect_timeout(self.connect_timeout)
            // A key is for the address it was given for, and nowhere else.
            .redirect(redirect::Policy::none())
            // Attempts are counted in one place.
            .retry(reqwest::retry::never())
            .no_proxy();
        if let Some(proxy) = &self.proxy {
            // The address of a proxy may hold a password, so the reason is not repeated.
            builder = builder.proxy(Proxy::all(proxy).map_err(|_| BadSettings::Proxy)?);
        }
        builder.build().map_err(|error| BadSettings::Client(error.to_string()))
    }

    /// The key as a header is to say it, if there is one.
    pub(crate) fn key_as(&self, said: impl Fn(&str) -> String) -> Result<Option<HeaderValue>, BadSettings> {
        self.key.as_ref().map(|key| unprinted(&said(key.reveal())).ok_or(BadSettings::Key)).transpose()
    }

    /// `map` with our own headers, which count where both name one.
    fn with_own(&self, mut map: HeaderMap) -> Result<HeaderMap, BadSettings> {
        for (name, value) in &self.headers {
            let bad = || BadSettings::Header(name.clone());
            let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
            map.insert(known, unprinted(value.reveal()).ok_or_else(bad)?);
        }
        Ok(map)
    }

    /// The platform's certificates; none where they are not needed, so that a local endpoint works without any.
    fn tls(&self, address: &Url) -> Result<ClientConfig, BadSettings> {
        let bad = |error: rustls::Error| BadSettings::Certificates(error.to_string());
        let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(bad)?;
        let builder = if address.scheme() == "https" || self.proxy.is_some() {
            builder.with_platform_verifier().map_err(bad)?
        } else {
            builder.with_root_certificates(RootCertStore::empty())
        };
        Ok(builder.with_no_client_auth())
    }
}

/// A header that no log prints.
fn unprinted(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Why settings cannot be used. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSettings {
    /// The address is none.
    #[error("`base_url` cannot be used: {0}")]
    BaseUrl(String),
    /// The key cannot be sent.
    #[error("`api_key` holds a character that no header may hold, such as a line break")]
    Key,
    /// A header cannot be sent.
    #[error("the header `{0}` has a name or a value that no header may have")]
    Header(String),
    /// The proxy's address is none.
    #[error("`proxy` is no address of a proxy, such as `http://proxy.example:3128`")]
    Proxy,
    /// There is nothing to know a good server by.
    #[error("the certificates of this machine cannot be used: {0}")]
    Certificates(String),
    /// The client cannot be made.
    #[error("no client can be made: {0}")]
    Client(String),
}
