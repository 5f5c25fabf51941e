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

fn is_of(case: &Value, kinds: &[&str]) -> bool {
    kinds.contains(&case["category"].as_str().unwrap())
}

#[test]
fn paths_urls_servers_shapes_and_displays_get_what_they_should() {
    let kinds = ["path", "url", "mcp", "shape", "display", "powershell", "ok_path", "ok_url", "ok_mcp"];
    let surprises = surprises(|case| is_of(case, &kinds));
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

#[test]
fn no_command_line_slips_through() {
    let surprises = surprises(|case| case["expect"] != "allow");
    let allowed: Vec<_> = surprises.iter().filter(|line| line.contains("\"verdict\":\"allow\"")).collect();
    assert!(allowed.is_empty(), "{allowed:?}");
}
