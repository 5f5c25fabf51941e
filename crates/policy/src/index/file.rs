//! Files patterns: decides for each what it is found by.

use super::key::{CHUNK, Drawer, End, Hashing, Key, Side};
use super::{Index, Slot};
use crate::pattern::Pattern;
use crate::pattern::glob::Glob;
use std::collections::HashMap;

/// An index in the making.
#[derive(Debug, Default)]
pub(super) struct File<'a> {
    slots: HashMap<Key, Slot, Hashing>,
    entries: Vec<(Key, u32)>,
    /// Beginnings and ends, by the drawer they go into.
    literals: Vec<(Key, Literal<'a>)>,
    /// How many patterns share an end, where they have two to choose from.
    shared: HashMap<Key, u32, Hashing>,
}

/// What a text must begin or end with for a pattern to fit.
#[derive(Debug, Clone, Copy)]
struct Literal<'a> {
    text: &'a str,
    side: Side,
    place: u32,
}

/// So few patterns that have so much in common are not worth telling apart any further: they are looked at instead.
const FEW: usize = 4;
const MUCH: usize = 2 * CHUNK;

impl<'a> File<'a> {
    pub(super) fn of(patterns: impl Iterator<Item = &'a Pattern> + Clone) -> Self {
        let mut file = File::default();
        for pattern in patterns.clone() {
            file.count(pattern);
        }
        for (pattern, place) in patterns.zip(0..) {
            file.add(pattern, place);
        }
        file
    }

    fn count(&mut self, pattern: &Pattern) {
        let server = server(pattern);
        let (root, glob) = match (below(server, pattern), pattern.text_in_brackets()) {
            (Some((tool, _)), Some(text)) => (tool, text),
            (Some(_), None) => return,
            (None, _) => (server, &pattern.tool),
        };
        let (prefix, suffix) = (glob.prefix(), glob.suffix());
        if !prefix.is_empty() && !suffix.is_empty() {
            for (drawer, end) in [(Drawer::Starts, prefix), (Drawer::Ends, suffix)] {
                *self.shared.entry(root.drawer(drawer).text(end)).or_default() += 1;
            }
        }
    }

    fn add(&mut self, pattern: &'a Pattern, place: u32) {
        let server = server(pattern);
        let Some((tool, drawer)) = below(server, pattern) else {
            return self.put_by_end(server, &pattern.tool, place);
        };
        self.slot(server).below |= drawer.bit();
        match pattern.text_in_brackets() {
            None => self.entries.push((tool, place)),
            Some(text) => {
                self.put(tool, Drawer::Brackets, place);
                self.put_by_end(tool, text, place);
            }
        }
    }

    /// Files a pattern under one of its glob's two ends: the one that fewer others share.
    fn put_by_end(&mut self, root: Key, glob: &'a Glob, place: u32) {
        let (prefix, suffix) = (glob.prefix(), glob.suffix());
        if prefix.is_empty() && suffix.is_empty() {
            return self.put(root, Drawer::Loose, place);
        }
        let sharing = |drawer, end| self.shared.get(&root.drawer(drawer).text(end)).copied().unwrap_or_default();
        let by_suffix = prefix.is_empty()
            || (!suffix.is_empty() && sharing(Drawer::Ends, suffix) < sharing(Drawer::Starts, prefix));
        let ((drawer, side), text) = if by_suffix { (Drawer::ENDS, suffix) } else { (Drawer::STARTS, prefix) };
        self.slot(root).below |= drawer.bit();
        self.literals.push((root.drawer(drawer), Literal { text, side, place }));
    }

    pub(super) fn put(&mut self, root: Key, drawer: Drawer, place: u32) {
        self.slot(root).below |= drawer.bit();
        self.entries.push((root.drawer(drawer), place));
    }

    fn slot(&mut self, key: Key) -> &mut Slot {
        self.slots.entry(key).or_default()
    }

    pub(super) fn finish(mut self) -> Index {
        self.spread();
        self.entries.sort_unstable();
        let mut start = 0;
        for run in self.entries.chunk_by(|a, b| a.0 == b.0) {
            let Some((key, _)) = run.first() else { continue };
            let len = u32::try_from(run.len()).unwrap_or(u32::MAX);
            let slot = self.slots.entry(*key).or_default();
            (slot.start, slot.len) = (start, len);
            start += len;
        }
        self.slots.shrink_to_fit();
        Index { slots: self.slots, places: self.entries.into_iter().map(|(_, place)| place).collect() }
    }

    /// Tells the literals of a drawer apart chunk by chunk, until few are left together.
    fn spread(&mut self) {
        let mut work = vec![(0, std::mem::take(&mut self.literals))];
        while let Some((read, mut literals)) = work.pop() {
            literals.sort_unstable_by_key(|(stem, _)| *stem);
            for together in literals.chunk_by(|a, b| a.0 == b.0) {
                let further = self.spread_stem(together, read);
                if !further.is_empty() {
                    work.push((read + CHUNK, further));
                }
            }
        }
    }

    /// Files literals that have the first `read` bytes in common; those that go on by a whole chunk are given back.
    fn spread_stem(&mut self, together: &[(Key, Literal<'a>)], read: usize) -> Vec<(Key, Literal<'a>)> {
        if read >= MUCH && together.len() <= FEW {
            self.entries.extend(together.iter().map(|(stem, literal)| (*stem, literal.place)));
            return Vec::new();
        }
        let mut further = Vec::new();
        for &(stem, literal) in together {
            let end = literal.after(read);
            match end.left() {
                0 => self.entries.push((stem, literal.place)),
                tail if tail < CHUNK => {
                    self.slot(stem).below |= 1 << tail;
                    self.entries.push((stem.tail(end.chunk(), tail), literal.place));
                }
                _ => {
                    self.slot(stem).below |= 1;
                    further.push((stem.whole(end.chunk()), literal));
                }
            }
        }
        further
    }
}

impl<'a> Literal<'a> {
    /// What is left of it after so many bytes from its side.
    fn after(&self, read: usize) -> End<'a> {
        let bytes = self.text.as_bytes();
        let left = match self.side {
            Side::Start => bytes.get(read..),
            Side::End => bytes.len().checked_sub(read).and_then(|left| bytes.get(..left)),
        };
        End::new(left.unwrap_or_default(), self.side)
    }
}

/// What a pattern for one server only is filed below.
fn server(pattern: &Pattern) -> Key {
    // A call without a server has the empty name in a denial, and is looked up under no server.
    pattern.exact_server().filter(|server| !server.is_empty()).map_or(Key::ANY_SERVER, Key::server)
}

/// What a pattern is filed below that names one tool, or says nothing literal of its name; and its drawer.
fn below(server: Key, pattern: &Pattern) -> Option<(Key, Drawer)> {
    if pattern.splits_anyhow() {
        return Some((server.drawer(Drawer::AnyTool), Drawer::AnyTool));
    }
    let name = &pattern.tool;
    match (name.exact(), name.prefix(), name.suffix()) {
        (Some(tool), _, _) => Some((server.drawer(Drawer::Tool).text(tool), Drawer::Tool)),
        (None, "", "") => Some((server.drawer(Drawer::AnyTool), Drawer::AnyTool)),
        _ => None,
    }
}
