//! What speaks against a wildcard that would cover a command.

use super::super::{Simple, Word, awk, condition, sed};
use super::{Profile, Script, is_option};

impl Profile {
    /// Why no wildcard covers `command`, of which a pattern names the first `named` words itself, if so.
    pub fn objection(&'static self, command: &Simple, named: usize) -> Option<String> {
        if self.never {
            return Some(format!("no wildcard covers `{}`", command.program().unwrap_or_default()));
        }
        let all = command.words.get(1..).unwrap_or_default();
        let apart = self.without_pairs(all);
        let arguments = apart.as_deref().unwrap_or(all);
        if self.script == Some(Script::Condition) && condition::only_looks(&command.words) {
            return self.danger(arguments, &[]);
        }
        let beyond = command.words.get(named.max(1)..).unwrap_or_default();
        self.danger(arguments, beyond)
            .or_else(|| self.objection_to_sub_command(command, named))
            .or_else(|| self.objection_to_operands(arguments))
            .or_else(|| {
                let open = self.has_dangers() && arguments.iter().any(Word::may_become_option);
                open.then(|| "a word that only the shell knows may become such an option".to_owned())
            })
    }

    /// `beyond` are the arguments that the pattern does not name.
    fn danger(&'static self, arguments: &[Word], beyond: &[Word]) -> Option<String> {
        let find = |words: &[Word], dangers: &'static [String]| {
            words.iter().find_map(|word| dangers.iter().find(|danger| self.is_danger(word, danger)))
        };
        find(arguments, &self.dangers).or_else(|| find(beyond, &self.unless_named)).map(|danger| harmful(danger))
    }

    fn objection_to_sub_command(&self, command: &Simple, named: usize) -> Option<String> {
        let arguments = command.words.get(1..).unwrap_or_default();
        let Some(first) = self.operands(arguments).next() else {
            let asks = |word: &Word| matches!(&*word.text, "--version" | "-V" | "-v" | "--help" | "-h");
            let reads = self.stdin && !arguments.iter().any(asks);
            return reads.then(|| "it runs the program that it reads".to_owned());
        };
        // An output may turn out to be empty: then another word stands in its place.
        let has_places = self.runs || !self.sub_commands.is_empty() || !self.sub_commands_unless_named.is_empty();
        if has_places && !first.is_literal() {
            return Some("what it does is only known to the shell".to_owned());
        }
        let is_named = || command.words.iter().take(named).any(|own| std::ptr::eq(own, first));
        let listed = self.sub_commands.contains(&first.text)
            || (self.sub_commands_unless_named.contains(&first.text) && !is_named());
        (listed && !self.only_reads(first, arguments)).then(|| harmful(&first.text))
    }

    fn objection_to_operands(&self, arguments: &[Word]) -> Option<String> {
        let known = |word: &Word, among: &dyn Fn(&str) -> bool| word.is_literal() && among(&word.text);
        let why = match self.script {
            Some(Script::Sed) if !sed::only_edits(arguments) => "the script may write a file or run a program",
            Some(Script::Awk) if !self.operands(arguments).all(|word| awk::is_harmless(&word.text)) => {
                "the script may write a file or run a program"
            }
            Some(Script::Condition) => "a value may be evaluated, and run a program",
            _ if !self.only.is_empty()
                && !arguments.iter().all(|word| known(word, &|text| self.only.contains(text))) =>
            {
                "an option that changes what the shell does"
            }
            _ if self.names && !self.operands(arguments).all(|word| known(word, &Self::is_free_variable)) => {
                "the variable it sets may change what is run"
            }
            _ => return self.runs_with_open_arguments(arguments).map(|word| harmful(&word.text)),
        };
        Some(why.to_owned())
    }
}

fn harmful(word: &str) -> String {
    format!("`{word}` may run a program or write a file")
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
