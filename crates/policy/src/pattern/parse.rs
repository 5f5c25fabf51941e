//! Reads the text of a pattern.

use super::glob::{Glob, Token};
use super::{Pattern, Server, Spelled, What};
use countersign_domain::describe::compared;
use std::sync::OnceLock;

/// Why a text is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// Nothing, or nothing where a name must stand.
    #[error("`{0}` names no tool: expected `tool`, `tool(what)`, `server/tool` or `server/tool(what)`")]
    NoTool(String),
    /// Brackets that do not match up.
    #[error("`{0}` opens a bracket and does not end with `)`")]
    Open(String),
    /// A closing bracket without an opening one.
    #[error("`{0}` closes a bracket that it never opened")]
    Closed(String),
    /// Empty brackets.
    #[error("`{0}` has nothing in its brackets: leave them out to mean every call of the tool")]
    Empty(String),
    /// A backslash before something that needs none.
    #[error(
        "`{0}` holds `\\{1}`, which is no escape: only `\\*`, `\\?`, `\\(`, `\\)`, `\\/` and `\\\\` are; a backslash itself is `\\\\`"
    )]
    BadEscape(String, char),
    /// A backslash at the very end.
    #[error("`{0}` ends in a lone backslash: a backslash itself is `\\\\`")]
    LoneBackslash(String),
    /// Brackets that say nothing of the kind of thing that the tool touches.
    #[error("`{pattern}` cannot be read as {kind}, which is what `{tool}` touches: {why}")]
    Unreadable {
        /// The pattern.
        pattern: String,
        /// The tool it names.
        tool: String,
        /// The kind of thing that the tool touches.
        kind: &'static str,
        /// What is wrong, and what to write instead.
        why: &'static str,
    },
    /// Several ways to tell server and tool apart, where only one can be allowed.
    #[error("`{0}` can be read as more than one tool: write which one is meant, as in `server/tool`")]
    Ambiguous(String),
    /// Brackets for a tool that touches nothing.
    #[error("`{0}` fits no call: the tool touches nothing that could be named, so leave out the brackets")]
    Untouched(String),
    /// Longer than any pattern needs to be.
    #[error("a pattern with wildcards may have {LONGEST_WILD} characters at the most, this one has {0}")]
    TooLong(usize),
}

/// The longest pattern with a wildcard: time to match grows with it.
const LONGEST_WILD: usize = 4096;

/// One character of a pattern, escapes resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Char(char),
    Star,
    Question,
    Open,
    Slash,
    Close,
}

impl Pattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        let shown = || text.chars().take(80).collect::<String>();
        let pieces = pieces(text)?;
        let wild = pieces.iter().any(|piece| matches!(piece, Piece::Star | Piece::Question));
        if wild && pieces.len() > LONGEST_WILD {
            return Err(BadPattern::TooLong(pieces.len()));
        }
        let (name, what) = match pieces.iter().position(|&piece| piece == Piece::Open) {
            None if pieces.contains(&Piece::Close) => return Err(BadPattern::Closed(shown())),
            None => (&*pieces, None),
            Some(open) => {
                let (name, bracket) = pieces.split_at(open);
                match bracket {
                    [_, inside @ .., Piece::Close] => (name, Some(inside)),
                    _ => return Err(BadPattern::Open(shown())),
                }
            }
        };
        if what.is_some_and(<[Piece]>::is_empty) {
            return Err(BadPattern::Empty(shown()));
        }
        let (server, tool) = qualified(name);
        let spelled = Spelled::read(name);
        if tool.is_empty() || server.is_some_and(<[Piece]>::is_empty) {
            return Err(BadPattern::NoTool(shown()));
        }
        Ok(Self {
            text: text.into(),
            server: server.map_or(Server::Unqualified, |server| Server::Named(name_glob(server))),
            tool: name_glob(tool),
            what: what.map(|what| Box::new(What::new(what))),
            spelled: spelled.map(Box::new),
        })
    }
}

impl What {
    fn new(pieces: &[Piece]) -> Self {
        Self {
            text: Glob::new(pieces.iter().map(|&piece| any_token(piece)).collect(), None),
            command: OnceLock::new(),
            path: OnceLock::new(),
            url: OnceLock::new(),
        }
    }
}

