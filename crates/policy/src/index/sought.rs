//! What is looked for: a call's names as keys, made once for all the indexes that a judgement asks.

use super::key::{Drawer, Key};
use countersign_domain::describe::{Described, Part, Resource};

/// A call, or just a tool, as indexes look for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sought<'a> {
    pub(crate) server: Option<&'a str>,
    pub(crate) tool: &'a str,
    pub(super) touched: Touched<'a>,
    /// Under any server and under its own.
    pub(super) keys: [Option<Keys>; 2],
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Keys {
    pub(super) server: Key,
    pub(super) tool: Key,
}

/// What of a resource can be looked up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Touched<'a> {
    /// There is nothing that brackets could speak of.
    Nothing,
    /// Nothing but text.
    Texts(&'a [Part]),
    /// Brackets say more of it than its letters tell.
    Other,
}

impl<'a> Sought<'a> {
    pub(crate) fn call(call: &'a Described) -> Self {
        let touched = match &call.resource {
            Resource::Nothing => Touched::Nothing,
            // A denial need not fit it by its letters.
            _ if call.undeclared_namesake => Touched::Other,
            Resource::Parts(parts) if !parts.is_empty() && parts.iter().all(|part| matches!(part, Part::Text(_))) => {
                Touched::Texts(parts)
            }
            Resource::Parts(_) | Resource::NotUnderstood => Touched::Other,
        };
        Self { touched, ..Self::tool(call.server.as_deref(), &call.tool) }
    }

    /// A tool, whatever is done with it: patterns with brackets need not be found.
    pub(crate) fn tool(server: Option<&'a str>, tool: &'a str) -> Self {
        let below = |server: Key| Keys { server, tool: server.drawer(Drawer::Tool).text(tool) };
        let keys = [Some(below(Key::ANY_SERVER)), server.map(|server| below(Key::server(server)))];
        Self { server, tool, touched: Touched::Nothing, keys }
    }
}
