//! One matcher for every kind of pattern. It follows all ways at once, so no pattern and no text make it slow.

use super::walk::{Letter, Walker};

/// One step of a glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// This character.
    Char(char),
    /// Any one character that does not separate.
    One,
    /// Any characters that do not separate.
    Many,
    /// Any characters.
    Deep,
    /// Nothing; the [`Token::Folders`] that follows may be left out.
    Perhaps,
    /// Any characters up to and with a separator.
    Folders,
}

/// A compiled glob: its literal beginning, and what follows. Kept small, since there may be very many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    /// The characters before the first wildcard.
    prefix: Box<str>,
    rest: Rest,
}

/// What follows the literal beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rest {
    /// Nothing: the glob has no wildcard.
    End,
    /// Any characters.
    Anything,
    /// Any characters, with literals among them. Found by searching for one literal after the other.
    Stars(Box<Stars>),
    /// Anything else is walked token by token.
    Walk(Box<Walk>),
}

/// `*a*b*c`: `a` and `b` in this order, then `c` at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stars {
    middle: Box<[Box<str>]>,
    suffix: Box<str>,
}

/// Where there is a separator, [`Token::One`] and [`Token::Many`] stop at it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Walk {
    tokens: Box<[Token]>,
    separator: Option<char>,
    /// The characters after the last wildcard.
    suffix: Box<str>,
    /// The longest literal within, where that is longer: what lacks it need not be walked.
    within: Box<str>,
}

impl Glob {
    pub(crate) fn new(tokens: Vec<Token>, separator: Option<char>) -> Self {
        let mut tokens = if separator.is_some() { with_folders(&tokens) } else { tokens };
        let literal = tokens.iter().take_while(|token| matches!(token, Token::Char(_))).count();
        // `dir/**` covers `dir` too, so the slash before `**` belongs to the wildcard.
        let keep =
            literal - usize::from(separator.is_some() && tokens.get(literal) == Some(&Token::Deep) && literal > 0);
        let rest = tokens.split_off(keep.min(tokens.len()));
        Self { prefix: literal_of(&tokens), rest: Rest::new(rest, separator) }
    }

    /// The text, if the glob has no wildcard and so matches only this.
    pub(crate) fn exact(&self) -> Option<&str> {
        (self.rest == Rest::End).then_some(&*self.prefix)
    }

    /// What every text that it matches begins with.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What every text that it matches ends with, after a wildcard.
    pub(crate) fn suffix(&self) -> &str {
        match &self.rest {
            Rest::End | Rest::Anything => "",
            Rest::Stars(stars) => &stars.suffix,
            Rest::Walk(walk) => &walk.suffix,
        }
    }

    /// The characters before the first wildcard.
    pub(crate) fn literal_prefix(&self) -> &str {
        &self.prefix
    }

    /// Whether only its end is open.
    pub(crate) fn is_prefix(&self) -> bool {
        self.rest == Rest::Anything
    }

    /// Whether it says nothing but how a text begins, or how it ends, or what it is.
    pub(crate) fn is_one_literal(&self) -> bool {
        match &self.rest {
            Rest::End | Rest::Anything => true,
            Rest::Stars(stars) => self.prefix.is_empty() && stars.middle.is_empty(),
            Rest::Walk(_) => false,
        }
    }

    /// Whether the first character must be a certain one.
    pub(crate) fn starts_literally(&self) -> bool {
        let walks_literally =
            matches!(&self.rest, Rest::Walk(walk) if matches!(walk.tokens.first(), Some(Token::Char(_))));
        !self.prefix.is_empty() || walks_literally
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(&*self.prefix) else { return false };
        match &self.rest {
            Rest::End => rest.is_empty(),
            Rest::Anything => true,
            Rest::Stars(stars) => stars.matches(rest),
            Rest::Walk(walk) => walk.matches(rest),
        }
    }

