//! Secrets in what passes through: finding them, masking them, and putting them back byte for byte.
//!
//! A secret is known by a schema's mark, by the name before it, or by its looks; paths, hosts, amounts, digests and ids
//! never are secrets. What is known of names and looks stands in `data/`, and can be added to without reading on.
//!
//! Masking hides as little as it can: somebody decides on what is left. So a masked value never covers an operator of a
//! shell, and what only says where a secret is (`$TOKEN`, `<your-token>`) stays readable.

mod args;
mod assigned;
mod command;
mod cookie;
mod jwt;
mod key;
mod live;
mod masker;
mod name;
mod pem;
mod placeholder;
mod quotes;
mod reference;
mod scan;
mod schema;
mod shape;
mod url;
mod value;
mod view;

pub use args::{mask_args, unmask_args};
pub use key::Key;
pub use live::Live;
pub use masker::{Marks, Masker, Secrets};
pub use placeholder::{BadPlaceholder, Placeholder};

use std::ops::Range;

/// One secret that was found, and where it stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The bytes of the text that are the secret, and nothing else.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a secret is, in a word or two for people: `password`, `github token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind(&'static str);

impl Kind {
    /// What a schema marks as secret without saying what it is.
    pub const MARKED: Self = Self("marked secret");
    /// What only looks as if a secret stood there.
    const PLACEHOLDER: Self = Self("placeholder");

    /// The word or two.
    pub const fn word(self) -> &'static str {
        self.0
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// All secrets in `text`, in order, none overlapping another. Takes time linear in its length.
pub fn in_text(text: &str) -> Vec<Found> {
    scan::scan(text)
}

/// Puts each secret of `text` away with `put`, and what `put` gives in its place.
///
/// `put` is to give the text of a [`Placeholder`]. Masking what is masked already changes nothing.
pub fn mask_text(text: &mut String, put: &mut dyn FnMut(&str, Kind) -> String) {
    // With one secret gone another may stand out, so it is looked for until none is left. Each round leaves less.
    for _ in 0..MOST_ROUNDS {
        let found = in_text(text);
        if found.is_empty() {
            return;
        }
        *text = replaced(text, &found, put);
    }
}

/// Puts back what stood at each placeholder of `text` that `get` knows; `get` is given the placeholder's text.
///
/// What it gives is not looked through again: a secret that looks like a placeholder stays what it is.
pub fn unmask_text(text: &mut String, get: &dyn Fn(&str) -> Option<String>) {
    let places = placeholder::ranges(text);
    if places.is_empty() {
        return;
    }
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for place in places {
        let Some(secret) = text.get(place.clone()).and_then(get) else { continue };
        out.push_str(text.get(from..place.start).unwrap_or_default());
        out.push_str(&secret);
        from = place.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    *text = out;
}

/// The text without its secrets, for whoever is never to know them.
pub fn hidden(text: &str) -> String {
    let mut text = text.to_owned();
    mask_text(&mut text, &mut |_, kind| format!("⟦secret: {kind}⟧"));
    text
}

const MOST_ROUNDS: usize = 8;

fn replaced(text: &str, found: &[Found], put: &mut dyn FnMut(&str, Kind) -> String) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for Found { range, kind } in found {
        out.push_str(text.get(from..range.start).unwrap_or_default());
        out.push_str(&put(text.get(range.clone()).unwrap_or_default(), *kind));
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}
