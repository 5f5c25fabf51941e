//! Cases in which a careful reading of the specification once found the judge wanting. Some lie where the generators
//! seldom go.

use crate::generate::{compile, context_of};
use countersign_domain::Call;
use countersign_domain::describe::Surroundings;
use countersign_policy::pattern::{Pattern, resource_text};
use countersign_policy::source::{AgentSource, Source};
use countersign_policy::{Effect, judge};
use serde_json::{Value, json};

/// What becomes of the call of `tool` in `/srv/repo`.
fn verdict(config: &Value, context: &Value, tool: &str, args: &Value) -> Effect {
    let policy = compile(&source(config));
    let cwd = context.get("run_in").map_or(Some("/srv/repo"), Value::as_str).map(str::to_owned);
    let call = Call::new(None, tool.to_owned(), args.as_object().unwrap().clone(), cwd).unwrap();
    let call = policy.describe(call, &Surroundings::default());
    let mut context = context.clone();
    context.as_object_mut().unwrap().remove("run_in");
    let context = context_of(&serde_json::from_value(context).unwrap(), call.digest);
    judge(&policy, &call, &context).effect
}

fn source(config: &Value) -> Source {
    let section = |name: &str| config.get(name).cloned().unwrap_or_else(|| json!({}));
    let tools = config.get("tools").map(|tools| serde_json::from_value(tools.clone()).unwrap());
    let mut source = Source {
        policy: serde_json::from_value(section("policy")).unwrap(),
        roles: serde_json::from_value(section("roles")).unwrap(),
        tools: tools.unwrap_or_default(),
        ..Source::default()
    };
    for (name, role) in section("agents").as_object().unwrap() {
        let role = role.as_str().map(str::to_owned);
        source.agents.insert(name.clone(), AgentSource { role, ..AgentSource::default() });
    }
    source
}

fn approved_by(by: &Value) -> Value {
    json!({"digest": "$self", "by": by})
}

/// "Always denied, to every tool of every agent, whatever the policy: Countersign's own configuration, database, keys
/// and tokens"; "a path that is denied to the file tools is also denied to a command that names it".
#[test]
fn countersigns_own_files_are_denied_to_commands() {
    let config = json!({"policy": {"rules": [{"tool": "bash", "effect": "allow"}]}});
    for command in ["cat countersign.yaml", "cat /home/dev/.config/countersign/keys", "rm /srv/repo/countersign.db"] {
        assert_eq!(verdict(&config, &json!({}), "bash", &json!({"command": command})), Effect::Deny, "{command}");
    }
}

/// "… and its commands that answer, grant, or change policy"; "a line that was not understood is at least asked wherever
/// any deny pattern exists for that tool, even if a rule allows it". Countersign's own denials exist for every tool.
#[test]
fn a_line_that_may_run_countersign_is_asked_about() {
    let config = json!({"policy": {"rules": [{"tool": "*", "effect": "allow"}]}});
    let lines = [
        ("bash", "$(echo countersign) approve x"),
        ("bash", "c=countersign; $c approve x"),
        ("cmd", "echo x & countersign approve x"),
    ];
    for (tool, line) in lines {
        assert_ne!(verdict(&config, &json!({}), tool, &json!({"command": line})), Effect::Allow, "{line}");
    }
}

/// "A path that is denied to the file tools is also denied to a command that names it", whoever denies it.
#[test]
fn what_rules_roles_and_frames_deny_to_file_tools_is_denied_to_commands() {
    let cat = json!({"command": "cat secrets/key"});
    let denying = json!({"name": "no-secrets", "priority": 1, "tool": "file_read(./secrets/**)", "effect": "deny"});
    let bash = json!({"tool": "bash", "effect": "allow"});
    let by_rule = json!({"policy": {"rules": [denying, bash]}});
    assert_eq!(verdict(&by_rule, &json!({}), "bash", &cat), Effect::Deny, "a rule");
    let role = json!({"reader": {"denied_tools": ["file_read(./secrets/**)"]}});
    let through_role = json!({"policy": {"rules": [bash]}, "roles": role});
    assert_eq!(verdict(&through_role, &json!({"role": "reader"}), "bash", &cat), Effect::Deny, "a role");
    let frame = json!({"delegated": [{"denied_tools": ["file_read(./secrets/**)"]}]});
    assert_eq!(verdict(&json!({"policy": {"rules": [bash]}}), &frame, "bash", &cat), Effect::Deny, "a frame");
}

