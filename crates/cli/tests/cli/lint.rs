//! `countersign policy lint`, `test` and `schema`.

use crate::program::{countersign, file};
use serde_json::Value;

fn warnings(text: &str) -> Vec<String> {
    let (_folder, path) = file("policy.yaml", text);
    let ran = countersign(&["policy", "lint", &path, "--json"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let strict = countersign(&["policy", "lint", &path, "--strict"], "");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let found: Vec<String> =
        report["warnings"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    assert_eq!(strict.code, i32::from(!found.is_empty()));
    found
}

#[test]
fn a_rule_that_can_never_match_is_reported() {
    let found = warnings(
        "policy:\n  rules:\n    - { name: late, priority: 9, tool: delete_file, effect: deny }\n    - { name: early, priority: 1, tool: 'delete_*', effect: allow }\n",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains(":3:7: policy.rules[0]: rule \"late\" can never match: rule \"early\" (priority 1)"),
        "{found:?}"
    );
}

/// Were every rule compared with every other, this would take minutes.
#[test]
fn very_many_rules_are_looked_at_in_little_time() {
    let rules = (0..10_000).map(|i| {
        format!("    - {{ tool: 'get_*_{i}', effect: deny }}\n    - {{ tool: 'bash(run {i}:*)', effect: deny }}\n")
    });
    let last = "    - { tool: 'get_all_77', effect: allow }\n    - { tool: 'bash(run 78:*)', effect: allow }\n";
    let found = warnings(&format!("policy:\n  rules:\n{}{last}", rules.collect::<String>()));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("rule \"rule-20001\" can never match: rule \"rule-155\""), "{found:?}");
    assert!(found[1].contains("rule \"rule-20002\" can never match: rule \"rule-158\""), "{found:?}");
}

#[test]
fn a_rule_that_can_match_is_not() {
    for (earlier, later) in [
        ("{ tool: 'delete_*', when: 'args.x > 1', effect: allow }", "{ tool: delete_file, effect: deny }"),
        ("{ tool: 'delete_*', server: a, effect: allow }", "{ tool: delete_file, effect: deny }"),
        ("{ tool: 'bash(ls)', effect: allow }", "{ tool: bash, effect: deny }"),
        ("{ tool: 'bash(ls)', effect: allow }", "{ tool: 'bash(ls)', effect: deny }"),
        ("{ tool: delete_file, effect: allow }", "{ tool: 'delete_*', effect: deny }"),
    ] {
        let found = warnings(&format!("policy:\n  rules:\n    - {earlier}\n    - {later}\n"));
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn a_pattern_that_covers_nothing_is_reported() {
    for pattern in ["mcp__*", "gіt"] {
        let found = warnings(&format!("policy:\n  users:\n    ann: {{ allow: ['{pattern}'] }}\n"));
        assert_eq!(found.len(), 1, "{pattern}: {found:?}");
        assert!(
            found[0].contains(":3:20: policy.users.ann.allow[0]") && found[0].contains("covers nothing"),
            "{found:?}"
        );
    }
}

#[test]
fn a_capability_that_no_tool_has_is_reported() {
    let found = warnings(
        "tools: [{ tool: x, capabilities: [mine] }]\npolicy: { capabilities: { mine: allow, shell: allow, payment: deny } }\n",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("no tool has the capability `payment`"), "{found:?}");
}

#[test]
fn names_that_stand_for_nothing_are_reported() {
    let found = warnings(
        "models: { m: { provider: openai, api_key: sk-123 } }\nmcp_servers: { s: {} }\nagents: { a: { model: other } }\ngroups: { g: { members: [{ agent: b, role: r }] } }\n",
    );
    assert_eq!(found.len(), 7, "{found:#?}");
    assert!(found.iter().all(|text| !text.contains("sk-123")), "{found:?}");
}

#[test]
fn included_files_are_read() {
    let (folder, path) = file(
        "countersign.yaml",
        "include: ['agents/*.yaml']\npolicy: { tests: [{ call: { tool: bash, args: { command: ls }, agent: my_agent }, expect: deny }, { call: { tool: file_read, args: { file_path: /x }, agent: my_agent }, expect: allow }, { call: { tool: look, role: reader }, expect: allow }] }\n",
    );
    std::fs::create_dir(folder.path().join("agents")).unwrap();
    std::fs::write(folder.path().join("agents/one.yaml"), "type: agent\nname: my_agent\nmodel: gpt4_model\ntools:\n  - file_read\nsystem_prompt: \"You are helpful.\"\nenable_hitl: true\nenable_permissions: true\n").unwrap();
    std::fs::write(folder.path().join("agents/two.yaml"), "roles: { reader: { allowed_tools: [look] } }\n").unwrap();
    let ran = countersign(&["policy", "test", &path], "");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    std::fs::write(folder.path().join("agents/two.yaml"), "policy: {}\n").unwrap();
    let ran = countersign(&["policy", "test", &path], "");
    assert!(ran.code == 2 && ran.stderr.contains("agents/two.yaml:1:1: unknown field `policy`"), "{}", ran.stderr);
}

#[test]
fn a_failed_test_says_what_it_got_and_why() {
    let (_folder, path) = file(
        "policy.yaml",
        "policy:\n  tests:\n    - { name: wrong, call: { tool: ask_user }, expect: deny, because: rule }\n    - { call: { tool: ask_user }, expect: allow }\n",
    );
    let ran = countersign(&["policy", "test", &path], "");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("FAILED wrong")
            && ran.stdout.contains("expected deny, got allow; expected because of `rule`, got `low`"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.ends_with("1 passed, 1 failed\n"), "{}", ran.stdout);
}

#[test]
fn a_policy_without_tests_has_not_passed_any() {
    let (_folder, path) = file("policy.yaml", "policy: {}\n");
    assert_eq!(countersign(&["policy", "test", &path], "").code, 2);
}

#[test]
fn the_schema_knows_every_section() {
    let ran = countersign(&["policy", "schema"], "");
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    for section in
        ["server", "store", "hitl", "models", "mcp_servers", "tools", "policy", "roles", "agents", "groups", "include"]
    {
        assert!(schema["properties"][section].is_object(), "{section}");
    }
    assert_eq!(schema["additionalProperties"], false);
}
