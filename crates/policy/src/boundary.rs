//! Limits on tools: a role's, a delegation frame's, an agent's own list.

use crate::index::Sought;
use crate::pattern::{BadPattern, Fit, Pattern, PatternList, Stance, cover};
use crate::subject::Subject;

/// A limit on tools. No list is no limit, an empty list is nothing at all.
#[derive(Debug, Clone, Default)]
pub struct Boundary {
    allowed: Option<PatternList>,
    denied: PatternList,
}

/// How a boundary takes a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passage {
    /// Within.
    Within,
    /// This entry of the denied list may fit; nobody can tell.
    Perhaps(usize),
    /// This entry of the denied list fits.
    Denied(usize),
    /// The allowed list lacks it.
    Lacking,
}

/// An entry that is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{list}[{index}]: {why}")]
pub struct BadEntry {
    /// `allowed_tools` or `denied_tools`.
    pub list: &'static str,
    /// The place in it.
    pub index: usize,
    /// What is wrong.
    pub why: BadPattern,
}

impl Boundary {
    /// The boundary of these lists.
    pub fn new(allowed: Option<&[String]>, denied: Option<&[String]>) -> Result<Self, BadEntry> {
        let parse = |list, entries: &[String]| {
            let one =
                |(index, entry): (usize, &String)| Pattern::parse(entry).map_err(|why| BadEntry { list, index, why });
            entries.iter().enumerate().map(one).collect::<Result<_, _>>().map(PatternList::new)
        };
        Ok(Self {
            allowed: allowed.map(|entries| parse("allowed_tools", entries)).transpose()?,
            denied: parse("denied_tools", denied.unwrap_or_default())?,
        })
    }

    /// The first entry that `check` refuses, if there is one.
    pub(crate) fn first_bad(&self, check: impl Fn(&Pattern) -> Result<(), BadPattern>) -> Option<BadEntry> {
        let allowed = self.allowed.iter().flat_map(PatternList::iter).enumerate();
        let allowed = allowed.map(|(i, entry)| ("allowed_tools", i, entry.check_clear().and_then(|()| check(entry))));
        let denied = self.denied.iter().enumerate().map(|(i, entry)| ("denied_tools", i, check(entry)));
        let mut bad = allowed
            .chain(denied)
            .filter_map(|(list, index, checked)| Some(BadEntry { list, index, why: checked.err()? }));
        bad.next()
    }

    pub(crate) fn passage(&self, call: &Subject<'_>, sought: &Sought) -> Passage {
        let mut perhaps = None;
        for (i, entry) in self.denied.find(sought) {
            match entry.hits_in(call) {
                Fit::Yes => return Passage::Denied(i),
                Fit::Maybe => perhaps = perhaps.or(Some(i)),
                Fit::No => {}
            }
        }
        if call.lines().next().is_some() {
            for (i, entry) in self.denied.iter().enumerate().filter(|(_, entry)| entry.is_about_files(Stance::Deny)) {
                match call.command_lines().map(|line| entry.hits_file_in(line, call)).max() {
                    Some(Fit::Yes) => return Passage::Denied(i),
                    Some(Fit::Maybe) => perhaps = perhaps.or(Some(i)),
                    Some(Fit::No) | None => {}
                }
            }
        }
        if self.allowed.is_some() && !self.lists(call, sought) {
            return Passage::Lacking;
        }
        perhaps.map_or(Passage::Within, Passage::Perhaps)
    }

    /// Whether there is an allowed list and it holds the tool of `call`.
    ///
    /// An entry without brackets holds every call of its tool, understood or not: what the call touches is for the
    /// other layers to judge. A disguised name is held by no list.
    pub(crate) fn lists(&self, call: &Subject<'_>, sought: &Sought) -> bool {
        self.allowed.as_ref().is_some_and(|allowed| {
            let disguised =
                call.doubts.iter().any(|doubt| matches!(doubt, countersign_domain::describe::Doubt::Name(_)));
            let entries = allowed.find(sought).map(|(_, entry)| entry);
            let whole = |entry: &Pattern| !entry.is_narrow() && entry.names(call, Stance::Allow);
            !disguised && (entries.clone().any(whole) || cover(entries, call, &|_| false))
        })
    }

    /// The same limit, going through its lists in order.
    #[cfg(test)]
    pub(crate) fn scanned(self) -> Self {
        Self { allowed: self.allowed.map(PatternList::scanned), denied: self.denied.scanned() }
    }

    /// The text of an entry of the denied list.
    pub(crate) fn denied_text(&self, entry: usize) -> &str {
        self.denied.get(entry).map_or("", Pattern::text)
    }
}
