//! Compile: what the configuration says in, an immutable [`Policy`] out, or everything that is wrong with it.

mod effect;
mod rules;
mod user;

use crate::boundary::{BadEntry, Boundary};
use crate::catalog::{Catalog, Manner, Overrides, strictest};
use crate::effect::{Ask, Effect};
#[cfg(test)]
use crate::index::Index;
use crate::index::{self, Sought};
use crate::own;
use crate::pattern::PatternList;
use crate::problem::{Place, Problem};
use crate::source::{AgentSource, ResultPolicy, RiskEffects, Silence, Source};
use countersign_domain::describe::{Described, Surroundings, Tool, compared, describe};
use countersign_domain::{Call, Digest, canonical};
use effect::capabilities;
pub(crate) use rules::{Rule, Rules};
use std::collections::{BTreeMap, HashMap};
pub(crate) use user::{Grants, User};

/// A policy, compiled once and immutable after that.
#[derive(Debug)]
pub struct Policy {
    pub(crate) version: Digest,
    pub(crate) enabled: bool,
    pub(crate) nobody_to_ask: bool,
    pub(crate) silence: Effect,
    pub(crate) risk: RiskEffects,
    pub(crate) capabilities: BTreeMap<String, Effect>,
    pub(crate) rules: Rules,
    pub(crate) users: HashMap<String, User, index::Hashing>,
    pub(crate) roles: HashMap<String, Boundary, index::Hashing>,
    pub(crate) agents: HashMap<String, Agent, index::Hashing>,
    pub(crate) catalog: Catalog,
    pub(crate) own: PatternList,
    overrides: Overrides,
}

#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) tools: Boundary,
    pub(crate) role: Option<String>,
    pub(crate) hitl: bool,
    pub(crate) permissions: bool,
}

/// Where the tool layer's word comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Override,
    Declaration,
}

