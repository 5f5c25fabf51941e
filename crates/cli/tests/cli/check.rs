//! `countersign check`.

use crate::program::{batch, countersign, file};
use serde_json::{Value, json};

const POLICY: &str = r#"
policy:
  rules:
    - { name: no-delete, priority: 1, tool: "delete_*", effect: deny }
    - { name: reads, priority: 2, tool: look, effect: allow }
"#;

#[test]
fn the_exit_code_is_the_verdict() {
    let (_folder, policy) = file("policy.yaml", POLICY);
    for (tool, code) in [("look", 0), ("other", 10), ("delete_all", 11)] {
        let call = json!({"call": {"tool": tool, "args": {}}}).to_string();
        let ran = countersign(&["check", "--policy", &policy, "--call", "-"], &call);
        assert_eq!(ran.code, code, "{tool}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_refusal_says_which_rule_refused_and_why() {
    let (_folder, policy) = file("policy.yaml", POLICY);
    let call = json!({"call": {"server": "fs", "tool": "delete_all"}}).to_string();
    let ran = countersign(&["check", "--policy", &policy], &call);
    let told = "PERMISSION_DENIED: denied by rule \"no-delete\" (priority 1): tool matches delete_*";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    assert!(ran.stdout.starts_with("deny   fs/delete_all({})\n"), "{}", ran.stdout);
}

#[test]
fn machines_get_verdict_reasons_digest_and_resource() {
    let (_folder, policy) = file("policy.yaml", POLICY);
    let call = json!({"id": 7, "call": {"tool": "bash", "args": {"command": "ls"}, "cwd": "/srv"}}).to_string();
    let ran = countersign(&["check", "--policy", &policy, "--json"], &call);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["id"], 7);
    assert_eq!((&answer["verdict"], &answer["mode"], &answer["by"]), (&json!("ask"), &json!("once"), &json!("anyone")));
    assert_eq!(answer["resource"], "bash(ls)");
    assert!(answer["digest"].as_str().unwrap().starts_with("sha256:"));
    let last = answer["reasons"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["layer"], &last["said"], &last["name"]), (&json!("risk"), &json!("ask"), &json!("high")));
}

#[test]
fn the_digest_does_not_depend_on_how_the_call_was_written() {
    let one = r#"{"call":{"tool":"t","args":{"b":1.0,"a":"\u0041"}}}"#;
    let other = r#"{ "call": { "args": { "a": "A", "b": 1 }, "tool": "t" } }"#;
    let digest = |call: &str| {
        let ran = countersign(&["check", "--json"], call);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["digest"].clone()
    };
    assert_eq!(digest(one), digest(other));
}

#[test]
fn a_batch_answers_every_line_and_goes_on_after_a_bad_one() {
    let lines = "{\"id\":1,\"call\":{\"tool\":\"a\"}}\n\nnot json\n{\"id\":3,\"call\":{\"tool\":\"a\",\"args\":{\"x\":1,\"x\":2}}}\n{\"id\":4,\"call\":{\"tool\":\"ask_user\"}}";
    let ran = countersign(&["check", "--batch"], lines);
    assert_eq!(ran.code, 2);
    let answers: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 4);
    assert_eq!((&answers[0]["id"], &answers[0]["verdict"]), (&json!(1), &json!("ask")));
    assert_eq!((&answers[1]["id"], answers[1].get("verdict")), (&Value::Null, None));
    assert_eq!(answers[2]["id"], 3);
    assert!(answers[2]["error"].as_str().unwrap().contains("the key `x` stands twice"));
    assert_eq!((&answers[3]["id"], &answers[3]["verdict"]), (&json!(4), &json!("allow")));
    let good = countersign(&["check", "--batch"], "{\"call\":{\"tool\":\"a\"}}\n");
    assert_eq!(good.code, 0);
}

#[test]
fn a_batch_reads_a_file_either_way() {
    let (_folder, path) = file("calls.jsonl", "{\"call\":{\"tool\":\"ask_user\"}}\n");
    for arguments in [["check", "--batch", &path].as_slice(), &["check", "--batch", "--call", &path]] {
        assert_eq!(countersign(arguments, "").stdout.lines().count(), 1);
    }
}

