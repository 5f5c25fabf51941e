//! Patterns over paths.

use super::glob::{Glob, Token};
use super::parse::{Piece, char_of};
use super::{Fit, protected};
use crate::subject::Subject;
use countersign_domain::describe::PathPart;

/// A pattern over paths: where it starts, and what it says from there on.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    start: Start,
    below: Glob,
    /// The same below any folder, for denials where the working folder is not known.
    anywhere: Glob,
    /// How many segments of `below` come before the first wildcard.
    literal_segments: usize,
    wild: bool,
    /// The folder that the pattern starts from is covered too.
    start_itself: bool,
    /// It is that folder and nothing below it.
    starts_and_ends: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Root,
    Home,
    /// So many folders above the working folder.
    Folder {
        up: usize,
    },
}

impl PathPattern {
    pub(super) fn new(pieces: &[Piece]) -> Result<Self, &'static str> {
        let (mut start, rest) = match pieces {
            [Piece::Slash, rest @ ..] => (Start::Root, rest),
            [Piece::Char('~')] => (Start::Home, &[] as &[_]),
            [Piece::Char('~'), Piece::Slash, rest @ ..] => (Start::Home, rest),
            rest => (Start::Folder { up: 0 }, rest),
        };
        let mut segments: Vec<&[Piece]> = Vec::new();
        for segment in rest.split(|&piece| piece == Piece::Slash) {
            match segment {
                [] | [Piece::Char('.')] => {}
                [Piece::Char('.'), Piece::Char('.')] => match (segments.pop(), &mut start) {
                    (Some(last), _) if !is_wild(last) => {}
                    (Some(_), _) => return Err("`..` stands after a wildcard: write the folder that is meant"),
                    (None, Start::Folder { up }) => *up += 1,
                    (None, Start::Home) => return Err("`..` leads out of the home folder: write the path from `/`"),
                    (None, Start::Root) => {}
                },
                // `**/**` says no more than `**`.
                segment if is_deep(segment) && segments.last().is_some_and(|last| is_deep(last)) => {}
                segment => segments.push(segment),
            }
        }
        let tokens = tokens(&segments);
        let mut anywhere = vec![Token::Deep, Token::Char('/')];
        anywhere.extend(&tokens);
        Ok(Self {
            start,
            below: Glob::new(tokens, Some('/')),
            anywhere: Glob::new(anywhere, Some('/')),
            literal_segments: segments.iter().take_while(|segment| !is_wild(segment)).count(),
            wild: segments.iter().any(|segment| is_wild(segment)),
            starts_and_ends: segments.is_empty(),
            start_itself: segments.iter().all(|segment| is_deep(segment)),
        })
    }

    /// In a denial: any spelling counts.
    pub(super) fn hits(&self, path: &PathPart, call: &Subject<'_>) -> Fit {
        path.spellings.iter().map(|spelling| self.hits_one(spelling, path.adrift, call)).max().unwrap_or(Fit::No)
    }

    fn hits_one(&self, path: &str, adrift: bool, call: &Subject<'_>) -> Fit {
        // Wherever the pattern starts, what it says literally from there on must stand in the path.
        if !adrift && !path.contains(self.below.literal_prefix()) {
            return Fit::No;
        }
        let relative = matches!(self.start, Start::Folder { .. });
        // The working folder itself, wherever that is, may be any folder.
        let anywhere = || self.starts_and_ends || self.anywhere.matches(path.trim_start_matches('/'));
        match self.base(call) {
            // Nobody knows where the path leads, so it may lead anywhere.
            // Wherever it leads, a name that is denied in every folder is denied there.
            _ if adrift && self.start == Start::Root && self.below.matches(path) => Fit::Yes,
            _ if adrift && path == "." => {
                if relative && self.start_itself {
                    Fit::Yes
                } else {
                    Fit::Maybe
                }
            }
            _ if adrift => {
                if relative && anywhere() {
                    Fit::Yes
                } else {
                    Fit::Maybe
                }
            }
            Some(base) if below(&base, path).is_some_and(|rest| self.matches(rest)) => Fit::Yes,
            None if relative && anywhere() => Fit::Yes,
            // `~` without a home folder: it may be this one.
            None if anywhere() => Fit::Maybe,
            _ => Fit::No,
        }
    }

    /// In what allows: every spelling must be covered.
    pub(super) fn covers(&self, path: &PathPart, call: &Subject<'_>) -> bool {
        let Some(base) = self.base(call).filter(|_| !path.adrift) else { return false };
        if self.wild && path.odd.is_some() {
            return false;
        }
        path.spellings.iter().all(|spelling| {
            below(&base, spelling).is_some_and(|rest| {
                self.matches(rest) && (!self.wild || protected::named(rest, self.literal_segments, call))
            })
        })
    }

    /// Why it does not cover a path of which it covers the spelling that people see.
    pub(super) fn objection(&self, path: &PathPart, call: &Subject<'_>) -> Option<String> {
        if path.adrift {
            let fits = matches!(self.start, Start::Folder { .. }) && self.anywhere.matches(path.canonical());
            return fits.then(|| "the path is relative, and the call has no working folder".to_owned());
        }
        let base = self.base(call)?;
        let rest = |spelling| below(&base, spelling).filter(|rest| self.matches(rest));
        rest(path.canonical())?;
        if let Some(odd) = path.odd.filter(|_| self.wild) {
            return Some(format!("no wildcard covers the path: {odd}"));
        }
        if let Some(elsewhere) = path.spellings.iter().find(|spelling| rest(spelling).is_none()) {
            return Some(format!("the path leads by a link to `{elsewhere}`"));
        }
        let mut rests = path.spellings.iter().filter_map(|spelling| rest(spelling));
        let name = rests.find_map(|rest| protected::unnamed(rest, self.literal_segments, call))?;
        self.wild.then(|| format!("a wildcard does not reach `{name}` unless the pattern names it"))
    }

    /// `./*` is what lies in the folder, not the folder.
    fn matches(&self, rest: &str) -> bool {
        if rest.is_empty() { self.start_itself } else { self.below.matches(rest) }
    }

    /// The folder the pattern starts from and the names below it that are written out, if that is known.
    pub(super) fn literal_path(&self, call: &Subject<'_>) -> Option<String> {
        let below = self.below.literal_prefix();
        let whole = if self.wild { below.rsplit_once('/').map_or("", |(folder, _)| folder) } else { below };
        Some(countersign_domain::describe::path::normal(&format!("/{}/{whole}", self.base(call)?)))
    }

    /// The folder the pattern starts from, without a trailing slash.
    fn base(&self, call: &Subject<'_>) -> Option<String> {
        use countersign_domain::describe::path::normal;
        let folder = match self.start {
            Start::Root => return Some(String::new()),
            Start::Home => normal(call.home.as_deref()?),
            Start::Folder { up } => normal(&format!("{}/{}", call.call.cwd()?, "../".repeat(up))),
        };
        Some(folder.trim_end_matches('/').to_owned())
    }
}

