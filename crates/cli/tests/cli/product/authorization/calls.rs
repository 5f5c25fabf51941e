//! How each call of the API is made. A new route gets a line here and its rows in `docs/reference/authorization.md`.

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Method and address as in the OpenAPI document, with a word in brackets where there are several of them.
    pub name: &'static str,
    /// What it is about.
    pub about: About,
    /// The address, filled in: `{run}`, `{session}`, `{tool_call}`, `{question}`, `{human}` (a question that a person must
    /// answer), `{second}` (one that a second person must), `{key}` (of the question), `{asked}` (a call of a program
    /// outside), `{user}` as JSON and `{who}` in an address, all of the thing; `{token_id}` of a token; `{token}` is the caller's own.
    pub address: &'static str,
    /// The body, filled in as well.
    pub body: &'static str,
    /// Words of an answer that shows the thing, filled in. Without them every answer does.
    pub shows: &'static str,
}

/// What has to be there for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// Nothing.
    Nothing,
    /// A user.
    User,
    /// A run that waits for answers.
    Waiting,
    /// A run that has ended.
    Ended,
    /// A rule, a capability, an override, a role and a tool's description, all of one name, which the API made: nobody's.
    Policy,
    /// A user with a grant on each side.
    Granted,
    /// A call of a program outside, which may make it. A program asked for its own itself.
    Allowed,
    /// The same, which another program of the same user asked for.
    AllowedToAnother,
    /// A token of somebody: nobody's thing.
    Token,
}

use About::{Allowed, AllowedToAnother, Ended, Granted, Nothing, Policy, Token, User, Waiting};

impl About {
    /// Whether such things belong to anybody.
    pub fn is_owned(self) -> bool {
        !matches!(self, Nothing | Policy | Token)
    }
}

const fn call(name: &'static str, about: About, address: &'static str, body: &'static str) -> Call {
    Call { name, about, address, body, shows: "" }
}

const fn list(name: &'static str, about: About, address: &'static str, shows: &'static str) -> Call {
    Call { name, about, address, body: "", shows }
}

