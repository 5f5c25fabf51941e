//! `countersign policy test`: runs the tests that stand in the policy itself.

use crate::args::Test;
use crate::config::Loaded;
use crate::failure::Failure;
use crate::output;
use crate::rim;
use countersign_domain::Call;
use countersign_domain::canonical::{Limits, canonical, read};
use countersign_policy::source::{ContextSource, Expectation, TestSource};
use countersign_policy::{Context, Effect, Explained, Place, Policy, explain, judge};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Carries out the command.
pub fn run(test: &Test) -> Result<u8, Failure> {
    let (mut passed, mut failed) = (0, 0);
    for file in &test.files {
        let loaded = Loaded::read(file)?;
        let policy = loaded.policy()?;
        for (i, case) in loaded.config.policy.tests.iter().enumerate() {
            let place = Place::section("policy").key("tests").index(i);
            let name = case.name.clone().unwrap_or_else(|| usual_name(case));
            let outcome = run_one(&policy, case).map_err(|why| Failure::new(loaded.locate(&place.problem(why))))?;
            if outcome.is_ok() {
                passed += 1;
            } else {
                failed += 1;
            }
            report(test.json, &name, &outcome.map_err(|why| loaded.locate(&place.problem(why))));
        }
    }
    if passed + failed == 0 {
        return Err(Failure::new("there are no tests: write some under `policy.tests`"));
    }
    if !test.json {
        output::line(&format!("{passed} passed, {failed} failed"));
    }
    Ok(u8::from(failed > 0))
}

/// The call and what is expected, in a line.
fn usual_name(case: &TestSource) -> String {
    let call = &case.call;
    let server = call.server.as_ref().map(|server| format!("{server}/")).unwrap_or_default();
    let args: String = canonical(&Value::Object(call.args.clone())).chars().take(80).collect();
    output::visible(&format!("{server}{}({args}): {}", call.tool, word(case.expect)))
}

fn report(as_json: bool, name: &str, outcome: &Result<(), String>) {
    let text = match (as_json, outcome) {
        (true, outcome) => json!({"name": name, "passed": outcome.is_ok(), "why": outcome.as_ref().err()}).to_string(),
        (false, Ok(())) => format!("ok     {name}"),
        (false, Err(why)) => format!("FAILED {name}\n       {}", why.replace('\n', "\n       ")),
    };
    output::line(&text);
}

/// The inner result is the test's, the outer one says that the test itself is bad.
fn run_one(policy: &Policy, case: &TestSource) -> Result<Result<(), String>, String> {
    let call = &case.call;
    // Through the same strict reader as every other call.
    let args = read(canonical(&Value::Object(call.args.clone())).as_bytes(), Limits::CALL)
        .map_err(|error| format!("args: {error}"))?;
    let Value::Object(args) = args else { return Err("args: expected a map".into()) };
    let made =
        Call::new(call.server.clone(), call.tool.clone(), args, call.cwd.clone()).map_err(|error| error.to_string())?;
    let source = context_of(case);
    if let Some(role) = source.role.as_ref().filter(|role| !policy.has_role(role)) {
        return Err(format!("there is no role `{role}` in `roles`"));
    }
    let described = rim::describe(policy, made, &source);
    let context = Context::new(&source, described.digest, rim::now()).map_err(|error| error.to_string())?;
    let verdict = judge(policy, &described, &context);
    let trail = explain(&verdict, policy, &described, &context);
    Ok(compare(case, &verdict.effect, &trail))
}

/// What the call says of itself counts before the context. A test does not depend on the machine it runs on.
fn context_of(case: &TestSource) -> ContextSource {
    let mut context = case.context.clone();
    let call = &case.call;
    for (own, given) in [
        (&mut context.user, &call.user),
        (&mut context.agent, &call.agent),
        (&mut context.role, &call.role),
        (&mut context.session, &call.session),
    ] {
        if given.is_some() {
            own.clone_from(given);
        }
    }
    context.paths.get_or_insert_with(BTreeMap::new);
    context.home.get_or_insert_with(|| "/home/user".to_owned());
    context
}

fn compare(case: &TestSource, effect: &Effect, trail: &[Explained]) -> Result<(), String> {
    let expected = match case.expect {
        Expectation::Allow => *effect == Effect::Allow,
        Expectation::Ask => matches!(effect, Effect::Ask(_)),
        Expectation::Deny => *effect == Effect::Deny,
        Expectation::NotAllow => *effect != Effect::Allow,
    };
    let (mode, by) = match effect {
        Effect::Ask(ask) => (Some(ask.mode.word()), Some(ask.by.word())),
        _ => (None, None),
    };
    let last = trail.last();
    let mut wrong = Vec::new();
    if !expected {
        wrong.push(format!("expected {}, got {}", word(case.expect), effect.word()));
    }
    if case.mode.is_some() && case.mode.as_deref() != mode {
        wrong.push(format!(
            "expected mode {}, got {}",
            case.mode.as_deref().unwrap_or_default(),
            mode.unwrap_or("none")
        ));
    }
    if case.by.is_some() && case.by.as_deref() != by {
        wrong.push(format!("expected by {}, got {}", case.by.as_deref().unwrap_or_default(), by.unwrap_or("none")));
    }
    if let Some(because) = &case.because
        && !last.is_some_and(|last| last.layer == because || last.name.as_ref() == Some(because))
    {
        let decided = last.map(|last| last.name.clone().unwrap_or_else(|| last.layer.to_owned())).unwrap_or_default();
        wrong.push(format!("expected because of `{because}`, got `{decided}`"));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let why = last.map(|last| last.text.clone()).unwrap_or_default();
    Err(format!("{}\n{why}", wrong.join("; ")))
}

fn word(expect: Expectation) -> &'static str {
    match expect {
        Expectation::Allow => "allow",
        Expectation::Ask => "ask",
        Expectation::Deny => "deny",
        Expectation::NotAllow => "not allow",
    }
}
