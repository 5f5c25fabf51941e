//! Reads the table of programs.

use super::{Profile, Script};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub(super) struct Table {
    pub(super) programs: HashMap<&'static str, Profile>,
    pub(super) variables: HashSet<&'static str>,
    /// Commands whose output holds no option.
    pub(super) settled: Vec<Vec<&'static str>>,
}

pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| read(include_str!("../../../data/programs.txt")));

fn read(text: &'static str) -> Table {
    let mut table = Table { programs: HashMap::new(), variables: HashSet::new(), settled: Vec::new() };
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
            "settled" => table.settled.push(values),
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
            "script" => {
                self.script = match values {
                    ["sed"] => Some(Script::Sed),
                    ["awk"] => Some(Script::Awk),
                    ["condition"] => Some(Script::Condition),
                    _ => None,
                }
            }
            "only" => self.only.extend(owned()),
            "writes" => self.writes = true,
            "stdin" => self.stdin = true,
            "names" => self.names = true,
            "sets" => self.sets.extend(owned()),
            "instead" => self.instead.extend(owned()),
            "pair" => {
                if let [option, value] = values {
                    self.pairs.push(((*option).to_owned(), (*value).to_owned()));
                }
            }
            "reading" => {
                if let [sub_command, options @ ..] = values {
                    let options = options.iter().map(|&option| option.to_owned()).collect();
                    self.reading.push(((*sub_command).to_owned(), options));
                }
            }
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
            "only",
            "writes",
            "stdin",
            "names",
            "sets",
            "instead",
            "pair",
            "reading",
            "settled",
        ];
        for line in include_str!("../../../data/programs.txt")
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            assert!(known.contains(&line.split_whitespace().next().unwrap()), "{line}");
        }
    }
}
