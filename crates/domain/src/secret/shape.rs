//! Tokens that are known by their looks, as `data/shapes.txt` lists them.

use super::view::View;
use super::{Found, Kind};
use std::sync::LazyLock;

/// One row of the table.
pub(super) struct Shape {
    kind: Kind,
    /// What stands before the anchor, the nearest last.
    before: Vec<Run>,
    /// What is looked for.
    pub(super) anchor: &'static str,
    after: Vec<Piece>,
}

enum Piece {
    Literal(&'static str),
    Run(Run),
    /// Here the secret begins.
    Start,
}

#[derive(Clone, Copy)]
struct Run {
    class: Class,
    least: usize,
    most: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Digit,
    Hex,
    Upper,
    Alnum,
    Word,
    Base64,
    Part,
    Path,
    Query,
}

pub(super) static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| rows().filter_map(|(row, _)| row).collect());

/// Each row, if it can be read, and its example.
fn rows() -> impl Iterator<Item = (Option<Shape>, String)> {
    let lines = include_str!("data/shapes.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut columns = line.split(" | ").map(str::trim);
        let (kind, built) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        (Shape::read(kind, built), columns.next().unwrap_or_default().replace(" + ", ""))
    })
}

impl Shape {
    fn read(kind: &'static str, built: &'static str) -> Option<Self> {
        let (mut before, mut anchor, mut after) = (Vec::new(), None, Vec::new());
        for piece in built.split_whitespace() {
            let literal = piece.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
            match (literal, anchor) {
                (Some(literal), None) => anchor = Some(literal),
                (Some(literal), Some(_)) => after.push(Piece::Literal(literal)),
                (None, Some(_)) if piece == ">" => after.push(Piece::Start),
                (None, Some(_)) => after.push(Piece::Run(Run::read(piece)?)),
                (None, None) => before.push(Run::read(piece)?),
            }
        }
        Some(Self { kind: Kind(kind), before, anchor: anchor?, after })
    }

    /// The secret whose anchor stands at `at`, if it is one.
    pub(super) fn at(&self, view: View<'_>, at: usize) -> Option<Found> {
        let mut start = self.start(view, at)?;
        let mut end = at + self.anchor.len();
        let mut last = None;
        for piece in &self.after {
            last = None;
            match piece {
                Piece::Start => start = end,
                Piece::Literal(literal) if view.starts_with(end, literal) => end += literal.len(),
                Piece::Literal(_) => return None,
                Piece::Run(run) => {
                    let stop = view.run(end, run.most, |b| run.class.holds(b));
                    if stop - end < run.least {
                        return None;
                    }
                    (end, last) = (stop, Some(run));
                }
            }
        }
        if let Some(run) = last {
            if run.class.holds(view.at(end)) {
                return None;
            }
            if matches!(run.class, Class::Part | Class::Query) {
                end = view.run_back(end, 4, |b| b == b'.');
            }
        }
        (self.is_upper() || is_mixed(view.piece(start..end))).then_some(Found { range: start..end, kind: self.kind })
    }

    fn start(&self, view: View<'_>, at: usize) -> Option<usize> {
        let mut start = at;
        for run in self.before.iter().rev() {
            let from = view.run_back(start, run.most.saturating_add(1), |b| run.class.holds(b));
            // The `n` of a line break that is written `\n` belongs to it.
            let escaped = view.before(from) == b'\\' && matches!(view.at(from), b'n' | b'r' | b't');
            let from = from + usize::from(escaped);
            if !(run.least..=run.most).contains(&(start - from)) {
                return None;
            }
            start = from;
        }
        let alone = !self.anchor.starts_with(|c: char| c.is_ascii_alphanumeric()) && self.before.is_empty();
        (alone || self.is_telling() || view.begins(start)).then_some(start)
    }

    /// Whether the anchor is so rare that it counts in the middle of a word too.
    fn is_telling(&self) -> bool {
        (self.anchor.len() >= 4 && self.anchor.ends_with('_')) || (self.anchor.len() >= 5 && self.anchor.ends_with('-'))
    }

    fn is_upper(&self) -> bool {
        self.after.iter().any(|piece| matches!(piece, Piece::Run(Run { class: Class::Upper, .. })))
    }
}

impl Run {
    /// Reads `alnum{36,}`.
    fn read(piece: &str) -> Option<Self> {
        let (class, count) = piece.strip_suffix('}')?.split_once('{')?;
        let class = Class::read(class)?;
        let (least, most) = count.split_once(',').unwrap_or((count, count));
        let most = if most.is_empty() { usize::MAX } else { most.parse().ok()? };
        Some(Self { class, least: least.parse().ok()?, most })
    }
}

impl Class {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "digit" => Self::Digit,
            "hex" => Self::Hex,
            "upper" => Self::Upper,
            "alnum" => Self::Alnum,
            "word" => Self::Word,
            "base64" => Self::Base64,
            "part" => Self::Part,
            "path" => Self::Path,
            "query" => Self::Query,
            _ => return None,
        })
    }

    fn holds(self, b: u8) -> bool {
        match self {
            Self::Digit => b.is_ascii_digit(),
            Self::Hex => b.is_ascii_hexdigit(),
            Self::Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Alnum => b.is_ascii_alphanumeric(),
            Self::Word => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'),
            Self::Base64 => b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='),
            Self::Part => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'),
            Self::Path => b.is_ascii_alphanumeric() || b == b'/',
            Self::Query => {
                b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'~' | b'%' | b'+' | b'/' | b'=')
            }
        }
    }
}

/// Whether at least two of small letters, capitals and digits are in `text`.
fn is_mixed(text: &str) -> bool {
    let has = |fit: fn(&u8) -> bool| usize::from(text.bytes().any(|b| fit(&b)));
    has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit) >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read_and_finds_its_example() {
        for (row, example) in rows() {
            let shape = row.unwrap_or_else(|| panic!("the row of {example}"));
            assert!(shape.anchor.len() >= 2, "{example}");
            let text = format!("it is {example} here");
            let found = super::super::in_text(&text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].kind, shape.kind, "{text}");
            assert!(found[0].range.len() >= 20 || shape.kind.word() == "aws access key id", "{text}");
        }
    }
}
