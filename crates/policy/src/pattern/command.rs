//! Patterns over command lines: what covers a simple command, and what a denial finds in one.

use super::glob::{Glob, Token};
use super::objection::{objection, objection_to_wordless};
use super::parse::{Piece, char_of};
use super::{Fit, files};
use crate::command::{Analysis, Profile, Role, Simple};
use countersign_domain::describe::Described;

/// A pattern over command lines.
#[derive(Debug, Clone)]
pub(crate) struct CommandPattern {
    form: Form,
    /// The words before the first wildcard.
    words: Vec<String>,
    /// `rm -rf *`: whole words, and then anything.
    openly: bool,
    /// The first word, in lower case.
    first_word: String,
}

#[derive(Debug, Clone)]
enum Form {
    /// This text.
    Exact(String),
    /// `npm run test:*`: the words, then the end, a blank or a colon.
    Prefix,
    /// `*` is anything within one simple command.
    Wild(Glob),
}

/// What else allows besides the pattern: writing to a file.
pub(crate) type Writes<'a> = &'a dyn Fn(&str) -> bool;

impl CommandPattern {
    pub(super) fn new(pieces: &[Piece]) -> Self {
        let (form, literal) = match pieces {
            [words @ .., Piece::Char(':'), Piece::Star] if !words.is_empty() && !words.contains(&Piece::Star) => {
                (Form::Prefix, words)
            }
            pieces if pieces.contains(&Piece::Star) => {
                let before = pieces.iter().position(|&piece| piece == Piece::Star).unwrap_or(0);
                let glob = Glob::new(pieces.iter().map(|&piece| token(piece)).collect(), None);
                (Form::Wild(glob), pieces.get(..before).unwrap_or_default())
            }
            pieces => (Form::Exact(text_of(pieces)), pieces),
        };
        let text = text_of(literal);
        let mut words = words_of(&text);
        // `git lo*`: the last word is not whole.
        let whole = text.ends_with(' ');
        if matches!(form, Form::Wild(_)) && !whole {
            words.pop();
        }
        let openly = whole && matches!(&form, Form::Wild(glob) if glob.is_prefix());
        let first_word = text_of(pieces).split([' ', ':']).next().unwrap_or_default().to_lowercase();
        Self { form, words, openly, first_word }
    }

    /// Whether it is exactly this line.
    pub(super) fn is_exactly(&self, line: &str) -> bool {
        matches!(&self.form, Form::Exact(text) if text == line)
    }

    /// In what allows: how many words of `command` the pattern itself names, if it covers it.
    pub(super) fn covers(&self, command: &Simple, call: &Described, writes: Writes<'_>) -> Option<usize> {
        let named = match &self.form {
            Form::Exact(text) => {
                let same = command.words.iter().map(|word| &word.text).eq(&self.words);
                return (same && *text == command.source).then_some(command.words.len());
            }
            Form::Prefix => self.named_words(command)?,
            Form::Wild(glob) => glob.matches(&joined(command)).then_some(self.words.len())?,
        };
        objection(command, named, call, writes).is_none().then_some(named)
    }

    /// How many words of `command` stand for the words of the pattern.
    fn named_words(&self, command: &Simple) -> Option<usize> {
        let profile = command.program().and_then(Profile::of);
        let (last, before) = self.words.split_last()?;
        let mut words = command.words.iter().enumerate().peekable();
        for expected in before {
            let program = std::ptr::eq(expected, self.words.first()?);
            loop {
                let (_, word) = words.next().filter(|(_, word)| word.is_literal())?;
                if word.text == *expected || (program && is_installed_as(&word.text, expected)) {
                    break;
                }
                if program || !profile.is_some_and(|profile| profile.is_harmless(&word.text)) {
                    return None;
                }
            }
        }
        loop {
            let (i, word) = words.next().filter(|(_, word)| word.is_literal())?;
            let suffix = word.text.strip_prefix(&**last).and_then(|rest| rest.strip_prefix(':'));
            let whole = word.text == *last || (before.is_empty() && is_installed_as(&word.text, last));
            if whole
                || (!before.is_empty() && suffix.is_some_and(|suffix| !suffix.contains('/') && !suffix.contains("..")))
            {
                return Some(i + 1);
            }
            if before.is_empty() || !profile.is_some_and(|profile| profile.is_harmless(&word.text)) {
                return None;
            }
        }
    }

    /// In a denial: whether it finds what it denies in the line.
    pub(super) fn hits(&self, line: &str, analysis: &Analysis) -> Fit {
        let found = analysis.commands.iter().map(|command| self.hits_one(command)).max().unwrap_or(Fit::No);
        let guessed = || analysis.guesses.iter().any(|guess| self.hits_guess(guess));
        if found == Fit::Yes || self.is_exactly(line) || guessed() {
            Fit::Yes
        } else if analysis.opaque.is_some() {
            Fit::Maybe
        } else {
            found
        }
    }

    /// PowerShell and `cmd` are not taken apart: the first word counts, without regard to case.
    pub(super) fn hits_windows(&self, line: &str) -> Fit {
        let first = line.split_whitespace().next().unwrap_or_default().to_lowercase();
        if first == self.first_word || self.first_word == "*" { Fit::Yes } else { Fit::Maybe }
    }