impl Policy {
    /// Compiles `source`, or says everything that is wrong with it.
    pub fn compile(source: &Source) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let place = Place::section("policy");
        let given = &source.policy;
        let catalog = Catalog::new(&source.tools, &mut problems);
        let policy = Self {
            version: version(source),
            enabled: given.enabled.unwrap_or(true),
            nobody_to_ask: source.nobody_to_ask,
            silence: match given.default {
                Silence::Ask => Effect::Ask(Ask::ONCE),
                Silence::Deny => Effect::Deny,
            },
            risk: given.risk,
            capabilities: capabilities(&given.capabilities, &place.key("capabilities"), &mut problems),
            rules: Rules::new(&given.rules, &catalog, &place.key("rules"), &mut problems),
            users: given
                .users
                .iter()
                .map(|(name, user)| {
                    (name.clone(), User::new(user, &catalog, &place.key("users").key(name), &mut problems))
                })
                .collect(),
            roles: source
                .roles
                .iter()
                .filter_map(|(name, role)| {
                    let at = Place::section("roles").key(name);
                    let limits = Boundary::new(role.allowed_tools.as_deref(), role.denied_tools.as_deref());
                    Some((name.clone(), checked(limits, &catalog, |bad| at.key(bad.list), &mut problems)?))
                })
                .collect(),
            agents: source
                .agents
                .iter()
                .filter_map(|(name, agent)| {
                    Some((name.clone(), Agent::new(name, agent, source, &catalog, &mut problems)?))
                })
                .collect(),
            own: PatternList::new(own::patterns(&source.own_paths)),
            overrides: Overrides::new(&given.overrides, &place.key("overrides"), &mut problems),
            catalog,
        };
        if problems.is_empty() { Ok(policy) } else { Err(problems) }
    }

    /// The digest of everything this policy was made from.
    pub fn version(&self) -> Digest {
        self.version
    }

    /// Whether there is such a role.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.contains_key(role)
    }

    /// What is known of a tool.
    pub fn tool(&self, server: Option<&str>, name: &str) -> Tool {
        self.catalog.tool(server.map(compared).as_deref(), &compared(name))
    }

    /// How calls of a tool are asked about where nothing above the tool itself speaks, and when its results are held:
    /// for everybody, overrides included. `None` where nobody says.
    pub fn tool_says(&self, server: Option<&str>, name: &str) -> (Option<Effect>, Option<ResultPolicy>) {
        let (server, name) = (server.map(compared), compared(name));
        let (_, manner) = self.manner(&Sought::tool(server.as_deref(), &name), None);
        (manner.effect, manner.result)
    }

    /// The same policy, judging by plain loops.
    #[cfg(test)]
    pub(crate) fn scanned(mut self) -> Self {
        self.rules.index = Index::of_everything(self.rules.all.len());
        for user in self.users.values_mut() {
            user.index = Index::of_everything(user.deny.all.len() + user.allow.all.len());
            user.overrides.scan();
        }
        self.roles = self.roles.into_iter().map(|(name, role)| (name, role.scanned())).collect();
        self.own = self.own.scanned();
        self.overrides.scan();
        self.catalog.scan();
        self
    }

    /// Describes `call` with what this policy knows of its tool.
    pub fn describe(&self, call: Call, around: &Surroundings) -> Described {
        let (server, name) = (call.server().map(compared), compared(call.tool()));
        let tool = self.catalog.tool(server.as_deref(), &name);
        let undeclared_namesake = self.catalog.is_undeclared_namesake(server.as_deref(), &name);
        Described { undeclared_namesake, ..describe(call, &tool, around) }
    }

    /// When results of `call` are held for review.
    pub fn result_policy(&self, call: &Described, user: Option<&str>) -> ResultPolicy {
        let (_, manner) = self.manner(&Sought::call(call), user.and_then(|user| self.users.get(user)));
        manner.result.unwrap_or(ResultPolicy::Never)
    }

    /// How a tool is asked about: the override (a user's and an operator's together), else its own declaration.
    pub(crate) fn manner(&self, sought: &Sought, user: Option<&User>) -> (Origin, Manner) {
        if self.catalog.says_no_manner()
            && self.overrides.is_empty()
            && user.is_none_or(|user| user.overrides.is_empty())
        {
            return (Origin::Declaration, Manner::default());
        }
        let everybodys = self.overrides.manner(sought);
        let overriding = match user {
            Some(user) => strictest(user.overrides.manner(sought), &everybodys),
            None => everybodys,
        };
        let declared = self.catalog.manner(sought);
        let result = overriding.result.or(declared.result);
        match overriding.effect {
            Some(_) => (Origin::Override, Manner { result, ..overriding }),
            None => (Origin::Declaration, Manner { result, ..declared }),
        }
    }
}

/// Tests are no part of what judges.
fn version(source: &Source) -> Digest {
    let mut source = source.clone();
    source.policy.tests.clear();
    let value = serde_json::to_value(&source).unwrap_or_default();
    Digest::of(canonical::canonical(&value).as_bytes())
}

impl Agent {
    fn new(
        name: &str,
        agent: &AgentSource,
        source: &Source,
        catalog: &Catalog,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let place = Place::section("agents").key(name);
        if let Some(role) = agent.role.as_ref().filter(|role| !source.roles.contains_key(*role)) {
            problems.push(place.key("role").problem(format!("there is no role `{role}` in `roles`")));
        }
        let tools =
            checked(Boundary::new(agent.tools.as_deref(), None), catalog, |_: &BadEntry| place.key("tools"), problems)?;
        Some(Self {
            tools,
            role: agent.role.clone(),
            hitl: agent.enable_hitl.unwrap_or(true),
            permissions: agent.enable_permissions.unwrap_or(true),
        })
    }
}

/// The boundary, unless one of its entries is no pattern or says nothing of what its tool touches. `list` is the place
/// of the list that a bad entry stands in.
fn checked(
    boundary: Result<Boundary, BadEntry>,
    catalog: &Catalog,
    list: impl Fn(&BadEntry) -> Place,
    problems: &mut Vec<Problem>,
) -> Option<Boundary> {
    let checked = boundary.and_then(|boundary| match boundary.first_bad(|pattern| catalog.check(pattern)) {
        Some(bad) => Err(bad),
        None => Ok(boundary),
    });
    checked.map_err(|bad| problems.push(list(&bad).index(bad.index).problem(&bad.why))).ok()
}
