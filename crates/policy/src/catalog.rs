//! What is known of every tool: the entries of the configuration over the built-in table.

use crate::effect::{Ask, Effect};
use crate::index::{Index, Sought};
use crate::pattern::{BadPattern, Pattern, Stance};
use crate::problem::{Place, Problem};
use crate::source::{
    DefaultPermission, Execution, OneOrMany, OverrideSource, PermissionLevel, ResourceSource, ResultPolicy, RiskName,
    ToolSource,
};
use countersign_domain::describe::{Argument, BUILTIN, Dialect, Risk, Tool, Touches, builtin};
use std::collections::BTreeMap;

/// The tools of a configuration.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    entries: Vec<Entry>,
    index: Index,
    /// Entries that say how their tool is asked about: few do, and a judgement asks for nothing else.
    mannered: Vec<usize>,
    manners: Index,
}

#[derive(Debug)]
struct Entry {
    pattern: Pattern,
    capabilities: Option<Vec<String>>,
    risk: Option<Risk>,
    touches: Option<Touches>,
    arguments: Option<Vec<String>>,
    manner: Manner,
}

/// How a tool is asked about: by its own declaration or by an override.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// The verdict of the tool layer, if it has one.
    pub(crate) effect: Option<Effect>,
    /// Every call is asked about: grants and roles are not heard.
    pub(crate) always: bool,
    /// Whether results are held.
    pub(crate) result: Option<ResultPolicy>,
}

/// How tools are asked about, whatever they declare.
#[derive(Debug, Default)]
pub(crate) struct Overrides {
    entries: Vec<(Pattern, Manner)>,
    index: Index,
}

impl Catalog {
    pub(crate) fn new(sources: &[ToolSource], problems: &mut Vec<Problem>) -> Self {
        let place = Place::section("tools");
        let entries: Vec<_> = sources
            .iter()
            .enumerate()
            .filter_map(|(i, source)| Entry::new(source, &place.index(i), problems))
            .collect();
        let index = Index::new(entries.iter().map(|entry| &entry.pattern));
        let says = |entry: &&Entry| entry.manner != Manner::default();
        let manners = Index::new(entries.iter().filter(says).map(|entry| &entry.pattern));
        let mannered = entries.iter().enumerate().filter(|(_, entry)| says(entry)).map(|(i, _)| i).collect();
        Self { entries, index, mannered, manners }
    }

    /// What is known of a tool: what the first entry that says a thing says, else the built-in table.
    pub(crate) fn tool(&self, server: Option<&str>, name: &str) -> Tool {
        let sought = Sought::tool(server, name);
        let fitting = || self.fitting(&sought);
        let known = if server.is_none() { builtin(name) } else { None };
        let undeclared = || known.clone().unwrap_or_else(Tool::undeclared);
        let redeclared = fitting().any(|entry| entry.touches.is_some());
        Tool {
            capabilities: fitting()
                .find_map(|entry| entry.capabilities.clone())
                .unwrap_or_else(|| undeclared().capabilities),
            risk: fitting().find_map(|entry| entry.risk).unwrap_or_else(|| undeclared().risk),
            touches: fitting().find_map(|entry| entry.touches.clone()).unwrap_or_else(|| undeclared().touches),
            // The built-in list of arguments goes with the built-in resource.
            arguments: fitting()
                .find_map(|entry| entry.arguments.clone())
                .or_else(|| if redeclared { None } else { undeclared().arguments }),
        }
    }

    /// Whether nobody said what this tool of a server touches, while a tool of the same name without one is known.
    pub(crate) fn is_undeclared_namesake(&self, server: Option<&str>, name: &str) -> bool {
        let declares = |server| {
            let sought = Sought::tool(server, name);
            self.fitting(&sought).find_map(|entry| entry.touches.clone())
        };
        let own = || declares(None).or_else(|| builtin(name).map(|tool| tool.touches));
        server.is_some()
            && declares(server).is_none()
            && own().is_some_and(|touches| !matches!(touches, Touches::Nothing | Touches::Everything))
    }

    /// Refuses a pattern that says nothing of what the one tool it names touches.
    pub(crate) fn check(&self, pattern: &Pattern) -> Result<(), BadPattern> {
        match pattern.one_tool().filter(|_| pattern.is_narrow()) {
            Some((server, tool)) => pattern.check_for(&self.tool(server, tool).touches),
            None => Ok(()),
        }
    }

    /// Whether no tool declares how it is asked about.
    pub(crate) fn says_no_manner(&self) -> bool {
        self.mannered.is_empty()
    }