/// What stands in the brackets of a pattern that has been read before.
pub(super) fn inside(pattern: &str) -> Vec<Piece> {
    let pieces = pieces(pattern).unwrap_or_default();
    let inside = pieces.split(|&piece| piece == Piece::Open).next().map_or(0, <[_]>::len) + 1;
    pieces.get(inside..pieces.len().saturating_sub(1)).unwrap_or_default().to_vec()
}

fn pieces(text: &str) -> Result<Vec<Piece>, BadPattern> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '*' => Piece::Star,
            '?' => Piece::Question,
            '(' => Piece::Open,
            ')' => Piece::Close,
            '/' => Piece::Slash,
            '\\' => match chars.next() {
                Some(c @ ('*' | '?' | '(' | ')' | '/' | '\\')) => Piece::Char(c),
                Some(other) => return Err(BadPattern::BadEscape(text.chars().take(80).collect(), other)),
                None => return Err(BadPattern::LoneBackslash(text.chars().take(80).collect())),
            },
            c => Piece::Char(c),
        });
    }
    Ok(out)
}

const MCP: [Piece; 5] = [Piece::Char('m'), Piece::Char('c'), Piece::Char('p'), Piece::Char('_'), Piece::Char('_')];
const JOINT: [Piece; 2] = [Piece::Char('_'), Piece::Char('_')];

/// Splits `server/tool`; `mcp__server__tool`, as coding agents write it, is the same.
fn qualified(name: &[Piece]) -> (Option<&[Piece]>, &[Piece]) {
    if let Some(slash) = name.iter().position(|&piece| piece == Piece::Slash) {
        let (server, tool) = name.split_at(slash);
        return (Some(server), tool.get(1..).unwrap_or_default());
    }
    if let Some(rest) = name.strip_prefix(&MCP) {
        let joint = rest.windows(2).position(|pair| pair == JOINT);
        if let Some((server, tool)) = joint.and_then(|at| Some((rest.get(..at)?, rest.get(at + 2..)?)))
            && !server.is_empty()
            && !tool.is_empty()
        {
            return (Some(server), tool);
        }
    }
    (None, name)
}

impl Spelled {
    /// `None` where there is but one way to tell server and tool apart.
    fn read(name: &[Piece]) -> Option<Self> {
        let rest = name.strip_prefix(&MCP).filter(|_| !name.contains(&Piece::Slash))?;
        let last = rest.len().saturating_sub(JOINT.len());
        let joints = rest.windows(2).enumerate().filter(|&(at, pair)| pair == JOINT && at > 0 && at < last).count();
        let several = joints > 1;
        (several || rest.contains(&Piece::Star)).then(|| Self { joined: name_glob(rest), several })
    }
}

/// A name: only `*` is a wildcard, and names are compared in Unicode normal form C.
fn name_glob(pieces: &[Piece]) -> Glob {
    let mut tokens = Vec::new();
    for (i, run) in pieces.split(|&piece| piece == Piece::Star).enumerate() {
        if i > 0 {
            tokens.push(Token::Many);
        }
        let literal: String = run.iter().map(|&piece| char_of(piece)).collect();
        tokens.extend(compared(&literal).chars().map(Token::Char));
    }
    Glob::new(tokens, None)
}

/// A server's name with `*` as wildcard.
pub(super) fn server_glob(name: &str) -> Glob {
    name_glob(&name.chars().map(|c| if c == '*' { Piece::Star } else { Piece::Char(c) }).collect::<Vec<_>>())
}

/// The character a piece stands for where it has no special meaning.
pub(super) fn char_of(piece: Piece) -> char {
    match piece {
        Piece::Char(c) => c,
        Piece::Star => '*',
        Piece::Question => '?',
        Piece::Open => '(',
        Piece::Slash => '/',
        Piece::Close => ')',
    }
}

/// Text: `*` is anything, `?` is one character.
pub(super) fn any_token(piece: Piece) -> Token {
    match piece {
        Piece::Star => Token::Many,
        Piece::Question => Token::One,
        other => Token::Char(char_of(other)),
    }
}
