//! Files patterns: decides for each what it is found by.

use super::Index;
use super::found::{Found, Note};
use super::key::{Drawer, Hashing, Key, Side};
use super::shelf::{Ends, Literals, Run, ServerShelf, ShelfId, Slot, ToolShelf, first_bit};
use super::spread::{Literal, Spread};
use crate::pattern::glob::Glob;
use crate::pattern::{Pattern, Server};
use std::collections::HashMap;

/// An index in the making.
#[derive(Debug, Default)]
pub(super) struct File<'a> {
    servers: HashMap<Key, ServerShelf, Hashing>,
    tools: HashMap<Key, ToolShelf, Hashing>,
    /// What is found together, by its drawer.
    runs: Vec<(Key, Found)>,
    /// Beginnings and ends, by the drawer they go into.
    literals: Vec<(Key, Literal<'a>)>,
    /// The bytes with which those of a drawer begin (end).
    firsts: HashMap<Key, u64, Hashing>,
    newest: ShelfId,
    /// How many patterns share an end, where they have two to choose from.
    shared: HashMap<Key, u32, Hashing>,
}

impl<'a> File<'a> {
    pub(super) fn of(patterns: impl Iterator<Item = (&'a Pattern, Note)> + Clone) -> Self {
        let mut file = File::default();
        for (pattern, _) in patterns.clone() {
            file.count(pattern);
        }
        for ((pattern, note), place) in patterns.zip(0..) {
            file.add(pattern, Found::perhaps(place).noted(note));
        }
        file
    }

    #[cfg(test)]
    pub(super) fn of_everything(places: u32) -> Self {
        let mut file = File::default();
        file.servers.entry(Key::ANY_SERVER).or_default();
        file.runs.extend((0..places).map(|place| (Key::ANY_SERVER.drawer(Drawer::AnyTool), Found::perhaps(place))));
        file
    }

    fn count(&mut self, pattern: &Pattern) {
        let (root, glob) = found_by(pattern);
        if let Some(glob) = glob
            && !glob.prefix().is_empty()
            && !glob.suffix().is_empty()
        {
            for (drawer, end) in [(Drawer::Starts, glob.prefix()), (Drawer::Ends, glob.suffix())] {
                *self.shared.entry(root.drawer(drawer).text(end)).or_default() += 1;
            }
        }
    }

    fn add(&mut self, pattern: &'a Pattern, place: Found) {
        let (key, name) = (server(pattern), server_name(pattern).unwrap_or_default());
        let (root, glob) = found_by(pattern);
        let newest = &mut self.newest;
        let mut next = || {
            *newest = newest.next();
            *newest
        };
        let new = || ServerShelf { name: name.into(), id: next(), ..ServerShelf::default() };
        let server = self.servers.entry(key).or_insert_with(new);
        let mut id = server.id;
        // Two names may have one key. Whoever comes first has the shelf: of the other's patterns nobody is sure.
        let mut own = *server.name == *name;
        if let Some(tool) = pattern.exact_tool().filter(|_| pattern.is_narrow() && !pattern.splits_anyhow()) {
            server.has_tools = true;
            let new = || ToolShelf { server: name.into(), name: tool.into(), id: next(), ..ToolShelf::default() };
            let filed = self.tools.entry(root).or_insert_with(new);
            id = filed.id;
            own &= *filed.server == *name && *filed.name == *tool;
        }
        if pattern.is_narrow() && root != key {
            self.runs.push((root.drawer(Drawer::Brackets), place));
        }
        match glob {
            Some(glob) if own => self.put_by_end(root, glob, found(pattern, glob, place), id),
            Some(glob) => self.put_by_end(root, glob, place, id),
            None => self.runs.push((root, place)),
        }
    }

    /// Files a pattern under one of its glob's two ends: the one that fewer others share.
    fn put_by_end(&mut self, root: Key, glob: &'a Glob, found: Found, id: ShelfId) {
        let (prefix, suffix) = (glob.prefix(), glob.suffix());
        if prefix.is_empty() && suffix.is_empty() {
            return self.runs.push((root.drawer(Drawer::Loose), found.unsure()));
        }
        let sharing = |drawer, end| self.shared.get(&root.drawer(drawer).text(end)).copied().unwrap_or_default();
        let by_suffix = prefix.is_empty()
            || (!suffix.is_empty() && sharing(Drawer::Ends, suffix) < sharing(Drawer::Starts, prefix));
        let (side, text) = if by_suffix { (Side::End, suffix) } else { (Side::Start, prefix) };
        let drawer = root.drawer(side.drawer());
        *self.firsts.entry(drawer).or_default() |= first_bit(text.as_bytes(), side);
        self.literals.push((drawer, Literal { text, side, whole: glob.exact().is_some(), found, shelf: id }));
    }

    pub(super) fn finish(mut self) -> Index {
        let Spread { mut roots, stems, entries } = Spread::of(std::mem::take(&mut self.literals));
        let mut runs = self.found_together();
        for (&key, server) in &mut self.servers {
            let any_tool = key.drawer(Drawer::AnyTool);
            server.any_tool.fill(any_tool, &mut runs, &mut roots, &self.firsts);
            server.names = ends(key, &mut roots, &self.firsts);
            server.has_any_tool = !server.any_tool.is_empty();
            server.has_names = !server.names.is_empty();
        }
        for (&key, tool) in &mut self.tools {
            tool.fill(key, &mut runs, &mut roots, &self.firsts);
        }
        Index {
            any: self.servers.remove(&Key::ANY_SERVER).unwrap_or_default(),
            servers: self.servers,
            tools: self.tools,
            stems,
            entries: entries.into(),
            places: self.runs.into_iter().map(|(_, found)| found).collect(),
        }
    }

    fn found_together(&mut self) -> HashMap<Key, Run, Hashing> {
        self.runs.sort_unstable();
        let (mut out, mut start) = (HashMap::default(), 0);
        for run in self.runs.chunk_by(|a, b| a.0 == b.0) {
            let Some((key, _)) = run.first() else { continue };
            let len = u32::try_from(run.len()).unwrap_or(u32::MAX);
            out.insert(*key, Run { start, len });
            start += len;
        }
        out
    }
}

impl ToolShelf {
    fn fill(
        &mut self,
        key: Key,
        runs: &mut HashMap<Key, Run, Hashing>,
        roots: &mut HashMap<Key, Slot, Hashing>,
        firsts: &HashMap<Key, u64, Hashing>,
    ) {
        let mut run = |key: Key| runs.remove(&key).unwrap_or_default();
        self.whole = run(key);
        self.brackets = run(key.drawer(Drawer::Brackets));
        self.loose = run(key.drawer(Drawer::Loose));
        self.texts = ends(key, roots, firsts);
    }
}

/// The beginnings and ends below `root`.
fn ends(root: Key, roots: &mut HashMap<Key, Slot, Hashing>, firsts: &HashMap<Key, u64, Hashing>) -> Ends {
    let mut literals = |side: Side| {
        let drawer = root.drawer(side.drawer());
        let firsts = firsts.get(&drawer).copied().unwrap_or_default();
        Literals { firsts, slot: roots.remove(&drawer).unwrap_or_default() }
    };
    Ends { starts: literals(Side::Start), ends: literals(Side::End) }
}

/// The server of a pattern that is for one server only.
fn server_name(pattern: &Pattern) -> Option<&str> {
    // A call without a server has the empty name in a denial, and is looked up under no server.
    pattern.exact_server().filter(|server| !server.is_empty())
}

/// What a pattern for one server only is filed below.
fn server(pattern: &Pattern) -> Key {
    server_name(pattern).map_or(Key::ANY_SERVER, Key::server)
}

/// What is known of a pattern once its names have been compared, and the literal that it is filed under by `glob`.
fn found(pattern: &Pattern, glob: &Glob, place: Found) -> Found {
    let of_any_server = matches!(pattern.server, Server::Unqualified | Server::Every);
    let names = of_any_server || server_name(pattern).is_some();
    let by_all_it_says = !pattern.splits_anyhow() && (pattern.exact_tool().is_some() || !pattern.is_narrow());
    if !(names && by_all_it_says && glob.is_one_literal()) {
        return place;
    }
    let found = place.sure();
    if pattern.is_narrow() && glob.exact().is_none() { found.open() } else { found }
}

/// What a pattern is filed below, and the glob by whose ends it is found there.
///
/// Brackets are looked at where the tool is named exactly, or where nothing literal is said of its name.
fn found_by(pattern: &Pattern) -> (Key, Option<&Glob>) {
    let (server, name) = (server(pattern), &pattern.tool);
    if pattern.splits_anyhow() {
        return (server.drawer(Drawer::AnyTool), pattern.text_in_brackets());
    }
    let says_nothing = name.exact().is_none() && name.prefix().is_empty() && name.suffix().is_empty();
    match (name.exact(), pattern.text_in_brackets()) {
        (Some(tool), Some(text)) => (server.tool(tool), Some(text)),
        (None, text) if says_nothing => (server.drawer(Drawer::AnyTool), text),
        _ => (server, Some(name)),
    }
}
