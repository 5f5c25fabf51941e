//! Program profiles: data that says which programs run others, and which flags write files or load code.

use super::{Simple, Word, sed};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What is known of a program.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts, each a line of the table")]
pub struct Profile {
    /// No wildcard covers it, whatever its arguments.
    never: bool,
    /// Options and words with which no wildcard covers it.
    dangers: Vec<String>,
    /// The same, unless the pattern names them.
    unless_named: Vec<String>,
    /// It takes the beginning of a long option for the whole.
    abbreviates: bool,
    /// Its first operand is a script of sed.
    sed: bool,
    /// Sub-commands after which its operands are a command.
    pub(super) sub_runs: HashSet<String>,
    /// Sub-commands with which no wildcard covers it.
    sub_commands: HashSet<String>,
    /// The same, unless the pattern names them.
    sub_commands_unless_named: HashSet<String>,
    /// It runs the command that its operands are.
    pub(super) runs: bool,
    /// It does nothing else.
    pub(super) through: bool,
    /// Operands of its own before that command.
    pub(super) skip: usize,
    /// Options that take the next word as their value.
    takes: HashSet<String>,
    /// Options that may stand before a sub-command.
    harmless: HashSet<String>,
    /// Options whose value is a command line; `*` is all operands.
    pub(super) texts: Vec<String>,
    /// Words that a command follows.
    pub(super) after: Vec<String>,
    /// Beginnings of operands that mean an option.
    meanings: Vec<(String, String)>,
    /// Spellings of one option, the first of each group is the one they are compared by.
    same: HashMap<String, String>,
}

struct Table {
    programs: HashMap<&'static str, Profile>,
    variables: HashSet<&'static str>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| read(include_str!("../../data/programs.txt")));

impl Profile {
    /// The profile of the program `name`, if it is listed.
    pub fn of(name: &str) -> Option<&'static Self> {
        TABLE.programs.get(name)
    }

    /// Whether setting the variable `name` changes nothing but looks.
    pub fn is_harmless_variable(name: &str) -> bool {
        TABLE.variables.contains(name)
    }

    /// Why no wildcard covers `command`, of which a pattern names the first `named` words itself, if so.
    pub fn objection(&'static self, command: &Simple, named: usize) -> Option<String> {
        let arguments = command.words.get(1..).unwrap_or_default();
        if self.never {
            return Some(format!("no wildcard covers `{}`", command.program().unwrap_or_default()));
        }
        let beyond = command.words.get(named.max(1)..).unwrap_or_default();
        let find = |words: &[Word], dangers: &'static [String]| {
            words.iter().find_map(|word| dangers.iter().find(|danger| self.is_danger(word, danger)))
        };
        if let Some(danger) = find(arguments, &self.dangers).or_else(|| find(beyond, &self.unless_named)) {
            return Some(format!("`{danger}` may run a program or write a file"));
        }
        let sub_command = self.operands(arguments).next();
        let is_named = |word: &Word| {
            command.words.get(..named).is_some_and(|words| words.iter().any(|own| std::ptr::eq(own, word)))
        };
        let harmful = |word: &&Word| {
            self.sub_commands.contains(&word.text)
                || (self.sub_commands_unless_named.contains(&word.text) && !is_named(word))
        };
        if let Some(word) = sub_command.filter(harmful) {
            return Some(format!("`{}` may run a program or write a file", word.text));
        }
        if self.sed
            && !self.operands(arguments).next().is_some_and(|word| word.is_literal() && sed::is_harmless(&word.text))
        {
            return Some("the script may write a file or run a program".to_owned());
        }
        let open = arguments.iter().any(Word::may_become_option);
        (open && self.has_dangers()).then(|| "a word that only the shell knows may become such an option".to_owned())
    }

    /// Whether any of its arguments could do harm.
    pub fn has_dangers(&self) -> bool {
        self.never
            || !self.dangers.is_empty()
            || !self.unless_named.is_empty()
            || !self.sub_commands.is_empty()
            || !self.sub_commands_unless_named.is_empty()
            || self.runs
            || !self.texts.is_empty()
    }

    /// The arguments that are not options, nor values of options.
    pub fn operands<'a>(&'a self, arguments: &'a [Word]) -> impl Iterator<Item = &'a Word> {
        let mut value = false;
        let mut ended = false;
        arguments.iter().filter(move |word| {
            if std::mem::take(&mut value) {
                return false;
            }
            if ended || !is_option(word) {
                return true;
            }
            ended = word.text == "--";
            value = self.takes.contains(&word.text);
            false
        })
    }

    /// Where in `arguments` the command starts that it runs.
    pub(super) fn start_of_command(&self, arguments: &[Word]) -> Option<usize> {
        let mut left = self.skip;
        let mut i = 0;
        while let Some(word) = arguments.get(i) {
            if word.text == "--" {
                i += 1;
                break;
            }
            if is_option(word) {
                i += if self.takes.contains(&word.text) { 2 } else { 1 };
            } else if word.text.split_once('=').is_some_and(|(name, _)| super::word::is_name(name)) && self.skip == 0 {
                i += 1;
            } else if left > 0 {
                left -= 1;
                i += 1;
            } else {
                break;
            }
        }
        (i < arguments.len()).then_some(i)
    }

    /// Where in `arguments` the command starts that its sub-command runs.
    pub(super) fn start_after_sub_command(&self, arguments: &[Word]) -> Option<usize> {
        let sub = arguments
            .iter()
            .position(|word| !is_option(word))
            .filter(|&i| arguments.get(i).is_some_and(|word| self.sub_runs.contains(&word.text)))?;
        let rest = arguments.get(sub + 1..)?;
        self.start_of_command(rest).map(|start| sub + 1 + start)
    }

    /// Whether `option` may stand before the sub-command.
    pub fn is_harmless(&self, option: &str) -> bool {
        self.harmless.contains(option)
    }

    /// Whether the option takes the next word as its value.
    pub fn takes_value(&self, option: &str) -> bool {
        self.takes.contains(option)
    }

    /// The option that an operand means: `+main` forces a push.
    pub fn meaning(&self, operand: &str) -> Option<&str> {
        self.meanings.iter().find(|(start, _)| operand.starts_with(&**start)).map(|(_, option)| &**option)
    }

    /// The spelling by which `option` is compared.
    pub fn canonical<'a>(&'a self, option: &'a str) -> &'a str {
        self.same.get(option).map_or(option, String::as_str)
    }
}

