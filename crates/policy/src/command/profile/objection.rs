//! What speaks against a wildcard that would cover a command.

use super::super::{Simple, Word, awk, condition, sed};
use super::{Profile, Script, is_option};

impl Profile {
    /// Why no wildcard covers `command`, of which a pattern names the first `named` words itself, if so.
    pub fn objection(&'static self, command: &Simple, named: usize) -> Option<String> {
        let all = command.words.get(1..).unwrap_or_default();
        let apart = self.without_pairs(all);
        let arguments = apart.as_deref().unwrap_or(all);
        if self.never {
            return Some(format!("no wildcard covers `{}`", command.program().unwrap_or_default()));
        }
        let beyond = command.words.get(named.max(1)..).unwrap_or_default();
        let sub_command = self.operands(all).next();
        let find = |words: &[Word], dangers: &'static [String]| {
            words.iter().find_map(|word| dangers.iter().find(|danger| self.is_danger(word, danger)))
        };
        if let Some(danger) = find(arguments, &self.dangers).or_else(|| find(beyond, &self.unless_named)) {
            return Some(format!("`{danger}` may run a program or write a file"));
        }
        let is_named = |word: &Word| {
            command.words.get(..named).is_some_and(|words| words.iter().any(|own| std::ptr::eq(own, word)))
        };
        let harmful = |word: &&Word| {
            self.sub_commands.contains(&word.text)
                || (self.sub_commands_unless_named.contains(&word.text) && !is_named(word))
        };
        if let Some(word) = sub_command.filter(harmful).filter(|word| !self.only_reads(word, all)) {
            return Some(format!("`{}` may run a program or write a file", word.text));
        }
        let harmless = match self.script {
            None => true,
            Some(Script::Sed) => sed::only_edits(arguments),
            Some(Script::Awk) => self.operands(arguments).all(|word| awk::is_harmless(&word.text)),
            Some(Script::Condition) if condition::only_looks(&command.words) => return None,
            Some(Script::Condition) => return Some("a value may be evaluated, and run a program".to_owned()),
        };
        if !harmless {
            return Some("the script may write a file or run a program".to_owned());
        }
        if !self.only.is_empty() && arguments.iter().any(|word| !word.is_literal() || !self.only.contains(&word.text)) {
            return Some("an option that changes what the shell does".to_owned());
        }
        if self.names && self.operands(arguments).any(|word| !word.is_literal() || !Self::is_free_variable(&word.text))
        {
            return Some("the variable it sets may change what is run".to_owned());
        }
        if let Some(word) = self.runs_with_open_arguments(arguments) {
            return Some(format!("`{}` may run a program or write a file", word.text));
        }
        let open = arguments.iter().any(Word::may_become_option);
        (open && self.has_dangers()).then(|| "a word that only the shell knows may become such an option".to_owned())
    }
}

impl Profile {
    /// The arguments without options that do no harm with the value they have; `None` where there are none.
    fn without_pairs(&self, arguments: &[Word]) -> Option<Vec<Word>> {
        if self.pairs.is_empty() {
            return None;
        }
        let mut rest = Vec::new();
        let mut words = arguments.iter().peekable();
        while let Some(word) = words.next() {
            let value = words.peek().filter(|value| value.is_literal() && word.is_literal());
            let harmless = |value: &&Word| self.pairs.iter().any(|(one, its)| *one == word.text && *its == value.text);
            if value.is_some_and(harmless) {
                words.next();
            } else {
                rest.push(word.clone());
            }
        }
        Some(rest)
    }

    /// The word after which a program follows that is given the names of files, and to which not any text may be given.
    fn runs_with_open_arguments<'a>(&self, arguments: &'a [Word]) -> Option<&'a Word> {
        let takes_any_text = |word: &Word| word.is_literal() && Self::of(&word.text).is_some_and(Self::takes_any_text);
        let mut pairs = arguments.iter().zip(arguments.iter().skip(1).map(Some).chain([None]));
        let harmful = pairs.find(|(word, next)| self.after.contains(&word.text) && !next.is_some_and(takes_any_text));
        harmful.map(|(word, _)| word)
    }

    /// Whether the word behind the sub-command makes it only read.
    fn only_reads(&self, sub_command: &Word, arguments: &[Word]) -> bool {
        let behind = arguments.iter().skip_while(|word| !std::ptr::eq(*word, sub_command)).nth(1);
        self.reading.iter().any(|(name, options)| {
            *name == sub_command.text && behind.is_some_and(|word| word.is_literal() && options.contains(&word.text))
        })
    }

    /// Whether `word` is `danger`, holds it, or abbreviates it.
    fn is_danger(&self, word: &Word, danger: &str) -> bool {
        let text = &*word.text;
        if let Some(inside) = danger.strip_prefix('*').and_then(|rest| rest.strip_suffix('*')) {
            return !is_option(word) && text.contains(inside);
        }
        if let Some(start) = danger.strip_suffix('…').or_else(|| danger.strip_suffix('*')) {
            return text.starts_with(start);
        }
        if let Some(long) = danger.strip_prefix("--") {
            let given = text.strip_prefix("--").map(|rest| rest.split('=').next().unwrap_or(rest));
            return given.is_some_and(|given| {
                given == long || (self.abbreviates && given.len() > 1 && long.starts_with(given))
            });
        }
        match danger.strip_prefix('-') {
            None => text == danger,
            Some("") => text == "-",
            // A single letter may be merged with others, or have its value attached.
            Some(letter) if letter.len() == 1 => {
                text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
            }
            Some(name) => text.starts_with('-') && text.trim_start_matches('-').split('=').next() == Some(name),
        }
    }
}
