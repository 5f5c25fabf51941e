//! A value after a name: where it ends, and whether it is a secret.

use super::name::{NAMES, Name, Weight};
use super::quotes::Within;
use super::reference::{is_made_up, is_place, is_reference, is_wordy};
use super::view::View;
use std::ops::Range;

/// How a value stands after its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `NAME=value`
    Tight,
    /// In quotes of its own.
    Quoted,
    /// `name: value`, `name = value`
    Spaced,
    /// `--name value`
    Option,
    /// In a sentence.
    Prose,
}

pub(super) struct Value {
    pub(super) range: Range<usize>,
    pub(super) place: Place,
}

/// A longer value is a secret for certain: nothing that people name or write is so long.
const LONGEST_WORD: usize = 256;
/// Quotes that are not closed by then are none.
const LONGEST_QUOTED: usize = 1024;

/// Reads the value at `from`, which stands within these quotes already.
pub(super) fn read(view: View<'_>, from: usize, within: Within, place: Place) -> Option<Value> {
    let prefix = matches!(view.at(from), b'b' | b'f' | b'r' | b'u' | b'$' | b'@') && is_quote(view.at(from + 1));
    let from = from + usize::from(prefix);
    let opens = match (view.at(from), within) {
        // It closes what the name stands in: the value is empty.
        (b'"', Within::Double) | (b'\'', Within::Single) => return None,
        (b, _) if is_quote(b) => quoted(view, from),
        (b'\\', _) if matches!(view.at(from + 1), b'"' | b'\'') => quoted(view, from),
        (0x80.., _) => quoted(view, from),
        _ => None,
    };
    if let Some(range) = opens {
        return Some(Value { range, place: Place::Quoted });
    }
    let from = if is_quote(view.at(from)) { from + 1 } else { from };
    let end = end_of_word(view, from);
    (end > from).then_some(Value { range: from..end, place })
}

