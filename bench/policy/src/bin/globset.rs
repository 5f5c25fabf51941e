//! The obvious good answer, and so the bar: a hash by tool (or server), with a `GlobSet` each.

use bench_policy::engine::{Engine, run};
use bench_policy::workload::{Answer, Call, Form, Workload};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::collections::HashMap;

enum ByHash {
    /// By tool: the denials and the allowances.
    Grants(HashMap<String, (GlobSet, GlobSet)>),
    /// By server, `None` for every server: the globs with each rule's rank and effect.
    Rules(HashMap<Option<String>, Ranked>, Vec<usize>),
}

struct Ranked {
    globs: GlobSet,
    rules: Vec<(usize, bool)>,
}

fn main() {
    run::<ByHash>();
}

fn glob(text: &str) -> Glob {
    GlobBuilder::new(text).literal_separator(false).build().expect("a plain glob")
}

impl Engine for ByHash {
    type Prepared = (Option<String>, String, String);

    fn build(workload: &Workload) -> Self {
        match workload.form {
            Form::Patterns => {
                let mut sets: HashMap<String, (GlobSetBuilder, GlobSetBuilder)> = HashMap::new();
                for grant in &workload.grants {
                    let (deny, allow) = sets
                        .entry(grant.tool.clone())
                        .or_insert_with(|| (GlobSetBuilder::new(), GlobSetBuilder::new()));
                    let set = if grant.deny { deny } else { allow };
                    set.add(glob(&grant.glob.replace("**", "*")));
                }
                let set = |set: GlobSetBuilder| set.build().expect("plain globs");
                Self::Grants(sets.into_iter().map(|(tool, (deny, allow))| (tool, (set(deny), set(allow)))).collect())
            }
            Form::Priority => {
                let mut sets: HashMap<Option<String>, (GlobSetBuilder, Vec<(usize, bool)>)> = HashMap::new();
                for (rank, rule) in workload.rules.iter().enumerate() {
                    let (set, rules) =
                        sets.entry(rule.server.clone()).or_insert_with(|| (GlobSetBuilder::new(), Vec::new()));
                    set.add(glob(&rule.tool));
                    rules.push((rank, rule.approve));
                }
                let ranked =
                    |(set, rules): (GlobSetBuilder, _)| Ranked { globs: set.build().expect("plain globs"), rules };
                Self::Rules(sets.into_iter().map(|(server, set)| (server, ranked(set))).collect(), Vec::new())
            }
        }
    }

    fn prepare(&self, call: &Call) -> Self::Prepared {
        (call.server.clone(), call.tool.clone(), call.arg.clone())
    }

    fn judge(&mut self, (server, tool, arg): &Self::Prepared) -> Answer {
        match self {
            Self::Grants(sets) => match sets.get(tool) {
                Some((deny, _)) if deny.is_match(arg) => Answer::Deny,
                Some((_, allow)) if allow.is_match(arg) => Answer::Allow,
                _ => Answer::Ask,
            },
            Self::Rules(sets, found) => {
                let mut first = |server: &Option<String>| {
                    let ranked = sets.get(server)?;
                    ranked.globs.matches_into(tool, found);
                    found.iter().map(|&at| ranked.rules[at]).min()
                };
                let least = [first(server), first(&None)].into_iter().flatten().min();
                if least.is_some_and(|(_, approve)| approve) { Answer::Allow } else { Answer::Ask }
            }
        }
    }
}
