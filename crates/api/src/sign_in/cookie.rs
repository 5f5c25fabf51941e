//! The browser's cookie.

use super::COOKIE;
use crate::Site;
use axum::http::{HeaderMap, header};

/// The cookie that signs a browser in with `secret`.
pub fn of(site: &Site, secret: &str) -> String {
    format!("{}{}", written(site, secret), site.session.as_secs())
}

/// The one that signs it out.
pub fn gone(site: &Site) -> String {
    format!("{}0", written(site, ""))
}

/// For our own pages only, and no script reads it.
fn written(site: &Site, secret: &str) -> String {
    let secure = if site.is_encrypted() { "Secure; " } else { "" };
    format!("{}={secret}; HttpOnly; SameSite=Strict; Path=/; {secure}Max-Age=", name(site))
}

/// Over an encrypted connection its name has a prefix with which browsers take it from nobody but this very host: no other
/// host of the same domain can sign somebody in as somebody else.
fn name(site: &Site) -> String {
    if site.is_encrypted() { format!("__Host-{COOKIE}") } else { COOKIE.to_owned() }
}

/// The browser's session, if it sent one. A token in a header stands alone, and of two sessions neither counts.
pub fn session<'a>(site: &Site, headers: &'a HeaderMap) -> Option<&'a str> {
    if headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    let name = name(site);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
    let cookies = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    let mut sessions = cookies.filter(|(named, _)| *named == name).map(|(_, value)| value);
    let first = sessions.next()?;
    sessions.all(|other| other == first).then_some(first)
}
