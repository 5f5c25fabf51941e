//! Patterns over URLs: scheme, host, port and path. The query is data.

use super::glob::{Glob, Token};
use super::parse::{Piece, char_of};
use countersign_domain::describe::UrlPart;
use countersign_domain::describe::url::{host, plainly_encoded};

/// A pattern over URLs.
#[derive(Debug, Clone)]
pub(crate) struct UrlPattern {
    /// `None` where only a host was written: https in what allows, any scheme in a denial.
    scheme: Option<String>,
    host: HostPattern,
    port: Option<u16>,
    path: Option<Glob>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostPattern {
    /// `*` alone: one label in what allows, every host in a denial.
    Any,
    /// This host.
    Exact(String),
    /// These labels, one glob each; before them one label or more, if `below`.
    Labels { labels: Vec<Glob>, below: bool },
}

impl UrlPattern {
    pub(super) fn new(pieces: &[Piece]) -> Result<Self, &'static str> {
        let (scheme, rest) = scheme(pieces)?;
        let end = rest.iter().position(|&piece| piece == Piece::Slash).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (host, port) = port(authority, scheme.as_deref().or(Some("https")))?;
        let path = match path {
            [] => None,
            path => Some(Glob::new(path_tokens(path)?, None)),
        };
        Ok(Self { scheme, host: HostPattern::new(host)?, port, path })
    }

    /// In what allows: the very scheme, host and port, and nothing odd about the URL.
    pub(super) fn covers(&self, url: &UrlPart) -> bool {
        url.odd.is_none()
            && self.scheme.as_deref().unwrap_or("https") == url.scheme
            && self.port == url.port
            && url.host.as_deref().is_some_and(|host| self.host.matches(host))
            && self.fits_path(url)
    }

    /// Why it does not cover an address that looks like one it covers.
    pub(super) fn objection(&self, url: &UrlPart) -> Option<String> {
        let odd = url.odd.filter(|_| self.covers(&UrlPart { odd: None, ..url.clone() }))?;
        Some(format!("no pattern covers the address: {odd}"))
    }

    /// In a denial: where no port was written any port is meant, where no scheme was written any scheme, and a host that
    /// is only `*` is every host, be it a name, an address or none.
    pub(super) fn hits(&self, url: &UrlPart) -> bool {
        self.scheme.as_ref().is_none_or(|scheme| *scheme == url.scheme)
            && (self.port.is_none() || self.port == url.port)
            && (self.host == HostPattern::Any || url.host.as_deref().is_some_and(|host| self.host.matches(host)))
            && self.fits_path(url)
    }

    fn fits_path(&self, url: &UrlPart) -> bool {
        self.path.as_ref().is_none_or(|path| path.matches(&url.path))
    }
}

impl HostPattern {
    fn new(pieces: &[Piece]) -> Result<Self, &'static str> {
        const NO_HOST: &str = "a URL pattern needs a host, as in `https://*.example.com/**` or `example.com`";
        if !pieces.contains(&Piece::Star) {
            let text: String = pieces.iter().map(|&piece| char_of(piece)).collect();
            // `./x` is a path that somebody wrote for an address: `.` is no host.
            let named = host(&text).filter(|host| host.split('.').all(|label| !label.is_empty()));
            return named.map(Self::Exact).ok_or(NO_HOST);
        }
        if pieces.iter().all(|&piece| piece == Piece::Star) {
            return Ok(Self::Any);
        }
        let mut labels: Vec<&[Piece]> = pieces.split(|&piece| piece == Piece::Char('.')).collect();
        if labels.last().is_some_and(|label| label.is_empty()) {
            labels.pop();
        }
        if labels.iter().any(|label| label.is_empty()) {
            return Err(NO_HOST);
        }
        let below = labels.len() > 1 && labels.first().is_some_and(|label| **label == [Piece::Star]);
        let labels = labels.into_iter().skip(usize::from(below)).map(label).collect::<Option<_>>().ok_or(NO_HOST)?;
        Ok(Self::Labels { labels, below })
    }

    fn matches(&self, host: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == host,
            // An address has no labels.
            Self::Any | Self::Labels { .. } if host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok() => {
                false
            }
            Self::Any => !host.contains('.'),
            Self::Labels { labels, below } => {
                let names: Vec<&str> = host.split('.').collect();
                let Some(extra) = names.len().checked_sub(labels.len()) else { return false };
                let fits = if *below { extra >= 1 } else { extra == 0 };
                fits && names.iter().skip(extra).zip(labels).all(|(name, label)| label.matches(name))
            }
        }
    }
}

