//! Reading YAML: what it says, and where each thing stands.

use super::words;
use crate::failure::Failure;
use countersign_policy::Step;
use granit_parser::{Event, Parser};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::path::Path;

/// Longer configurations are a mistake.
const LONGEST: usize = 64 * 1024 * 1024;

/// Reads `text`, which stands in the file `path`. An error names file, line, column and what was expected, never the
/// text around it: that may hold a key.
pub fn read<T: DeserializeOwned>(text: &[u8], path: &Path) -> Result<(T, Places), Failure> {
    let shown = path.display();
    if text.len() > LONGEST {
        return Err(Failure::new(format!("{shown}: the file is longer than {LONGEST} bytes")));
    }
    let text = std::str::from_utf8(text).map_err(|error| {
        let line = text.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count() + 1;
        Failure::new(format!("{shown}:{line}: the file is not UTF-8"))
    })?;
    // A file of comments alone says nothing, which is fine.
    let nothing = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    let value = serde_saphyr::from_str(if nothing { "{}" } else { text }).map_err(|error| {
        let place = error.location().map(|at| format!(":{}:{}", at.line(), at.column())).unwrap_or_default();
        let plain = error.without_snippet().to_string();
        let what = plain.rsplit_once(" at line ").map_or(&*plain, |(what, _)| what);
        Failure::new(format!("{shown}{place}: {}", with_nearest(&words::plain(what))))
    })?;
    Ok((value, Places::of_text(text)))
}

/// Whether `text` is a map with `key` at its top.
pub fn has_key(text: &[u8], key: &str) -> bool {
    let text = String::from_utf8_lossy(text);
    Places::of_text(&text).0.contains_key(&vec![Step::Key(key.to_owned())])
}

/// Adds the nearest known word to an error that lists the known ones.
fn with_nearest(error: &str) -> String {
    let listed = error.split_once(", expected ").filter(|(unknown, _)| unknown.contains("unknown "));
    let Some((unknown, known)) = listed else { return error.to_owned() };
    let given = unknown.split('`').nth(1).unwrap_or_default().to_lowercase();
    let words = known.trim_start_matches("one of ").split([',', '`', ' ']);
    let near = words
        .filter(|word| !word.is_empty() && *word != "or")
        .map(|word| (strsim::damerau_levenshtein(&given, &word.to_lowercase()), word))
        .filter(|(distance, word)| *distance <= 1 + word.len() / 3)
        .min();
    match near {
        Some((_, word)) => format!("{unknown}: did you mean `{word}`? Expected {known}"),
        None => error.to_owned(),
    }
}

/// Reads `value`; an error names the place.
pub fn from_json<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, Failure> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let what = with_nearest(&words::plain(&error.inner().to_string()));
        let place = error.path().to_string();
        Failure::new(if place == "." { what } else { format!("{place}: {what}") })
    })
}

/// Where the values of a document stand: line and column, counted from 1.
#[derive(Debug, Default)]
pub struct Places(HashMap<Vec<Step>, (usize, usize)>);

impl Places {
    /// Where `steps` lead, or what they lead through, and how far.
    pub fn of(&self, steps: &[Step]) -> Option<(usize, (usize, usize))> {
        (1..=steps.len()).rev().find_map(|length| Some((length, *self.0.get(steps.get(..length)?)?)))
    }

    fn of_text(text: &str) -> Self {
        let mut walk = Walk::default();
        for event in Parser::new_from_str(text) {
            let Ok((event, span)) = event else { break };
            walk.take(&event, (span.start.line(), span.start.col() + 1));
        }
        Self(walk.places)
    }
}

/// A walk through a document, with the way to where it is.
#[derive(Default)]
struct Walk {
    places: HashMap<Vec<Step>, (usize, usize)>,
    open: Vec<Open>,
    way: Vec<Step>,
}

/// A collection that is being read.
enum Open {
    List(usize),
    /// A map: whether the next thing is a value.
    Map(bool),
}

impl Walk {
    fn take(&mut self, event: &Event<'_>, at: (usize, usize)) {
        match event {
            Event::Scalar(text, ..) => {
                if let Some(Open::Map(value @ false)) = self.open.last_mut() {
                    *value = true;
                    self.way.push(Step::Key(text.to_string()));
                    self.places.insert(self.way.clone(), at);
                    return;
                }
                self.start(at);
                self.end();
            }
            Event::Alias(_) => {
                self.start(at);
                self.end();
            }
            Event::SequenceStart(..) => {
                self.start(at);
                self.open.push(Open::List(0));
            }
            Event::MappingStart(..) => {
                self.start(at);
                self.open.push(Open::Map(false));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
                self.end();
            }
            _ => {}
        }
    }

    /// A value starts.
    fn start(&mut self, at: (usize, usize)) {
        if let Some(Open::List(next)) = self.open.last_mut() {
            self.way.push(Step::Index(*next));
            *next += 1;
        }
        if !self.way.is_empty() {
            self.places.insert(self.way.clone(), at);
        }
    }

    /// A value has ended.
    fn end(&mut self) {
        match self.open.last_mut() {
            Some(Open::Map(value)) => {
                *value = false;
                self.way.pop();
            }
            Some(Open::List(_)) => drop(self.way.pop()),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use countersign_policy::Place;
    use proptest::prelude::*;

    #[test]
    fn every_value_has_its_place() {
        let places = Places::of_text("a:\n  - x: 1\n    y: {z: 2}\n  - 3\nb: !t &n |\n  text\nc: *n\n");
        let a = Place::section("a");
        let of = |place: &Place| places.of(place.steps());
        assert_eq!(of(&a.index(0).key("x")), Some((3, (2, 8))));
        assert_eq!(of(&a.index(0).key("y").key("z")), Some((4, (3, 12))));
        assert_eq!(of(&a.index(1)), Some((2, (4, 5))));
        assert_eq!(of(&a.index(7).key("missing")), of(&a), "what it stands in");
        assert_eq!(of(&Place::section("c")), Some((1, (7, 4))));
    }

    #[test]
    fn the_nearest_known_word_is_offered() {
        assert_eq!(
            with_nearest("unknown field `rulez`, expected one of rules, tests"),
            "unknown field `rulez`: did you mean `rules`? Expected one of rules, tests"
        );
        assert_eq!(
            with_nearest("unknown field `tol`, expected one of `server`, `tool`"),
            "unknown field `tol`: did you mean `tool`? Expected one of `server`, `tool`"
        );
        assert_eq!(
            with_nearest("unknown field `quux`, expected one of rules, tests"),
            "unknown field `quux`, expected one of rules, tests"
        );
    }

    fn reads(text: &[u8]) {
        if let Ok((config, _)) = read::<Config>(text, Path::new("x.yaml")) {
            let _ = countersign_policy::Policy::compile(&config.source(vec![]));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            reads(&bytes);
        }

        #[test]
        fn nearly_a_policy_never_panics(words in prop::collection::vec(prop::sample::select(WORDS), 0..40)) {
            reads(words.concat().as_bytes());
        }
    }

    const WORDS: &[&str] = &[
        "policy",
        "rules",
        "users",
        "allow",
        "deny",
        "tool",
        "effect",
        "when",
        "tests",
        "call",
        "args",
        "roles",
        "tools",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "\"",
        "'",
        "*",
        "&a ",
        "*a",
        "!!str ",
        "|",
        ">",
        "#",
        "---\n",
        "~",
        "1",
        "bash(ls:*)",
        "\t",
        "? ",
    ];
}