#[test]
fn the_names_that_coding_agents_use_for_servers_are_understood() {
    let config = json!({"policy": {"users": {"u": {"allow": ["mcp__github__get_*"], "deny": ["gitlab/*"]}}}});
    let ask = |call: Value| json!({"call": call, "context": {"user": "u"}, "config": config});
    let answers = batch(&[
        ask(json!({"tool": "mcp__github__get_issue"})),
        ask(json!({"server": "github", "tool": "get_issue"})),
        ask(json!({"server": "github", "tool": "mcp__github__get_issue"})),
        ask(json!({"server": "github-evil", "tool": "get_issue"})),
        ask(json!({"tool": "mcp__gitlab__get_issue"})),
        ask(json!({"tool": "get_issue"})),
    ]);
    let verdicts: Vec<_> = answers.iter().map(|answer| answer["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["allow", "allow", "allow", "ask", "deny", "ask"]);
}

#[test]
fn a_denial_by_such_a_name_holds_for_every_way_to_read_it() {
    let ask = |deny: &str, server: &str, tool: &str| {
        let policy = json!({"rules": [{"tool": "*", "effect": "allow"}], "users": {"u": {"deny": [deny]}}});
        json!({"call": {"server": server, "tool": tool}, "context": {"user": "u"}, "config": {"policy": policy}})
    };
    for (deny, server, tool, verdict) in [
        ("mcp__a__b__c", "a", "b__c", "deny"),
        ("mcp__a__b__c", "a__b", "c", "deny"),
        ("mcp__a__b__c", "a__b", "d", "allow"),
        ("mcp__a__*", "a__b", "c", "deny"),
        ("mcp__*", "a", "b", "deny"),
        ("mcp__a__b", "a", "b", "deny"),
    ] {
        assert_eq!(batch(&[ask(deny, server, tool)])[0]["verdict"], verdict, "{deny} {server} {tool}");
    }
}

#[test]
fn links_on_this_machine_are_followed_where_the_context_names_none() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("secrets")).unwrap();
    std::os::unix::fs::symlink(root.join("secrets"), root.join("innocent")).unwrap();
    let ask = |path: &str| {
        json!({
            "call": {"tool": "file_write", "args": {"file_path": path}, "cwd": root},
            "context": {"user": "u"},
            "config": {"policy": {"users": {"u": {"allow": ["file_write(./**)"], "deny": ["file_write(./secrets/**)"]}}}},
        })
    };
    let answers = batch(&[ask("innocent/new.txt"), ask("other/new.txt")]);
    assert_eq!((&answers[0]["verdict"], &answers[1]["verdict"]), (&json!("deny"), &json!("allow")));
}

#[test]
fn a_grant_that_seems_to_cover_a_call_and_does_not_is_told_with_the_reason() {
    let ask = |tool: &str, args: Value, ruled: bool| {
        let rules = if ruled { json!([{"tool": "*", "effect": "require_approval"}]) } else { json!([]) };
        let allow = json!(["file_write(./**)", "file_read(./**)", "web_fetch(example.com)", "note(*)"]);
        json!({
            "call": {"tool": tool, "args": args, "cwd": "/srv/repo"},
            "context": {"user": "u", "paths": {"/srv/repo/link": "/etc"}},
            "config": {
                "tools": [{"tool": "note", "resource": {"text": "to"}}],
                "policy": {"risk": {"low": "ask"}, "rules": rules, "users": {"u": {"allow": allow}}},
            },
        })
    };
    for (tool, args, told) in [
        (
            "file_read",
            json!({"file_path": "link/x"}),
            "`file_read(./**)` seems to, but the path leads by a link to `/etc/x`",
        ),
        (
            "file_write",
            json!({"file_path": ".git/config"}),
            "a wildcard does not reach `.git` unless the pattern names it",
        ),
        ("file_read", json!({"file_path": "a\\b"}), "no wildcard covers the path: it holds a backslash"),
        (
            "web_fetch",
            json!({"url": "https://example.com/%2e%2e%2fx"}),
            "no pattern covers the address: its path holds",
        ),
        ("web_fetch", json!({"url": "https://a@example.com/"}), "no allow grant is heard: the address is not what"),
        ("note", json!({"to": "a\u{200b}b"}), "it holds U+200B, which is not seen"),
        ("file_read", json!({"file_path": "/etc/x"}), "no allow grant covers the call"),
    ] {
        for ruled in [false, true] {
            let answer = &batch(&[ask(tool, args.clone(), ruled)])[0];
            assert_eq!(answer["verdict"], "ask", "{answer}");
            let reasons = answer["reasons"].as_array().unwrap();
            let grants = reasons.iter().find(|reason| reason["layer"] == "allow_grant").unwrap();
            assert!(grants["text"].as_str().unwrap().contains(told), "{answer}");
            assert_eq!(grants["said"], "silent");
            assert_eq!(reasons.last().unwrap()["said"], "ask", "the last one decided: {answer}");
        }
    }
}

