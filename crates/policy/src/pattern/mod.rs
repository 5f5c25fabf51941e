//! Patterns: `tool`, `tool(what)`, `server/tool`, `server/tool(what)`.
//!
//! A pattern in a denial matches if *any* part of a call does, one that allows covers a call only if *every* part is
//! covered. What stands in the brackets is read by the kind of resource that the tool declares.

pub(crate) mod command;
mod cover;
pub(crate) mod files;
pub(crate) mod glob;
mod list;
mod objection;
mod parse;
pub(crate) mod path;
mod protected;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod url;
mod walk;

pub(crate) use cover::{account_for_commands, cover};
pub(crate) use list::PatternList;
pub use parse::BadPattern;
pub use text::resource_text;

use crate::command::Analysis;
use crate::subject::Subject;
use command::CommandPattern;
use countersign_domain::describe::{Described, Dialect, Part, Resource, Touches};
use countersign_domain::disguise;
use glob::Glob;
use path::PathPattern;
use std::sync::OnceLock;
use url::UrlPattern;

/// Tools over files.
const FILE_TOOLS: [&str; 6] = ["file_read", "list_files", "grep", "glob", "file_write", "file_edit"];

/// A pattern, read.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: Box<str>,
    pub(crate) server: Server,
    pub(crate) tool: Glob,
    what: Option<Box<What>>,
    spelled: Option<Box<Spelled>>,
}

/// `mcp__a__b__c`: nobody can tell from this whether it is `b__c` of the server `a` or `c` of the server `a__b`; and a
/// wildcard may hold the place between the two.
#[derive(Debug, Clone)]
struct Spelled {
    /// Server and tool joined by `__`.
    joined: Glob,
    /// There are several ways without looking into wildcards.
    several: bool,
}

/// Which servers a pattern speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Server {
    /// None was named: any server in a denial, no server in what allows.
    Unqualified,
    /// Every server and none, as in a rule without `server`.
    Every,
    /// The servers that match.
    Named(Glob),
}

/// What stands in the brackets, once for each kind of resource.
///
/// Hardly any pattern meets calls of more than one kind, so all but the text are read when the first such call comes.
#[derive(Debug, Clone)]
struct What {
    text: Glob,
    command: OnceLock<Box<CommandPattern>>,
    path: OnceLock<Result<Box<PathPattern>, &'static str>>,
    url: OnceLock<Result<Box<UrlPattern>, &'static str>>,
}

/// How a pattern in a denial fits a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It does not.
    No,
    /// The call could not be understood well enough to say. It is asked about at least.
    Maybe,
    /// It does.
    Yes,
}

/// Whether a pattern stands where things are allowed or where they are denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    Allow,
    Deny,
}

impl Pattern {
    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has brackets, and so speaks of some calls of the tool only.
    pub fn is_narrow(&self) -> bool {
        self.what.is_some()
    }

    /// What stands in the brackets, as a pattern over text.
    pub(crate) fn text_in_brackets(&self) -> Option<&Glob> {
        self.what.as_ref().map(|what| &what.text)
    }

    /// The tool, where the pattern names exactly one.
    pub(crate) fn exact_tool(&self) -> Option<&str> {
        self.tool.exact()
    }

    /// Whether it names no server.
    pub(crate) fn is_unqualified(&self) -> bool {
        self.server == Server::Unqualified
    }

    /// The server, where the pattern names exactly one.
    pub(crate) fn exact_server(&self) -> Option<&str> {
        match &self.server {
            Server::Named(server) if self.spelled.is_none() => server.exact(),
            _ => None,
        }
    }

    /// Whether it may be of any server and tool that its text can be split into.
    pub(crate) fn splits_anyhow(&self) -> bool {
        self.spelled.is_some()
    }

    /// Refuses in what allows, overrides or declares what can be read as more than one tool.
    pub(crate) fn check_clear(&self) -> Result<(), BadPattern> {
        if self.is_ambiguous() { Err(BadPattern::Ambiguous(self.text().to_owned())) } else { Ok(()) }
    }

    fn is_ambiguous(&self) -> bool {
        self.spelled.as_ref().is_some_and(|spelled| spelled.several)
    }

    /// The same pattern for this server; `None` if it names one itself.
    pub(crate) fn of_server(self, server: &str) -> Option<Self> {
        let server = parse::server_glob(server);
        (self.server == Server::Unqualified).then_some(Self { server: Server::Named(server), spelled: None, ..self })
    }

    /// The same pattern for every server, if it names none.
    pub(crate) fn of_every_server(self) -> Self {
        let server = if self.server == Server::Unqualified { Server::Every } else { self.server };
        Self { server, ..self }
    }