/// What stands between the quotes that open at `from`.
fn quoted(view: View<'_>, from: usize) -> Option<Range<usize>> {
    const PAIRS: [(&str, &str); 11] = [
        ("\"\"\"", "\"\"\""),
        ("'''", "'''"),
        ("\\\"", "\\\""),
        ("\\'", "\\'"),
        ("\"", "\""),
        ("'", "'"),
        ("`", "`"),
        ("「", "」"),
        ("『", "』"),
        ("“", "”"),
        ("‘", "’"),
    ];
    let (open, close) = PAIRS.into_iter().find(|(open, _)| view.starts_with(from, open))?;
    let start = from + open.len();
    let mut end = start;
    while end < start + LONGEST_QUOTED && !view.starts_with(end, close) {
        match view.at(end) {
            0 | b'\n' => return None,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    view.starts_with(end, close).then_some(start..end)
}

/// Where a word without quotes ends: at a blank, a quote, or an operator of a shell, which is never to be hidden.
fn end_of_word(view: View<'_>, from: usize) -> usize {
    let mut at = from;
    loop {
        let stops = match view.at(at) {
            0..=b' ' | b'"' | b'\'' | b'`' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' => true,
            b'\\' => matches!(view.at(at + 1), b'n' | b'r' | b't' | b'"' | b'\'' | b'\n' | 0),
            b',' => begins_another(view, at + 1),
            0xe2.. if is_east_asian(view, at) => true,
            _ => false,
        };
        if stops {
            // A bracket that was not opened in the word closes what the word stands in.
            let word = view.piece(from..at);
            return view
                .run_back(at, 8, |b| (b == b'}' && !word.contains('{')) || (b == b']' && !word.contains('[')))
                .max(from);
        }
        at += 1;
    }
}

/// Whether after a comma something else begins: a blank, a quote, or another name.
fn begins_another(view: View<'_>, at: usize) -> bool {
    let name = view.run(at, 40, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    matches!(view.at(at), 0..=b' ' | b'"' | b'\'' | b'{' | b'}') || (name > at && matches!(view.at(name), b'=' | b':'))
}

/// Letters and signs of Chinese, Japanese and Korean, and our own brackets: with them the sentence around goes on.
fn is_east_asian(view: View<'_>, at: usize) -> bool {
    let rest = view.0.get(at..).and_then(|rest| rest.chars().next());
    rest.is_some_and(|c| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}' | '⟦' | '⟧' | '“' | '”' | '’'))
}

fn is_quote(b: u8) -> bool {
    matches!(b, b'"' | b'\'' | b'`')
}

/// Whether `value` after `name` is a secret.
pub(super) fn counts(view: View<'_>, value: &Value, name: Name, spelled: &str) -> bool {
    let text = view.piece(value.range.clone());
    if text.len() > LONGEST_WORD {
        return !text.contains('⟦') && !hides_command(text);
    }
    if text.len() < 3 || is_reference(text) || is_place(text) || NAMES.is_label(text) || is_pattern(text) {
        return false;
    }
    // The whole block of a key is found by its first line.
    if value.place != Place::Quoted && text.starts_with("-----") {
        return false;
    }
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    match (value.place, name.weight) {
        (_, Weight::Likely) if digits => false,
        (Place::Quoted, Weight::Certain) => !hides_command(text) && !is_sentence(text),
        (Place::Quoted, Weight::Likely) => is_made_up(text, 8) && !hides_command(text) && !is_sentence(text),
        (Place::Tight, _) if has_small(spelled) && is_expression(view, value) => false,
        (Place::Tight, Weight::Certain) => !is_pair(text),
        (Place::Tight, Weight::Likely) if has_small(spelled) => is_made_up(text, 6),
        (Place::Tight, Weight::Likely) => text.len() >= 6 && !is_pair(text),
        (Place::Option, Weight::Certain) => !text.starts_with('-') && !is_pair(text),
        (Place::Option, Weight::Likely) => is_made_up(text, 8) && !text.starts_with('-') && !is_pair(text),
        (Place::Spaced, _) if is_expression(view, value) || is_identifier(text) => false,
        (Place::Spaced, Weight::Certain) => {
            (text.len() >= 4 && ends_line(view, value.range.end)) || is_made_up(text, 6)
        }
        (Place::Spaced, Weight::Likely) => is_made_up(text, 8),
        (Place::Prose, _) => is_made_up(text, 7),
    }
}

/// Whether a name is not all in capitals, as variables of the environment are.
fn has_small(name: &str) -> bool {
    name.bytes().any(|b| b.is_ascii_lowercase())
}

/// `id=npm,src=.npmrc`: a setting of its own.
fn is_pair(text: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.len() <= 20 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    text.split_once('=').is_some_and(|(name, value)| is_name(name) && !value.trim_matches('=').is_empty())
}

/// Whether a quoted text may be more than a text to a shell: then it is shown, since somebody decides on it.
fn hides_command(text: &str) -> bool {
    let operator = text.contains([';', '|', '&', '<', '>', '\n']);
    operator && (text.contains([' ', '\t']) || text.contains("${"))
}

/// `Enter your password`, `The token is invalid.`
fn is_sentence(text: &str) -> bool {
    let mut words = text.split(' ');
    text.contains(' ')
        && is_wordy(text.trim_end_matches(['.', ':', '!', '?']))
        && words.any(|word| NAMES.is_label(word))
}

/// What programs compute: `get_token(…)`, `tokens[0]`, `config.token`, `password`.
fn is_expression(view: View<'_>, value: &Value) -> bool {
    let text = view.piece(value.range.clone());
    let next = view.at(value.range.end);
    let called = (matches!(next, b'(' | b'[') || (next == b'<' && value.place == Place::Spaced))
        && !text.contains(['$', '@', '#', '%']);
    let opened = text.contains(['[', '{']) && text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
    called
        || NAMES.is_variable(text)
        || (opened && value.place == Place::Spaced)
        || text.starts_with(['&', '*', '!', '{', '['])
}

/// `raw_input`, `userInput`: more likely a variable than a password, where code and settings look alike.
fn is_identifier(text: &str) -> bool {
    let letters = text.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    let small = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b == b'_');
    letters && small && text.bytes().any(|b| b == b'_' || b.is_ascii_uppercase())
}

/// Regular expressions and what sed and grep are given.
fn is_pattern(text: &str) -> bool {
    [".*", ".+", "[^", "\\s", "\\w", "\\S", "[A-Z", "[a-z", "[0-9", "(?"].iter().any(|sign| text.contains(sign))
}

/// Whether nothing but the end of a line of settings comes after `at`.
fn ends_line(view: View<'_>, at: usize) -> bool {
    let at = view.run(at, 4, |b| matches!(b, b',' | b'}' | b']' | b')' | b'"' | b'\''));
    let blank = view.run(at, 8, |b| matches!(b, b' ' | b'\t' | b'\r'));
    matches!(view.at(blank), 0 | b'\n')
        || view.starts_with(at, "\\n")
        || (blank > at && (view.at(blank) == b'#' || view.starts_with(blank, "//")))
}
