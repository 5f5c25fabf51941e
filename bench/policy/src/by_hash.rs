//! A hash by tool (or server), with a `GlobSet` each.

use crate::workload::{Answer, Call, Form, Grant, Workload};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::collections::HashMap;
use std::hint::black_box;

/// The compiled rules.
pub enum ByHash {
    /// By tool: the denials and the allowances.
    Grants(HashMap<String, (Numbered, Numbered)>),
    /// By server, `None` for every server: the globs, each with the rank and the effect of its rule.
    Rules(HashMap<Option<String>, Ranked>),
}

/// Globs, each with the number of its rule.
pub struct Numbered {
    globs: GlobSet,
    rules: Vec<usize>,
}

pub struct Ranked {
    globs: GlobSet,
    rules: Vec<(usize, bool)>,
}

/// Server, tool and argument.
pub type Prepared = (Option<String>, String, String);

fn glob(text: &str) -> Glob {
    GlobBuilder::new(text).literal_separator(false).build().expect("a plain glob")
}

fn built(set: GlobSetBuilder) -> GlobSet {
    set.build().expect("plain globs")
}

impl ByHash {
    pub fn build(workload: &Workload) -> Self {
        match workload.form {
            Form::Patterns => Self::of_grants(&workload.grants),
            Form::Priority => {
                type Building = (GlobSetBuilder, Vec<(usize, bool)>);
                let mut sets: HashMap<Option<String>, Building> = HashMap::new();
                for (rank, rule) in workload.rules.iter().enumerate() {
                    let (set, rules) =
                        sets.entry(rule.server.clone()).or_insert_with(|| (GlobSetBuilder::new(), Vec::new()));
                    set.add(glob(&rule.tool));
                    rules.push((rank, rule.approve));
                }
                let ranked = |(set, rules): Building| Ranked { globs: built(set), rules };
                Self::Rules(sets.into_iter().map(|(server, set)| (server, ranked(set))).collect())
            }
        }
    }

    fn of_grants(grants: &[Grant]) -> Self {
        type Building = (GlobSetBuilder, Vec<usize>);
        let mut sets: HashMap<String, (Building, Building)> = HashMap::new();
        let empty = || (GlobSetBuilder::new(), Vec::new());
        for (number, grant) in grants.iter().enumerate() {
            let (deny, allow) = sets.entry(grant.tool.clone()).or_insert_with(|| (empty(), empty()));
            let (set, rules) = if grant.deny { deny } else { allow };
            set.add(glob(&grant.glob.replace("**", "*")));
            rules.push(number);
        }
        let numbered = |(set, rules): Building| Numbered { globs: built(set), rules };
        Self::Grants(sets.into_iter().map(|(tool, (deny, allow))| (tool, (numbered(deny), numbered(allow)))).collect())
    }

    pub fn prepare(call: &Call) -> Prepared {
        (call.server.clone(), call.tool.clone(), call.arg.clone())
    }

    /// The answer alone. By priority that takes finding the rule, so there both ways are one.
    pub fn answer(&self, call: &Prepared, found: &mut Vec<usize>) -> Answer {
        let (_, tool, arg) = call;
        match self {
            Self::Grants(sets) => match sets.get(tool) {
                Some((deny, _)) if deny.globs.is_match(arg) => Answer::Deny,
                Some((_, allow)) if allow.globs.is_match(arg) => Answer::Allow,
                _ => Answer::Ask,
            },
            Self::Rules(_) => self.named(call, found),
        }
    }

    /// The answer, and which rule gave it, as a trail must say.
    pub fn named(&self, (server, tool, arg): &Prepared, found: &mut Vec<usize>) -> Answer {
        match self {
            Self::Grants(sets) => {
                let Some((deny, allow)) = sets.get(tool) else { return Answer::Ask };
                let mut first = |set: &Numbered| {
                    set.globs.matches_into(arg, found);
                    found.first().map(|&at| set.rules[at])
                };
                let (answer, rule) = match (first(deny), Answer::Deny) {
                    (None, _) => (Answer::Allow, first(allow)),
                    (rule, answer) => (answer, rule),
                };
                if black_box(rule).is_some() { answer } else { Answer::Ask }
            }
            Self::Rules(sets) => {
                let mut first = |server: &Option<String>| {
                    let ranked = sets.get(server)?;
                    ranked.globs.matches_into(tool, found);
                    found.iter().map(|&at| ranked.rules[at]).min()
                };
                let least = black_box([first(server), first(&None)].into_iter().flatten().min());
                if least.is_some_and(|(_, approve)| approve) { Answer::Allow } else { Answer::Ask }
            }
        }
    }
}