    /// Whether everything that `other` matches is matched by this. Sound: a yes is certain, a no is not.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        if self.separator().is_some() || other.separator().is_some() {
            return self == other;
        }
        let mut walker = Walker::new(&self.tokens());
        other.tokens().into_iter().all(|token| {
            // A wildcard of the other is a letter that only a wildcard as wide takes.
            walker.step(match token {
                Token::Char(c) => Letter::Char(c),
                Token::One => Letter::One,
                Token::Many | Token::Deep | Token::Perhaps | Token::Folders => Letter::Many,
            })
        }) && walker.is_at(0)
    }

    fn separator(&self) -> Option<char> {
        if let Rest::Walk(walk) = &self.rest { walk.separator } else { None }
    }

    fn tokens(&self) -> Vec<Token> {
        let mut tokens: Vec<Token> = self.prefix.chars().map(Token::Char).collect();
        match &self.rest {
            Rest::End => {}
            Rest::Anything => tokens.push(Token::Many),
            Rest::Stars(stars) => {
                for literal in stars.middle.iter().chain([&stars.suffix]) {
                    tokens.push(Token::Many);
                    tokens.extend(literal.chars().map(Token::Char));
                }
            }
            Rest::Walk(walk) => tokens.extend(&*walk.tokens),
        }
        tokens
    }
}

impl Rest {
    fn new(tokens: Vec<Token>, separator: Option<char>) -> Self {
        match (&*tokens, separator) {
            ([], _) => Self::End,
            ([Token::Deep], _) | ([Token::Many], None) => Self::Anything,
            (tokens, None) if tokens.iter().all(|token| matches!(token, Token::Char(_) | Token::Many)) => {
                let mut literals: Vec<_> =
                    tokens.split(|&token| token == Token::Many).skip(1).map(literal_of).collect();
                let suffix = literals.pop().unwrap_or_default();
                literals.retain(|literal| !literal.is_empty());
                if literals.is_empty() && suffix.is_empty() {
                    return Self::Anything;
                }
                Self::Stars(Box::new(Stars { middle: literals.into(), suffix }))
            }
            _ => {
                let wild = tokens.iter().rposition(|token| !matches!(token, Token::Char(_)));
                let suffix = wild.and_then(|at| tokens.get(at + 1..)).map(literal_of).unwrap_or_default();
                let within = longest_literal(&tokens).filter(|within| within.len() > suffix.len()).unwrap_or_default();
                Self::Walk(Box::new(Walk { tokens: tokens.into(), separator, suffix, within }))
            }
        }
    }
}

fn longest_literal(tokens: &[Token]) -> Option<Box<str>> {
    // A last `/**` covers the folder itself, so its slash need not be there.
    let sure = tokens.strip_suffix(&[Token::Char('/'), Token::Deep]).unwrap_or(tokens);
    sure.split(|token| !matches!(token, Token::Char(_))).map(literal_of).max_by_key(|literal| literal.len())
}

fn literal_of(tokens: &[Token]) -> Box<str> {
    let chars = tokens.iter().filter_map(|token| if let Token::Char(c) = token { Some(*c) } else { None });
    chars.collect::<String>().into()
}

