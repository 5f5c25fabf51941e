//! What is known of a tool: the first entry that says a thing, else the built-in table of the specification.

use super::effect::{Said, allow, ask_always, ask_once, deny};
use super::pattern::{Kind, Pattern, Unqualified};
use countersign_domain::Call;
use countersign_domain::describe::{Described, Surroundings, Tool, describe};
use countersign_policy::source::{
    DefaultPermission, Execution, OverrideSource, PermissionLevel, RiskName, Source, ToolSource,
};
use std::collections::BTreeMap;

fn entries<'a>(source: &'a Source, call: &'a Described) -> impl Iterator<Item = &'a ToolSource> {
    source
        .tools
        .iter()
        .filter(|entry| Pattern::read(&entry.tool).of(entry.server.as_deref()).names(call, Unqualified::NoServer))
}

/// Capabilities and risk of the built-in tools.
fn builtin(call: &Described) -> (Vec<String>, RiskName) {
    let (capability, risk) = match (call.call.server(), call.call.tool()) {
        (Some(_), _) => (None, RiskName::Unknown),
        (None, "bash" | "cmd") => (Some("shell"), RiskName::High),
        (None, "file_read" | "list_files") => (Some("read_file"), RiskName::Low),
        (None, "file_write" | "file_edit") => (Some("write_file"), RiskName::Medium),
        (None, "web_fetch") => (Some("network"), RiskName::Medium),
        (None, "ask_user" | "memory_search") => (None, RiskName::Low),
        (None, "escalate_to_group") => (Some("delegate"), RiskName::Medium),
        (None, "memory_write") => (Some("memory"), RiskName::Medium),
        (None, _) => (None, RiskName::Unknown),
    };
    (capability.into_iter().map(str::to_owned).collect(), risk)
}

/// What the tool of this name touches: as the first entry says that speaks of it, else by the built-in table.
fn kind(source: &Source, server: Option<&str>, tool: &str) -> Kind {
    let call = named(server, tool);
    let declared = entries(source, &call).find_map(|entry| entry.resource.as_ref());
    match (declared, server, tool) {
        (Some(resource), _, _) if resource.none.is_some() => Kind::Nothing,
        (Some(resource), _, _) if resource.path.is_some() => Kind::Path,
        (Some(resource), _, _) if resource.url.is_some() => Kind::Url,
        (Some(resource), _, _) if resource.command.is_some() => Kind::Command,
        (None, None, "bash" | "cmd") => Kind::Command,
        (None, None, "file_read" | "list_files" | "file_write" | "file_edit") => Kind::Path,
        (None, None, "web_fetch") => Kind::Url,
        (None, None, "ask_user") => Kind::Nothing,
        _ => Kind::Text,
    }
}

/// Whether the call is of a server's tool of which nobody said what it touches, while the tool of the same name without
/// a server touches a thing of a known kind.
pub fn is_undeclared_namesake(source: &Source, call: &Described) -> bool {
    let (Some(_), tool) = (call.call.server(), call.call.tool()) else { return false };
    let plain = named(None, tool);
    let declares_text = entries(source, &plain)
        .find_map(|entry| entry.resource.as_ref())
        .and_then(|resource| resource.text.as_ref())
        .is_some_and(|text| text.names() != ["*"]);
    let of_a_kind = matches!(kind(source, None, tool), Kind::Command | Kind::Path | Kind::Url);
    entries(source, call).all(|entry| entry.resource.is_none()) && (of_a_kind || declares_text)
}

fn named(server: Option<&str>, tool: &str) -> Described {
    let call = Call::new(server.map(str::to_owned), tool.to_owned(), serde_json::Map::new(), None).unwrap();
    describe(call, &Tool::undeclared(), &Surroundings::default())
}

/// Whether a pattern says something of what its tool touches, as far as anybody knows which tool it means. Otherwise it
/// is a bad pattern, and the configuration is refused.
pub fn is_good(source: &Source, pattern: &Pattern) -> bool {
    pattern.one_tool().is_none_or(|(server, tool)| pattern.speaks_of(kind(source, server, tool)))
}

pub fn capabilities(source: &Source, call: &Described) -> Vec<String> {
    entries(source, call).find_map(|entry| entry.capabilities.clone()).unwrap_or_else(|| builtin(call).0)
}

pub fn risk(source: &Source, call: &Described) -> RiskName {
    entries(source, call).find_map(|entry| entry.risk).unwrap_or_else(|| builtin(call).1)
}

/// What the tool layer says: an operator's and the user's override, the stricter of the two; else the declaration.
pub fn manner(source: &Source, call: &Described, user: Option<&str>) -> Option<Said> {
    if let Some(execution) = overridden(source, call, user) {
        return Some(effect_of(execution));
    }
    entries(source, call).find_map(|entry| match (declared(entry), refuses(entry)) {
        (_, true) => Some(deny()),
        (Some(execution), false) => Some(effect_of(execution)),
        (None, false) => entry.default_permission_policy.map(|_| allow()),
    })
}

/// Whether the tool layer says ask-always, which silences grants and the role. A declaration that refuses as well, by
/// an older spelling, still says so: adding the refusal must not let a grant through.
pub fn asks_always(source: &Source, call: &Described, user: Option<&str>) -> bool {
    let saying = |entry: &&ToolSource| declared(entry).is_some() || entry.default_permission_policy.is_some();
    let execution = overridden(source, call, user).or_else(|| entries(source, call).find(saying).and_then(declared));
    execution == Some(Execution::AskAlways)
}

fn overridden(source: &Source, call: &Described, user: Option<&str>) -> Option<Execution> {
    let users = user.and_then(|user| source.policy.users.get(user)).map(|user| &user.overrides);
    [Some(&source.policy.overrides), users].into_iter().flatten().filter_map(|all| override_of(all, call)).max()
}

fn override_of(all: &BTreeMap<String, OverrideSource>, call: &Described) -> Option<Execution> {
    let fitting = all.iter().filter(|(pattern, _)| Pattern::read(pattern).names(call, Unqualified::NoServer));
    fitting
        .filter_map(|(_, one)| one.execution.or_else(|| older(one.permission_level, one.require_execution_approval)))
        .max()
}

/// A new spelling wins; among old ones the strictest.
fn declared(entry: &ToolSource) -> Option<Execution> {
    entry.execution.or_else(|| older(entry.permission_level, entry.require_execution_approval))
}

fn refuses(entry: &ToolSource) -> bool {
    entry.execution.is_none() && entry.default_permission_policy == Some(DefaultPermission::Deny)
}

fn older(level: Option<PermissionLevel>, approval: Option<bool>) -> Option<Execution> {
    let level = level.map(|level| match level {
        PermissionLevel::Public => Execution::Auto,
        PermissionLevel::Moderate => Execution::AskOnce,
        PermissionLevel::Sensitive => Execution::AskAlways,
    });
    let approval = approval.map(|asked| if asked { Execution::AskOnce } else { Execution::Auto });
    level.max(approval)
}

fn effect_of(execution: Execution) -> Said {
    match execution {
        Execution::Auto => allow(),
        Execution::AskOnce => ask_once(),
        Execution::AskAlways => ask_always(),
    }
}
