//! An answer as text.

use super::fetch::{Answer, LONGEST_BODY};
use super::html;
use countersign_runtime::ports::Report;
use encoding_rs::{Encoding, UTF_8};
use reqwest::Url;

/// How an answer is shown.
pub struct Shown<'a> {
    /// How many bytes of text at most.
    pub most: usize,
    /// Where it came from.
    pub url: &'a Url,
}

/// How far a page is searched for the name of its encoding.
const SEARCHED: usize = 1024;

impl Shown<'_> {
    /// What the agent is told of `answer`.
    pub fn report(&self, answer: &Answer) -> Result<Report, String> {
        let status = answer.status;
        let kind = Kind::of(answer).ok_or_else(|| {
            let what = answer.content_type.as_deref().unwrap_or("binary data");
            format!("{status} from `{}`: it is `{what}`, not text. Nothing of it is shown.", self.url)
        })?;
        let text = decoded(answer, kind);
        let text = if kind == Kind::Html { html::text(&text, self.url) } else { text };
        let mut output = format!("{status} from `{}`\n\n", self.url);
        let shown = text.floor_char_boundary(self.most);
        output.push_str(text.get(..shown).unwrap_or_default());
        let left_out = text.len() - shown;
        if left_out > 0 {
            output.push_str(&format!("\n[… {left_out} more bytes of text left out …]"));
        }
        if answer.is_cut {
            output.push_str(&format!("\n[… the answer goes on: only its first {LONGEST_BODY} bytes were read …]"));
        }
        Ok(Report { output, failed: !status.is_success() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Text,
}

impl Kind {
    /// `None`: it is not text.
    fn of(answer: &Answer) -> Option<Self> {
        let named = answer.content_type.as_deref().map(|named| named.split(';').next().unwrap_or_default().trim());
        let kind = match named.map(str::to_ascii_lowercase).as_deref() {
            Some("text/html" | "application/xhtml+xml") => Self::Html,
            Some(
                "application/json"
                | "application/ld+json"
                | "application/x-ndjson"
                | "application/xml"
                | "application/javascript"
                | "application/yaml"
                | "application/x-yaml"
                | "application/toml"
                | "application/sql"
                | "application/graphql",
            ) => Self::Text,
            Some(text) if text.starts_with("text/") || text.ends_with("+json") || text.ends_with("+xml") => Self::Text,
            None if answer.body.is_empty() || str::from_utf8(&answer.body).is_ok() => Self::Text,
            _ => return None,
        };
        // Whatever it calls itself, this is in no text; save in those of two bytes a letter, which start with a mark.
        let is_wide = answer.body.starts_with(&[0xFF, 0xFE]) || answer.body.starts_with(&[0xFE, 0xFF]);
        let is_named_wide = charset(answer).is_some_and(|charset| charset.name().starts_with("UTF-16"));
        (is_wide || is_named_wide || !answer.body.contains(&0)).then_some(kind)
    }
}

/// The encoding that the answer names.
fn charset(answer: &Answer) -> Option<&'static Encoding> {
    let (_, named) = answer.content_type.as_deref()?.split_once("charset=")?;
    let named = named.split(';').next().unwrap_or_default();
    Encoding::for_label(named.trim().trim_matches(['"', '\'']).as_bytes())
}

/// A mark at the beginning decides, then what the answer says, then what the page says of itself.
fn decoded(answer: &Answer, kind: Kind) -> String {
    let of_page = || {
        let start = answer.body.get(..SEARCHED).unwrap_or(&answer.body).to_ascii_lowercase();
        let start = String::from_utf8_lossy(&start).into_owned();
        let (_, named) = start.split_once("charset=").filter(|_| kind == Kind::Html)?;
        let named: String = named
            .trim_start_matches(['"', '\''])
            .chars()
            .take_while(|c| c.is_alphanumeric() || "-_:".contains(*c))
            .collect();
        Encoding::for_label(named.as_bytes())
    };
    let encoding = charset(answer).or_else(of_page).unwrap_or(UTF_8);
    encoding.decode(&answer.body).0.into_owned()
}
