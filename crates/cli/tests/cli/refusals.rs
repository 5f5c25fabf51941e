//! Bad input gets a clear error and exit code 2, never a verdict.

use crate::program::{countersign, file};
use serde_json::json;

/// The error of a policy with this text, without the folder it stands in.
fn refused(text: &str) -> String {
    let (folder, path) = file("policy.yaml", text);
    let call = json!({"call": {"tool": "bash", "args": {"command": "ls"}}}).to_string();
    for arguments in [["policy", "lint", &path].as_slice(), &["policy", "test", &path], &["check", "--policy", &path]] {
        let ran = countersign(arguments, &call);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{arguments:?} took:\n{text}");
    }
    countersign(&["policy", "lint", &path], "")
        .stderr
        .replace(&format!("{}/", folder.path().display()), "")
        .trim()
        .to_owned()
}

#[test]
fn a_bad_policy_is_refused_with_line_column_and_reason() {
    for (text, expected) in [
        (
            "policy:\n  rulez: []\n",
            "error: policy.yaml:2:3: unknown field `rulez`: did you mean `rules`? Expected one of",
        ),
        ("polcy: {}\n", "error: policy.yaml:1:1: unknown field `polcy`: did you mean `policy`? Expected one of"),
        (
            "policy:\n  rules:\n    - { tool: x, efect: allow }\n",
            "error: policy.yaml:3:18: unknown field `efect`: did you mean `effect`?",
        ),
        (
            "policy:\n  rules:\n    - { tool: x, effect: alow }\n",
            "error: policy.yaml:3:18: unknown variant `alow`: did you mean `allow`? Expected one of allow, require_approval, require_human, second_person, deny",
        ),
        (
            "policy:\n  capabilities: { payment: require_humans }\n",
            "policy.yaml:2:19: unknown variant `require_humans`: did you mean `require_human`?",
        ),
        ("policy: { default: allow }\n", "policy.yaml:1:20: unknown variant `allow`, expected one of ask, deny"),
        ("policy:\n  rules:\n    - { tool: x }\n", "policy.yaml:3:7: policy.rules[0]: a rule needs an `effect`"),
        ("policy:\n  rules:\n    - { effect: allow }\n", "policy.yaml:3:9: missing field `tool`"),
        (
            "policy:\n  rules:\n    - tool: \"bash(ls\"\n      effect: allow\n",
            "policy.yaml:3:13: policy.rules[0].tool: `bash(ls` opens a bracket and does not end with `)`",
        ),
        (
            "policy:\n  rules:\n    - { tool: x, effect: deny, when: \"args.a >\" }\n",
            "policy.yaml:3:38: policy.rules[0].when: the condition is not valid CEL",
        ),
        (
            "policy:\n  rules:\n    - { tool: x, effect: deny, when: \"arg.a > 1\" }\n",
            "policy.rules[0].when: the condition speaks of `arg`; it can speak of `args`",
        ),
        (
            "policy:\n  rules:\n    - { tool: x, effect: deny, when: \"args.a.startWith('x')\" }\n",
            "the condition calls `startWith`",
        ),
        (
            "policy:\n  rules:\n    - { tool: x, effect: allow, auto_approve: 1 }\n",
            "policy.rules[0].auto_approve: `auto_approve` is the older spelling of `effect`",
        ),
        (
            "policy:\n  rules:\n    - { tool: x, auto_approve: 2 }\n",
            "policy.yaml:3:18: invalid value: integer `2`, expected `1`, `0`, `true` or `false`",
        ),
        (
            "policy:\n  rules:\n    - { tool: x, effect: deny, remember: false }\n",
            "`remember`, `approvals` and `approvers` are for effects that ask",
        ),
        (
            "policy:\n  rules:\n    - { tool: x, effect: require_human, approvals: 0 }\n",
            "`approvals` must be between 1 and 16",
        ),
        ("policy:\n  rules:\n    - { tool: a/b, server: c, effect: deny }\n", "`a/b` names its server already"),
        (
            "policy:\n  users:\n    ann: { allow: [\"*\"] }\n",
            "policy.yaml:3:20: policy.users.ann.allow[0]: `*` is too wide",
        ),
        ("policy:\n  users:\n    ann: { allow: [\"*/read\", \"srv/*\"] }\n", "must name its server without a wildcard"),
        ("policy:\n  users:\n    ann: { deny: [\"bash()\"] }\n", "has nothing in its brackets"),
        ("policy:\n  users:\n    ann: { deny: ['bash(a\\d)'] }\n", "holds `\\d`, which is no escape"),
        ("policy:\n  users:\n    ann: { deny: [{ resource: bash, expires_at: tomorrow }] }\n", "policy.yaml:3:"),
        (
            "tools:\n  - { tool: x, resource: { path: a, url: b } }\n",
            "tools[0].resource: a tool has one kind of resource",
        ),
        ("tools:\n  - { tool: x, risk: hihg }\n", "unknown variant `hihg`: did you mean `high`?"),
        ("tools:\n  - { tool: x, timeout: soon }\n", "policy.yaml:2:"),
        ("roles:\n  r: { allowed_tools: [\"\"] }\n", "roles.r.allowed_tools[0]: `` names no tool"),
        ("agents:\n  a: { role: ghost }\n", "policy.yaml:2:14: agents.a.role: there is no role `ghost` in `roles`"),
        ("models:\n  m: { provider: openai, api_key: \"${KEY\" }\n", "`${` is not closed by `}`"),
        ("policy: {}\npolicy: {}\n", "policy.yaml:2:1: duplicate mapping key: policy"),
        ("policy: [\n", "policy.yaml:1:9: "),
        ("policy: 7\n", "policy.yaml:1:9: expected a map"),
        ("policy: { rules: 7 }\n", "policy.yaml:1:18: expected a list"),
        ("policy: { rules: [{ tool: x, effect: deny, priority: soon }] }\n", ": expected a whole number"),
        ("policy: { rules: [{ tool: [], effect: deny }] }\n", ": expected a text"),
        ("policy: { enabled: maybe }\n", ": expected `true` or `false`"),
        ("include: [nowhere.yaml]\n", "nowhere.yaml"),
    ] {
        let error = refused(text);
        assert!(error.contains(expected), "{text}\n{error}");
    }
}