    fn hits_one(&self, command: &Simple) -> Fit {
        let texts: Vec<&str> = command.words.iter().map(|word| &*word.text).collect();
        let unknown = command.words.iter().any(|word| !word.is_literal());
        match &self.form {
            Form::Wild(glob) if glob.matches(&plain(&texts)) => Fit::Yes,
            Form::Exact(_) if plain(&texts) == self.words.join(" ") => Fit::Yes,
            Form::Exact(_) if unknown && self.same_program(&texts) => Fit::Maybe,
            Form::Exact(_) => Fit::No,
            Form::Wild(_) if self.words.is_empty() => {
                if unknown {
                    Fit::Maybe
                } else {
                    Fit::No
                }
            }
            Form::Wild(_) if !self.openly => {
                if unknown && self.same_program(&texts) {
                    Fit::Maybe
                } else {
                    Fit::No
                }
            }
            Form::Prefix | Form::Wild(_) => match self.found_in(&texts) {
                Fit::No if unknown && self.same_program(&texts) => Fit::Maybe,
                fit => fit,
            },
        }
    }

    fn hits_guess(&self, guess: &str) -> bool {
        match &self.form {
            Form::Wild(glob) if glob.matches(guess) => true,
            Form::Exact(text) => text == guess,
            Form::Wild(_) if !self.openly => false,
            _ => self.found_in(&guess.split_whitespace().collect::<Vec<_>>()) == Fit::Yes,
        }
    }

    fn same_program(&self, texts: &[&str]) -> bool {
        texts.first().is_some_and(|first| self.words.first().is_none_or(|own| base_name(first) == own))
    }

    /// The program, its options anywhere and in any spelling, its operands in order.
    fn found_in(&self, texts: &[&str]) -> Fit {
        let (Some((program, arguments)), Some((own, expected))) = (texts.split_first(), self.words.split_first())
        else {
            return Fit::No;
        };
        if base_name(program) != own {
            return Fit::No;
        }
        let profile = Profile::of(own);
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let (given, wanted) = (Arguments::of(arguments, profile), Arguments::of(&expected, profile));
        if !wanted.options.iter().all(|option| given.has(option)) {
            return Fit::No;
        }
        let fits = |wanted: &str, given: &str| {
            given == wanted || given.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(':'))
        };
        let in_order = wanted.operands.len() <= given.operands.len()
            && wanted.operands.iter().zip(&given.operands).all(|(wanted, given)| fits(wanted, given));
        if in_order {
            return Fit::Yes;
        }
        // A value of an option nobody knows may stand between.
        let mut rest = given.operands.iter();
        let scattered = profile.is_none()
            && given.has_options
            && wanted.operands.iter().all(|wanted| rest.any(|given| fits(wanted, given)));
        if scattered { Fit::Maybe } else { Fit::No }
    }
}

/// Arguments for comparing: options and operands apart.
struct Arguments {
    options: Vec<String>,
    /// The letters of short options, one by one.
    letters: Vec<String>,
    operands: Vec<String>,
    has_options: bool,
    profile: Option<&'static Profile>,
}

impl Arguments {
    fn of(arguments: &[&str], profile: Option<&'static Profile>) -> Self {
        let canonical = |option: &str| profile.map_or(option, |profile| profile.canonical(option)).to_owned();
        let mut found =
            Self { options: Vec::new(), letters: Vec::new(), operands: Vec::new(), has_options: false, profile };
        let (mut value, mut ended) = (false, false);
        for &text in arguments {
            if std::mem::take(&mut value) {
                continue;
            }
            if ended || text.len() < 2 || !text.starts_with('-') {
                found.options.extend(profile.and_then(|profile| profile.meaning(text)).map(canonical));
                found.operands.push(text.to_owned());
                continue;
            }
            found.has_options = true;
            ended = text == "--";
            value = profile.is_some_and(|profile| profile.takes_value(text));
            found.options.push(canonical(text.split('=').next().unwrap_or(text)));
            found.letters.extend(letters(text).map(|letter| canonical(&letter)));
        }
        found
    }

    /// Whether the option is there: itself, or its letters split, merged or reordered.
    fn has(&self, option: &str) -> bool {
        let there = |option: &str| self.options.iter().chain(&self.letters).any(|own| own == option);
        let few = letters(option).count() <= MOST_LETTERS;
        there(option)
            || (few
                && letters(option).next().is_some()
                && letters(option).all(|letter| there(&letter) || self.same(&letter)))
    }

    fn same(&self, letter: &str) -> bool {
        self.profile.is_some_and(|profile| {
            let canonical = profile.canonical(letter);
            self.options.iter().chain(&self.letters).any(|own| own == canonical)
        })
    }
}

