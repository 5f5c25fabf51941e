//! Who may speak to us at all: the right host, and for a browser with a cookie the right page.

use crate::{Problem, Site, health};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Refuses requests that another site may have sent. Whatever is answered, a browser is told what it must not do with it.
pub async fn checked(site: &Site, request: Request, next: Next) -> Response {
    let is_api = is_api(request.uri());
    let mut response = match refusal(site, &request) {
        // What follows on the same connection may not be what its sender means.
        Some(problem) => ([(header::CONNECTION, "close")], problem).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.reserve(HEADERS.len() + 1);
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_api {
        // Whoever sits down at the browser after somebody signed out finds nothing of theirs.
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// What every answer says to browsers.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'",
    ),
];

fn is_api(uri: &Uri) -> bool {
    uri.path().strip_prefix("/api").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn refusal(site: &Site, request: &Request) -> Option<Problem> {
    let headers = request.headers();
    if headers.contains_key(header::TRANSFER_ENCODING) && headers.contains_key(header::CONTENT_LENGTH) {
        return Some(Problem::invalid("`Content-Length` and `Transfer-Encoding` say two things: send one of them"));
    }
    if !host_is_ours(site, request) {
        let detail = "the `Host` of this request is not one that this server answers to: set `server.public_url` to the \
                      address that people use, and have a proxy pass on the `Host` it was asked for";
        return Some(Problem::denied(detail));
    }
    // No page can send a token that it does not know, whatever site it is of.
    if headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    let from_elsewhere = || Some(Problem::denied("this request comes from another site's page"));
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        let by_cookie = is_api(request.uri()) && headers.contains_key(header::COOKIE);
        return if by_cookie && !page_is_ours(headers) { from_elsewhere() } else { None };
    }
    if !origin_is_ours(site, headers) || !page_is_ours(headers) {
        return from_elsewhere();
    }
    if headers.contains_key(header::COOKIE) && has_body(headers) && !is_json(headers) {
        let detail = "a browser sends its body as `Content-Type: application/json`";
        return Some(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE", detail));
    }
    None
}

/// Only names that are known to be ours are answered: a page elsewhere whose name suddenly means this machine gets nothing of
/// anybody's. Beyond this machine these are the public one and bare addresses, which nobody can rebind; a program with a token,
/// or whoever only looks whether the server is well, may call it by whatever name their network has for it.
fn host_is_ours(site: &Site, request: &Request) -> bool {
    let Some(host) = host(request.headers()) else { return false };
    // A whole address in the request's first line counts before `Host`, to those who take it.
    if request.uri().authority().is_some_and(|named| !named.as_str().eq_ignore_ascii_case(host)) {
        return false;
    }
    if site.is_public(host) {
        return true;
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() && !port.starts_with('+') => name,
        _ => host,
    };
    if ["localhost", "127.0.0.1", "[::1]"].iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
        return true;
    }
    let headers = request.headers();
    // Browsers name the page they are at, programs do not.
    let is_program = headers.contains_key(header::AUTHORIZATION)
        && !headers.contains_key(header::ORIGIN)
        && !headers.contains_key("sec-fetch-site");
    !site.loopback && (is_address(name) || is_program || health::is_watched(request.uri().path()))
}

fn is_address(name: &str) -> bool {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    inner.map_or_else(|| name.parse::<Ipv4Addr>().is_ok(), |inner| inner.parse::<Ipv6Addr>().is_ok())
}

/// The one host that is named. Of several, the next one to look may take another.
fn host(headers: &HeaderMap) -> Option<&str> {
    only(headers, &header::HOST)?.to_str().ok()
}

/// The header, if it is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// A browser names the page that a changing request comes from. Programs name none, and have no cookie either.
fn origin_is_ours(site: &Site, headers: &HeaderMap) -> bool {
    if !headers.contains_key(header::ORIGIN) {
        return !headers.contains_key(header::COOKIE);
    }
    let origin = only(headers, &header::ORIGIN).and_then(|origin| origin.to_str().ok()).unwrap_or_default();
    let Some((scheme, named)) = origin.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
    else {
        return false;
    };
    // The same name without encryption may be anybody on the way.
    if site.is_public(named) {
        return site.public_scheme() == Some(scheme);
    }
    host(headers).is_some_and(|host| host.eq_ignore_ascii_case(named))
}

/// Newer browsers also say whose page it is, in a header that no page can set. `none` is the person, at the address bar.
fn page_is_ours(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    sites.all(|site| site == "same-origin" || site == "none")
}

fn has_body(headers: &HeaderMap) -> bool {
    let is_long = headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
    is_long || [header::TRANSFER_ENCODING, header::CONTENT_TYPE].iter().any(|name| headers.contains_key(name))
}

/// What a page can send to another site without asking first is never this.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = only(headers, &header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

impl Site {
    /// Whether browsers reach it over an encrypted connection.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.public_scheme() == Some("https")
    }

    fn public_scheme(&self) -> Option<&str> {
        self.public_url.as_deref()?.split_once("://").map(|(scheme, _)| scheme)
    }

    /// Whether this is the host (and port) of the public address.
    fn is_public(&self, host: &str) -> bool {
        let public = self.public_url.as_deref().and_then(|url| url.split_once("://"));
        let public = public.and_then(|(_, rest)| rest.split('/').next());
        public.is_some_and(|public| public.eq_ignore_ascii_case(host))
    }
}
