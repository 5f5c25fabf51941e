//! A word of a command line, and what of it is known before the shell expands it.

/// A word. `text` is what the program will be given, unless one of the flags says that only the shell knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent: a word may hold any of these")]
pub struct Word {
    /// The word with its quotes taken away; expansions stand in it as they were written.
    pub text: String,
    /// It holds an unquoted `*`, `?` or `[`.
    pub glob: bool,
    /// It holds an unquoted brace expansion.
    pub brace: bool,
    /// It starts with an unquoted `~`.
    pub tilde: bool,
    /// It holds a variable.
    pub variable: bool,
    /// It holds the output of a command.
    pub substitution: bool,
    /// It holds a variable or the output of a command outside quotes: it may become several words, or none.
    pub splits: bool,
    /// All outputs of commands in it are known to hold no option.
    pub settled: bool,
    /// It is exactly `"$(cat <<'END' …)"`: a text that is written out in the line.
    pub written_out: bool,
    /// Some of it was quoted or escaped.
    pub quoted: bool,
}

impl Word {
    /// Whether the program is given exactly `text`.
    pub fn is_literal(&self) -> bool {
        !(self.glob || self.brace || self.tilde || self.variable || self.substitution || self.written_out)
    }

    /// Whether it may become an option, or several words.
    pub fn may_become_option(&self) -> bool {
        let starts_open = self.text.starts_with(['*', '?', '[', '{', '$', '`']);
        (self.glob || self.brace || self.variable) && starts_open
    }
}

/// A word that is being read.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) word: Word,
    /// Where the first unquoted `=` stands, if everything before it was unquoted.
    pub(super) equals: Option<usize>,
    /// An unquoted `{` was seen.
    pub(super) opened: bool,
    /// An unquoted `[` was seen; without its `]` it is just a character.
    pub(super) bracket: bool,
}

impl Draft {
    /// An unquoted character without meaning of its own.
    pub(super) fn push(&mut self, c: char) {
        match c {
            '=' if self.equals.is_none() && !self.word.quoted && self.word.is_literal() => {
                self.equals = Some(self.word.text.len());
            }
            '{' => self.opened = true,
            '*' | '?' => self.word.glob = true,
            '[' => self.bracket = true,
            ']' if self.bracket => self.word.glob = true,
            ',' if self.opened => self.word.brace = true,
            '.' if self.opened && self.word.text.ends_with('.') => self.word.brace = true,
            _ => {}
        }
        self.word.text.push(c);
    }

    /// A character that was quoted or escaped.
    pub(super) fn push_quoted(&mut self, c: char) {
        self.word.quoted = true;
        self.word.text.push(c);
    }

    /// The name and the value, if this is an assignment.
    pub(super) fn assignment(&self) -> Option<(&str, &str)> {
        let at = self.equals?;
        let (name, value) = (self.word.text.get(..at)?, self.word.text.get(at + 1..)?);
        let name = name.strip_suffix('+').unwrap_or(name);
        is_name(name).then_some((name, value))
    }
}

/// Whether the variable `name` means something to one line only: no shell, no loader and no program looks at it.
///
/// Programs read variables in capitals, with few exceptions. A name of one letter is nobody's.
pub(super) fn is_free_name(name: &str) -> bool {
    const TAKEN: [&str; 14] = [
        "path",
        "cdpath",
        "fpath",
        "manpath",
        "module_path",
        "mailpath",
        "fignore",
        "prompt",
        "status",
        "argv",
        "aliases",
        "functions",
        "histchars",
        "auto_resume",
    ];
    let taken = TAKEN.contains(&name) || name.ends_with("_proxy") || name.starts_with("npm_") || name.starts_with('_');
    is_name(name) && (name.len() == 1 || !name.contains(|c: char| c.is_ascii_uppercase())) && !taken
}

/// Whether `text` can be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        && text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
}