/// Otherwise a denial of that pattern would deny nothing, and nobody would know.
#[test]
fn a_pattern_that_says_nothing_of_what_its_tool_touches_is_refused() {
    for (pattern, why) in [
        ("web_fetch(*://evil.test/*)", "the scheme must be written out, as in `https://…`"),
        ("web_fetch(domain:evil.test)", "leave out `domain:`"),
        ("web_fetch(https://a.test/x?y=1)", "leave out `?` and what follows"),
        ("web_fetch(a.test:http)", "the port must be a number"),
        ("web_fetch(not a host)", "a URL pattern needs a host"),
        ("file_read(./*/../s/**)", "`..` stands after a wildcard"),
        ("file_read(~/../x)", "write the path from `/`"),
        ("ask_user(x)", "leave out the brackets"),
        ("fs/open(~/../x)", "cannot be read as a path, which is what `open` touches"),
        ("note(x)", "leave out the brackets"),
    ] {
        for (place, text) in [
            ("policy.rules[0].tool", format!("policy: {{ rules: [{{ tool: '{pattern}', effect: deny }}] }}")),
            ("policy.users.ann.deny[0]", format!("policy: {{ users: {{ ann: {{ deny: ['{pattern}'] }} }} }}")),
            ("policy.users.ann.allow[0]", format!("policy: {{ users: {{ ann: {{ allow: ['{pattern}'] }} }} }}")),
            ("roles.r.denied_tools[1]", format!("roles: {{ r: {{ denied_tools: [x, '{pattern}'] }} }}")),
            ("agents.a.tools[0]", format!("agents: {{ a: {{ tools: ['{pattern}'] }} }}")),
        ] {
            let tools =
                "tools: [{ server: fs, tool: 'o*', resource: { path: p } }, { tool: note, resource: { none: true } }]";
            let error = refused(&format!("{tools}\n{text}\n"));
            let placed =
                error.starts_with("error: policy.yaml:2:") && error.contains(&format!(": {place}: `{pattern}` "));
            assert!(placed && error.contains(why), "{text}\n{error}");
        }
    }
}

