//! Masks what happened in one run, and puts it back.
//!
//! A placeholder is made of the secret by a keyed hash: the same secret has the same one throughout its run, whoever masks
//! it and however often, and nothing need be looked up. Without the key it tells nothing.
//!
//! What somebody writes that looks like a placeholder of the run is words like any other. It is put away as if it were a
//! secret itself, so it comes back as it was written, and nobody gets at a secret by writing where it stood.

use super::args::each_string;
use super::reference::is_made_up;
use super::schema::marks;
use super::{Found, Key, Kind, MOST_ROUNDS, Placeholder, in_text, mask_args, mask_text, placeholder, replaced};
use super::{unmask_args, unmask_text};
use crate::RunId;
use crate::interaction::{Answer, Interaction};
use crate::keyed::keyed;
use crate::run::{Event, Text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The secrets of a text or an event, each by the placeholder that stands in its place.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The secret that the placeholder `place` stands for.
    pub fn get(&self, place: &str) -> Option<String> {
        self.0.get(place).cloned()
    }

    /// Adds others.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Puts them back into `event`.
    pub fn unmask(&self, event: &mut Event) {
        if self.is_empty() {
            return;
        }
        event.texts(&mut |text| match text {
            Text::Words(words) => unmask_text(words, &|place| self.get(place)),
            Text::Args { args, .. } => unmask_args(args, &|place| self.get(place)),
        });
        event.names(&mut |name| unmask_text(name, &|place| self.get(place)));
    }
}

/// Never shows them.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

/// The schemas of tools that mark some of their arguments, by server and tool.
#[derive(Debug, Clone, Default)]
pub struct Marks(BTreeMap<(Option<String>, String), Value>);

impl Marks {
    /// Keeps the schema of a tool's arguments, if it marks any; one that was kept before is gone.
    pub fn learn(&mut self, server: Option<&str>, tool: &str, schema: &Value) {
        let name = (server.map(ToOwned::to_owned), tool.to_owned());
        if marks(schema) {
            self.0.insert(name, schema.clone());
        } else {
            self.0.remove(&name);
        }
    }

    fn of(&self, server: Option<&str>, tool: &str) -> Option<&Value> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&(server.map(ToOwned::to_owned), tool.to_owned()))
    }
}

/// A secret that was found before: it is masked wherever it stands, also where nothing around it says what it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Known {
    value: String,
    kind: String,
}

/// Masks the texts of one run.
#[derive(Clone)]
pub struct Masker {
    key: Key,
    run: Option<RunId>,
    /// Made when the first secret is found: most texts have none.
    maker: Option<Maker>,
    marks: Arc<Marks>,
    /// The longest first.
    known: Vec<Known>,
}

/// The most secrets of a run that are looked for wherever they stand.
const MOST_KNOWN: usize = 1_000;
/// A shorter secret is masked only where it is known for one by what stands around it.
const SHORTEST_KNOWN: usize = 8;

impl Masker {
    /// Whoever masks what happens in `run`, or without one what happens outside of runs.
    pub fn new(key: &Key, run: Option<RunId>) -> Self {
        Self { key: key.clone(), run, maker: None, marks: Arc::default(), known: vec![] }
    }

    /// The same, by what schemas mark too.
    #[must_use]
    pub fn marking(self, marks: Arc<Marks>) -> Self {
        Self { marks, ..self }
    }

    /// The same, with secrets that were found before.
    #[must_use]
    pub fn knowing(mut self, before: &Secrets) -> Self {
        self.know(before);
        self
    }

    /// Masks `events`, which are saved together, and gives the secrets of each.
    pub fn mask(&mut self, events: &mut [Event]) -> Vec<Secrets> {
        let mut all: Vec<_> = events
            .iter_mut()
            .map(|event| {
                let mut found = Secrets::default();
                event.texts(&mut |text| self.find(text, &mut found));
                event.names(&mut |name| self.find(Text::Words(name), &mut found));
                found
            })
            .collect();
        for found in &all {
            self.know(found);
        }
        if !self.known.is_empty() {
            for (event, found) in events.iter_mut().zip(&mut all) {
                event.texts(&mut |text| self.cover(text, found));
                event.names(&mut |name| self.cover(Text::Words(name), found));
            }
        }
        all
    }

