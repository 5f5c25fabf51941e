//! Rego by regorus: rules as data, keyed by tool (or server).

use bench_policy::engine::{Engine, run};
use bench_policy::workload::{Answer, Call, Form, Workload};
use serde_json::{Map, Value, json};

const OF_GRANTS: &str = r#"
package agent
import rego.v1
default decision := "ask"
denied if { some g in data.deny[input.of]; glob.match(g, null, input.text) }
allowed if { some g in data.allow[input.of]; glob.match(g, null, input.text) }
decision := "deny" if denied
decision := "allow" if { not denied; allowed }
"#;

/// The least rank of those that fit.
const OF_RULES: &str = r#"
package agent
import rego.v1
default decision := "ask"
fitting contains r.rank if { some r in data.rules[input.of]; glob.match(r.glob, null, input.text) }
fitting contains r.rank if { some r in data.rules[""]; glob.match(r.glob, null, input.text) }
decision := "allow" if { count(fitting) > 0; data.approve[min(fitting)] }
"#;

struct Rego {
    policy: regorus::CompiledPolicy,
}

fn main() {
    run::<Rego>();
}

fn push(lists: &mut Map<String, Value>, key: &str, value: Value) {
    let list = lists.entry(key).or_insert_with(|| json!([]));
    list.as_array_mut().expect("a list").push(value);
}

impl Engine for Rego {
    type Prepared = regorus::Value;

    fn build(workload: &Workload) -> Self {
        // As shipped, globs are forgotten and compiled again at every call.
        regorus::cache::configure(regorus::cache::Config { regex: 65_536, glob: 65_536 });
        let (text, data) = match workload.form {
            Form::Patterns => {
                let (mut deny, mut allow) = (Map::new(), Map::new());
                for grant in &workload.grants {
                    let list = if grant.deny { &mut deny } else { &mut allow };
                    push(list, &grant.tool, grant.glob.replace("**", "*").into());
                }
                (OF_GRANTS, json!({"deny": deny, "allow": allow}))
            }
            Form::Priority => {
                let mut rules = Map::new();
                for (rank, rule) in workload.rules.iter().enumerate() {
                    let server = rule.server.as_deref().unwrap_or_default();
                    push(&mut rules, server, json!({"rank": rank, "glob": rule.tool}));
                }
                let approve: Vec<_> = workload.rules.iter().map(|rule| rule.approve).collect();
                (OF_RULES, json!({"rules": rules, "approve": approve}))
            }
        };
        let mut engine = regorus::Engine::new();
        engine.add_policy("agent.rego".into(), text.into()).expect("plain Rego");
        engine.add_data(regorus::Value::from(data)).expect("plain data");
        Self { policy: engine.compile_with_entrypoint(&"data.agent.decision".into()).expect("plain Rego") }
    }

    fn prepare(&self, call: &Call) -> Self::Prepared {
        regorus::Value::from(match &call.server {
            Some(server) => json!({"of": server, "text": call.tool}),
            None => json!({"of": call.tool, "text": call.arg}),
        })
    }

    fn judge(&mut self, call: &Self::Prepared) -> Answer {
        let decision = self.policy.eval_with_input(call.clone()).expect("an answer");
        match decision.as_string().map(|word| &**word) {
            Ok("allow") => Answer::Allow,
            Ok("deny") => Answer::Deny,
            _ => Answer::Ask,
        }
    }
}