/// Whether `named`, which allow, together cover every simple command of a line.
pub(crate) fn cover_line<'a>(
    patterns: &(impl Iterator<Item = &'a CommandPattern> + Clone),
    line: &str,
    analysis: Option<&Analysis>,
    call: &Described,
    writes: Writes<'_>,
) -> bool {
    let mut exact = patterns.clone();
    if exact.any(|pattern| pattern.is_exactly(line)) {
        return true;
    }
    let Some(analysis) = analysis.filter(|analysis| analysis.opaque.is_none() && !analysis.commands.is_empty()) else {
        return false;
    };
    let anywhere = |path: &str| files::from_every_folder(path, analysis, call, writes);
    let writes: Writes<'_> = &anywhere;
    // An exact pattern is for the exact line; only among several commands may it stand for one of them.
    let alone = analysis.commands.len() == 1;
    let fitting = patterns.clone().filter(|pattern| !alone || !matches!(pattern.form, Form::Exact(_)));
    let named = |command: &Simple| fitting.clone().filter_map(|pattern| pattern.covers(command, call, writes)).max();
    // Setting a variable and opening a file needs no pattern of its own, but a line that does nothing else has none.
    analysis.commands.iter().any(|command| !command.words.is_empty())
        && analysis.commands.iter().all(|command| match command.role {
            Role::WrittenOut | Role::Through => true,
            Role::Own | Role::Wrapped if command.words.is_empty() => objection_to_wordless(command, writes).is_none(),
            Role::Own | Role::Wrapped => {
                named(command).is_some() || named_by_its_wrapper(command, analysis, call, writes, &named)
            }
        })
}

/// What covers `command`: the first pattern that does, else why none of them can.
pub(crate) fn account<'a>(
    patterns: impl Iterator<Item = (&'a str, &'a CommandPattern)> + Clone,
    command: &Simple,
    call: &Described,
    writes: Writes<'_>,
) -> Result<&'a str, String> {
    if let Some(why) = command.words.is_empty().then(|| objection_to_wordless(command, writes)).flatten() {
        return Err(why);
    }
    let mut covering = patterns.clone().filter(|(_, pattern)| pattern.covers(command, call, writes).is_some());
    if let Some((text, _)) = covering.next() {
        return Ok(text);
    }
    let mut objections = patterns.filter_map(|(_, pattern)| {
        let named = match &pattern.form {
            Form::Exact(_) => return None,
            Form::Prefix => pattern.named_words(command)?,
            Form::Wild(glob) => glob.matches(&joined(command)).then_some(pattern.words.len())?,
        };
        objection(command, named, call, writes)
    });
    Err(objections.next().unwrap_or_else(|| "no pattern fits".to_owned()))
}

/// `sudo apt-get update:*` names what `sudo` runs.
fn named_by_its_wrapper(
    command: &Simple,
    analysis: &Analysis,
    call: &Described,
    writes: Writes<'_>,
    named: &dyn Fn(&Simple) -> Option<usize>,
) -> bool {
    let Some((outer, start)) = command.behind else { return false };
    let Some(count) = analysis.commands.get(outer).and_then(named) else { return false };
    count > start && objection(command, count - start, call, writes).is_none()
}

/// A program given by the path of a system folder is the program.
fn is_installed_as(given: &str, name: &str) -> bool {
    const FOLDERS: [&str; 7] = [
        "/bin/",
        "/usr/bin/",
        "/usr/local/bin/",
        "/sbin/",
        "/usr/sbin/",
        "/opt/homebrew/bin/",
        "/run/current-system/sw/bin/",
    ];
    FOLDERS.iter().any(|folder| given.strip_prefix(folder) == Some(name))
}

/// Longer ones are words with one dash, as `find` has them.
const MOST_LETTERS: usize = 4;

/// `-rf` is `-r` and `-f`.
fn letters(option: &str) -> impl Iterator<Item = String> {
    let short = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    short.chars().map(|letter| format!("-{letter}"))
}

fn token(piece: Piece) -> Token {
    if piece == Piece::Star { Token::Many } else { Token::Char(char_of(piece)) }
}

fn text_of(pieces: &[Piece]) -> String {
    pieces.iter().map(|&piece| char_of(piece)).collect()
}

/// The words of a pattern, quotes taken away as the shell does.
fn words_of(text: &str) -> Vec<String> {
    if text.contains(['\'', '"', '\\']) {
        let analysis = Analysis::of(text.trim());
        if let (None, [only]) = (analysis.opaque, &*analysis.commands) {
            return only.words.iter().map(|word| word.text.clone()).collect();
        }
    }
    text.split_whitespace().map(str::to_owned).collect()
}

fn joined(command: &Simple) -> String {
    let texts: Vec<&str> = command.words.iter().map(|word| &*word.text).collect();
    let first = texts.first().copied().unwrap_or_default();
    let name = base_name(first);
    let first = if is_installed_as(first, name) { name } else { first };
    std::iter::once(first).chain(texts.iter().skip(1).copied()).collect::<Vec<_>>().join(" ")
}

/// The words as one text, the command word without its folder.
fn plain(texts: &[&str]) -> String {
    let first = texts.first().map_or("", |first| base_name(first));
    std::iter::once(first).chain(texts.iter().skip(1).copied()).collect::<Vec<_>>().join(" ")
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
