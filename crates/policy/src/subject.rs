//! A call while it is being judged: what was described, and its command lines taken apart once.

use crate::command::Analysis;
use crate::pattern::files::{self, Name};
use countersign_domain::describe::{Described, Dialect, Part, Resource};
use std::cell::OnceCell;
use std::ops::Deref;

/// A described call. Command lines are taken apart when the first pattern asks, and only then.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    call: &'a Described,
    lines: OnceCell<Vec<Line<'a>>>,
}

#[derive(Debug)]
struct Line<'a> {
    text: &'a str,
    analysis: Analysis,
    names: OnceCell<Option<Vec<Name>>>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(call: &'a Described) -> Self {
        Self { call, lines: OnceCell::new() }
    }

    /// What was described.
    pub(crate) fn described(&self) -> &'a Described {
        self.call
    }

    /// The command lines of this call as they stand, whichever shell reads them.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a str> {
        let parts = if let Resource::Parts(parts) = &self.call.resource { &**parts } else { &[] };
        parts.iter().filter_map(|part| if let Part::Command { line, .. } = part { Some(&**line) } else { None })
    }

    /// Whether a command line was not understood, or is of a shell that is not taken apart.
    pub(crate) fn has_unread_lines(&self) -> bool {
        self.lines().any(|line| self.analysis(line).is_none_or(|analysis| analysis.opaque.is_some()))
    }

    /// `line`, a command line of this call, taken apart.
    pub(crate) fn analysis(&self, line: &str) -> Option<&Analysis> {
        let lines = self.lines.get_or_init(|| {
            let Resource::Parts(parts) = &self.call.resource else { return Vec::new() };
            let lines = parts.iter().filter_map(|part| match part {
                Part::Command { line, dialect: Dialect::Posix } => Some(&**line),
                _ => None,
            });
            lines.map(|text| Line { text, analysis: Analysis::of(text), names: OnceCell::new() }).collect()
        });
        lines.iter().find(|own| own.text == line).map(|own| &own.analysis)
    }

    /// What the words of `line`, a line of this call, may name, if that is kept.
    pub(crate) fn names_in(&self, line: &Analysis) -> Option<&[Name]> {
        let own = self.lines.get()?.iter().find(|own| std::ptr::eq(&raw const own.analysis, line))?;
        own.names.get_or_init(|| files::names(line, self)).as_deref()
    }

    /// The command lines of this call, taken apart.
    pub(crate) fn command_lines(&self) -> impl Iterator<Item = &Analysis> {
        let Resource::Parts(parts) = &self.call.resource else { return None.into_iter().flatten() };
        let lines = parts.iter().filter_map(|part| match part {
            Part::Command { line, dialect: Dialect::Posix } => self.analysis(line),
            _ => None,
        });
        Some(lines).into_iter().flatten()
    }
}

impl Deref for Subject<'_> {
    type Target = Described;

    fn deref(&self) -> &Described {
        self.call
    }
}
