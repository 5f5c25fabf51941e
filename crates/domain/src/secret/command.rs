//! Secrets among the arguments of programs whose options do not say so, as `data/programs.txt` lists them.

use super::reference::{is_place, is_reference};
use super::view::View;
use super::{Found, Kind, cookie};
use std::ops::Range;
use std::sync::LazyLock;

/// An option of a program.
pub(super) struct Taker {
    pub(super) program: &'static str,
    /// Words that must stand before the option.
    after: Vec<&'static str>,
    form: Form,
    options: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Next,
    Attached,
    Pair(char),
    Prefixed,
    Cookie,
}

pub(super) static TAKERS: LazyLock<Vec<Taker>> = LazyLock::new(|| table().flatten().flatten().collect());

fn table() -> impl Iterator<Item = Option<Vec<Taker>>> {
    let lines = include_str!("data/programs.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (programs, rest) = line.split_once(" | ")?;
        let mut rest = rest.split_whitespace();
        let form = Form::read(rest.next()?)?;
        let options: Vec<_> = rest.collect();
        let takers = programs.split_whitespace().map(|program| {
            let mut words = program.split('+');
            Taker { program: words.next().unwrap_or_default(), after: words.collect(), form, options: options.clone() }
        });
        Some(takers.collect())
    })
}

impl Form {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "next" => Self::Next,
            "attached" => Self::Attached,
            "pair" => Self::Pair(':'),
            "percent" => Self::Pair('%'),
            "prefixed" => Self::Prefixed,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }
}

/// The most words of a command that are looked at.
const MOST_WORDS: usize = 512;

/// What was found in the command whose program stands at `at`, and where the command ends.
pub(super) fn at(view: View<'_>, at: usize, program: &str) -> (Vec<Found>, usize) {
    let end = at + program.len();
    let starts = matches!(view.before(at), 0..=b' ' | b'/' | b'(' | b';' | b'|' | b'&' | b'"' | b'\'' | b'`' | b'\\');
    if !(starts || view.begins(at)) || !matches!(view.at(end), b' ' | b'\t') {
        return (Vec::new(), end);
    }
    let (mut found, mut seen, mut program) = (Vec::new(), Vec::new(), program);
    let mut place = end;
    for _ in 0..MOST_WORDS {
        let Some(word) = next_word(view, place) else { break };
        let text = view.piece(word.clone());
        // Where the ends of lines are escaped, the next command begins in the middle of a word.
        let named = text.rsplit("\\n").next().unwrap_or(text);
        if let Some(other) = TAKERS.iter().find(|taker| taker.program == named) {
            (program, seen) = (other.program, Vec::new());
        }
        let takers = TAKERS.iter().filter(|taker| taker.program == program);
        for taker in takers.filter(|taker| taker.after.iter().all(|word| seen.contains(word))) {
            found.extend(taker.secrets(view, &word));
        }
        seen.push(text);
        place = word.end;
    }
    (found, place)
}

impl Taker {
    /// What this option, standing at `word`, takes.
    fn secrets(&self, view: View<'_>, word: &Range<usize>) -> Vec<Found> {
        let text = view.piece(word.clone());
        let Some(option) = self.options.iter().find(|option| text.starts_with(**option)) else { return Vec::new() };
        let rest = word.start + option.len();
        let value = match view.at(rest) {
            _ if text.len() > option.len() && self.form == Form::Attached => unquoted(view, rest..word.end),
            _ if self.form == Form::Attached => return Vec::new(),
            b'=' => unquoted(view, rest + 1..word.end),
            _ if text.len() == option.len() => match next_word(view, word.end) {
                Some(next) => unquoted(view, next),
                None => return Vec::new(),
            },
            // `-uname:secret`, but not another option that begins alike.
            _ if option.len() == 2 && self.form != Form::Cookie => unquoted(view, rest..word.end),
            _ => return Vec::new(),
        };
        self.within(view, value)
    }

    /// The secret within what the option was given.
    fn within(&self, view: View<'_>, value: Range<usize>) -> Vec<Found> {
        let text = view.piece(value.clone());
        let start = match self.form {
            Form::Cookie => return cookie::at(view, value.start, cookie::Header::Cookie),
            Form::Next | Form::Attached => 0,
            Form::Pair(sign) => text.find(sign).map_or(text.len(), |at| at + 1),
            Form::Prefixed if text.starts_with("pass:") => 5,
            Form::Prefixed => text.len(),
        };
        let secret = value.start + start..value.end;
        let text = view.piece(secret.clone());
        let shown =
            text.is_empty() || is_reference(text) || is_place(text) || text.starts_with('-') || text.contains("$(");
        if shown { Vec::new() } else { vec![Found { range: secret, kind: Kind("password") }] }
    }
}

/// The next word of the same command, with its quotes.
fn next_word(view: View<'_>, from: usize) -> Option<Range<usize>> {
    let mut start = from;
    loop {
        start = match (view.at(start), view.at(start + 1)) {
            (b' ' | b'\t', _) => start + 1,
            (b'\\', b'\n') => start + 2,
            _ => break,
        };
    }
    let (mut end, mut open) = (start, 0);
    loop {
        match (view.at(end), open) {
            (0 | b'\n', _) | (b' ' | b'\t' | b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>' | b'`', 0) => break,
            (b'\\', 0 | b'"') if view.at(end + 1) != b'\n' => end += 1,
            (b @ (b'"' | b'\''), 0) => open = b,
            (b, quote) if b == quote => open = 0,
            _ => {}
        }
        end += 1;
    }
    let end = end.min(view.0.len());
    (end > start).then_some(start..end)
}

/// A word without the quotes around it, also where only the end of it is quoted: `-p'secret'`.
fn unquoted(view: View<'_>, word: Range<usize>) -> Range<usize> {
    let quote = view.at(word.start);
    let closed = word.len() >= 2 && matches!(quote, b'"' | b'\'') && view.before(word.end) == quote;
    // A command may itself be in quotes, which end after its last word.
    let dangling = !closed && matches!(view.before(word.end), b'"' | b'\'') && !matches!(quote, b'"' | b'\'');
    match (closed, dangling) {
        (true, _) => word.start + 1..word.end - 1,
        (_, true) => word.start..word.end - 1,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        assert!(table().all(|line| line.is_some_and(|takers| takers.iter().all(|taker| !taker.options.is_empty()))));
    }
}
