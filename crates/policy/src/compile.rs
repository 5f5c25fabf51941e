//! Compile: what the configuration says in, an immutable [`Policy`] out, or everything that is wrong with it.

mod effect;

use crate::boundary::{BadEntry, Boundary};
use crate::catalog::{Catalog, Manner, Overrides, qualified, strictest};
use crate::condition::Condition;
use crate::effect::{Ask, Effect};
use crate::index::{self, Candidates, Index, Sought};
use crate::own;
use crate::pattern::{Pattern, PatternList, Stance};
use crate::problem::{Place, Problem};
use crate::source::{AgentSource, GrantSource, ResultPolicy, RiskEffects, RuleSource, Silence, Source, UserSource};
use crate::subject::Subject;
use countersign_domain::describe::{Described, Part, PathPart, Surroundings, describe};
use countersign_domain::{Call, Digest, canonical};
use effect::{capabilities, rule_effect};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use unicode_normalization::UnicodeNormalization;

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

/// The rules in the order in which they are looked at.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    pub(crate) all: Vec<Rule>,
    pub(crate) index: Index,
    /// Places of rules that deny files whatever the arguments: they hold for commands that name the file, too.
    pub(crate) denied_files: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) priority: i64,
    pub(crate) pattern: Pattern,
    pub(crate) when: Option<Condition>,
    pub(crate) effect: Effect,
    /// Its place in the configuration.
    pub(crate) place: usize,
}

#[derive(Debug, Default)]
pub(crate) struct User {
    pub(crate) allow: Grants,
    pub(crate) deny: Grants,
    /// Of the deny grants and the allow grants after them, so that a judgement looks both up at once.
    index: Index,
    /// Places of deny grants that speak of files: they hold for commands that name the file, too.
    pub(crate) denied_files: Vec<usize>,
    /// Places of allow grants that let files be written: they hold for redirections, too.
    pub(crate) written_files: Vec<usize>,
    overrides: Overrides,
}

#[derive(Debug, Default)]
pub(crate) struct Grants {
    pub(crate) all: Vec<Grant>,
}

#[derive(Debug)]
pub(crate) struct Grant {
    pub(crate) pattern: Pattern,
    expires_at: Option<Timestamp>,
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
        let (server, name) = (call.server().map(nfc), nfc(call.tool()));
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

fn nfc(name: &str) -> String {
    name.nfc().collect()
}

/// Tests are no part of what judges.
fn version(source: &Source) -> Digest {
    let mut source = source.clone();
    source.policy.tests.clear();
    let value = serde_json::to_value(&source).unwrap_or_default();
    Digest::of(canonical::canonical(&value).as_bytes())
}

impl Rules {
    fn new(sources: &[RuleSource], catalog: &Catalog, place: &Place, problems: &mut Vec<Problem>) -> Self {
        let mut all: Vec<_> = sources
            .iter()
            .enumerate()
            .filter_map(|(i, source)| Rule::new(source, i, catalog, &place.index(i), problems))
            .collect();
        all.sort_by_key(|rule| rule.priority);
        let index = Index::new(all.iter().map(|rule| &rule.pattern));
        let denies = |rule: &Rule| rule.effect == Effect::Deny && rule.when.is_none();
        let files =
            all.iter().enumerate().filter(|(_, rule)| denies(rule) && rule.pattern.is_about_files(Stance::Deny));
        let denied_files = files.map(|(i, _)| i).collect();
        Self { all, index, denied_files }
    }
}

const USUAL_PRIORITY: i64 = 100;

impl Rule {
    fn new(
        source: &RuleSource,
        index: usize,
        catalog: &Catalog,
        place: &Place,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let pattern = qualified(source.server.as_deref(), &source.tool, place, problems).map(Pattern::of_every_server);
        let unreadable = pattern.as_ref().and_then(|pattern| catalog.check(pattern).err());
        problems.extend(unreadable.map(|why| place.key("tool").problem(why)));
        let effect = rule_effect(source, place, problems);
        let allowed = pattern.as_ref().filter(|_| effect == Some(Effect::Allow));
        problems
            .extend(allowed.and_then(|pattern| pattern.check_clear().err()).map(|why| place.key("tool").problem(why)));
        let when = match source.when.as_deref().map(Condition::compile).transpose() {
            Ok(when) => when,
            Err(why) => {
                problems.push(place.key("when").problem(why));
                return None;
            }
        };
        Some(Self {
            name: source.name.clone().unwrap_or_else(|| format!("rule-{}", index + 1)),
            priority: source.priority.unwrap_or(USUAL_PRIORITY),
            pattern: pattern?,
            when,
            effect: effect?,
            place: index,
        })
    }

