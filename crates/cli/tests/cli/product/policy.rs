//! The policy over HTTP: what it says, changing it, its history.

use super::server::{Server, one_call};
use reqwest::Method;
use serde_json::{Value, json};

/// A configuration that says something of everything.
const FILE: &str = r#"
policy:
  rules:
    - { priority: 50, tool: "delete_*", effect: deny }
    - { name: pays, priority: 10, tool: pay, when: "args.amount > 10", effect: require_human, approvals: 2, approvers: [money] }
  capabilities: { drop_table: deny, mail: { effect: require_approval, remember: false } }
  overrides: { file_read: { result: always } }
  users:
    kim:
      overrides: { bash: { execution: ask-always } }
      allow: [ { resource: "bash(make)", expires_at: "2090-01-01T00:00:00Z", reason: builds } ]
      deny: ["bash(curl:*)"]
tools: [ { tool: pay, description: pays, capabilities: [money], risk: critical, timeout: 5s } ]
roles: { reader: { allowed_tools: [file_read] } }
"#;

pub(super) async fn send(server: &Server, method: Method, path: &str, body: Value) -> (u16, Value) {
    server.try_send(&server.operator, method, path, Some(&body)).await.expect("an answer")
}

pub(super) async fn put(server: &Server, path: &str, body: Value) -> Value {
    let (status, made) = send(server, Method::PUT, path, body).await;
    assert_eq!(status, 200, "{path}: {made}");
    made
}

/// What the policy says of a call now.
pub(super) async fn verdict(server: &Server, call: Value) -> Value {
    let (status, said) = server.post(&server.operator, "/api/policy/check", call).await;
    assert_eq!(status, 200, "{said}");
    said
}

pub(super) async fn items(server: &Server, path: &str) -> Vec<Value> {
    let (status, page) = server.get(path).await;
    assert_eq!((status, &page["next"]), (200, &Value::Null), "{path}: {page}");
    page["items"].as_array().unwrap().clone()
}

/// The version of the policy, as lists say it.
async fn version(server: &Server) -> String {
    let request = server.http().get(format!("{}/api/rules", server.base)).bearer_auth(&server.operator);
    request.send().await.unwrap().headers()["etag"].to_str().unwrap().to_owned()
}

