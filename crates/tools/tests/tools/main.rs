//! The built-in tools, on real processes and files.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at once")]

mod bash;
mod bash_end;
mod file_read;

use countersign_domain::describe::{Described, Surroundings, builtin, describe};
use countersign_domain::{Call, Digest};
use countersign_runtime::ports::{Order, Outcome, Report, Tool};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Longer than any test works.
const LONG: Duration = Duration::from_mins(5);

/// A call of `tool` in the folder `cwd`, as it is described before it is judged.
fn described(tool: &str, args: &Value, cwd: Option<&Path>) -> Described {
    let cwd = cwd.map(|cwd| cwd.to_str().unwrap().to_owned());
    let call = Call::new(None, tool.to_owned(), args.as_object().unwrap().clone(), cwd).unwrap();
    describe(call, &builtin(tool).unwrap(), &Surroundings::default())
}

fn order(call: &Described, timeout: Duration) -> Order<'_> {
    Order { call, key: Digest::of(b"key"), timeout, answers: &[], seen: None }
}

async fn execute(tool: &dyn Tool, call: &Described) -> Report {
    report(tool.execute(order(call, LONG)).await)
}

#[test]
fn every_built_in_tool_says_what_judging_knows_of_it() {
    let tools = countersign_tools::builtin();
    assert_eq!(tools.iter().map(|tool| tool.definition().name).collect::<Vec<_>>(), ["ask_user", "bash", "file_read"]);
    for definition in tools.iter().map(|tool| tool.definition()) {
        // `None`: it takes what it likes, because nothing of it is touched.
        let known = builtin(&definition.name).unwrap().arguments;
        let told = definition.parameters["properties"].as_object().unwrap();
        for (name, schema) in told {
            assert!(known.as_ref().is_none_or(|known| known.contains(name)), "{name}");
            assert!(!schema["description"].as_str().unwrap().is_empty());
        }
        for needed in definition.parameters["required"].as_array().unwrap() {
            assert!(told.contains_key(needed.as_str().unwrap()));
        }
    }
}

/// What a tool gave that asks nobody.
fn report(outcome: Outcome) -> Report {
    match outcome {
        Outcome::Done(report) => report,
        Outcome::Ask(question) => panic!("it asks {question:?}"),
        Outcome::Wait(wait) => panic!("it waits: {wait:?}"),
    }
}