#[test]
fn what_cannot_be_seen_is_made_visible() {
    let call = json!({"call": {"tool": "bash", "args": {"command": "ls \u{202e}x\u{1b}[2K"}}}).to_string();
    let ran = countersign(&["check"], &call);
    assert!(ran.stdout.contains("bash(ls \\u{202e}x\\u{1b}[2K)"), "{:?}", ran.stdout);
    for c in ['\u{13430}', '\u{1343f}', '\u{1d159}', '\u{16fe4}', '\u{fffe}', '\u{ffff}'] {
        let call = json!({"call": {"tool": "file_read", "args": {"file_path": format!("/a{c}b")}}, "context": {"user": "u"},
            "config": {"policy": {"risk": {"low": "ask"}, "users": {"u": {"allow": ["file_read(/**)"]}}}}});
        let ran = countersign(&["check"], &call.to_string());
        assert_eq!(ran.code, 10, "no wildcard covers it: {}", ran.stdout);
        assert!(ran.stdout.contains(&c.escape_unicode().to_string()), "{:?}", ran.stdout);
    }
}

#[test]
fn the_policy_file_itself_is_out_of_reach() {
    let (_folder, policy) = file("my-policy.yaml", "policy: { rules: [{ tool: '*', effect: allow }] }");
    let call = json!({"call": {"tool": "file_write", "args": {"file_path": policy}}}).to_string();
    assert_eq!(countersign(&["check", "--policy", &policy], &call).code, 11);
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let script = format!(
        "yes '{{\"call\":{{\"tool\":\"a\"}}}}' | head -2000 | {} check --batch | head -1",
        env!("CARGO_BIN_EXE_countersign")
    );
    let ran = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8(ran.stderr).unwrap(), "");
}

#[test]
fn an_answer_is_one_line_to_every_reader() {
    let command = "ls \u{85}\u{2028}\u{2029}\u{202e}\u{e0041}";
    let call = json!({"id": command, "call": {"tool": "bash", "args": {"command": command}}}).to_string();
    let ran = countersign(&["check", "--batch"], &call);
    assert!(ran.stdout.is_ascii() && ran.stdout.lines().count() == 1, "{:?}", ran.stdout);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer["id"], command);
}

#[test]
fn a_name_that_can_be_read_in_two_ways_is_not_allowed_by_one_of_them() {
    let policy = json!({"policy": {"rules": [{"name": "all", "priority": 1, "tool": "*", "effect": "allow"}]}});
    let ask = |call: Value| batch(&[json!({"call": call, "config": policy})]).remove(0)["verdict"].clone();
    assert_eq!(ask(json!({"tool": "mcp__a__b__c", "args": {}})), "ask");
    assert_eq!(ask(json!({"tool": "mcp__a___b", "args": {}})), "ask");
    assert_eq!(ask(json!({"tool": "mcp__a__b", "args": {}})), "allow");
    assert_eq!(ask(json!({"server": "a", "tool": "mcp__a__b__c", "args": {}})), "allow");
    assert_eq!(ask(json!({"server": "a", "tool": "b__c", "args": {}})), "allow");
}