/// One label of a host: letters of other scripts as the URL standard writes them; with a wildcard, only ASCII.
fn label(pieces: &[Piece]) -> Option<Glob> {
    if pieces.contains(&Piece::Star) {
        let tokens = pieces.iter().map(|&piece| match piece {
            Piece::Star => Some(Token::Many),
            Piece::Char(c) if c.is_ascii_alphanumeric() || c == '-' || c == '_' => {
                Some(Token::Char(c.to_ascii_lowercase()))
            }
            _ => None,
        });
        return Some(Glob::new(tokens.collect::<Option<_>>()?, None));
    }
    let text: String = pieces.iter().map(|&piece| char_of(piece)).collect();
    // A label of digits alone would be read as an address.
    let name = if text.bytes().all(|b| b.is_ascii_digit()) { text } else { host(&text)? };
    Some(Glob::new(name.chars().map(Token::Char).collect(), None))
}

fn scheme(pieces: &[Piece]) -> Result<(Option<String>, &[Piece]), &'static str> {
    let Some(colon) = pieces.windows(3).position(|three| three == [Piece::Char(':'), Piece::Slash, Piece::Slash])
    else {
        return Ok((None, pieces));
    };
    let (scheme, rest) = pieces.split_at(colon);
    let letter = |&piece: &Piece| match piece {
        Piece::Char(c) if c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.') => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    let scheme: Option<String> = scheme.iter().map(letter).collect();
    let scheme = scheme
        .filter(|scheme| !scheme.is_empty())
        .ok_or("the scheme must be written out, as in `https://…`; a denial without one is for every scheme")?;
    Ok((Some(scheme), rest.get(3..).unwrap_or_default()))
}

fn port<'a>(authority: &'a [Piece], scheme: Option<&str>) -> Result<(&'a [Piece], Option<u16>), &'static str> {
    let after_address = authority.iter().rposition(|&piece| piece == Piece::Char(']')).unwrap_or(0);
    let colon = authority.iter().rposition(|&piece| piece == Piece::Char(':')).filter(|&at| at >= after_address);
    let Some(colon) = colon else { return Ok((authority, None)) };
    let (host, port) = authority.split_at(colon);
    let digits: String = port.iter().skip(1).map(|&piece| char_of(piece)).collect();
    if host == DOMAIN {
        return Err("leave out `domain:`: a host alone, as in `example.com`, is for its every path");
    }
    let port: u16 = digits.parse().map_err(|_| "the port must be a number, as in `example.com:8443`")?;
    Ok((host, Some(port).filter(|&port| scheme.and_then(standard_port) != Some(port))))
}

/// How some coding agents introduce a host.
const DOMAIN: [Piece; 6] =
    [Piece::Char('d'), Piece::Char('o'), Piece::Char('m'), Piece::Char('a'), Piece::Char('i'), Piece::Char('n')];

/// The path: both `*` and `**` are anything; other characters as the URL standard writes them.
fn path_tokens(pieces: &[Piece]) -> Result<Vec<Token>, &'static str> {
    let mut out = Vec::new();
    for &piece in pieces {
        match piece {
            Piece::Star if out.last() == Some(&Token::Many) => {}
            Piece::Star => out.push(Token::Many),
            Piece::Question | Piece::Char('?' | '#') => {
                return Err("the query is not part of a URL pattern: leave out `?` and what follows");
            }
            piece => match char_of(piece) {
                c @ (' ' | '"' | '<' | '>' | '`' | '{' | '}') => out.extend(percent(c)),
                c if c.is_ascii() => out.push(Token::Char(c)),
                c => out.extend(percent(c)),
            },
        }
    }
    Ok(evenly_encoded(&out))
}

/// The same tokens, encoded as the paths of URLs are.
fn evenly_encoded(tokens: &[Token]) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    for (i, run) in tokens.split(|token| *token == Token::Many).enumerate() {
        if i > 0 {
            out.push(Token::Many);
        }
        let text: String =
            run.iter().filter_map(|token| if let Token::Char(c) = token { Some(*c) } else { None }).collect();
        out.extend(plainly_encoded(&text).chars().map(Token::Char));
    }
    out
}

fn percent(c: char) -> Vec<Token> {
    let mut bytes = [0; 4];
    let encoded = c.encode_utf8(&mut bytes).bytes().flat_map(|byte| format!("%{byte:02X}").chars().collect::<Vec<_>>());
    encoded.map(Token::Char).collect()
}

fn standard_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}
