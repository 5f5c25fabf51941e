//! What users were granted and denied, compiled.

use crate::catalog::{Catalog, Overrides};
use crate::index::{Candidates, Found, Index, Sought};
use crate::pattern::{Pattern, Stance};
use crate::problem::{Place, Problem};
use crate::source::{GrantSource, UserSource};
use crate::subject::Subject;
use countersign_domain::describe::{Part, PathPart, Surroundings};
use jiff::Timestamp;

#[derive(Debug, Default)]
pub(crate) struct User {
    pub(crate) allow: Grants,
    pub(crate) deny: Grants,
    /// Of the deny grants and the allow grants after them, so that a judgement looks both up at once.
    pub(super) index: Index,
    /// Places of deny grants that speak of files: they hold for commands that name the file, too.
    pub(crate) denied_files: Vec<usize>,
    /// Places of allow grants that let files be written: they hold for redirections, too.
    written_files: Vec<usize>,
    pub(super) overrides: Overrides,
}

#[derive(Debug, Default)]
pub(crate) struct Grants {
    pub(crate) all: Vec<Pattern>,
    /// When each of them ends; empty where none ever does, so that nothing need be looked at.
    ends: Vec<Option<Timestamp>>,
}

impl User {
    pub(super) fn new(source: &UserSource, catalog: &Catalog, place: &Place, problems: &mut Vec<Problem>) -> Self {
        let allow = Grants::new(&source.allow, catalog, &place.key("allow"), problems);
        for (i, grant) in allow.all.iter().enumerate() {
            if let Err(why) = grant.check_clear() {
                problems.push(place.key("allow").index(i).problem(why));
            }
            if let Some(why) = grant.too_wide_to_grant() {
                problems.push(place.key("allow").index(i).problem(format!("`{}` is too wide: {why}", grant.text())));
            }
        }
        let deny = Grants::new(&source.deny, catalog, &place.key("deny"), problems);
        Self {
            index: Index::new(deny.all.iter().chain(&allow.all)),
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
    pub(crate) fn denying(&self, found: &[Found], now: Timestamp) -> impl Iterator<Item = (usize, Found)> {
        let denying = found.iter().map(|one| (one.place(), *one)).take_while(|(i, _)| *i < self.deny.all.len());
        denying.filter(move |(i, _)| self.deny.is_current(*i, now))
    }

    /// Those of `found` that allow and hold at `now`, with their places.
    pub(crate) fn allowing(&self, found: &[Found], now: Timestamp) -> impl Iterator<Item = (usize, Found)> + Clone {
        let allowing = found.iter().filter_map(|one| Some((one.place().checked_sub(self.deny.all.len())?, *one)));
        allowing.filter(move |(i, _)| self.allow.is_current(*i, now))
    }

    /// The patterns of those.
    pub(crate) fn allowing_patterns(&self, found: &[Found], now: Timestamp) -> impl Iterator<Item = &Pattern> + Clone {
        self.allowing(found, now).filter_map(|(i, _)| self.allow.all.get(i))
    }

    /// Whether a command may write this file by redirection: a grant lets it be written.
    pub(crate) fn may_write(&self, path: &str, call: &Subject<'_>, now: Timestamp) -> bool {
        let around = Surroundings { home: call.home.clone(), ..Surroundings::default() };
        let Ok(path) = PathPart::read(path, call.call.cwd(), &around) else { return false };
        let path = Part::Path(path);
        self.allow.at(&self.written_files, now).any(|(_, grant)| grant.covers(&path, call))
    }
}

impl Grants {
    fn new(sources: &[GrantSource], catalog: &Catalog, place: &Place, problems: &mut Vec<Problem>) -> Self {
        let (mut all, mut ends) = (Vec::new(), Vec::new());
        for (i, source) in sources.iter().enumerate() {
            let read = Pattern::parse(source.pattern());
            match read.and_then(|pattern| catalog.check(&pattern).map(|()| pattern)) {
                Ok(pattern) => {
                    all.push(pattern);
                    ends.push(source.expires_at());
                }
                Err(why) => problems.push(place.index(i).problem(why)),
            }
        }
        if ends.iter().all(Option::is_none) {
            ends = Vec::new();
        }
        Self { all, ends }
    }

    /// The places of the grants for which `speaks` holds.
    fn places(&self, speaks: impl Fn(&Pattern) -> bool) -> Vec<usize> {
        self.all.iter().enumerate().filter(|(_, grant)| speaks(grant)).map(|(i, _)| i).collect()
    }

    /// Those of `places` that hold at `now`.
    pub(crate) fn at<'a>(&'a self, places: &'a [usize], now: Timestamp) -> impl Iterator<Item = (usize, &'a Pattern)> {
        let held = places.iter().filter_map(|&i| Some((i, self.all.get(i)?)));
        held.filter(move |(i, _)| self.is_current(*i, now))
    }

    /// Whether the grant at `place` holds at `now`.
    fn is_current(&self, place: usize, now: Timestamp) -> bool {
        self.ends.get(place).copied().flatten().is_none_or(|end| now < end)
    }
}
