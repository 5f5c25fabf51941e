//! Patterns over command lines.
//!
//! A command line is not taken apart by a grammar here, so only its exact text is ever covered. A denial looks at the
//! plain words of everything that might be a command in the line; a line that holds more than plain words may hide
//! one, and is asked about wherever a denial exists.

use super::Fit;
use super::glob::{Glob, Token};
use super::parse::{Piece, char_of};
use countersign_domain::describe::Dialect;

/// A pattern over command lines.
#[derive(Debug, Clone)]
pub(crate) struct CommandPattern {
    form: Form,
    /// The first word, in lower case.
    first_word: String,
}

#[derive(Debug, Clone)]
enum Form {
    /// This text.
    Exact(String),
    /// `npm run test:*`: these words, then the end, a blank or a colon.
    Prefix(String),
    /// `*` is anything within one simple command.
    Wild(Glob),
}

impl CommandPattern {
    pub(super) fn new(pieces: &[Piece]) -> Self {
        let form = match pieces {
            [words @ .., Piece::Char(':'), Piece::Star] if !words.is_empty() && !words.contains(&Piece::Star) => {
                Form::Prefix(words_of(words))
            }
            pieces if pieces.contains(&Piece::Star) => {
                Form::Wild(Glob::new(pieces.iter().map(|&piece| token(piece)).collect(), None))
            }
            pieces => Form::Exact(pieces.iter().map(|&piece| char_of(piece)).collect()),
        };
        let plain: String = pieces.iter().map(|&piece| char_of(piece)).collect();
        let first_word = plain.split([' ', ':']).next().unwrap_or_default().to_lowercase();
        Self { form, first_word }
    }

    /// In what allows: the exact text.
    pub(super) fn covers(&self, line: &str) -> bool {
        matches!(&self.form, Form::Exact(text) if text == line)
    }

    /// In a denial.
    pub(super) fn hits(&self, line: &str, dialect: Dialect) -> Fit {
        if dialect == Dialect::Windows {
            let first = line.split_whitespace().next().unwrap_or_default().to_lowercase();
            return if first == self.first_word || self.first_word == "*" { Fit::Yes } else { Fit::Maybe };
        }
        let guess = Guess::of(line);
        if self.matches(line) || guess.commands.iter().any(|command| self.matches(command)) {
            Fit::Yes
        } else if guess.plain {
            Fit::No
        } else {
            Fit::Maybe
        }
    }

    fn matches(&self, command: &str) -> bool {
        match &self.form {
            Form::Exact(text) => words(text).eq(words(command)),
            Form::Prefix(prefix) => {
                command.strip_prefix(&**prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
            }
            Form::Wild(glob) => glob.matches(command),
        }
    }
}

fn token(piece: Piece) -> Token {
    if piece == Piece::Star { Token::Many } else { Token::Char(char_of(piece)) }
}

fn words_of(pieces: &[Piece]) -> String {
    let text: String = pieces.iter().map(|&piece| char_of(piece)).collect();
    words(&text).collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// What a line might run, guessed from its words. It finds too much rather than too little.
struct Guess {
    /// Words joined by single blanks, command words without their folder.
    commands: Vec<String>,
    /// Nothing but plain words and separators: what was found is all there is.
    plain: bool,
}

/// Programs and words after which another command may follow.
const LEADING: &[&str] = &[
    "!", "{", "builtin", "chroot", "command", "coproc", "do", "doas", "elif", "else", "env", "eval", "exec", "find",
    "flock", "if", "ionice", "nice", "nohup", "parallel", "setsid", "ssh", "stdbuf", "strace", "su", "sudo", "then",
    "time", "timeout", "until", "watch", "while", "xargs", "sh", "bash", "dash", "zsh", "ksh", "busybox",
];

impl Guess {
    fn of(line: &str) -> Self {
        let plain = line.chars().all(|c| c.is_ascii_alphanumeric() || " _./:=@,+-;|&\n".contains(c));
        let mut guess = Self { commands: Vec::new(), plain };
        for part in line.split([';', '|', '&', '\n', '\r', '(', ')', '{', '}', '`', '<', '>']) {
            // Quotes and backslashes are taken away, so that `r'm'` and `\rm` are `rm`; blanks in quotes part words.
            let bare: String = part.chars().filter(|c| !matches!(c, '\'' | '"' | '\\' | '$')).collect();
            guess.add(&words(&bare).collect::<Vec<_>>());
        }
        guess
    }

    fn add(&mut self, words: &[&str]) {
        let mut rest = words;
        for _ in 0..MOST_LEADING {
            let [first, after @ ..] = rest else { return };
            if is_assignment(first) {
                self.plain = false;
                rest = after;
                continue;
            }
            self.commands.push(command(rest));
            if !LEADING.contains(&base_name(first)) {
                return;
            }
            // Its own options come first, nobody here knows how many: whatever follows may be the command.
            self.plain = false;
            let further = (1..after.len().min(MOST_OPTIONS)).filter_map(|start| after.get(start..));
            self.commands.extend(further.map(command));
            rest = after;
        }
        self.plain &= rest.is_empty();
    }
}

/// Leading words that are looked behind, and words behind each of them. A line with more is not plain, and so asked about.
const MOST_LEADING: usize = 4;
const MOST_OPTIONS: usize = 8;

/// The words as one text, the command word without its folder.
fn command(words: &[&str]) -> String {
    let (first, arguments) = words.split_first().unwrap_or((&"", &[]));
    std::iter::once(base_name(first)).chain(arguments.iter().copied()).collect::<Vec<_>>().join(" ")
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()))
}
