//! Finds the patterns that may fit a call without looking at all of them.
//!
//! Every pattern is filed under something that a call must have literally for the pattern to fit: the server and the
//! tool it names, or how the tool's name begins or ends; and below an exactly named tool, the text in the brackets, or
//! how that begins or ends. A call is looked up under all that it has. Whatever is found may fit, whatever is not found
//! cannot, so the judge gives the same verdict and trail as if it went through all patterns in order.
//!
//! What a call touches is compared literally only where it is text. Of paths, addresses and commands a pattern says
//! something that depends on more than their letters: there all patterns of the tool with brackets are looked at.

mod candidates;
mod entry;
mod file;
mod found;
mod key;
mod shelf;
mod sought;
mod spread;
mod stems;
#[cfg(test)]
mod tests;

pub(crate) use candidates::Candidates;
pub(crate) use found::{Found, Note};
pub(crate) use key::Hashing;
pub(crate) use sought::Sought;

use countersign_domain::describe::Part;
use entry::{Entry, Next};
use file::File;
use key::{Drawer, Key, Side};
use shelf::{Ends, ServerShelf, ShelfId, Slot, ToolShelf};
use sought::Touched;
use std::collections::HashMap;
use stems::Stems;

/// Places of patterns, filed by what must hold literally for them to fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// Patterns that do not name one server.
    any: ServerShelf,
    servers: HashMap<Key, ServerShelf, Hashing>,
    tools: HashMap<Key, ToolShelf, Hashing>,
    /// Where more literals go on from the same beginning (end) than are looked at one by one.
    stems: Stems,
    /// Entries, one after the other.
    entries: Box<[u8]>,
    places: Box<[Found]>,
}

impl Index {
    /// The index of `patterns`, which are known by their places from here on.
    pub(crate) fn new<'a>(patterns: impl Iterator<Item = &'a crate::pattern::Pattern> + Clone) -> Self {
        Self::noted(patterns.map(|pattern| (pattern, Note::default())))
    }

    /// The same, of patterns with notes on them.
    pub(crate) fn noted<'a>(patterns: impl Iterator<Item = (&'a crate::pattern::Pattern, Note)> + Clone) -> Self {
        File::of(patterns).finish()
    }

    /// One that finds all of so many patterns, whatever is looked up: what the judge does by it is a plain loop.
    #[cfg(test)]
    pub(crate) fn of_everything(patterns: usize) -> Self {
        File::of_everything(u32::try_from(patterns).unwrap()).finish()
    }

    /// The places of the patterns that may fit what is sought, ascending.
    pub(crate) fn places(&self, sought: &Sought) -> impl Iterator<Item = usize> + Clone {
        let (found, mut next) = (self.find(sought), 0);
        std::iter::from_fn(move || {
            let one = found.get(next)?;
            next += 1;
            Some(one.place())
        })
    }

    /// The patterns that may fit what is sought, by their places ascending, and how much is certain of each.
    pub(crate) fn find(&self, sought: &Sought) -> Candidates<'_> {
        let mut found = Candidates::none();
        self.in_server(&self.any, Key::ANY_SERVER, "", sought, &mut found);
        if let Some(name) = sought.server
            && !self.servers.is_empty()
        {
            let key = Key::server(name);
            if let Some(server) = self.servers.get(&key) {
                self.in_server(server, key, name, sought, &mut found);
            }
        }
        found.settle();
        found
    }

    /// In the shelf of the server `name`; empty for any.
    fn in_server<'a>(
        &'a self,
        server: &ServerShelf,
        key: Key,
        name: &str,
        sought: &Sought,
        found: &mut Candidates<'a>,
    ) {
        if server.has_tools {
            let key = key.tool(sought.tool);
            if let Some(tool) = self.tools.get(&key) {
                let names = Names::of(tool.id, [(&tool.server, name), (&tool.name, sought.tool)]);
                self.in_tool(tool, key, sought.touched, names, found);
            }
        }
        if server.has_any_tool {
            self.in_tool(&server.any_tool, key.drawer(Drawer::AnyTool), sought.touched, Names::Unknown, found);
        }
        if server.has_names {
            let names = Names::of(server.id, [(&server.name, name), ("", "")]);
            self.by_ends(&server.names, key, sought.tool, names, found);
        }
    }

    #[inline]
    fn in_tool<'a>(&'a self, tool: &ToolShelf, key: Key, touched: Touched, names: Names, found: &mut Candidates<'a>) {
        found.add_run(tool.whole.of(&self.places));
        match touched {
            Touched::Nothing => {}
            Touched::Other => found.add_run(tool.brackets.of(&self.places)),
            Touched::Texts(parts) => {
                found.add_run(tool.loose.of(&self.places));
                // What fits one of several parts need not cover the others.
                let names = if parts.len() == 1 { names } else { Names::Unknown };
                for part in parts {
                    if let Part::Text(text) = part {
                        self.by_ends(&tool.texts, key, text, names, found);
                    }
                }
            }
        }
    }

    /// Everything filed under a beginning or an end of `text` below `root`.
    #[inline]
    fn by_ends(&self, ends: &Ends, root: Key, text: &str, names: Names, found: &mut Candidates<'_>) {
        let text = text.as_bytes();
        if ends.starts.may_begin(text, Side::Start) {
            self.climb(ends.starts.slot, root, &Reading { text, side: Side::Start, names }, found);
        }
        if ends.ends.may_begin(text, Side::End) {
            self.climb(ends.ends.slot, root, &Reading { text, side: Side::End, names }, found);
        }
    }

    fn climb(&self, mut slot: Slot, root: Key, reading: &Reading<'_>, found: &mut Candidates<'_>) {
        let (mut stem, mut left) = (None, reading.text);
        loop {
            if let Some(start) = slot.start() {
                self.look_at(start, reading, found);
            }
            let Some((part, rest)) = slot.skip().and_then(|skip| reading.side.split(left, skip)) else { return };
            let next = stem.unwrap_or_else(|| root.drawer(reading.side.drawer())).part(part);
            let Some(below) = self.stems.get(next) else { return };
            (slot, stem, left) = (below, Some(next), rest);
        }
    }

    #[inline]
    fn look_at(&self, start: usize, reading: &Reading<'_>, found: &mut Candidates<'_>) {
        let mut rest = self.entries.get(start..).unwrap_or_default();
        while let Some((entry, next, after)) = Entry::read(rest) {
            if entry.fits(reading.text, reading.side) {
                let sure = matches!(reading.names, Names::Of(id) if id.on(reading.side) == entry.shelf);
                found.add(if sure { entry.found } else { entry.found.unsure() });
            }
            if next == Next::None {
                return;
            }
            rest = after;
        }
    }
}

/// A text, the side from which it is read, and what is known of the names that led to it.
struct Reading<'a> {
    text: &'a [u8],
    side: Side,
    names: Names,
}

/// Whether the names of server and tool were compared by their letters with those of a shelf. Keys alone tell nothing for
/// certain: a text can be made to lead from one shelf to an entry of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Of(ShelfId),
    Unknown,
}

impl Names {
    /// Names those of shelf `id` if each of `names` is the one that is sought.
    fn of(id: ShelfId, names: [(&str, &str); 2]) -> Self {
        // No server is the usual case, and comparing nothing with nothing is slow: it is read from nowhere.
        let same = |(own, sought): (&str, &str)| (own.is_empty() && sought.is_empty()) || own == sought;
        if names.into_iter().all(same) { Self::Of(id) } else { Self::Unknown }
    }
}
