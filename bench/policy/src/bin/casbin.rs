//! casbin: a list with explicit denials, or by priority. It answers yes or no.

use bench_policy::engine::{Engine, run};
use bench_policy::workload::{Answer, Call, Form, Workload};
use casbin::prelude::{CoreApi, DefaultModel, Enforcer, MemoryAdapter, MgmtApi};

const OF_GRANTS: &str = "
[request_definition]
r = of, text
[policy_definition]
p = of, text, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = r.of == p.of && globMatch(r.text, p.text)
";

const OF_RULES: &str = r#"
[request_definition]
r = of, text
[policy_definition]
p = of, text, eft
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = (p.of == "*" || r.of == p.of) && globMatch(r.text, p.text)
"#;

struct Casbin {
    enforcer: Enforcer,
}

fn main() {
    run::<Casbin>();
}

impl Engine for Casbin {
    type Prepared = (String, String);

    fn build(workload: &Workload) -> Self {
        let word = |allow| if allow { "allow" } else { "deny" }.to_owned();
        let (model, rules): (_, Vec<Vec<String>>) = match workload.form {
            Form::Patterns => {
                let rule = |grant: &bench_policy::workload::Grant| {
                    vec![grant.tool.clone(), grant.glob.clone(), word(!grant.deny)]
                };
                (OF_GRANTS, workload.grants.iter().map(rule).collect())
            }
            Form::Priority => {
                let rule = |rule: &bench_policy::workload::Rule| {
                    vec![rule.server.clone().unwrap_or("*".into()), rule.tool.clone(), word(rule.approve)]
                };
                (OF_RULES, workload.rules.iter().map(rule).collect())
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let enforcer = runtime.block_on(async {
            let model = DefaultModel::from_str(model).await.expect("a plain model");
            let mut enforcer = Enforcer::new(model, MemoryAdapter::default()).await.expect("an enforcer");
            enforcer.enable_auto_save(false);
            enforcer.add_policies(rules).await.expect("plain rules");
            enforcer
        });
        Self { enforcer }
    }

    fn prepare(&self, call: &Call) -> Self::Prepared {
        match &call.server {
            Some(server) => (server.clone(), call.tool.clone()),
            None => (call.tool.clone(), call.arg.clone()),
        }
    }

    fn judge(&mut self, (of, text): &Self::Prepared) -> Answer {
        if self.enforcer.enforce((of, text)).expect("an answer") { Answer::Allow } else { Answer::No }
    }
}
