//! A plain loop: every rule one after the other, each with its compiled glob.

use bench_policy::engine::{Engine, run};
use bench_policy::workload::{Answer, Call, Form, Workload};
use globset::{GlobBuilder, GlobMatcher};

struct Loop {
    /// In the order in which they are looked at.
    rules: Vec<Looked>,
}

struct Looked {
    /// The tool, or the server; `None` is any.
    of: Option<String>,
    glob: GlobMatcher,
    answer: Answer,
}

fn main() {
    run::<Loop>();
}

fn glob(text: &str) -> GlobMatcher {
    GlobBuilder::new(text).literal_separator(false).build().expect("a plain glob").compile_matcher()
}

impl Engine for Loop {
    /// What rules are of, and what their globs match.
    type Prepared = (String, String);

    fn build(workload: &Workload) -> Self {
        let rules = match workload.form {
            Form::Patterns => {
                let mut grants: Vec<_> = workload.grants.iter().collect();
                grants.sort_by_key(|grant| !grant.deny);
                let looked = |grant: &bench_policy::workload::Grant| Looked {
                    of: Some(grant.tool.clone()),
                    glob: glob(&grant.glob.replace("**", "*")),
                    answer: if grant.deny { Answer::Deny } else { Answer::Allow },
                };
                grants.into_iter().map(looked).collect()
            }
            Form::Priority => {
                let looked = |rule: &bench_policy::workload::Rule| Looked {
                    of: rule.server.clone(),
                    glob: glob(&rule.tool),
                    answer: if rule.approve { Answer::Allow } else { Answer::Ask },
                };
                workload.rules.iter().map(looked).collect()
            }
        };
        Self { rules }
    }

    fn prepare(&self, call: &Call) -> Self::Prepared {
        match &call.server {
            Some(server) => (server.clone(), call.tool.clone()),
            None => (call.tool.clone(), call.arg.clone()),
        }
    }

    fn judge(&mut self, (of, text): &Self::Prepared) -> Answer {
        let fits = |rule: &&Looked| rule.of.as_ref().is_none_or(|own| own == of) && rule.glob.is_match(text);
        self.rules.iter().find(fits).map_or(Answer::Ask, |rule| rule.answer)
    }
}