impl Stars {
    /// The first place of each literal will do: whatever a later place leaves to the rest, an earlier one leaves too.
    fn matches(&self, text: &str) -> bool {
        let Some(mut rest) = text.strip_suffix(&*self.suffix) else { return false };
        for literal in &self.middle {
            match rest.split_once(&**literal) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        true
    }
}

impl Walk {
    fn matches(&self, text: &str) -> bool {
        if !text.ends_with(&*self.suffix) || !text.contains(&*self.within) {
            return false;
        }
        let mut walker = Walker::new(&self.tokens);
        let letter = |c| if Some(c) == self.separator { Letter::Separator(c) } else { Letter::Char(c) };
        // A last `/**` covers the folder itself.
        let folder_itself = self.tokens.ends_with(&[Token::Char('/'), Token::Deep]);
        text.chars().all(|c| walker.step(letter(c))) && (walker.is_at(0) || (folder_itself && walker.is_at(2)))
    }
}

/// `**/` at the start of a segment stands for any number of whole folders, none included.
fn with_folders(tokens: &[Token]) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    loop {
        let at_a_start = matches!(out.last(), None | Some(Token::Char('/') | Token::Folders));
        rest = match rest {
            [] => return out,
            [Token::Deep, Token::Char('/'), rest @ ..] if at_a_start => {
                // `**/**/` says no more than `**/`.
                if out.last() != Some(&Token::Folders) {
                    out.extend([Token::Perhaps, Token::Folders]);
                }
                rest
            }
            [token, rest @ ..] => {
                out.push(*token);
                rest
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(pattern: &str) -> Glob {
        Glob::new(tokens(pattern, true), Some('/'))
    }

    fn text(pattern: &str) -> Glob {
        Glob::new(tokens(pattern, false), None)
    }

    fn tokens(pattern: &str, paths: bool) -> Vec<Token> {
        let mut out = Vec::new();
        let mut chars = pattern.chars().peekable();
        while let Some(c) = chars.next() {
            out.push(match c {
                '*' if paths && chars.next_if_eq(&'*').is_some() => Token::Deep,
                '*' => Token::Many,
                '?' => Token::One,
                c => Token::Char(c),
            });
        }
        out
    }

    #[test]
    fn in_a_path_stars_stop_at_slashes() {
        for (pattern, matched, missed) in [
            ("docs/*", vec!["docs/a", "docs/"], vec!["docs", "docs/a/b"]),
            ("docs/**", vec!["docs", "docs/a", "docs/a/b"], vec!["docsx", "doc"]),
            ("src/**/*.rs", vec!["src/c.rs", "src/a/b/c.rs"], vec!["src.rs", "srcx/c.rs", "src/c.md"]),
            ("**/x", vec!["x", "a/x", "a/b/x"], vec!["ax", "a/xb"]),
            ("**", vec!["", "a", "a/b"], vec![]),
            ("a?c", vec!["abc"], vec!["a/c", "ac", "abbc"]),
            ("src/**.rs", vec!["src/a.rs", "src/a/b.rs"], vec!["src"]),
            ("*/**", vec!["a", "a/b"], vec![]),
            ("a/**/b/**", vec!["a/b", "a/x/b", "a/x/b/y"], vec!["a", "ab"]),
        ] {
            for name in matched {
                assert!(path(pattern).matches(name), "{pattern} {name}");
            }
            for name in missed {
                assert!(!path(pattern).matches(name), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn one_glob_contains_another() {
        for (wide, narrow) in [("*", "a*"), ("delete_*", "delete_file"), ("a*c", "ab*bc"), ("*", "*"), ("x", "x")] {
            assert!(text(wide).contains(&text(narrow)), "{wide} {narrow}");
        }
        for (wide, narrow) in [("a*", "*"), ("delete_*", "del*"), ("x", "*"), ("a?", "a*")] {
            assert!(!text(wide).contains(&text(narrow)), "{wide} {narrow}");
        }
    }

    /// The meaning of a glob, written as plainly as possible.
    fn plainly(tokens: &[Token], text: &[char], separator: Option<char>, starts: bool) -> bool {
        let Some((token, rest)) = tokens.split_first() else { return text.is_empty() };
        if tokens == [Token::Char('/'), Token::Deep] && text.is_empty() {
            return separator.is_some();
        }
        match token {
            Token::Char(c) => text.first() == Some(c) && plainly(rest, &text[1..], separator, *c == '/'),
            Token::One => {
                text.first().is_some_and(|c| Some(*c) != separator) && plainly(rest, &text[1..], separator, false)
            }
            Token::Deep if separator.is_some() && starts && rest.first() == Some(&Token::Char('/')) => (0..=text.len())
                .any(|k| (k == 0 || text[k - 1] == '/') && plainly(&rest[1..], &text[k..], separator, true)),
            _ => (0..=text.len()).any(|k| {
                (*token == Token::Deep || text[..k].iter().all(|c| Some(*c) != separator))
                    && plainly(rest, &text[k..], separator, false)
            }),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn the_walk_agrees_with_the_plain_meaning(pattern in "[ab/*?]{0,8}", name in "[ab/]{0,8}", paths: bool) {
            let separator = paths.then_some('/');
            let tokens = tokens(&pattern, paths);
            let chars: Vec<char> = name.chars().collect();
            prop_assert_eq!(Glob::new(tokens.clone(), separator).matches(&name), plainly(&tokens, &chars, separator, true));
        }

        #[test]
        fn what_is_contained_is_matched(wide in "[ab*]{0,6}", narrow in "[ab*]{0,6}", name in "[ab]{0,6}") {
            if text(&wide).contains(&text(&narrow)) && text(&narrow).matches(&name) {
                prop_assert!(text(&wide).matches(&name));
            }
        }
    }
}
