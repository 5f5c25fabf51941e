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
mod key;
mod shelf;
mod sought;
#[cfg(test)]
mod tests;

pub(crate) use candidates::Candidates;
pub(crate) use key::Hashing;
pub(crate) use sought::Sought;

use countersign_domain::describe::Part;
use entry::Entry;
use file::File;
use key::{Drawer, End, Key, Side};
use shelf::{Ends, Literals, ServerShelf, Slot, ToolShelf};
use sought::Touched;
use std::collections::HashMap;

/// Places of patterns, filed by what must hold literally for them to fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// Patterns that do not name one server.
    any: ServerShelf,
    servers: HashMap<Key, ServerShelf, Hashing>,
    tools: HashMap<Key, ToolShelf, Hashing>,
    /// Where more literals go on from the same beginning (end) than are looked at one by one.
    stems: HashMap<Key, Slot, Hashing>,
    entries: Box<[Entry]>,
    places: Box<[u32]>,
}

impl Index {
    /// The index of `patterns`, which are known by their places from here on.
    pub(crate) fn new<'a>(patterns: impl Iterator<Item = &'a crate::pattern::Pattern> + Clone) -> Self {
        File::of(patterns).finish()
    }

    /// One that finds all of so many patterns, whatever is looked up: what the judge does by it is a plain loop.
    #[cfg(test)]
    pub(crate) fn of_everything(patterns: usize) -> Self {
        File::of_everything(u32::try_from(patterns).unwrap()).finish()
    }

    /// The places of the patterns that may fit what is sought, ascending.
    pub(crate) fn find(&self, sought: &Sought) -> Candidates<'_> {
        let mut found = Candidates::among(&self.places);
        self.in_server(&self.any, Key::ANY_SERVER, sought, &mut found);
        if let Some(name) = sought.server
            && !self.servers.is_empty()
        {
            let key = Key::server(name);
            if let Some(server) = self.servers.get(&key) {
                self.in_server(server, key, sought, &mut found);
            }
        }
        found
    }

    fn in_server(&self, server: &ServerShelf, key: Key, sought: &Sought, found: &mut Candidates<'_>) {
        if server.has_tools {
            let key = key.tool(sought.tool);
            if let Some(tool) = self.tools.get(&key) {
                self.in_tool(tool, key, sought.touched, found);
            }
        }
        if server.has_any_tool {
            self.in_tool(&server.any_tool, key.drawer(Drawer::AnyTool), sought.touched, found);
        }
        if server.has_names {
            self.by_ends(&server.names, key, sought.tool, found);
        }
    }

    fn in_tool(&self, tool: &ToolShelf, key: Key, touched: Touched, found: &mut Candidates<'_>) {
        found.add_run(tool.whole);
        match touched {
            Touched::Nothing => {}
            Touched::Other => found.add_run(tool.brackets),
            Touched::Texts(parts) => {
                found.add_run(tool.loose);
                for part in parts {
                    if let Part::Text(text) = part {
                        self.by_ends(&tool.texts, key, text, found);
                    }
                }
            }
        }
    }

    /// Everything filed under a beginning or an end of `text` below `root`.
    fn by_ends(&self, ends: &Ends, root: Key, text: &str, found: &mut Candidates<'_>) {
        let text = text.as_bytes();
        if ends.starts.may_begin(text, Side::Start) {
            self.climb(&ends.starts, root, Side::Start, text, found);
        }
        if ends.ends.may_begin(text, Side::End) {
            self.climb(&ends.ends, root, Side::End, text, found);
        }
    }

    fn climb(&self, literals: &Literals, root: Key, side: Side, text: &[u8], found: &mut Candidates<'_>) {
        let mut slot = literals.slot;
        self.look_at(slot, text, side, found);
        if !slot.has_below() {
            return;
        }
        let mut stem = root.drawer(side.drawer());
        let mut end = End::new(text, side);
        loop {
            let chunk = end.chunk();
            for tail in slot.tails().take_while(|&tail| tail <= end.left()) {
                if let Some(&slot) = self.stems.get(&stem.tail(chunk, tail)) {
                    self.look_at(slot, text, side, found);
                }
            }
            if !slot.goes_on() || !end.go_on() {
                return;
            }
            stem = stem.whole(chunk);
            let Some(&next) = self.stems.get(&stem) else { return };
            slot = next;
            self.look_at(slot, text, side, found);
        }
    }

    fn look_at(&self, slot: Slot, text: &[u8], side: Side, found: &mut Candidates<'_>) {
        let entries = self.entries.get(slot.range()).unwrap_or_default();
        for entry in entries.iter().filter(|entry| entry.may_fit(text, side)) {
            found.add(entry.place());
        }
    }
}
