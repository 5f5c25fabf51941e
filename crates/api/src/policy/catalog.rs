//! All that is known of tools, gathered from everybody who says something of them.

use super::overrides::{ExecutionBody, ResultReviewBody};
use super::tools::{ResourceBody, ToolBody, entry_of};
use countersign_domain::describe::{Argument, BUILTIN, Touches};
use countersign_policy::source::{Execution, ToolSource};
use countersign_policy::{Effect, Mode};
use countersign_runtime::{Book, Listed, tool_key};
use std::collections::BTreeSet;

/// Every tool that is known, by its name.
pub fn all(book: &Book) -> Vec<(String, ToolBody)> {
    let said = book.tools.iter().map(|listed| listed.key.clone());
    let known = BUILTIN.iter().map(|&name| name.to_owned()).chain(book.definitions.keys().cloned());
    let names: BTreeSet<String> = said.chain(known).collect();
    names.into_iter().map(|name| (name.clone(), tool(book, &name))).collect()
}

fn tool(book: &Book, key: &str) -> ToolBody {
    let ToolSource { server, tool: name, .. } = entry_of(key);
    let known = book.policy.tool(server.as_deref(), &name);
    let (effect, result) = book.policy.tool_says(server.as_deref(), &name);
    let entries: Vec<&Listed<ToolSource>> = book.tools.iter().filter(|listed| tool_key(&listed.thing) == key).collect();
    let definition = book.definitions.get(key);
    let described = entries.iter().find_map(|listed| listed.thing.description.clone());
    let source = match entries.first() {
        None => "built-in",
        Some(Listed { changed: None, .. }) => "file",
        Some(_) => "api",
    };
    ToolBody {
        description: described.or_else(|| definition.map(|definition| definition.description.clone())),
        parameters: definition.map(|definition| definition.parameters.clone()),
        capabilities: known.capabilities,
        risk: known.risk.word(),
        resource: resource(&known.touches),
        arguments: known.arguments,
        execution: effect.map(|effect| execution(&effect)),
        result: result.map_or(ResultReviewBody::Never, Into::into),
        timeout_seconds: entries.iter().find_map(|listed| listed.thing.timeout).map(|timeout| timeout.as_secs_f64()),
        idempotent: entries.iter().find_map(|listed| listed.thing.idempotent),
        source,
        said: entries.iter().find_map(|listed| listed.changed.clone()).map(|changed| Some(changed).into()),
        server,
        tool: name,
    }
}

fn execution(effect: &Effect) -> &'static str {
    let execution = match effect {
        Effect::Deny => return "deny",
        Effect::Allow => Execution::Auto,
        Effect::Ask(ask) if ask.mode == Mode::Once => Execution::AskOnce,
        Effect::Ask(_) => Execution::AskAlways,
    };
    match execution.into() {
        ExecutionBody::Auto => "auto",
        ExecutionBody::AskOnce => "ask-once",
        ExecutionBody::AskAlways => "ask-always",
    }
}

fn resource(touches: &Touches) -> ResourceBody {
    let names = |arguments: &[Argument]| Some(arguments.iter().map(|argument| argument.name.clone()).collect());
    let nothing = ResourceBody::default();
    match touches {
        Touches::Nothing => ResourceBody { none: Some(true), ..nothing },
        Touches::Everything => ResourceBody { text: Some(vec!["*".into()]), ..nothing },
        Touches::Text(arguments) => ResourceBody { text: names(arguments), ..nothing },
        Touches::Command(arguments, _) => ResourceBody { command: names(arguments), ..nothing },
        Touches::Path(arguments) => ResourceBody { path: names(arguments), ..nothing },
        Touches::Url(arguments) => ResourceBody { url: names(arguments), ..nothing },
        Touches::Search { folder, .. } => ResourceBody { path: names(std::slice::from_ref(folder)), ..nothing },
    }
}