    /// Why it is too wide to be granted, if it is.
    pub(crate) fn too_wide_to_grant(&self) -> Option<&'static str> {
        match &self.server {
            Server::Named(server) if server.exact().is_none() => {
                Some("an allow grant must name its server without a wildcard")
            }
            _ if !self.tool.starts_literally() => {
                Some("an allow grant must name the tool, or at least how its name begins")
            }
            _ => None,
        }
    }

    /// Whether it speaks of the tool of `call` at all.
    pub(crate) fn names(&self, call: &Subject<'_>, stance: Stance) -> bool {
        self.names_tool(call.server.as_deref(), &call.tool, stance)
    }

    /// Whether it speaks of this tool.
    pub(crate) fn names_tool(&self, named: Option<&str>, tool: &str, stance: Stance) -> bool {
        let server = match (&self.server, named, stance) {
            (Server::Every, _, _)
            | (Server::Unqualified, _, Stance::Deny)
            | (Server::Unqualified, None, Stance::Allow) => true,
            (Server::Unqualified, Some(_), Stance::Allow) | (Server::Named(_), None, Stance::Allow) => false,
            (Server::Named(pattern), Some(server), _) => pattern.matches(server),
            (Server::Named(pattern), None, Stance::Deny) => pattern.matches(""),
        };
        match stance {
            Stance::Allow => server && !self.is_ambiguous() && self.tool.matches(tool),
            Stance::Deny => (server && self.tool.matches(tool)) || self.is_spelled_as(named, tool),
        }
    }

    /// In a denial: whether any way to split it gives this tool.
    fn is_spelled_as(&self, server: Option<&str>, tool: &str) -> bool {
        self.spelled.as_ref().is_some_and(|spelled| match server {
            Some(server) => spelled.joined.matches(&format!("{server}__{tool}")),
            None => tool.strip_prefix("mcp__").is_some_and(|rest| spelled.joined.matches(rest)),
        })
    }

    /// In a denial: whether it matches any part of `call`.
    pub fn hits(&self, call: &Described) -> Fit {
        self.hits_in(&Subject::new(call))
    }

    /// The same, for a call that is being judged.
    pub(crate) fn hits_in(&self, call: &Subject<'_>) -> Fit {
        if !self.names(call, Stance::Deny) {
            return Fit::No;
        }
        let Some(what) = &self.what else { return Fit::Yes };
        match &call.resource {
            Resource::Nothing => Fit::No,
            Resource::NotUnderstood => Fit::Maybe,
            Resource::Parts(parts) => {
                let fit = parts.iter().map(|part| what.hits(&self.text, part, call)).max().unwrap_or(Fit::No);
                // Who names no server means what the tool of that name touches, and of this one nobody said what that is.
                let unclear = call.undeclared_namesake && self.exact_server().is_none();
                if unclear { fit.max(Fit::Maybe) } else { fit }
            }
        }
    }

    /// Whether it has brackets and speaks of a tool over files: what is denied to those is denied to commands.
    pub(crate) fn is_about_files(&self, stance: Stance) -> bool {
        self.is_narrow() && FILE_TOOLS.iter().any(|tool| self.names_tool(None, tool, stance))
    }

    /// In a denial over files: whether a command of `line` names one that it denies.
    pub(crate) fn hits_file_in(&self, line: &Analysis, call: &Subject<'_>) -> Fit {
        let path = self.what.as_ref().map(|what| what.path(&self.text));
        match path {
            Some(Ok(path)) => files::hits(path, line, call),
            // A denial that says nothing of paths may have been meant for any.
            Some(Err(_)) => Fit::Maybe,
            None => Fit::No,
        }
    }

    /// In what allows: whether it covers this part of `call`. The caller has looked at [`Pattern::names`] and at the
    /// call's doubts.
    pub(crate) fn covers(&self, part: &Part, call: &Subject<'_>) -> bool {
        self.what.as_ref().is_none_or(|what| what.covers(&self.text, part, call))
    }

    /// In what allows: why it does not cover a part of `call` that looks as if it did. Commands say that themselves.
    pub(crate) fn objection(&self, call: &Subject<'_>) -> Option<String> {
        let Resource::Parts(parts) = &call.resource else { return None };
        let what = self.what.as_ref().filter(|_| self.names(call, Stance::Allow))?;
        parts.iter().filter(|part| !what.covers(&self.text, part, call)).find_map(|part| match part {
            Part::Path(path) => what.path(&self.text).ok()?.objection(path, call),
            Part::Url(url) => what.url(&self.text).ok()?.objection(url),
            Part::Text(text) => {
                let hidden = disguise::hidden_in_prose(text).filter(|_| what.text.matches(text))?;
                Some(format!("no wildcard covers the text: it holds U+{:04X}, which is not seen", u32::from(hidden)))
            }
            Part::Command { .. } => None,
        })
    }

    /// Whether it is exactly this command line of `call`.
    pub(crate) fn is_exactly(&self, line: &str, call: &Subject<'_>) -> bool {
        self.names(call, Stance::Allow)
            && self.what.as_ref().is_some_and(|what| what.command(&self.text).is_exactly(line))
    }

    /// In what allows: whether it covers a command of `call`, which has command lines.
    pub(crate) fn covers_some(&self, call: &Subject<'_>, writes: command::Writes<'_>) -> bool {
        let Some(what) = &self.what else { return true };
        let command = what.command(&self.text);
        let covers = |line: &Analysis| line.commands.iter().any(|one| command.covers(one, call, writes).is_some());
        call.command_lines().any(covers) || call.lines().any(|line| command.is_exactly(line))
    }

    /// The one tool it names: its server and its name. `None` where it may mean tools of which nobody knows what they
    /// touch before they are called.
    pub(crate) fn one_tool(&self) -> Option<(Option<&str>, &str)> {
        let server = match &self.server {
            Server::Unqualified | Server::Every => None,
            Server::Named(_) => Some(self.exact_server()?),
        };
        Some((server, self.exact_tool()?))
    }

    /// Refuses brackets that say nothing of what the tool touches: in a denial they would deny nothing.
    ///
    /// What is read here is not kept: most patterns never meet a call.
    pub(crate) fn check_for(&self, touches: &Touches) -> Result<(), BadPattern> {
        if self.what.is_none() {
            return Ok(());
        }
        let (kind, read) = match touches {
            Touches::Nothing => return Err(BadPattern::Untouched(self.text().to_owned())),
            Touches::Path(_) | Touches::Search { .. } => ("a path", PathPattern::new(&parse::inside(&self.text)).err()),
            Touches::Url(_) => ("an address", UrlPattern::new(&parse::inside(&self.text)).err()),
            Touches::Command(..) | Touches::Text(_) | Touches::Everything => return Ok(()),
        };
        let tool = self.exact_tool().unwrap_or_default().to_owned();
        read.map_or(Ok(()), |why| Err(BadPattern::Unreadable { pattern: self.text().to_owned(), tool, kind, why }))
    }

    /// Whether every call that `other` fits is fitted by this, in rules of the given stances. A yes is certain.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let servers = match (&self.server, &other.server) {
            (Server::Every, _) | (Server::Unqualified, Server::Unqualified) => true,
            (Server::Named(own), Server::Named(other)) => own.contains(other),
            _ => false,
        };
        let brackets = match (&self.what, &other.what) {
            (None, _) => true,
            (Some(own), Some(other)) => own.text == other.text,
            (Some(_), None) => false,
        };
        // One that can be split in several ways fits more than its server and its tool say.
        servers && self.tool.contains(&other.tool) && brackets && other.spelled.is_none()
    }
}