    pub(crate) fn allows(&self) -> bool {
        self.effect == Effect::Allow
    }
}

impl User {
    fn new(source: &UserSource, catalog: &Catalog, place: &Place, problems: &mut Vec<Problem>) -> Self {
        let allow = Grants::new(&source.allow, catalog, &place.key("allow"), problems);
        for (i, grant) in allow.all.iter().enumerate() {
            if let Err(why) = grant.pattern.check_clear() {
                problems.push(place.key("allow").index(i).problem(why));
            }
            if let Some(why) = grant.pattern.too_wide_to_grant() {
                problems.push(
                    place.key("allow").index(i).problem(format!("`{}` is too wide: {why}", grant.pattern.text())),
                );
            }
        }
        let deny = Grants::new(&source.deny, catalog, &place.key("deny"), problems);
        Self {
            index: Index::new(deny.all.iter().chain(&allow.all).map(|grant| &grant.pattern)),
            denied_files: deny.places(|pattern| pattern.is_about_files(Stance::Deny)),
            written_files: allow
                .places(|pattern| pattern.is_narrow() && pattern.names_tool(None, "file_write", Stance::Allow)),
            allow,
            deny,
            overrides: Overrides::new(&source.overrides, &place.key("overrides"), problems),
        }
    }
}

impl User {
    /// The grants that may fit what is sought.
    pub(crate) fn find(&self, sought: &Sought) -> Candidates<'_> {
        self.index.find(sought)
    }

    /// Those of `found` that deny and hold at `now`, with their places.
    pub(crate) fn denying(&self, found: Candidates<'_>, now: Timestamp) -> impl Iterator<Item = (usize, &Grant)> {
        found.take_while(|&i| i < self.deny.all.len()).filter_map(move |i| self.deny.current(i, now))
    }

    /// Those of `found` that allow and hold at `now`, with their places.
    pub(crate) fn allowing<'a>(
        &'a self,
        found: Candidates<'a>,
        now: Timestamp,
    ) -> impl Iterator<Item = (usize, &'a Grant)> + Clone {
        found.filter_map(move |i| self.allow.current(i.checked_sub(self.deny.all.len())?, now))
    }

    /// Whether a command may write this file by redirection: a grant lets it be written.
    pub(crate) fn may_write(&self, path: &str, call: &Subject<'_>, now: Timestamp) -> bool {
        let around = Surroundings { home: call.home.clone(), ..Surroundings::default() };
        let Ok(path) = PathPart::read(path, call.call.cwd(), &around) else { return false };
        let path = Part::Path(path);
        self.allow.at(&self.written_files, now).any(|(_, grant)| grant.pattern.covers(&path, call))
    }
}

impl Grants {
    /// The places of the grants for which `speaks` holds.
    fn places(&self, speaks: impl Fn(&Pattern) -> bool) -> Vec<usize> {
        self.all.iter().enumerate().filter(|(_, grant)| speaks(&grant.pattern)).map(|(i, _)| i).collect()
    }

    /// Those of `places` that hold at `now`.
    pub(crate) fn at<'a>(&'a self, places: &'a [usize], now: Timestamp) -> impl Iterator<Item = (usize, &'a Grant)> {
        let held = places.iter().filter_map(|&i| Some((i, self.all.get(i)?)));
        held.filter(move |(_, grant)| grant.expires_at.is_none_or(|end| now < end))
    }

    fn new(sources: &[GrantSource], catalog: &Catalog, place: &Place, problems: &mut Vec<Problem>) -> Self {
        let mut all = Vec::new();
        for (i, source) in sources.iter().enumerate() {
            let read = Pattern::parse(source.pattern());
            match read.and_then(|pattern| catalog.check(&pattern).map(|()| pattern)) {
                Ok(pattern) => all.push(Grant { pattern, expires_at: source.expires_at() }),
                Err(why) => problems.push(place.index(i).problem(why)),
            }
        }
        Self { all }
    }

    /// The grant at `place`, if it holds at `now`.
    fn current(&self, place: usize, now: Timestamp) -> Option<(usize, &Grant)> {
        let grant = self.all.get(place)?;
        grant.expires_at.is_none_or(|end| now < end).then_some((place, grant))
    }
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