    /// Masks a question as it is shown, and gives its secrets.
    pub fn mask_question(&mut self, asked: &mut Interaction) -> Secrets {
        let mut found = Secrets::default();
        asked.texts(&mut |text| self.find(text, &mut found));
        self.know(&found);
        asked.texts(&mut |text| self.cover(text, &mut found));
        found
    }

    /// Masks an answer as it is shown.
    pub fn mask_answer(&mut self, answer: &mut Answer) {
        let mut found = Secrets::default();
        answer.texts(&mut |text| self.find(text, &mut found));
        self.know(&found);
        answer.texts(&mut |text| self.cover(text, &mut found));
    }

    /// Whether a secret stands in `words`, which were made of the call with these arguments.
    pub fn hides(&mut self, server: Option<&str>, tool: &str, args: &Map<String, Value>, words: &str) -> bool {
        let (mut args, mut found, mut masked) = (args.clone(), Secrets::default(), words.to_owned());
        self.find(Text::Args { server, tool, args: &mut args }, &mut found);
        self.know(&found);
        self.mask_words(&mut masked);
        masked != words
    }

    /// Masks some words.
    pub fn mask_words(&mut self, words: &mut String) {
        let mut found = self.find_after("", words);
        self.cover(Text::Words(words), &mut found);
    }

    /// Masks some words that come after `told`, on the same line, and knows their secrets from then on.
    pub(super) fn mask_after(&mut self, told: &str, words: &mut String) {
        let mut found = self.find_after(told, words);
        self.know(&found);
        self.cover(Text::Words(words), &mut found);
    }

    /// Where in `text`, from `from` on, the first known secret stands or may be beginning that does not end by `cut`.
    pub(super) fn first_across(&self, text: &str, from: usize, cut: usize) -> Option<usize> {
        let across = |known: &Known| {
            let first = known.value.chars().next()?;
            let from = from.max((cut + 1).saturating_sub(known.value.len()));
            let from = (from..=cut).find(|&at| text.is_char_boundary(at))?;
            let starts = text.get(from..cut)?.match_indices(first).map(|(at, _)| from + at);
            let is_here = |at: usize| {
                text.get(at..).is_some_and(|rest| rest.starts_with(&*known.value) || known.value.starts_with(rest))
            };
            starts.into_iter().find(|at| is_here(*at))
        };
        self.known.iter().filter_map(across).min()
    }

    fn find_after(&mut self, told: &str, words: &mut String) -> Secrets {
        let mut found = Secrets::default();
        self.escape(words, &mut found);
        for _ in 0..MOST_ROUNDS {
            let whole = format!("{told}{words}");
            let secrets = in_text(&whole).into_iter().filter(|one| one.range.end > told.len()).map(|one| {
                let range = one.range.start.saturating_sub(told.len())..one.range.end - told.len();
                Found { range, ..one }
            });
            let secrets: Vec<_> = secrets.collect();
            if secrets.is_empty() {
                break;
            }
            *words = replaced(words, &secrets, &mut |value, kind| self.put(value, kind.word(), &mut found));
        }
        found
    }

    fn find(&mut self, text: Text<'_>, found: &mut Secrets) {
        match text {
            Text::Words(words) => {
                self.escape(words, found);
                mask_text(words, &mut |value, kind| self.put(value, kind.word(), found));
            }
            Text::Args { server, tool, args } => {
                each_string(args, &mut |text| self.escape(text, found));
                let marks = Arc::clone(&self.marks);
                mask_args(args, marks.of(server, tool), &mut |value, kind| self.put(value, kind.word(), found));
            }
        }
    }

    /// Puts away what looks like a placeholder of ours.
    fn escape(&mut self, text: &mut String, found: &mut Secrets) {
        if !placeholder::may_be_in(text) {
            return;
        }
        let places = placeholder::ranges(text).into_iter();
        let ours: Vec<_> = places
            .filter(|place| text.get(place.clone()).is_some_and(|text| self.maker().made(text)))
            .map(|range| Found { range, kind: Kind::PLACEHOLDER })
            .collect();
        if !ours.is_empty() {
            *text = replaced(text, &ours, &mut |value, kind| self.put(value, kind.word(), found));
        }
    }