    /// How the tool itself declares to be asked about.
    pub(crate) fn manner(&self, sought: &Sought) -> Manner {
        let mut manner = Manner::default();
        let found = self.manners.places(sought).filter_map(|i| self.entries.get(*self.mannered.get(i)?));
        for entry in found.filter(|entry| entry.fits(sought)) {
            if manner.effect.is_none() {
                manner.effect.clone_from(&entry.manner.effect);
                manner.always = entry.manner.always;
            }
            manner.result = manner.result.or(entry.manner.result);
        }
        manner
    }

    /// Whether a declared or built-in tool has this capability.
    pub(crate) fn has_capability(&self, capability: &str) -> bool {
        self.entries.iter().flat_map(|entry| entry.capabilities.iter().flatten()).any(|own| own == capability)
            || BUILTIN
                .iter()
                .filter_map(|name| builtin(name))
                .any(|tool| tool.capabilities.iter().any(|own| own == capability))
    }

    /// Goes through its entries in order from here on.
    #[cfg(test)]
    pub(crate) fn scan(&mut self) {
        self.index = Index::of_everything(self.entries.len());
        self.manners = Index::of_everything(self.mannered.len());
    }

    fn fitting<'a>(&'a self, sought: &'a Sought) -> impl Iterator<Item = &'a Entry> {
        self.index.places(sought).filter_map(|i| self.entries.get(i)).filter(|entry| entry.fits(sought))
    }
}

impl Entry {
    fn fits(&self, sought: &Sought) -> bool {
        self.pattern.names_tool(sought.server, sought.tool, Stance::Allow)
    }

    fn new(source: &ToolSource, place: &Place, problems: &mut Vec<Problem>) -> Option<Self> {
        let touches = source.resource.as_ref().and_then(|resource| touches(resource, &place.key("resource"), problems));
        if source.timeout.is_some_and(|timeout| !timeout.is_positive()) {
            problems.push(place.key("timeout").problem("a time-out must be longer than nothing, as in `30s`"));
        }
        if source.capabilities.iter().flatten().any(String::is_empty) {
            problems.push(place.key("capabilities").problem("a capability must have a name"));
        }
        let pattern = qualified(source.server.as_deref(), &source.tool, place, problems)?;
        if let Err(why) = pattern.check_clear() {
            problems.push(place.key("tool").problem(why));
            return None;
        }
        if pattern.is_narrow() {
            problems.push(
                place
                    .key("tool")
                    .problem("brackets make no sense here: an entry says what a tool is, for every call of it"),
            );
            return None;
        }
        Some(Self {
            pattern,
            capabilities: source.capabilities.clone(),
            risk: source.risk.map(risk),
            touches,
            arguments: source.arguments.clone(),
            manner: Manner::declared(source),
        })
    }
}

/// The pattern of `tool`, which may name its server itself or have it named by `server`.
pub(crate) fn qualified(
    server: Option<&str>,
    tool: &str,
    place: &Place,
    problems: &mut Vec<Problem>,
) -> Option<Pattern> {
    let mut report = |key: &str, why: String| {
        problems.push(place.key(key).problem(why));
        None
    };
    match (Pattern::parse(tool), server) {
        (Err(why), _) => report("tool", why.to_string()),
        (Ok(pattern), None) => Some(pattern),
        (Ok(pattern), Some(server)) => match pattern.of_server(server) {
            Some(pattern) => Some(pattern),
            None => report("server", format!("`{tool}` names its server already: leave out `server`")),
        },
    }
}

impl Manner {
    /// What a tool declares. A new spelling beside an old one wins, among old ones the strictest.
    fn declared(source: &ToolSource) -> Self {
        let levels = [source.permission_level.map(level), source.require_execution_approval.map(required)];
        let oldest = levels.into_iter().flatten().max();
        let denies = source.default_permission_policy == Some(DefaultPermission::Deny);
        let allows = source.default_permission_policy == Some(DefaultPermission::Allow);
        let (effect, always) = match source.execution.or(oldest) {
            Some(execution) if denies && source.execution.is_none() => {
                (Some(Effect::Deny), execution == Execution::AskAlways)
            }
            Some(execution) => (Some(execution_effect(execution)), execution == Execution::AskAlways),
            None if denies => (Some(Effect::Deny), false),
            None => (allows.then_some(Effect::Allow), false),
        };
        Self { effect, always, result: source.result.or(source.require_result_approval.map(held)) }
    }

    fn overriding(source: &OverrideSource) -> Self {
        let levels = [source.permission_level.map(level), source.require_execution_approval.map(required)];
        let execution = source.execution.or(levels.into_iter().flatten().max());
        Self {
            effect: execution.map(execution_effect),
            always: execution == Some(Execution::AskAlways),
            result: source.result.or(source.require_result_approval.map(held)),
        }
    }

