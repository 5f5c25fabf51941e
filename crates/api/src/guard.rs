//! Who may speak to us at all: the right host, and for a browser with a cookie the right page.

use crate::{Api, Problem, Site};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Refuses requests that another site may have sent.
pub async fn check(State(api): State<Api>, request: Request, next: Next) -> Response {
    let (site, headers) = (&api.site, request.headers());
    if !host_is_ours(site, headers) {
        return Problem::denied(
            "the `Host` of this request is not one that this server answers to; set `server.public_url`",
        )
        .into_response();
    }
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let by_cookie = !headers.contains_key(header::AUTHORIZATION);
    if !reads && by_cookie && !origin_is_ours(site, headers) {
        return Problem::denied("this request comes from another site's page").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'",
        ),
    ] {
        headers.entry(name).or_insert(header::HeaderValue::from_static(value));
    }
    response
}

/// On a loopback address only names of this machine are answered: a page elsewhere whose name suddenly means this machine
/// gets nothing.
fn host_is_ours(site: &Site, headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else { return false };
    if !site.loopback {
        return true;
    }
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
        .map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]") || site.public_host() == Some(host)
}

/// A browser names the page that a changing request comes from. Programs name none, and have no cookie either.
fn origin_is_ours(site: &Site, headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default()) else {
        return !headers.contains_key(header::COOKIE);
    };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let named = origin.split_once("://").map(|(_, host)| host);
    named.is_some() && (named == host || named == site.public_host())
}

impl Site {
    /// The host (and port) of the public address.
    fn public_host(&self) -> Option<&str> {
        let (_, rest) = self.public_url.as_deref()?.split_once("://")?;
        rest.split('/').next()
    }
}
