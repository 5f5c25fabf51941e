//! Files patterns: decides for each what it is found by.

use super::key::{CHUNK, Drawer, End, Key, Side};
use super::{Index, Slot, key};
use crate::pattern::Pattern;
use crate::pattern::glob::Glob;
use std::collections::HashMap;

/// An index in the making.
#[derive(Debug, Default)]
pub(super) struct File {
    slots: HashMap<Key, Slot, key::AsItIs>,
    entries: Vec<(Key, u32)>,
    /// How many patterns share an end, where they have two to choose from.
    shared: HashMap<Key, u32, key::AsItIs>,
}

/// What must hold of a text for a glob to match it.
enum Literal<'a> {
    Exact(&'a str),
    /// A beginning, an end, or both; one of them may be empty.
    Ends(&'a str, &'a str),
    Nothing,
}

impl<'a> Literal<'a> {
    fn of(glob: &'a Glob) -> Self {
        match (glob.exact(), glob.prefix(), glob.suffix()) {
            (Some(exact), _, _) => Self::Exact(exact),
            (None, "", "") => Self::Nothing,
            (None, prefix, suffix) => Self::Ends(prefix, suffix),
        }
    }
}

impl File {
    pub(super) fn of<'a>(patterns: impl Iterator<Item = &'a Pattern> + Clone) -> Self {
        let mut file = Self::default();
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
        let name = Literal::of(&pattern.tool);
        let (root, literal) = match (tool(server, &name), pattern.text_in_brackets()) {
            (Some(tool), Some(text)) => (tool.drawer(Drawer::Texts), Literal::of(text)),
            (Some(_), None) => return,
            (None, _) => (server.drawer(Drawer::Names), name),
        };
        if let Literal::Ends(prefix, suffix) = literal
            && !prefix.is_empty()
            && !suffix.is_empty()
        {
            for (side, end) in [(Side::Start, prefix), (Side::End, suffix)] {
                *self.shared.entry(root.side(side).text(end)).or_default() += 1;
            }
        }
    }

    fn add(&mut self, pattern: &Pattern, place: u32) {
        let server = server(pattern);
        let name = Literal::of(&pattern.tool);
        let Some(tool) = tool(server, &name) else {
            if let Literal::Ends(prefix, suffix) = name {
                self.put_by_end(server.drawer(Drawer::Names), prefix, suffix, place);
            }
            return;
        };
        let Some(text) = pattern.text_in_brackets() else { return self.put(tool, place) };
        // Whoever looks for what is below the tool looks for the tool first.
        self.slots.entry(tool).or_default();
        self.put(tool.drawer(Drawer::Brackets), place);
        match Literal::of(text) {
            Literal::Exact(exact) => self.put(tool.drawer(Drawer::Exact).text(exact), place),
            Literal::Nothing => self.put(tool.drawer(Drawer::Loose), place),
            Literal::Ends(prefix, suffix) => self.put_by_end(tool.drawer(Drawer::Texts), prefix, suffix, place),
        }
    }

    /// Files a pattern under one of its two ends: the one that fewer others share.
    fn put_by_end(&mut self, root: Key, prefix: &str, suffix: &str, place: u32) {
        let sharing = |side, end| self.shared.get(&root.side(side).text(end)).copied().unwrap_or_default();
        let by_suffix =
            prefix.is_empty() || (!suffix.is_empty() && sharing(Side::End, suffix) < sharing(Side::Start, prefix));
        let (side, literal) = if by_suffix { (Side::End, suffix) } else { (Side::Start, prefix) };
        let mut stem = root.side(side);
        let mut end = End::new(literal, side);
        loop {
            let slot = self.slots.entry(stem).or_default();
            match end.left() {
                0 => return self.put(stem, place),
                tail if tail < CHUNK => {
                    slot.tails |= 1 << tail;
                    return self.put(stem.tail(end.chunk(), tail), place);
                }
                _ => {
                    stem = stem.whole(end.chunk());
                    end.go_on();
                }
            }
        }
    }

    pub(super) fn put(&mut self, key: Key, place: u32) {
        self.entries.push((key, place));
    }

    pub(super) fn finish(mut self) -> Index {
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
}

/// What a pattern for one server only is filed below.
fn server(pattern: &Pattern) -> Key {
    // A call without a server has the empty name in a denial, and is looked up under no server.
    pattern.exact_server().filter(|server| !server.is_empty()).map_or(Key::ANY_SERVER, |server| Key::ROOT.text(server))
}

/// What a pattern is filed below that names one tool, or says nothing literal of its name.
fn tool(server: Key, name: &Literal) -> Option<Key> {
    match name {
        Literal::Exact(tool) => Some(server.text(tool)),
        Literal::Nothing => Some(server.drawer(Drawer::AnyTool)),
        Literal::Ends(..) => None,
    }
}
