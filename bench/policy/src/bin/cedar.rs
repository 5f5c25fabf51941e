//! Cedar: one policy for each rule. The set is cut by action (or server) before each call, by the application.

use bench_policy::engine::{Engine, run};
use bench_policy::workload::{Answer, Call, Form, Workload};
use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityId, EntityUid, Policy, PolicyId, PolicySet, Request,
    RestrictedExpression,
};
use std::collections::HashMap;

struct Cedar {
    authorizer: Authorizer,
    entities: Entities,
    /// By tool, or by server; under the empty name what is for every server.
    sets: HashMap<String, PolicySet>,
    /// Cedar has no priorities: of the rules that it gives as reasons the first is taken. Their ids are their ranks.
    approve: Option<Vec<bool>>,
}

fn main() {
    run::<Cedar>();
}

fn policy(id: usize, text: &str) -> Policy {
    Policy::parse(Some(PolicyId::new(id.to_string())), text).expect("a plain policy")
}

fn uid(kind: &str, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.parse().expect("a type"), EntityId::new(id))
}

impl Cedar {
    fn new(sets: HashMap<String, PolicySet>, approve: Option<Vec<bool>>) -> Self {
        Self { authorizer: Authorizer::new(), entities: Entities::empty(), sets, approve }
    }

    fn of_grants(workload: &Workload) -> Self {
        let mut sets: HashMap<String, PolicySet> = HashMap::new();
        for (i, grant) in workload.grants.iter().enumerate() {
            let effect = if grant.deny { "forbid" } else { "permit" };
            let (tool, glob) = (&grant.tool, grant.glob.replace("**", "*"));
            let text = format!(
                "{effect}(principal, action == Action::\"{tool}\", resource) when {{ context.text like \"{glob}\" }};"
            );
            sets.entry(tool.clone()).or_default().add(policy(i, &text)).expect("ids differ");
        }
        Self::new(sets, None)
    }

    fn of_rules(workload: &Workload) -> Self {
        let mut sets: HashMap<String, PolicySet> = HashMap::new();
        for rule in &workload.rules {
            sets.entry(rule.server.clone().unwrap_or_default()).or_default();
        }
        for (rank, rule) in workload.rules.iter().enumerate() {
            let text = format!("permit(principal, action, resource) when {{ context.text like \"{}\" }};", rule.tool);
            let policy = policy(rank, &text);
            match &rule.server {
                Some(server) => sets.get_mut(server).expect("made above").add(policy).expect("ids differ"),
                None => sets.values_mut().for_each(|set| set.add(policy.clone()).expect("ids differ")),
            }
        }
        Self::new(sets, Some(workload.rules.iter().map(|rule| rule.approve).collect()))
    }
}

impl Engine for Cedar {
    type Prepared = (String, Request);

    fn build(workload: &Workload) -> Self {
        match workload.form {
            Form::Patterns => Self::of_grants(workload),
            Form::Priority => Self::of_rules(workload),
        }
    }

    fn prepare(&self, call: &Call) -> Self::Prepared {
        let (cut, text) = match &call.server {
            Some(server) => (server, &call.tool),
            None => (&call.tool, &call.arg),
        };
        let cut = if self.sets.contains_key(cut) { cut.clone() } else { String::new() };
        let context = Context::from_pairs([("text".to_owned(), RestrictedExpression::new_string(text.clone()))]);
        let (user, resource) = (uid("User", "u"), uid("Tool", "t"));
        let request = Request::new(user, uid("Action", &call.tool), resource, context.expect("a text"), None);
        (cut, request.expect("a plain request"))
    }

    fn judge(&mut self, (cut, request): &Self::Prepared) -> Answer {
        let Some(set) = self.sets.get(cut) else { return Answer::Ask };
        let response = self.authorizer.is_authorized(request, set, &self.entities);
        let mut reasons = response.diagnostics().reason();
        match (&self.approve, response.decision()) {
            (Some(approve), _) => {
                let ranks = reasons.filter_map(|id| AsRef::<str>::as_ref(id).parse::<usize>().ok());
                if ranks.min().is_some_and(|rank| approve[rank]) { Answer::Allow } else { Answer::Ask }
            }
            (None, Decision::Allow) => Answer::Allow,
            (None, Decision::Deny) if reasons.next().is_some() => Answer::Deny,
            (None, Decision::Deny) => Answer::Ask,
        }
    }
}
