//! One address, fetched: looked up, asked, and read as far as it may be.

use super::address::{Private, Resolver};
use ipnet::IpNet;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;

/// How much of an answer is read.
pub const LONGEST_BODY: usize = 4 * 1024 * 1024;
/// How often an answer may lead on.
const MOST_HOPS: usize = 5;

/// What fetches.
pub struct Fetcher {
    client: Client,
    resolver: Resolver,
}

/// What came.
pub struct Answer {
    pub status: StatusCode,
    pub content_type: Option<String>,
    pub body: Vec<u8>,
    /// Whether there is more than was read.
    pub is_cut: bool,
}

impl Fetcher {
    /// It reaches the public internet, and these addresses.
    pub fn new(addresses: &[IpNet]) -> Result<Self, String> {
        let resolver = Resolver(addresses.into());
        let broken = |error: &dyn Error| format!("Nothing can be fetched here: {error}");
        let client = Client::builder()
            .tls_backend_preconfigured(tls().map_err(|error| broken(&error))?)
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(resolver.clone())
            // Each hop is looked at here.
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            // A proxy would look names up itself.
            .no_proxy()
            .build()
            .map_err(|error| broken(&error))?;
        Ok(Self { client, resolver })
    }

    /// Fetches `judged`. It is not followed to another host or path: nobody has judged that.
    pub async fn fetch(&self, judged: &Url) -> Result<Answer, String> {
        let mut url = judged.clone();
        for _ in 0..=MOST_HOPS {
            let response = self.ask(&url).await?;
            let Some(next) = next(&response, &url)? else { return read(response).await };
            if !is_same_place(judged, &next) {
                return Err(format!(
                    "{} from `{url}`: it leads to `{next}`, which is another address than was judged. Nothing was fetched \
                     from there; propose it as a call of its own.",
                    response.status()
                ));
            }
            url = next;
        }
        Err(format!("`{judged}` leads on and on: it was given up after {MOST_HOPS} times."))
    }

    async fn ask(&self, url: &Url) -> Result<Response, String> {
        let refused = |private: &Private| {
            format!(
                "`{url}` is not fetched: {private}. Whoever runs this server can name addresses that may be reached under \
                 `sandbox.addresses`."
            )
        };
        // What is an address already is never looked up.
        let literal = url.host_str().and_then(|host| host.trim_matches(['[', ']']).parse::<IpAddr>().ok());
        if let Some(address) = literal {
            self.resolver.check(address).map_err(|private| refused(&private))?;
        }
        let accepted =
            "text/html, text/plain, text/markdown, application/json, application/xml;q=0.9, text/*;q=0.8, */*;q=0.1";
        let sent = self.client.get(url.clone()).header(ACCEPT, accepted).send().await;
        sent.map_err(|error| match private(&error) {
            Some(private) => refused(private),
            None => format!("`{url}` could not be fetched: {}", cause(&error)),
        })
    }
}

/// The platform's certificates.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_platform_verifier()?.with_no_client_auth())
}

/// Where an answer leads, if it does.
fn next(response: &Response, url: &Url) -> Result<Option<Url>, String> {
    if !response.status().is_redirection() {
        return Ok(None);
    }
    let Some(given) = response.headers().get(LOCATION) else { return Ok(None) };
    let given = String::from_utf8_lossy(given.as_bytes());
    let next = url.join(&given).map_err(|error| format!("`{url}` leads to what is no address: {error}."))?;
    Ok(Some(next))
}

/// Whether `next` is what was judged: the same host and path, perhaps with TLS, a slash at the end or another query.
fn is_same_place(judged: &Url, next: &Url) -> bool {
    let is_upgrade =
        judged.scheme() == "http" && next.scheme() == "https" && judged.port().is_none() && next.port().is_none();
    let same_scheme =
        judged.scheme() == next.scheme() && judged.port_or_known_default() == next.port_or_known_default();
    let plain = next.username().is_empty() && next.password().is_none();
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    plain && (same_scheme || is_upgrade) && judged.host() == next.host() && path(judged) == path(next)
}

async fn read(mut response: Response) -> Result<Answer, String> {
    let header =
        |name| response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let (status, content_type, encoding) = (response.status(), header(CONTENT_TYPE), header(CONTENT_ENCODING));
    if let Some(encoding) = encoding.filter(|encoding| encoding != "identity") {
        return Err(format!("The answer is packed as `{encoding}`, which was not asked for. Nothing of it is shown."));
    }
    let mut body = vec![];
    while let Some(chunk) =
        response.chunk().await.map_err(|error| format!("The answer broke off: {}", cause(&error)))?
    {
        let room = LONGEST_BODY - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            return Ok(Answer { status, content_type, body, is_cut: true });
        }
    }
    Ok(Answer { status, content_type, body, is_cut: false })
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}

fn private(error: &reqwest::Error) -> Option<&Private> {
    chain(error).find_map(|error| error.downcast_ref())
}

/// The innermost reason, which is the one that tells something.
fn cause(error: &reqwest::Error) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}