fn is_option(word: &Word) -> bool {
    word.text.len() > 1 && word.text.starts_with('-')
}

impl Profile {
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

fn read(text: &'static str) -> Table {
    let mut table = Table { programs: HashMap::new(), variables: HashSet::new() };
    let mut names: Vec<&'static str> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let key = words.next().unwrap_or_default();
        let values: Vec<&'static str> = words.collect();
        match key {
            "program" => {
                names = values;
                for name in &names {
                    table.programs.entry(name).or_default();
                }
            }
            "variables" => table.variables.extend(values),
            fact => {
                for name in &names {
                    if let Some(profile) = table.programs.get_mut(name) {
                        profile.add(fact, &values);
                    }
                }
            }
        }
    }
    table
}

impl Profile {
    fn add(&mut self, fact: &str, values: &[&str]) {
        let owned = || values.iter().map(|&value| value.to_owned());
        match fact {
            "never" if values.is_empty() => self.never = true,
            "never" => self.dangers.extend(owned()),
            "unless-named" => self.unless_named.extend(owned()),
            "abbreviates" => self.abbreviates = true,
            "script" => self.sed = true,
            "sub-runs" => self.sub_runs.extend(owned()),
            "unless-named-first" => self.sub_commands_unless_named.extend(owned()),
            "never-first" => self.sub_commands.extend(owned()),
            "through" => (self.runs, self.through) = (true, true),
            "runs" => self.runs = true,
            "skip" => self.skip = values.first().and_then(|count| count.parse().ok()).unwrap_or(0),
            "takes" => self.takes.extend(owned()),
            "harmless" => self.harmless.extend(owned()),
            "text" => self.texts.extend(owned()),
            "after" => self.after.extend(owned()),
            "means" => {
                if let [start, option] = values {
                    self.meanings.push(((*start).to_owned(), (*option).to_owned()));
                }
            }
            "same" => {
                let first = values.first().copied().unwrap_or_default();
                self.same.extend(values.iter().map(|&value| (value.to_owned(), first.to_owned())));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    /// A misspelt fact would silently protect nobody.
    #[test]
    fn every_line_of_the_table_is_understood() {
        let known = [
            "program",
            "variables",
            "plain",
            "never",
            "unless-named",
            "unless-named-first",
            "abbreviates",
            "script",
            "sub-runs",
            "never-first",
            "through",
            "runs",
            "skip",
            "takes",
            "harmless",
            "text",
            "after",
            "same",
            "means",
        ];
        for line in include_str!("../../data/programs.txt")
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            assert!(known.contains(&line.split_whitespace().next().unwrap()), "{line}");
        }
    }
}