pub(super) fn names(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn what_the_file_says_is_shown_and_changed_there_alone() {
    let server = Server::new(one_call(), FILE);
    let rules = items(&server, "/api/rules").await;
    assert_eq!(names(&rules), ["pays", "rule-1"], "in the order in which they are looked at");
    let pays = json!({
        "name": "pays", "priority": 10, "server": null, "tool": "pay", "when": "args.amount > 10",
        "effect": "require_human", "remember": null, "approvals": 2, "approvers": ["money"], "description": null,
        "before": null, "source": "file"
    });
    assert_eq!(rules[0], pays);
    let capabilities = items(&server, "/api/capabilities").await;
    assert_eq!(names(&capabilities), ["drop_table", "mail"]);
    assert_eq!((&capabilities[1]["remember"], &capabilities[1]["source"]), (&json!(false), &json!("file")));
    let overrides = items(&server, "/api/overrides").await;
    let told: Vec<_> = overrides.iter().map(|one| (&one["tool"], &one["user_id"], &one["execution"])).collect();
    assert_eq!(
        told,
        [(&json!("file_read"), &Value::Null, &Value::Null), (&json!("bash"), &json!("kim"), &json!("ask-always"))]
    );
    assert_eq!(items(&server, "/api/overrides/bash").await.len(), 1);
    assert_eq!(items(&server, "/api/roles").await[0]["allowed_tools"], json!(["file_read"]));
    let (_, grants) = server.get("/api/permissions/kim").await;
    assert_eq!(grants["allow"][0]["expires_at"], "2090-01-01T00:00:00Z");
    assert_eq!((&grants["allow"][0]["source"], &grants["deny"][0]["source"]), (&json!("file"), &json!("file")));
    let same = json!({"resource": "bash(curl:*)"});
    let cases = [
        (Method::POST, "/api/rules", json!({"name": "pays", "tool": "pay", "effect": "allow"})),
        (Method::PUT, "/api/rules/pays", json!({"tool": "pay", "effect": "allow"})),
        (Method::PUT, "/api/rules/rule-1", json!({"tool": "pay", "effect": "allow"})),
        (Method::PUT, "/api/capabilities/drop_table", json!({"effect": "allow"})),
        (Method::PUT, "/api/overrides/file_read", json!({"result": "never"})),
        (Method::PUT, "/api/overrides/bash?user_id=kim", json!({"execution": "auto"})),
        (Method::PUT, "/api/roles/reader", json!({})),
        (Method::PUT, "/api/tools/pay", json!({"risk": "low"})),
        (Method::DELETE, "/api/permissions/kim/deny", same),
    ];
    for (method, path, body) in cases {
        let (status, problem) = send(&server, method, path, body).await;
        assert_eq!((status, &problem["code"]), (409, &json!("FILE_DEFINED")), "{path}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains("configuration file"), "{problem}");
    }
    assert_eq!(version(&server).await, "\"0\"", "nothing was changed");
}

#[tokio::test]
async fn every_kind_of_change_counts_for_the_next_judgement_and_after_a_restart() {
    let mut server = Server::new(one_call(), "");
    let bash = || json!({"tool": "bash", "args": {"command": "make"}, "user_id": "kim"});
    let rule = json!({
        "name": "night", "priority": 5, "tool": "bash", "when": "user.id == 'kim'", "effect": "require_human",
        "approvals": 2, "approvers": ["ops"], "description": "at night", "reason": "after last week"
    });
    let (status, made) = server.post(&server.operator, "/api/rules", rule.clone()).await;
    assert_eq!((status, &made["source"]), (201, &json!("api")), "{made}");
    let by = &made["changed"];
    assert_eq!((&by["by"], &by["reason"], &by["version"]), (&json!("root"), &json!("after last week"), &json!(1)));
    let (status, problem) = server.post(&server.operator, "/api/rules", rule).await;
    assert_eq!((status, &problem["code"]), (409, &json!("ALREADY_EXISTS")), "{problem}");
    let said = verdict(&server, bash()).await;
    assert_eq!((&said["verdict"], &said["by"]), (&json!("ask"), &json!("human")), "{said}");

    put(&server, "/api/capabilities/shell", json!({"effect": "deny"})).await;
    assert_eq!(verdict(&server, bash()).await["verdict"], "deny");
    put(&server, "/api/capabilities/shell", json!({"effect": "allow"})).await;

    let read = || json!({"tool": "file_read", "args": {"file_path": "x"}, "user_id": "kim"});
    assert_eq!(verdict(&server, read()).await["verdict"], "allow");
    put(&server, "/api/overrides/file_read?user_id=kim", json!({"execution": "ask-always"})).await;
    assert_eq!(verdict(&server, read()).await["mode"], "always");
    let others = json!({"tool": "file_read", "args": {"file_path": "x"}, "user_id": "bob"});
    assert_eq!(verdict(&server, others.clone()).await["verdict"], "allow", "it is one user's");
    put(&server, "/api/overrides/file_read", json!({"execution": "ask-once", "result": "on-error"})).await;
    assert_eq!(verdict(&server, others).await["mode"], "once");

    put(&server, "/api/roles/mute", json!({"allowed_tools": []})).await;
    let mute = json!({"tool": "file_read", "args": {"file_path": "x"}, "user_id": "bob", "role": "mute"});
    assert_eq!(verdict(&server, mute.clone()).await["verdict"], "deny");

    let mail = || json!({"server": "post", "tool": "send", "args": {"to": "x"}});
    let tool = json!({"capabilities": ["mail"], "risk": "low", "resource": {"text": ["to"]}, "execution": "auto", "timeout": "9s"});
    let told = put(&server, "/api/tools/post%2Fsend", tool).await;
    assert_eq!(
        (&told["server"], &told["tool"], &told["timeout_seconds"]),
        (&json!("post"), &json!("send"), &json!(9.0))
    );
    let said = verdict(&server, mail()).await;
    assert_eq!((&said["verdict"], &said["resource"]), (&json!("allow"), &json!("post/send(x)")), "{said}");

    server.stop();
    server.start(None);
    assert_eq!(verdict(&server, bash()).await["by"], "human");
    assert_eq!(verdict(&server, read()).await["mode"], "always");
    assert_eq!(verdict(&server, mute).await["verdict"], "deny");
    assert_eq!(verdict(&server, mail()).await["resource"], "post/send(x)");
    for path in [
        "/api/rules/night?reason=done",
        "/api/capabilities/shell",
        "/api/overrides/file_read",
        "/api/overrides/file_read?user_id=kim",
        "/api/roles/mute",
        "/api/tools/post%2Fsend",
    ] {
        assert_eq!(server.try_send(&server.operator, Method::DELETE, path, None).await.unwrap().0, 204, "{path}");
        assert_eq!(server.try_send(&server.operator, Method::DELETE, path, None).await.unwrap().0, 404, "{path}");
    }
    assert_eq!(verdict(&server, read()).await["verdict"], "allow");
    let (_, page) = server.get("/api/policy/changes?limit=200").await;
    let changes = page["items"].as_array().unwrap();
    assert_eq!(changes.len(), 13);
    let night = changes.iter().find(|change| change["key"] == "night").unwrap();
    assert_eq!((&night["why"], &night["after"], &night["kind"]), (&json!("done"), &Value::Null, &json!("rule")));
    assert_eq!(night["before"]["approvers"], json!(["ops"]));
    server.stop();
    server.sound().await;
}

#[tokio::test]
async fn what_is_no_policy_is_refused_whole_and_its_places_are_said() {
    let server = Server::new(one_call(), "");
    let rule =
        json!({"tool": "bash(", "when": "args.", "effect": "require_approval", "approvals": 99, "before": "nobody"});
    let (status, problem) = send(&server, Method::PUT, "/api/rules/bad", rule).await;
    assert_eq!((status, &problem["code"]), (422, &json!("BAD_POLICY")), "{problem}");
    let told = problem["problems"].as_array().unwrap();
    assert!(told.iter().all(|wrong| wrong["kind"] == "rule" && wrong["key"] == "bad"), "{problem}");
    let places: Vec<_> = told.iter().map(|wrong| wrong["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["tool", "approvals", "when", "before"], "{problem}");
    for (path, body, kind, key, place) in [
        ("/api/capabilities/x", json!({"effect": "deny", "approvals": 2}), "capability", "x", ""),
        ("/api/roles/x", json!({"allowed_tools": ["ok", "bash("]}), "role", "x", "allowed_tools[1]"),
        ("/api/overrides/bash(x)", json!({"execution": "auto"}), "override", "bash(x)", ""),
        ("/api/overrides/bash(x)?user_id=kim", json!({"execution": "auto"}), "override", "kim\nbash(x)", ""),
        ("/api/tools/pay", json!({"resource": {"text": ["a"], "path": ["b"]}}), "tool", "pay", "resource"),
        ("/api/tools/pay", json!({"timeout": "0s"}), "tool", "pay", "timeout"),
    ] {
        let (status, problem) = send(&server, Method::PUT, path, body).await;
        assert_eq!((status, &problem["code"]), (422, &json!("BAD_POLICY")), "{path}: {problem}");
        let wrong = &problem["problems"][0];
        assert_eq!(
            (&wrong["kind"], &wrong["key"], &wrong["place"]),
            (&json!(kind), &json!(key), &json!(place)),
            "{problem}"
        );
    }
    for (path, body, told) in [
        ("/api/rules/x", json!({"tool": "bash"}), "effect"),
        ("/api/rules/x", json!({"tool": "bash", "effect": "perhaps"}), "`effect`: unknown variant `perhaps`"),
        ("/api/rules/x", json!({"tool": "bash", "effect": "deny", "efekt": 1}), "efekt"),
        (
            "/api/rules/x",
            json!({"tool": "bash", "effect": "deny", "name": "y"}),
            "`name` must be the one in the address",
        ),
        ("/api/rules/%20", json!({"tool": "bash", "effect": "deny"}), "a name has at least one letter"),
        (
            "/api/rules/x",
            json!({"tool": "bash(curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345')", "effect": "deny"}),
            "secret",
        ),
        ("/api/overrides/x", json!({}), "`execution`, `result` or both"),
        ("/api/tools/x", json!({"timeout": "soon"}), "`timeout` is a time such as"),
        ("/api/rules/x", json!({"tool": "bash", "effect": "deny", "reason": "x".repeat(10_001)}), "10000 bytes"),
        ("/api/roles/x", json!({"description": "x".repeat(70_000)}), "65536 bytes"),
    ] {
        let (status, problem) = send(&server, Method::PUT, path, body).await;
        assert_eq!((status, &problem["code"]), (400, &json!("INVALID")), "{path}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(told), "{told}: {problem}");
    }
    assert_eq!(version(&server).await, "\"0\"");
    assert_eq!(items(&server, "/api/rules").await, Vec::<Value>::new());
}

#[tokio::test]
async fn only_an_operator_in_person_changes_the_policy_and_an_agent_does_not_read_it() {
    let server = Server::new(one_call(), "");
    let viewer = server.token(&["--kind", "user", "--name", "vic", "--role", "viewer"]);
    let agent = server.token(&["--kind", "agent", "--name", "bot", "--for", "root"]);
    let service = server.token(&["--kind", "service", "--name", "ci", "--role", "operator"]);
    put(&server, "/api/rules/there", json!({"tool": "bash", "effect": "deny"})).await;
    let rule = json!({"name": "mine", "tool": "bash", "effect": "allow"});
    let changes = [
        (Method::POST, "/api/rules", rule.clone()),
        (Method::PUT, "/api/rules/there", json!({"tool": "bash", "effect": "allow"})),
        (Method::DELETE, "/api/rules/there", json!({})),
        (Method::PUT, "/api/capabilities/shell", json!({"effect": "allow"})),
        (Method::DELETE, "/api/capabilities/shell", json!({})),
        (Method::PUT, "/api/overrides/bash", json!({"execution": "auto"})),
        (Method::DELETE, "/api/overrides/bash", json!({})),
        (Method::PUT, "/api/roles/x", json!({})),
        (Method::DELETE, "/api/roles/x", json!({})),
        (Method::PUT, "/api/tools/bash", json!({"risk": "low"})),
        (Method::DELETE, "/api/tools/bash", json!({})),
        (Method::POST, "/api/policy/changes/1/undo", json!({})),
        (Method::POST, "/api/policy/dry-run", json!({"changes": []})),
        (Method::GET, "/api/policy/changes", json!({})),
    ];
    for (who, expected) in
        [(&viewer, 403), (&server.approver, 403), (&agent, 403), (&service, 403), (&String::new(), 401)]
    {
        for (method, path, body) in &changes {
            let (status, _) = server.try_send(who, method.clone(), path, Some(body)).await.unwrap();
            assert_eq!(status, expected, "{method} {path}");
        }
    }
    assert_eq!(version(&server).await, "\"1\"", "nothing was changed");
    for path in ["/api/rules", "/api/capabilities", "/api/overrides", "/api/overrides/bash", "/api/roles"] {
        for (who, expected) in [(&viewer, 200), (&service, 200), (&server.approver, 200), (&agent, 403)] {
            assert_eq!(server.try_send(who, Method::GET, path, None).await.unwrap().0, expected, "{path}");
        }
    }
    assert_eq!(server.try_send(&agent, Method::GET, "/api/tools", None).await.unwrap().0, 200);
    assert_eq!(server.post(&server.operator, "/api/rules", rule).await.0, 201);
}

#[tokio::test]
async fn whoever_saw_an_older_policy_changes_nothing() {
    let server = Server::new(one_call(), "");
    let change = |seen: &str| {
        let request = server.http().put(format!("{}/api/rules/one", server.base)).bearer_auth(&server.operator);
        request.header("if-match", seen).json(&json!({"tool": "bash", "effect": "deny"})).send()
    };
    let first = change("\"0\"").await.unwrap();
    assert_eq!((first.status().as_u16(), first.headers()["etag"].to_str().unwrap()), (200, "\"1\""));
    let stale = change("\"0\"").await.unwrap();
    assert_eq!(stale.status(), 412);
    let problem: Value = stale.json().await.unwrap();
    assert_eq!((&problem["code"], &problem["version"]), (&json!("STALE"), &json!(1)), "{problem}");
    assert_eq!(change("one").await.unwrap().status(), 400);
    assert_eq!(change("*").await.unwrap().status(), 200);
    assert_eq!(version(&server).await, "\"2\"");
}

#[tokio::test]
async fn a_change_is_undone_by_another_one_and_only_where_it_is_the_last_word() {
    let server = Server::new(one_call(), "");
    let rule = |effect: &str| json!({"tool": "bash", "effect": effect});
    put(&server, "/api/rules/one", rule("deny")).await;
    put(&server, "/api/rules/one", rule("allow")).await;
    put(&server, "/api/roles/x", json!({"allowed_tools": []})).await;
    let bash = || json!({"tool": "bash", "args": {"command": "make"}});
    assert_eq!(verdict(&server, bash()).await["verdict"], "allow");
    let undo = |version: u32, body: Value| {
        let path = format!("/api/policy/changes/{version}/undo");
        let (server, token) = (&server, &server.operator);
        async move { server.post(token, &path, body).await }
    };
    let (status, problem) = undo(1, json!({})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("CHANGED_SINCE")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("version 2"), "{problem}");
    let (status, undone) = undo(2, json!({"reason": "too wide"})).await;
    assert_eq!((status, &undone["version"], &undone["why"]), (201, &json!(4), &json!("too wide")), "{undone}");
    assert_eq!((&undone["before"]["effect"], &undone["after"]["effect"]), (&json!("allow"), &json!("deny")));
    assert_eq!(verdict(&server, bash()).await["verdict"], "deny");
    assert_eq!(undo(4, json!({})).await.0, 201, "what was undone can be redone");
    assert_eq!(verdict(&server, bash()).await["verdict"], "allow");
    assert_eq!(undo(99, json!({})).await.0, 404);
    // A grant is a change as well; one that came with the file is not undone here.
    let grant = json!({"resource": "bash(ls)"});
    assert_eq!(server.post(&server.operator, "/api/permissions/kim/deny", grant).await.0, 200);
    let (status, undone) = undo(6, json!({})).await;
    assert_eq!(
        (status, &undone["kind"], &undone["user_id"], &undone["key"]),
        (201, &json!("grant"), &json!("kim"), &json!("bash(ls)"))
    );
    server.rewrite("agents:", "roles: { x: { allowed_tools: [bash] } }\nagents:");
    assert_eq!(server.post(&server.operator, "/api/config/reload", json!({})).await.0, 200);
    assert_eq!(undo(8, json!({})).await.1["code"], "FILE_DEFINED");
    assert_eq!(undo(3, json!({})).await.1["code"], "FILE_DEFINED", "the file says it by now");
    assert_eq!(items(&server, "/api/roles").await[0]["source"], "file");
    // Page by page, the newest first.
    let (mut after, mut versions) = (String::new(), vec![]);
    loop {
        let (_, page) = server.get(&format!("/api/policy/changes?limit=3{after}")).await;
        versions.extend(page["items"].as_array().unwrap().iter().map(|one| one["version"].as_u64().unwrap()));
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(versions, [8, 7, 6, 5, 4, 3, 2, 1]);
}

#[tokio::test]
async fn a_denial_that_was_made_while_somebody_thought_wins() {
    let server = Server::new(one_call(), "");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    put(&server, "/api/rules/no-more", json!({"priority": 1, "tool": "bash", "effect": "deny", "reason": "enough"}))
        .await;
    let path = format!("/api/interactions/{id}/respond");
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 0);
    assert!(server.model.last_asked().to_string().contains("no-more"), "{}", server.model.last_asked());
    // The record says who and why.
    let export = || server.program().args(["audit", "export", "--format", "jsonl", "--db", &server.db()]).output();
    let said = |text: &str| {
        text.lines().any(|line| line.contains("policy_changed") && line.contains("enough") && line.contains("root"))
    };
    for _ in 0..100 {
        if said(&String::from_utf8(export().unwrap().stdout).unwrap()) {
            return server.sound().await;
        }
        // It has its place in the log soon.
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("the record does not say who changed the policy");
}

#[tokio::test]
async fn all_known_tools_and_agents_are_listed_with_what_is_known_of_them() {
    let server = Server::new(one_call(), FILE);
    let tools = items(&server, "/api/tools").await;
    let tool = |name: &str| tools.iter().find(|tool| tool["tool"] == name).unwrap_or_else(|| panic!("no {name}"));
    let bash = tool("bash");
    assert_eq!((&bash["source"], &bash["risk"]), (&json!("built-in"), &json!("high")));
    assert_eq!((&bash["capabilities"], &bash["resource"]), (&json!(["shell"]), &json!({"command": ["command"]})));
    assert_eq!(bash["parameters"]["type"], "object");
    assert!(!bash["description"].as_str().unwrap().is_empty());
    assert_eq!((&tool("file_read")["result"], &tool("file_read")["execution"]), (&json!("always"), &Value::Null));
    let pay = tool("pay");
    assert_eq!(
        (&pay["source"], &pay["risk"], &pay["timeout_seconds"]),
        (&json!("file"), &json!("critical"), &json!(5.0))
    );
    assert_eq!(tool("web_fetch")["resource"], json!({"url": ["url"]}));
    put(&server, "/api/tools/bash", json!({"risk": "critical"})).await;
    let tools = items(&server, "/api/tools").await;
    let bash = tools.iter().find(|tool| tool["tool"] == "bash").unwrap();
    assert_eq!(
        (&bash["source"], &bash["risk"], &bash["said"]["changed"]["by"]),
        (&json!("api"), &json!("critical"), &json!("root"))
    );
    let agents = items(&server, "/api/agents").await;
    assert_eq!((&agents[0]["name"], &agents[0]["model"]), (&json!("worker"), &json!("fake")));
    assert_eq!(agents[0]["tools"].as_array().unwrap().len(), 5);
}
