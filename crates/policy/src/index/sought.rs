//! What is looked for in indexes.

use countersign_domain::describe::{Described, Part, Resource};

/// A call, or just a tool, as indexes look for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sought<'a> {
    pub(crate) server: Option<&'a str>,
    pub(crate) tool: &'a str,
    pub(super) touched: Touched<'a>,
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
        Self { server, tool, touched: Touched::Nothing }
    }
}
