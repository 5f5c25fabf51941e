//! URLs, read as the URL standard says.

use crate::disguise;
use ::url::{Host, Url};

/// A URL as a call names it, taken apart. Query and fragment do not matter to patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlPart {
    /// As given.
    pub given: String,
    /// The scheme, in lower case.
    pub scheme: String,
    /// The host in its canonical spelling, without a trailing dot; `None` where the scheme has none.
    pub host: Option<String>,
    /// The port, if it is not the scheme's own.
    pub port: Option<u16>,
    /// The path, dots resolved.
    pub path: String,
    /// Scheme, host, port and path as they are remembered.
    pub shown: String,
    /// Why no wildcard covers it.
    pub odd: Option<&'static str>,
    /// Why no allow at all covers it: readers are known to disagree on where it leads.
    pub deceptive: Option<&'static str>,
}

impl UrlPart {
    /// The URL `given`.
    pub fn read(given: &str) -> Result<Self, String> {
        if given.contains('\0') {
            return Err("it holds a NUL".to_owned());
        }
        let url = Url::parse(given).map_err(|error| error.to_string())?;
        let path = plainly_encoded(url.path());
        let mut shown = url.clone();
        shown.set_fragment(None);
        shown.set_query(None);
        if !shown.cannot_be_a_base() {
            shown.set_path(&path);
        }
        let deceptive = deceptive(given, &url);
        let encoded = encoded_way_out(url.path()).then_some("its path holds an encoded dot, slash or backslash");
        Ok(Self {
            odd: deceptive.or(encoded),
            deceptive,
            scheme: url.scheme().to_owned(),
            host: url.host().map(|host| canonical_host(&host)),
            port: url.port(),
            path,
            shown: shown.into(),
            given: given.to_owned(),
        })
    }
}

/// Letters, digits and `-._~` mean the same encoded and not; one spelling for them, upper case for the rest.
pub fn plainly_encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let Some((byte, left)) = code.zip(after.get(2..)) else {
            out.push('%');
            rest = after;
            continue;
        };
        match char::from(byte) {
            // An encoded dot stays one, so that no segment becomes `..` behind the reader's back.
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '~') => out.push(c),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
        rest = left;
    }
    out.push_str(rest);
    out
}

/// The canonical spelling of the host `text`, if it is one.
pub fn host(text: &str) -> Option<String> {
    let host = Host::parse(text).ok()?;
    Some(match &host {
        Host::Domain(name) => canonical_host(&Host::Domain(name)),
        Host::Ipv4(address) => canonical_host(&Host::Ipv4(*address)),
        Host::Ipv6(address) => canonical_host(&Host::Ipv6(*address)),
    })
}

/// One spelling per host: an IPv4 address inside an IPv6 one is the IPv4 address, a trailing dot is dropped.
fn canonical_host(host: &Host<&str>) -> String {
    match host {
        Host::Domain(name) => name.strip_suffix('.').unwrap_or(name).to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_ipv4_mapped().map_or_else(|| format!("[{address}]"), |v4| v4.to_string()),
    }
}

/// Spellings that clients are known to read differently.
fn deceptive(given: &str, url: &Url) -> Option<&'static str> {
    if disguise::hidden_in(given).is_some() || given.trim() != given {
        Some("it holds a control character, an invisible one or a blank at its ends")
    } else if given.contains('\\') {
        Some("it holds a backslash, which some programs take for a slash")
    } else if !url.username().is_empty() || url.password().is_some() || authority(given).contains('@') {
        Some("it holds credentials")
    } else {
        None
    }
}

fn authority(given: &str) -> &str {
    let after = given.split_once("//").map_or("", |(_, after)| after);
    after.split(['/', '?', '#']).next().unwrap_or_default()
}

/// The standard resolves `%2e%2e`; what is left are slashes, and dots encoded twice.
fn encoded_way_out(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    ["%2f", "%5c", "%2e", "%252e", "%252f", "%255c", "%00"].iter().any(|code| path.contains(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(given: &str) -> UrlPart {
        UrlPart::read(given).unwrap()
    }

    #[test]
    fn hosts_have_one_spelling() {
        for (given, host) in [
            ("https://EVIL.test./x", "evil.test"),
            ("http://2852039166/", "169.254.169.254"),
            ("http://0xA9.0xFE.0xA9.0xFE/", "169.254.169.254"),
            ("http://[::ffff:169.254.169.254]/", "169.254.169.254"),
            ("http://[::1]/", "[::1]"),
            ("https://bücher.example/", "xn--bcher-kva.example"),
            ("https://%65vil.test/", "evil.test"),
        ] {
            assert_eq!(read(given).host.as_deref(), Some(host), "{given}");
        }
        assert_eq!(read("https://github.com:443/x").port, None);
        assert_eq!(read("https://a.test/public/../admin?q#f").path, "/admin");
        assert_eq!(read("https://a.test/x?q=1#f").shown, "https://a.test/x");
    }

    #[test]
    fn odd_urls_are_marked() {
        for given in [
            "https://github.com@evil.test/x",
            "https://github.com:443@evil.test/",
            "https://@evil.test/",
            "https://github.com\\@evil.test/",
            "https://github.com\t.evil.test/",
            " https://a.test/",
            "https://a.test/x/..%2f..%2fadmin",
            "https://a.test/%252e%252e/x",
        ] {
            assert!(read(given).odd.is_some(), "{given:?}");
        }
        assert_eq!(read("https://docs.rs/serde?x=https://evil.test/@y").odd, None);
        assert!(UrlPart::read("not a url").is_err());
    }

    proptest! {
        #[test]
        fn reading_never_panics(given in any::<String>()) {
            let _ = UrlPart::read(&given);
        }
    }
}
