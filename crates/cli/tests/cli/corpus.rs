//! Calls that must, or must not, be allowed.

use crate::program::batch;
use serde_json::{Value, json};

fn cases() -> Vec<Value> {
    include_str!("../corpora/calls.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The case as a line for `check --batch`.
fn question(case: &Value) -> Value {
    let context = &case["ctx"];
    let (server, tool) = match &context["mcp_tool"] {
        Value::String(tool) => (context["server"].clone(), json!(tool)),
        _ => (Value::Null, case["tool"].clone()),
    };
    let or = |value: &Value, default: Value| if value.is_null() { default } else { value.clone() };
    json!({
        "id": case["id"],
        "call": {"server": server, "tool": tool, "args": case["args"], "cwd": or(&context["cwd"], json!("/srv/repo"))},
        "context": {"user": "u", "home": or(&context["home"], json!("/home/dev")), "paths": or(&context["symlinks"], json!({}))},
        "config": {"policy": {"risk": {"low": "ask"}, "users": {"u": {"allow": case["allow"], "deny": case["deny"]}}}},
    })
}

/// The cases that did not get what they expect, as lines to read.
fn surprises(wanted: impl Fn(&Value) -> bool) -> Vec<String> {
    let cases: Vec<Value> = cases().into_iter().filter(wanted).collect();
    assert!(!cases.is_empty());
    let answers = batch(&cases.iter().map(question).collect::<Vec<_>>());
    let surprising = |(case, answer): &(Value, Value)| {
        let verdict = answer["verdict"].as_str().unwrap_or("refused");
        match case["expect"].as_str().unwrap() {
            "allow" => verdict != "allow",
            "deny" => verdict != "deny",
            _ => verdict == "allow",
        }
    };
    let pairs = cases.into_iter().zip(answers).filter(surprising);
    pairs
        .map(|(case, answer)| {
            format!("{} {} expected {}: {} {answer}", case["id"], case["tier"], case["expect"], case["why"])
        })
        .collect()
}

/// Core cases all get what they should; of the strict and the usability cases at least this share does.
#[test]
fn every_case_gets_what_it_should() {
    for (tier, share) in [("core", 100), ("strict", 95), ("usability", 80)] {
        let count = cases().iter().filter(|case| case["tier"] == tier).count();
        let surprises = surprises(|case| case["tier"] == tier);
        assert!(
            surprises.len() * 100 <= count * (100 - share),
            "{tier}: {} of {count}\n{}",
            surprises.len(),
            surprises.join("\n")
        );
    }
}

/// What people and agents type all day is allowed where each part of it was granted; what only looks like it is not.
#[test]
fn everyday_lines_get_what_they_should() {
    let mut lines = include_str!("../corpora/everyday.jsonl").lines().map(|line| serde_json::from_str(line).unwrap());
    let grants: Value = lines.next().unwrap();
    let cases: Vec<Value> = lines.collect();
    let question = |case: &Value| {
        json!({
            "call": {"tool": "bash", "args": {"command": case["command"]}, "cwd": "/srv/repo"},
            "context": {"user": "u", "home": "/home/dev", "paths": {}},
            "config": {"policy": {"risk": {"low": "ask"}, "users": {"u": {"allow": grants["allow"]}}}},
        })
    };
    let answers = batch(&cases.iter().map(question).collect::<Vec<_>>());
    let surprising = |(case, answer): &(&Value, &Value)| (answer["verdict"] == "allow") != (case["expect"] == "allow");
    let surprises = cases.iter().zip(&answers).filter(surprising);
    let surprises: Vec<_> = surprises.map(|(case, answer)| format!("{case}: {}", answer["commands"])).collect();
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}