    /// As strict as both.
    fn and(self, other: &Self) -> Self {
        let effect = match (self.effect, &other.effect) {
            (Some(own), Some(other)) => Some(own.and(other)),
            (own, other) => own.or_else(|| other.clone()),
        };
        Self { effect, always: self.always || other.always, result: self.result.max(other.result) }
    }
}

fn execution_effect(execution: Execution) -> Effect {
    match execution {
        Execution::Auto => Effect::Allow,
        Execution::AskOnce => Effect::Ask(Ask::ONCE),
        Execution::AskAlways => Effect::Ask(Ask::ALWAYS),
    }
}

fn level(level: PermissionLevel) -> Execution {
    match level {
        PermissionLevel::Public => Execution::Auto,
        PermissionLevel::Moderate => Execution::AskOnce,
        PermissionLevel::Sensitive => Execution::AskAlways,
    }
}

fn required(approval: bool) -> Execution {
    if approval { Execution::AskOnce } else { Execution::Auto }
}

fn held(approval: bool) -> ResultPolicy {
    if approval { ResultPolicy::Always } else { ResultPolicy::Never }
}

impl Overrides {
    pub(crate) fn new(sources: &BTreeMap<String, OverrideSource>, place: &Place, problems: &mut Vec<Problem>) -> Self {
        let mut entries = Vec::new();
        for (tool, source) in sources {
            match Pattern::parse(tool).and_then(|pattern| pattern.check_clear().map(|()| pattern)) {
                Ok(pattern) if pattern.is_narrow() => {
                    problems.push(
                        place
                            .key(tool)
                            .problem("brackets make no sense here: an override is about every call of a tool"),
                    );
                }
                Ok(pattern) => entries.push((pattern, Manner::overriding(source))),
                Err(why) => problems.push(place.key(tool).problem(why)),
            }
        }
        let index = Index::new(entries.iter().map(|(pattern, _)| pattern));
        Self { entries, index }
    }

    /// Goes through its entries in order from here on.
    #[cfg(test)]
    pub(crate) fn scan(&mut self) {
        self.index = Index::of_everything(self.entries.len());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What they say of a tool: the strictest of those that fit.
    pub(crate) fn manner(&self, sought: &Sought) -> Manner {
        if self.entries.is_empty() {
            return Manner::default();
        }
        self.index
            .places(sought)
            .filter_map(|i| self.entries.get(i))
            .filter(|(pattern, _)| pattern.names_tool(sought.server, sought.tool, Stance::Allow))
            .fold(Manner::default(), |so_far, (_, manner)| so_far.and(manner))
    }
}

/// As strict as both overrides, where both speak.
pub(crate) fn strictest(own: Manner, other: &Manner) -> Manner {
    own.and(other)
}

fn risk(name: RiskName) -> Risk {
    match name {
        RiskName::Low => Risk::Low,
        RiskName::Medium => Risk::Medium,
        RiskName::High => Risk::High,
        RiskName::Critical => Risk::Critical,
        RiskName::Unknown => Risk::Unknown,
    }
}

fn touches(source: &ResourceSource, place: &Place, problems: &mut Vec<Problem>) -> Option<Touches> {
    let arguments = |names: &OneOrMany| -> Vec<Argument> {
        names.names().iter().map(|name| Argument { several: true, ..Argument::named(name) }).collect()
    };
    let kinds = [
        source.command.as_ref().map(|names| Touches::Command(arguments(names), Dialect::Posix)),
        source.path.as_ref().map(|names| Touches::Path(arguments(names))),
        source.url.as_ref().map(|names| Touches::Url(arguments(names))),
        source
            .text
            .as_ref()
            .map(|names| if names.names() == ["*"] { Touches::Everything } else { Touches::Text(arguments(names)) }),
        source.none.map(|_| Touches::Nothing),
    ];
    let mut kinds = kinds.into_iter().flatten();
    match (kinds.next(), kinds.next()) {
        (
            Some(Touches::Command(names, _) | Touches::Path(names) | Touches::Url(names) | Touches::Text(names)),
            None,
        ) if names.is_empty() => {
            problems.push(place.problem("name at least one argument"));
            None
        }
        (Some(Touches::Nothing), None) if source.none == Some(false) => {
            problems.push(place.problem("`none` is `true` or left out"));
            None
        }
        (Some(kind), None) => Some(kind),
        (None, _) => {
            problems.push(place.problem("expected one of `command`, `path`, `url`, `text` or `none`"));
            None
        }
        (Some(_), Some(_)) => {
            problems.push(
                place.problem("a tool has one kind of resource: keep one of `command`, `path`, `url`, `text`, `none`"),
            );
            None
        }
    }
}