    /// Masks what is known by now wherever it stands.
    fn cover(&mut self, text: Text<'_>, found: &mut Secrets) {
        match text {
            Text::Words(words) => self.cover_words(words, found),
            Text::Args { args, .. } => each_string(args, &mut |text| self.cover_words(text, found)),
        }
    }

    fn cover_words(&mut self, words: &mut String, found: &mut Secrets) {
        let mut taken: Vec<Range<usize>> = vec![];
        let mut here: Vec<(usize, &Known)> = vec![];
        for known in self.known.iter().filter(|known| words.contains(&*known.value)) {
            if taken.is_empty() {
                taken = placeholder::ranges(words);
            }
            for (at, value) in words.match_indices(&*known.value) {
                let range = at..at + value.len();
                if taken.iter().all(|one| one.end <= range.start || range.end <= one.start) {
                    taken.push(range);
                    here.push((at, known));
                }
            }
        }
        if here.is_empty() {
            return;
        }
        here.sort_unstable_by_key(|(at, _)| *at);
        let here: Vec<_> = here.into_iter().map(|(at, known)| (at, known.clone())).collect();
        let (mut out, mut from) = (String::with_capacity(words.len()), 0);
        for (at, Known { value, kind }) in here {
            out.push_str(words.get(from..at).unwrap_or_default());
            out.push_str(&self.put(&value, &kind, found));
            from = at + value.len();
        }
        out.push_str(words.get(from..).unwrap_or_default());
        *words = out;
    }

    /// The placeholder for `value`, which is kept.
    fn put(&mut self, value: &str, kind: &str, found: &mut Secrets) -> String {
        let place = self.maker().place(value, kind);
        found.0.entry(place.clone()).or_insert_with(|| value.to_owned());
        place
    }

    fn know(&mut self, secrets: &Secrets) {
        for (place, value) in &secrets.0 {
            let Ok(Placeholder { kind, .. }) = place.parse() else { continue };
            let is_marked = kind == Kind::MARKED.word();
            let is_telling = value.len() >= SHORTEST_KNOWN && (is_marked || is_made_up(value, SHORTEST_KNOWN));
            let is_new = || self.known.iter().all(|known| known.value != *value);
            if is_telling && kind != Kind::PLACEHOLDER.word() && self.known.len() < MOST_KNOWN && is_new() {
                self.known.push(Known { value: value.clone(), kind });
            }
        }
        self.known.sort_by(|one, other| other.value.len().cmp(&one.value.len()).then_with(|| one.cmp(other)));
    }

    fn maker(&mut self) -> &Maker {
        let (key, run) = (&self.key, self.run);
        self.maker.get_or_insert_with(|| Maker::new(key.naming(run)))
    }
}

/// Makes the placeholders of a run.
#[derive(Clone)]
struct Maker {
    key: [u8; 32],
    /// What all of them have in common.
    run: String,
}

/// Letters of a nonce that are the same in all of a run, and those that tell its secrets apart.
const OF_RUN: usize = 6;
const OF_SECRET: usize = 10;

impl Maker {
    fn new(key: [u8; 32]) -> Self {
        Self { key, run: letters(&keyed(&key, &[]), OF_RUN) }
    }

    fn place(&self, value: &str, kind: &str) -> String {
        let hash = keyed(&self.key, &[b"secret", value.as_bytes()]);
        let (first, rest) =
            hash.split_first_chunk().map_or((0, &[][..]), |(first, rest)| (u32::from_be_bytes(*first), rest));
        // For people: few enough digits to tell them apart at a glance.
        let number = 100 + first % 900;
        let nonce = format!("{}{}", self.run, letters(rest, OF_SECRET));
        Placeholder { number, nonce, kind: kind.to_owned() }.to_string()
    }

    /// Whether `text` looks like one of them.
    fn made(&self, text: &str) -> bool {
        text.parse().is_ok_and(|place: Placeholder| place.nonce.starts_with(&self.run))
    }
}

fn letters(bytes: &[u8], many: usize) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let letter = |byte: &u8| LETTERS.get(usize::from(byte & 31)).map_or('a', |letter| char::from(*letter));
    bytes.iter().take(many).map(letter).collect()
}
