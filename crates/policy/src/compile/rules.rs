//! Rules, compiled.

use super::effect::rule_effect;
use crate::catalog::{Catalog, qualified};
use crate::condition::Condition;
use crate::effect::Effect;
use crate::index::{Found, Index, Note};
use crate::pattern::{Pattern, Stance};
use crate::problem::{Place, Problem};
use crate::source::RuleSource;
use std::collections::HashMap;

/// The rules in the order in which they are looked at.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    pub(crate) all: Vec<Rule>,
    pub(crate) index: Index,
    /// Places of rules that deny files whatever the arguments: they hold for commands that name the file, too.
    pub(crate) denied_files: Vec<usize>,
    gists: Gists,
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

/// What a judgement needs of a rule whose pattern is known to fit. Kept apart and small: of very many rules this stays
/// in the processor's caches, the rules themselves do not.
#[derive(Debug, Default)]
struct Gists {
    /// The effects there are, each once.
    effects: Vec<Effect>,
    of_rules: Vec<Gist>,
}

/// The place of a rule's effect, and whether it has a condition.
#[derive(Debug, Clone, Copy)]
struct Gist(u32);

impl Gist {
    fn new(effect: u32, when: Option<&Condition>) -> Self {
        Self(effect << 1 | u32::from(when.is_some()))
    }

    fn effect(self) -> usize {
        self.0 as usize >> 1
    }

    fn is_conditional(self) -> bool {
        self.0 & 1 != 0
    }

    /// What the index notes on the rule. There is room for the first effects of rules without conditions.
    fn note(self) -> Note {
        let effect = (!self.is_conditional()).then_some(self.0 >> 1);
        effect.and_then(Note::new).unwrap_or_default()
    }

    fn of(note: Note) -> Option<Self> {
        note.number().map(|effect| Self::new(effect, None))
    }
}

impl Rules {
    pub(super) fn new(sources: &[RuleSource], catalog: &Catalog, place: &Place, problems: &mut Vec<Problem>) -> Self {
        let mut all: Vec<_> = sources
            .iter()
            .enumerate()
            .filter_map(|(i, source)| Rule::new(source, i, catalog, &place.index(i), problems))
            .collect();
        all.sort_by_key(|rule| rule.priority);
        let gists = Gists::of(&all);
        let index = Index::noted(all.iter().zip(&gists.of_rules).map(|(rule, gist)| (&rule.pattern, gist.note())));
        let denies = |rule: &Rule| rule.effect == Effect::Deny && rule.when.is_none();
        let files =
            all.iter().enumerate().filter(|(_, rule)| denies(rule) && rule.pattern.is_about_files(Stance::Deny));
        let denied_files = files.map(|(i, _)| i).collect();
        Self { all, index, denied_files, gists }
    }

    /// What the rule at `place` says.
    pub(crate) fn effect(&self, place: usize) -> Option<&Effect> {
        self.effect_by(*self.gists.of_rules.get(place)?)
    }

    /// What the rule that was found says, and its condition, if it has one.
    pub(crate) fn gist(&self, found: Found) -> Option<(&Effect, Option<&Condition>)> {
        let noted = || Gist::of(found.note());
        let gist = noted().or_else(|| self.gists.of_rules.get(found.place()).copied())?;
        let when = if gist.is_conditional() { self.all.get(found.place())?.when.as_ref() } else { None };
        Some((self.effect_by(gist)?, when))
    }

    fn effect_by(&self, gist: Gist) -> Option<&Effect> {
        self.gists.effects.get(gist.effect())
    }
}

impl Gists {
    fn of(rules: &[Rule]) -> Self {
        let mut gists = Self::default();
        let mut places: HashMap<&Effect, u32> = HashMap::new();
        for rule in rules {
            let next = u32::try_from(places.len()).unwrap_or(u32::MAX);
            let at = *places.entry(&rule.effect).or_insert_with(|| {
                gists.effects.push(rule.effect.clone());
                next
            });
            gists.of_rules.push(Gist::new(at, rule.when.as_ref()));
        }
        gists
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