/// "A URL with a backslash, a control character or credentials is covered by no allow."
#[test]
fn an_odd_url_is_covered_by_no_allow() {
    for config in [
        json!({"policy": {"rules": [{"tool": "web_fetch", "effect": "allow"}]}}),
        json!({"policy": {"users": {"ann": {"allow": ["web_fetch"]}}}}),
        json!({"policy": {"capabilities": {"network": "allow"}}}),
    ] {
        for url in ["https://good.test@evil.test/x", "https://good.test\\@evil.test/x"] {
            let verdict = verdict(&config, &json!({"user": "ann"}), "web_fetch", &json!({"url": url}));
            assert_ne!(verdict, Effect::Allow, "{url} by {config}");
        }
    }
}

/// What a capability asks, "nothing below can loosen": its approvers are asked, whoever else is.
#[test]
fn approvers_of_one_floor_do_not_answer_for_those_of_another() {
    let config = json!({"policy": {
        "capabilities": {"shell": {"effect": "require_human", "approvers": ["finance"]}},
        "rules": [{"tool": "bash", "effect": {"effect": "require_human", "approvers": ["security"]}}],
    }});
    let approval = approved_by(&json!({"kind": "user", "user": "bob", "groups": ["security"]}));
    let context = json!({"user": "ann", "approvals": [approval]});
    assert_ne!(verdict(&config, &context, "bash", &json!({"command": "ls"})), Effect::Allow);
}

/// `approvals` is "how many different people or services must approve": one person by two doors is one.
#[test]
fn one_person_by_two_doors_is_one_approval() {
    let config =
        json!({"policy": {"rules": [{"tool": "pay", "effect": {"effect": "require_approval", "approvals": 2}}]}});
    let doors = ["user", "client"].map(|kind| approved_by(&json!({"kind": kind, "user": "bob"})));
    assert_ne!(verdict(&config, &json!({"user": "ann", "approvals": doors}), "pay", &json!({})), Effect::Allow);
}

/// "`dir/**` covers `dir` too"; `dir/*` does not.
#[test]
fn a_star_does_not_cover_the_folder_it_stands_in() {
    let config = json!({"policy": {"users": {"ann": {"allow": ["list_files(./*)"]}}, "risk": {"low": "ask"}}});
    assert_ne!(verdict(&config, &json!({"user": "ann"}), "list_files", &json!({"path": "."})), Effect::Allow);
}

/// "`dir/**` covers `dir` too", also where `dir` ends in `**` itself.
#[test]
fn two_double_stars_cover_the_folder_as_one_does() {
    let config = json!({"policy": {"rules": [{"tool": "list_files(/a/**/**)", "effect": "deny"}]}});
    assert_eq!(verdict(&config, &json!({}), "list_files", &json!({"path": "/a"})), Effect::Deny);
}

/// "Without a working folder … relative denies match in any folder."
#[test]
fn a_relative_deny_matches_the_working_folder_wherever_that_is() {
    let config = json!({"policy": {"rules": [{"tool": "list_files(.)", "effect": "deny"}]}});
    assert_eq!(verdict(&config, &json!({"run_in": null}), "list_files", &json!({"path": "."})), Effect::Deny);
}

/// "… so that any exact call can be written"; "a pattern that a person is offered to remember matches exactly what they
/// were shown".
#[test]
fn a_call_with_an_empty_text_can_be_written() {
    let policy = compile(&source(&json!({"tools": [{"tool": "note", "resource": {"text": "to"}}]})));
    let args = json!({"to": ""}).as_object().unwrap().clone();
    let call = policy.describe(Call::new(None, "note".to_owned(), args, None).unwrap(), &Surroundings::default());
    assert!(resource_text(&call).is_none_or(|text| Pattern::parse(&text).is_ok()));
}