/// What of `path` lies below `base`; the empty text if it is `base` itself.
fn below<'a>(base: &str, path: &'a str) -> Option<&'a str> {
    let rest = path.strip_prefix(base)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn is_deep(segment: &[Piece]) -> bool {
    segment == [Piece::Star, Piece::Star]
}

fn is_wild(segment: &[Piece]) -> bool {
    segment.iter().any(|piece| matches!(piece, Piece::Star | Piece::Question))
}

fn tokens(segments: &[&[Piece]]) -> Vec<Token> {
    let mut out = Vec::new();
    for (i, segment) in segments.iter().enumerate() {
        if i > 0 {
            out.push(Token::Char('/'));
        }
        let mut rest = *segment;
        loop {
            rest = match rest {
                [] => break,
                [Piece::Star, Piece::Star, rest @ ..] => {
                    if out.last() != Some(&Token::Deep) {
                        out.push(Token::Deep);
                    }
                    rest
                }
                [Piece::Star, rest @ ..] => {
                    out.push(Token::Many);
                    rest
                }
                [Piece::Question, rest @ ..] => {
                    out.push(Token::One);
                    rest
                }
                [piece, rest @ ..] => {
                    out.push(Token::Char(char_of(*piece)));
                    rest
                }
            };
        }
    }
    out
}