/// `mcp__a__b__c` is `b__c` of the server `a`, or `c` of the server `a__b`.
#[test]
fn a_name_that_can_be_read_as_two_tools_is_allowed_by_nothing() {
    for text in [
        "policy: { users: { ann: { allow: ['mcp__a__b__c'] } } }",
        "policy: { rules: [{ tool: 'mcp__a__b__*', effect: allow }] }",
        "policy: { overrides: { mcp__a___b: { execution: auto } } }",
        "tools: [{ tool: mcp__a__b__c, risk: low }]",
        "roles: { r: { allowed_tools: ['mcp__a__b__c'] } }",
        "agents: { a: { tools: ['mcp__a__b__c'] } }",
    ] {
        let error = refused(text);
        assert!(
            error.contains("can be read as more than one tool") && error.contains("`server/tool`"),
            "{text}\n{error}"
        );
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let error = refused("policy:\n  rules:\n    - { tool: 'a(', effect: deny }\n    - { tool: b }\n");
    assert_eq!(error.lines().count(), 2, "{error}");
}

#[test]
fn an_error_never_shows_a_key() {
    let error = refused("models:\n  m: { provider: openai, api_key: sk-secret-123, nonsense: 1 }\n");
    assert!(!error.contains("sk-secret-123"), "{error}");
    let error = refused("models:\n  m: { provider: openai, api_key: [sk-secret-123] }\n");
    assert!(!error.contains("sk-secret-123"), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let ran = countersign(&["policy", "lint", "/nowhere/policy.yaml"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: cannot read `/nowhere/policy.yaml`"), "{}", ran.stderr);
}

#[test]
fn a_bad_call_is_refused_with_its_reason() {
    let deep = format!("{{\"call\":{{\"tool\":\"t\",\"args\":{{\"a\":{}{}}}}}}}", "[".repeat(64), "]".repeat(64));
    let long = json!({"call": {"tool": "t", "args": {"a": "x".repeat(262_144)}}}).to_string();
    for (call, expected) in [
        ("", "expected a JSON value, found the end of the text"),
        ("{\"call\":{\"tool\":\"t\"}} x", "expected the end of the text"),
        ("[]", "expected an object with `call`"),
        ("{}", "missing field `call`"),
        ("{\"call\":[null,\"t\"]}", "expected an object with `call`"),
        ("{\"call\":{}}", "missing field `tool`"),
        ("{\"call\":{\"tool\":\"t\",\"arguments\":{}}}", "unknown field `arguments`"),
        ("{\"call\":{\"tol\":\"t\"}}", "unknown field `tol`: did you mean `tool`?"),
        ("{\"call\":{\"tool\":\"\"}}", "`tool` must not be empty"),
        ("{\"call\":{\"tool\":\"t\",\"args\":[]}}", "call.args: expected a map, found a list"),
        ("{\"tool\":\"t\",\"args\":{}}", "missing field `call`: put the call into it"),
        ("{\"call\":{\"tool\":\"t\"},\"context\":7}", "context: expected a map, found a number"),
        (
            "{\"call\":{\"tool\":\"t\"},\"config\":{\"policy\":{\"rules\":7}}}",
            "policy.rules: expected a list, found a number",
        ),
        (
            "{\"call\":{\"tool\":\"t\"},\"config\":{\"policy\":{\"rules\":[{\"tool\":\"t\",\"priority\":\"sk-1\"}]}}}",
            "policy.rules[0].priority: expected a whole number, found a text",
        ),
        ("{\"call\":{\"tool\":\"t\",\"args\":{\"n\":9007199254740992}}}", "beyond ±(2^53−1)"),
        ("{\"call\":{\"tool\":\"t\",\"args\":{\"n\":\"\\ud800\"}}}", "lone surrogate"),
        ("{\"call\":{\"tool\":\"t\",\"cwd\":\"src\"}}", "`cwd` must be an absolute path"),
        ("{\"call\":{\"tool\":\"t\"},\"context\":{\"role\":\"ghost\"}}", "there is no role `ghost`"),
        (
            "{\"call\":{\"tool\":\"t\"},\"context\":{\"delegated\":[{\"denied_tools\":[\"a(\"]}]}}",
            "context: `delegated[0].denied_tools[0]`: `a(` opens a bracket and does not end with `)`\n",
        ),
        (
            "{\"call\":{\"tool\":\"t\"},\"context\":{\"approvals\":[{\"digest\":\"x\",\"by\":{\"kind\":\"user\"}}]}}",
            "`approvals[0].digest` must be `$self`",
        ),
        ("{\"call\":{\"tool\":\"t\"},\"context\":{\"now\":\"noon\"}}", "context.now: "),
        (
            "{\"call\":{\"tool\":\"t\"},\"config\":{\"policy\":{\"ruels\":[]}}}",
            "config: policy.ruels: unknown field `ruels`: did you mean `rules`?",
        ),
        (
            "{\"call\":{\"tool\":\"t\"},\"config\":{\"policy\":{\"rules\":[{\"tool\":\"t\",\"effect\":\"deny\",\"when\":\"(\"}]}}}",
            "policy.rules[0].when",
        ),
        (&deep, "`args` is nested more than 64 deep"),
        (&long, "`args` is longer than 262144 bytes"),
    ] {
        let ran = countersign(&["check"], call);
        let shown: String = call.chars().take(100).collect();
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{shown}");
        assert!(ran.stderr.contains(expected), "{shown}\n{}", ran.stderr);
    }
}

#[test]
fn words_the_command_line_does_not_know_are_refused() {
    for arguments in [["chek"].as_slice(), &["check", "--polcy", "x"], &["policy"], &[]] {
        assert_eq!(countersign(arguments, "").code, 2, "{arguments:?}");
    }
}

#[test]
fn what_is_wrong_in_an_included_file_is_found_there() {
    let (folder, path) = file("main.yaml", "include: [\"parts/*.yaml\"]\ntools:\n  - { tool: a }\n");
    let parts = folder.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    std::fs::write(parts.join("1.yaml"), "tools:\n  - { tool: b }\n").unwrap();
    std::fs::write(parts.join("2.yaml"), "tools:\n  - { tool: c }\n  - { tool: d, timeout: 0s }\n").unwrap();
    std::fs::write(parts.join("3.yaml"), "type: agent\nname: solo\nrole: nobody\n").unwrap();
    std::fs::write(parts.join("4.yaml"), "agents:\n  duo:\n    role: nobody\n").unwrap();
    let ran = countersign(&["policy", "lint", &path], "");
    assert_eq!(ran.code, 2);
    for place in ["2.yaml:3:", "3.yaml:3:", "4.yaml:3:"] {
        assert!(ran.stderr.contains(place), "{place} in {}", ran.stderr);
    }
}
