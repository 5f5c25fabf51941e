//! One pass over a text: an automaton finds all places where a secret may be, and each is looked at closely.

use super::name::NAMES;
use super::quotes::Quotes;
use super::shape::SHAPES;
use super::view::View;
use super::{Found, Kind, assigned, command, jwt, pem, placeholder, url};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::ops::Range;
use std::sync::LazyLock;

/// What may be where an anchor stands.
#[derive(Clone, Copy)]
enum Anchor {
    Shape(usize),
    /// A word that names of secrets end in.
    Name,
    Foreign(&'static str, Kind),
    Bearer(&'static str),
    Program(&'static str),
    Url,
    Jwt,
    Pem,
}

struct Automaton {
    search: AhoCorasick,
    anchors: Vec<Anchor>,
}

static AUTOMATON: LazyLock<Option<Automaton>> = LazyLock::new(|| {
    let (texts, anchors): (Vec<String>, Vec<Anchor>) = anchors().unzip();
    let search = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(texts).ok()?;
    Some(Automaton { search, anchors })
});

/// All texts that are looked for. Names are looked for in the three ways that people write them.
fn anchors() -> impl Iterator<Item = (String, Anchor)> {
    let shapes = SHAPES.iter().enumerate().map(|(i, shape)| (shape.anchor.to_owned(), Anchor::Shape(i)));
    let names = NAMES.anchors.iter().flat_map(|word| {
        let title = word.chars().next().into_iter().flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect();
        [(*word).to_owned(), title, word.to_uppercase()].map(|word| (word, Anchor::Name))
    });
    let foreign = NAMES.foreign.iter().map(|&(name, kind)| (name.to_owned(), Anchor::Foreign(name, kind)));
    let bearer = ["Bearer ", "bearer ", "BEARER "].map(|word| (word.to_owned(), Anchor::Bearer(word)));
    let mut programs: Vec<_> = command::TAKERS.iter().map(|taker| taker.program).collect();
    programs.sort_unstable();
    programs.dedup();
    let programs = programs.into_iter().map(|program| (format!("{program} "), Anchor::Program(program)));
    let others = [(url::ANCHOR, Anchor::Url), (jwt::ANCHOR, Anchor::Jwt), (pem::ANCHOR, Anchor::Pem)];
    let others = others.map(|(text, anchor)| (text.to_owned(), anchor));
    shapes.chain(names).chain(foreign).chain(bearer).chain(programs).chain(others)
}

/// All secrets in `text`, in order, none overlapping another.
pub(super) fn scan(text: &str) -> Vec<Found> {
    let Some(Automaton { search, anchors }) = &*AUTOMATON else { return Vec::new() };
    let mut hits = search.find_overlapping_iter(text).peekable();
    // As it is with most texts.
    if hits.peek().is_none() {
        return Vec::new();
    }
    let mut look = Look::new(text);
    for hit in hits {
        if let Some(anchor) = anchors.get(hit.pattern().as_usize()) {
            look.at(hit.range(), *anchor);
        }
    }
    look.ended(text)
}

/// Where the first place is at which a secret may begin.
pub(super) fn first_anchor(text: &str) -> Option<usize> {
    let Some(Automaton { search, .. }) = &*AUTOMATON else { return Some(0) };
    search.find_overlapping_iter(text).map(|hit| hit.start()).min()
}

/// A text that is looked at from its start to its end.
struct Look<'t> {
    view: View<'t>,
    quotes: Quotes<'t>,
    masked: Vec<Range<usize>>,
    /// How many of `masked` lie behind.
    passed: usize,
    found: Vec<Found>,
    /// Up to here everything is found already. What is looked at is looked at once, so the time is linear.
    done: usize,
    named: usize,
    commanded: usize,
}

impl<'t> Look<'t> {
    fn new(text: &'t str) -> Self {
        let view = View(text);
        let masked = placeholder::ranges(text);
        Self { view, quotes: Quotes::new(view), masked, passed: 0, found: Vec::new(), done: 0, named: 0, commanded: 0 }
    }

    fn at(&mut self, hit: Range<usize>, anchor: Anchor) {
        let at = hit.start;
        if at < self.done || self.is_masked(at) {
            return;
        }
        let view = self.view;
        match anchor {
            Anchor::Shape(i) => self.add(SHAPES.get(i).and_then(|shape| shape.at(view, at))),
            Anchor::Jwt => self.add(jwt::at(view, at)),
            Anchor::Pem => self.add(pem::at(view, at)),
            Anchor::Url => {
                let within = self.quotes.at(at);
                self.add(url::at(view, at, within));
            }
            Anchor::Bearer(word) => self.add(assigned::bearer(view, at + word.len())),
            Anchor::Foreign(name, kind) => self.add(assigned::after_foreign(view, at + name.len(), kind)),
            Anchor::Name if at >= self.named && assigned::may_end_name(view, &hit) => {
                let name = assigned::name_at(view, at);
                self.named = name.end;
                let found = assigned::after(view, &name, &mut self.quotes);
                self.add(found);
            }
            Anchor::Program(program) if at >= self.commanded => {
                let (found, end) = command::at(view, at, program);
                self.commanded = end;
                self.found.extend(found);
            }
            Anchor::Name | Anchor::Program(_) => {}
        }
    }

    fn add(&mut self, found: impl IntoIterator<Item = Found>) {
        for found in found {
            self.done = self.done.max(found.range.end);
            self.found.push(found);
        }
    }

    fn is_masked(&mut self, at: usize) -> bool {
        while self.masked.get(self.passed).is_some_and(|masked| masked.end <= at) {
            self.passed += 1;
        }
        self.masked.get(self.passed).is_some_and(|masked| masked.start <= at)
    }

    /// What was found, in order, those that overlap as one, and nothing of a placeholder.
    fn ended(mut self, text: &str) -> Vec<Found> {
        let (found, masked) = (&mut self.found, &self.masked);
        found.retain(|one| text.get(one.range.clone()).is_some_and(|secret| !secret.is_empty()));
        found.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
        found.dedup_by(|one, last| {
            let overlaps = one.range.start < last.range.end;
            last.range.end = if overlaps { last.range.end.max(one.range.end) } else { last.range.end };
            overlaps
        });
        found.retain(|one| {
            let first = masked.partition_point(|masked| masked.end <= one.range.start);
            masked.get(first).is_none_or(|masked| masked.start >= one.range.end)
        });
        self.found
    }
}
