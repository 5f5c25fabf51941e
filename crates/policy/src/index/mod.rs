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
mod file;
mod key;
#[cfg(test)]
mod tests;

pub(crate) use candidates::Candidates;

use countersign_domain::describe::{Described, Part, Resource};
use file::File;
use key::{Drawer, End, Key, Side};
use std::collections::HashMap;

/// Places of patterns, filed by what must hold literally for them to fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    slots: HashMap<Key, Slot, key::AsItIs>,
    places: Box<[u32]>,
}

/// What is filed under one key: a run of [`Index::places`], and which longer literals go on from here.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    start: u32,
    len: u32,
    /// Bit `n`: a literal goes on from here by `n` bytes and ends, `n` being less than a chunk.
    tails: u8,
}

impl Index {
    /// The index of `patterns`, which are known by their places from here on.
    pub(crate) fn new<'a>(patterns: impl Iterator<Item = &'a crate::pattern::Pattern> + Clone) -> Self {
        File::of(patterns).finish()
    }

    /// One that finds all of so many patterns, whatever is looked up: what the judge does by it is a plain loop.
    #[cfg(test)]
    pub(crate) fn of_everything(patterns: usize) -> Self {
        let mut file = File::default();
        for place in 0..u32::try_from(patterns).unwrap() {
            file.put(Key::ANY_SERVER.drawer(Drawer::AnyTool), place);
        }
        file.finish()
    }

    /// The places of the patterns that may fit `call`, ascending.
    pub(crate) fn of_call(&self, call: &Described) -> Candidates<'_> {
        self.find(call.server.as_deref(), &call.tool, Some(&call.resource))
    }

    /// The places of the patterns that may name this tool, ascending; brackets are not looked at, nor those that have
    /// them.
    pub(crate) fn of_tool(&self, server: Option<&str>, tool: &str) -> Candidates<'_> {
        self.find(server, tool, None)
    }

    fn find(&self, server: Option<&str>, tool: &str, resource: Option<&Resource>) -> Candidates<'_> {
        let mut found = Candidates::default();
        if self.slots.is_empty() {
            return found;
        }
        for server in [Some(Key::ANY_SERVER), server.map(|server| Key::ROOT.text(server))].into_iter().flatten() {
            for tool in [server.text(tool), server.drawer(Drawer::AnyTool)] {
                self.in_tool(tool, resource, &mut found);
            }
            self.climb(server.drawer(Drawer::Names), tool, &mut found);
        }
        found
    }

    fn in_tool<'a>(&'a self, tool: Key, resource: Option<&Resource>, found: &mut Candidates<'a>) {
        let Some(slot) = self.slots.get(&tool) else { return };
        found.add(self.run(slot));
        match resource {
            // Brackets speak of something, and there is nothing.
            None | Some(Resource::Nothing) => {}
            Some(Resource::Parts(parts)) if !parts.is_empty() && parts.iter().all(is_text) => {
                found.add(self.at(tool.drawer(Drawer::Loose)));
                for part in parts {
                    if let Part::Text(text) = part {
                        found.add(self.at(tool.drawer(Drawer::Exact).text(text)));
                        self.climb(tool.drawer(Drawer::Texts), text, found);
                    }
                }
            }
            Some(Resource::Parts(_) | Resource::NotUnderstood) => found.add(self.at(tool.drawer(Drawer::Brackets))),
        }
    }

    /// Everything filed under a beginning or an end of `text`.
    fn climb<'a>(&'a self, root: Key, text: &str, found: &mut Candidates<'a>) {
        for side in [Side::Start, Side::End] {
            let mut stem = root.side(side);
            let mut end = End::new(text, side);
            while let Some(slot) = self.slots.get(&stem) {
                found.add(self.run(slot));
                let chunk = end.chunk();
                for tail in (1..key::CHUNK).filter(|&tail| slot.tails & (1 << tail) != 0 && tail <= end.left()) {
                    found.add(self.at(stem.tail(chunk, tail)));
                }
                if !end.go_on() {
                    break;
                }
                stem = stem.whole(chunk);
            }
        }
    }

    fn at(&self, key: Key) -> &[u32] {
        self.slots.get(&key).map_or(&[], |slot| self.run(slot))
    }

    fn run(&self, slot: &Slot) -> &[u32] {
        let start = slot.start as usize;
        self.places.get(start..start + slot.len as usize).unwrap_or_default()
    }
}

fn is_text(part: &Part) -> bool {
    matches!(part, Part::Text(_))
}