pub const CALLS: &[Call] = &[
    call("GET /healthz", Nothing, "/healthz", ""),
    call("GET /readyz", Nothing, "/readyz", ""),
    call("GET /metrics", Nothing, "/metrics", ""),
    call("GET /openapi.json", Nothing, "/api/openapi.json", ""),
    call("GET /docs", Nothing, "/api/docs", ""),
    call("POST /sign-in", Nothing, "/api/sign-in", r#"{"token": "{token}"}"#),
    call("POST /sign-out", Nothing, "/api/sign-out", ""),
    call("GET /me", Nothing, "/api/me", ""),
    call("GET /agents", Nothing, "/api/agents", ""),
    list("GET /sessions", Waiting, "/api/sessions?limit=200", "{session}"),
    list("GET /sessions/{id}/messages", Waiting, "/api/sessions/{session}/messages", "{run}"),
    call("POST /runs", User, "/api/runs", r#"{"agent": "worker", "input": "x", "user_id": {user}}"#),
    list("GET /runs", Waiting, "/api/runs?limit=200", "{run}"),
    call("GET /runs/{id}", Waiting, "/api/runs/{run}", ""),
    call("GET /runs/{id}/events", Waiting, "/api/runs/{run}/events", ""),
    call("GET /runs/{id}/suspended", Waiting, "/api/runs/{run}/suspended", ""),
    call(
        "POST /runs/{id}/signal",
        Waiting,
        "/api/runs/{run}/signal",
        r#"{"correlation_key": "{key}", "decision": "reject"}"#,
    ),
    call(
        "POST /jobs/{id}/signal",
        Waiting,
        "/api/jobs/{run}/signal",
        r#"{"correlation_key": "{key}", "decision": "reject"}"#,
    ),
    call("POST /runs/{id}/message", Waiting, "/api/runs/{run}/message", r#"{"text": "x"}"#),
    call(
        "POST /runs/{id}/message (an answer)",
        Waiting,
        "/api/runs/{run}/message",
        r#"{"correlation_key": "{key}", "decision": "reject"}"#,
    ),
    call("POST /jobs/{id}/message", Waiting, "/api/jobs/{run}/message", r#"{"text": "x"}"#),
    call(
        "POST /runs/{id}/tool-calls/{tool_call_id}/approve",
        Waiting,
        "/api/runs/{run}/tool-calls/{tool_call}/approve",
        "{}",
    ),
    call(
        "POST /runs/{id}/tool-calls/{tool_call_id}/decline",
        Waiting,
        "/api/runs/{run}/tool-calls/{tool_call}/decline",
        "{}",
    ),
    list("GET /runs/{id}/tree", Waiting, "/api/runs/{run}/tree", "{run}"),
    call("GET /runs/{id}/delegated-permissions", Waiting, "/api/runs/{run}/delegated-permissions", ""),
    call(
        "POST /runs/{id}/delegated-permissions",
        Waiting,
        "/api/runs/{run}/delegated-permissions",
        r#"{"denied_tools": ["bash"]}"#,
    ),
    call("POST /runs/{id}/cancel", Waiting, "/api/runs/{run}/cancel", "{}"),
    list("GET /interactions", Waiting, "/api/interactions?limit=200&run_id={run}", "{question}"),
    call("GET /interactions/stream", Nothing, "/api/interactions/stream", ""),
    call("GET /interactions/{id}", Waiting, "/api/interactions/{question}", ""),
    call(
        "POST /interactions/{id}/respond",
        Waiting,
        "/api/interactions/{question}/respond",
        r#"{"decision": "reject"}"#,
    ),
    call(
        "POST /interactions/{id}/respond (by a human)",
        Waiting,
        "/api/interactions/{human}/respond",
        r#"{"decision": "reject"}"#,
    ),
    call(
        "POST /interactions/{id}/respond (by a second person)",
        Waiting,
        "/api/interactions/{second}/respond",
        r#"{"decision": "reject"}"#,
    ),
    call("POST /tool-calls", User, "/api/tool-calls", r#"{"tool": "deploy", "user_id": {user}}"#),
    call("GET /tool-calls/{id}", Allowed, "/api/tool-calls/{asked}", ""),
    call("POST /tool-calls/{id}/result", Allowed, "/api/tool-calls/{asked}/result", r#"{"output": "done"}"#),
    call("GET /tool-calls/{id} (asked by another)", AllowedToAnother, "/api/tool-calls/{asked}", ""),
    call(
        "POST /tool-calls/{id}/result (asked by another)",
        AllowedToAnother,
        "/api/tool-calls/{asked}/result",
        r#"{"output": "done"}"#,
    ),
    call("POST /policy/check", User, "/api/policy/check", r#"{"tool": "bash", "user_id": {user}}"#),
    call(
        "POST /policy/dry-run",
        Policy,
        "/api/policy/dry-run",
        r#"{"changes": [{"kind": "rule", "key": "{made}", "body": null}]}"#,
    ),
    call("GET /policy/changes", Nothing, "/api/policy/changes", ""),
    call("POST /policy/changes/{version}/undo", Policy, "/api/policy/changes/{version}/undo", "{}"),
    list("GET /rules", Policy, "/api/rules?limit=200", "{made}"),
    call("POST /rules", Policy, "/api/rules", r#"{"name": "{made}-too", "tool": "{made}", "effect": "deny"}"#),
    call("PUT /rules/{name}", Policy, "/api/rules/{made}", r#"{"tool": "{made}", "effect": "deny"}"#),
    call("DELETE /rules/{name}", Policy, "/api/rules/{made}", ""),
    list("GET /capabilities", Policy, "/api/capabilities?limit=200", "{made}"),
    call("PUT /capabilities/{name}", Policy, "/api/capabilities/{made}", r#"{"effect": "deny"}"#),
    call("DELETE /capabilities/{name}", Policy, "/api/capabilities/{made}", ""),
    list("GET /overrides", Policy, "/api/overrides?limit=200", "{made}"),
    list("GET /overrides/{tool}", Policy, "/api/overrides/{made}", "{made}"),
    call("PUT /overrides/{tool}", Policy, "/api/overrides/{made}", r#"{"execution": "ask-always"}"#),
    call("DELETE /overrides/{tool}", Policy, "/api/overrides/{made}", ""),
    list("GET /roles", Policy, "/api/roles?limit=200", "{made}"),
    call("PUT /roles/{name}", Policy, "/api/roles/{made}", r#"{"denied_tools": ["{made}"]}"#),
    call("DELETE /roles/{name}", Policy, "/api/roles/{made}", ""),
    list("GET /tools", Policy, "/api/tools?limit=200", "{made}"),
    call("PUT /tools/{tool}", Policy, "/api/tools/{made}", r#"{"risk": "high"}"#),
    call("DELETE /tools/{tool}", Policy, "/api/tools/{made}", ""),
    list("GET /permissions/{user_id}", Granted, "/api/permissions/{who}", "bash(ls)"),
    call("POST /permissions/{user_id}/allow", User, "/api/permissions/{who}/allow", r#"{"resource": "bash(pwd)"}"#),
    call("POST /permissions/{user_id}/deny", User, "/api/permissions/{who}/deny", r#"{"resource": "bash(pwd)"}"#),
    call("DELETE /permissions/{user_id}/allow", Granted, "/api/permissions/{who}/allow", r#"{"resource": "bash(ls)"}"#),
    call("DELETE /permissions/{user_id}/deny", Granted, "/api/permissions/{who}/deny", r#"{"resource": "bash(rm)"}"#),
    list("GET /tokens", Token, "/api/tokens?limit=200", "{token_id}"),
    call("POST /tokens", Nothing, "/api/tokens", r#"{"kind": "user", "name": "new", "role": "operator"}"#),
    call("DELETE /tokens/{id}", Token, "/api/tokens/{token_id}", ""),
    call("POST /config/reload", Nothing, "/api/config/reload", ""),
    list("GET /audit", Waiting, "/api/audit?limit=200", "{run}"),
    list("GET /audit/export", Waiting, "/api/audit/export?format=json", "{run}"),
    call("GET /audit/verify", Nothing, "/api/audit/verify", ""),
    call("POST /audit/erase", Ended, "/api/audit/erase", r#"{"run_id": "{run}", "why": "asked for"}"#),
];
