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
mod sought;
#[cfg(test)]
mod tests;

pub(crate) use candidates::Candidates;
pub(crate) use key::Hashing;
pub(crate) use sought::Sought;

use countersign_domain::describe::Part;
use file::File;
use key::{Drawer, End, Key, Side};
use sought::Touched;
use std::collections::HashMap;

/// Places of patterns, filed by what must hold literally for them to fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    slots: HashMap<Key, Slot, Hashing>,
    places: Box<[u32]>,
}

/// What is filed under one key: a run of [`Index::places`], and what to look for below it.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    start: u32,
    len: u32,
    /// Of a server or a tool, bit [`Drawer`]: something is in there. Of a stem, bit 0: literals go on by a whole chunk,
    /// bit `n`: literals go on by `n` bytes and end.
    below: u8,
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
            file.put(Key::ANY_SERVER, Drawer::AnyTool, place);
        }
        file.finish()
    }

    /// The places of the patterns that may fit what is sought, ascending.
    pub(crate) fn find(&self, sought: &Sought) -> Candidates<'_> {
        let mut found = Candidates::default();
        if self.slots.is_empty() {
            return found;
        }
        for keys in sought.keys.iter().flatten() {
            let Some(slot) = self.slots.get(&keys.server) else { continue };
            if slot.has(Drawer::Tool) {
                self.in_tool(keys.tool, sought.touched, &mut found);
            }
            if slot.has(Drawer::AnyTool) {
                self.in_tool(keys.server.drawer(Drawer::AnyTool), sought.touched, &mut found);
            }
            self.climb(slot, keys.server, Drawer::STARTS, sought.tool, &mut found);
            self.climb(slot, keys.server, Drawer::ENDS, sought.tool, &mut found);
        }
        found
    }

    fn in_tool<'a>(&'a self, tool: Key, touched: Touched, found: &mut Candidates<'a>) {
        let Some(slot) = self.slots.get(&tool) else { return };
        found.add(self.run(slot));
        if !slot.has(Drawer::Brackets) {
            return;
        }
        match touched {
            Touched::Nothing => {}
            Touched::Other => found.add(self.at(tool.drawer(Drawer::Brackets))),
            Touched::Texts(parts) => {
                if slot.has(Drawer::Loose) {
                    found.add(self.at(tool.drawer(Drawer::Loose)));
                }
                for part in parts {
                    if let Part::Text(text) = part {
                        self.climb(slot, tool, Drawer::STARTS, text, found);
                        self.climb(slot, tool, Drawer::ENDS, text, found);
                    }
                }
            }
        }
    }

    /// Everything filed under a beginning (an end) of `text` below `root`, of which `slot` is the slot.
    fn climb<'a>(
        &'a self,
        slot: &Slot,
        root: Key,
        (drawer, side): (Drawer, Side),
        text: &str,
        found: &mut Candidates<'a>,
    ) {
        if !slot.has(drawer) {
            return;
        }
        let mut stem = root.drawer(drawer);
        let mut end = End::new(text.as_bytes(), side);
        while let Some(slot) = self.slots.get(&stem) {
            found.add(self.run(slot));
            let chunk = end.chunk();
            for tail in slot.tails().take_while(|&tail| tail <= end.left()) {
                found.add(self.at(stem.tail(chunk, tail)));
            }
            if slot.below & 1 == 0 || !end.go_on() {
                break;
            }
            stem = stem.whole(chunk);
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

impl Slot {
    fn has(self, drawer: Drawer) -> bool {
        self.below & drawer.bit() != 0
    }

    /// Of a stem: by how many bytes literals go on that end before the next chunk, ascending.
    fn tails(self) -> impl Iterator<Item = usize> {
        let mut left = self.below & !1;
        std::iter::from_fn(move || {
            let tail = (left != 0).then_some(left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            tail
        })
    }
}