/// The role an agent acts in is its own where a call names none; a condition must see the one that counts.
#[test]
fn a_condition_sees_the_role_that_the_agent_acts_in() {
    let config = json!({
        "agents": {"helper": "intern"}, "roles": {"intern": {}},
        "policy": {"rules": [{"tool": "*", "effect": "deny", "when": "agent.role == \"intern\""}]},
    });
    assert_eq!(verdict(&config, &json!({"agent": "helper"}), "pay", &json!({})), Effect::Deny);
}

/// "No pattern takes more than linear time", and no condition either: CEL counts no steps, so what is too long to go
/// through in a loop makes a condition fail, and a rule that fails never allows.
#[test]
fn a_condition_does_not_go_through_more_than_it_can() {
    let rule = |effect, when| json!({"policy": {"risk": {"low": "allow"}, "rules": [{"tool": "ask_user", "effect": effect, "when": when}]}});
    let (one, two) = ("args.a.exists(x, x == 7)", "args.a.exists(x, args.a.exists(y, x + y == 14))");
    let list = |length: usize| json!({"a": vec![7; length]});
    for (when, longest) in [(one, 1000), (two, 64)] {
        for (length, held) in [(longest, true), (longest + 1, false), (100_000, false)] {
            let deny = verdict(&rule("deny", when), &json!({}), "ask_user", &list(length));
            assert_eq!(deny, Effect::Deny, "a rule that denies and fails is as strict as one that holds: {when}");
            let asks = json!({"policy": {"risk": {"low": "ask"}, "rules": [{"tool": "ask_user", "effect": "allow", "when": when}]}});
            let allow = verdict(&asks, &json!({}), "ask_user", &list(length));
            assert_eq!(allow == Effect::Allow, held, "{when} of {length}");
        }
    }
    let whole = "args.a.size() > 1000";
    assert_eq!(
        verdict(&rule("deny", whole), &json!({}), "ask_user", &list(100_000)),
        Effect::Deny,
        "no loop, no limit"
    );
}

/// `policy.enabled: false`: "steps 1–4 still hold, the rest allows". A rule that asks for an approval is step 5.
#[test]
fn a_switched_off_policy_does_not_hear_rules_that_may_fit() {
    let config = json!({"policy": {"enabled": false, "rules": [{"tool": "web_fetch(https://a.test/**)", "effect": "require_approval"}]}});
    assert_eq!(
        verdict(&config, &json!({}), "web_fetch", &json!({"url": "https://a.test/x"})),
        Effect::Allow,
        "it fits"
    );
    assert_eq!(verdict(&config, &json!({}), "web_fetch", &json!({"url": 7})), Effect::Allow, "it may fit");
}

/// A rule of which nobody can tell whether it fits must not ask less than it would if it did.
#[test]
fn a_rule_that_may_fit_asks_whom_it_would_ask_if_it_did() {
    let config = json!({"policy": {"rules": [{"tool": "web_fetch(https://bank.test/**)", "effect": "require_human"}]}});
    let approval = approved_by(&json!({"kind": "service", "user": "bot"}));
    let context = json!({"user": "ann", "approvals": [approval]});
    assert_ne!(verdict(&config, &context, "web_fetch", &json!({"url": ["https://bank.test/pay"]})), Effect::Allow);
}

/// "Role: its allowed list holds the tool → allow, but a high-risk tool asks once." A critical one is not less than that.
#[test]
fn a_role_does_not_allow_a_critical_tool_more_than_a_high_one() {
    for risk in ["high", "critical"] {
        let config = json!({
            "policy": {"risk": {"critical": "allow"}}, "roles": {"reader": {"allowed_tools": ["pay"]}},
            "tools": [{"tool": "pay", "risk": risk}],
        });
        assert_ne!(verdict(&config, &json!({"role": "reader"}), "pay", &json!({})), Effect::Allow, "{risk}");
    }
}