impl What {
    /// `pattern` is the text of the whole pattern, as in every function here. What cannot be read for the kind of `part`
    /// may have been meant for it: it must not deny nothing.
    fn hits(&self, pattern: &str, part: &Part, call: &Subject<'_>) -> Fit {
        let certain = |hit: bool| if hit { Fit::Yes } else { Fit::No };
        match part {
            Part::Command { line, dialect: Dialect::Windows } => self.command(pattern).hits_windows(line),
            Part::Command { line, .. } => {
                call.analysis(line).map_or(Fit::Maybe, |analysis| self.command(pattern).hits(line, analysis))
            }
            Part::Path(path) => self.path(pattern).map_or(Fit::Maybe, |pattern| pattern.hits(path, call)),
            Part::Url(url) => self.url(pattern).map_or(Fit::Maybe, |pattern| certain(pattern.hits(url))),
            Part::Text(text) => certain(self.text.matches(text)),
        }
    }

    fn covers(&self, pattern: &str, part: &Part, call: &Subject<'_>) -> bool {
        match part {
            Part::Command { line, .. } => {
                let one = std::iter::once(self.command(pattern));
                command::cover_line(&one, line, call.analysis(line), call, &|_| false)
            }
            Part::Path(path) => self.path(pattern).is_ok_and(|pattern| pattern.covers(path, call)),
            Part::Url(url) => self.url(pattern).is_ok_and(|pattern| pattern.covers(url)),
            Part::Text(text) => {
                self.text.matches(text) && (self.text.exact().is_some() || disguise::hidden_in_prose(text).is_none())
            }
        }
    }

    fn command(&self, pattern: &str) -> &CommandPattern {
        self.command.get_or_init(|| Box::new(CommandPattern::new(&parse::inside(pattern))))
    }

    fn path(&self, pattern: &str) -> Result<&PathPattern, &'static str> {
        let read = || PathPattern::new(&parse::inside(pattern)).map(Box::new);
        self.path.get_or_init(read).as_deref().map_err(|&why| why)
    }

    fn url(&self, pattern: &str) -> Result<&UrlPattern, &'static str> {
        let read = || UrlPattern::new(&parse::inside(pattern)).map(Box::new);
        self.url.get_or_init(read).as_deref().map_err(|&why| why)
    }
}
