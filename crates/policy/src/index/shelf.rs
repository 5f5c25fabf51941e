//! Shelves: what is filed under a server and under a tool.

use super::found::Found;
use super::key::Side;

/// What is filed under one server, or under any.
#[derive(Debug, Clone, Default)]
pub(super) struct ServerShelf {
    /// The server's name; empty for any.
    pub(super) name: Box<str>,
    pub(super) id: ShelfId,
    /// Patterns with brackets name tools exactly: there are shelves for those.
    pub(super) has_tools: bool,
    pub(super) has_any_tool: bool,
    pub(super) has_names: bool,
    /// Patterns that say nothing literal about the tool's name.
    pub(super) any_tool: ToolShelf,
    /// Of tools' names.
    pub(super) names: Ends,
}

/// Tells the shelves of an index apart, and the two sides from which literals on them are read. Unlike keys no two are
/// the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ShelfId(u32);

impl ShelfId {
    pub(super) fn next(self) -> Self {
        Self(self.0 + 2)
    }

    pub(super) fn on(self, side: Side) -> u32 {
        self.0 | u32::from(side == Side::End)
    }
}

/// What is filed under one tool, or under any.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolShelf {
    /// The server's name, empty for any, and the tool's; empty for any.
    pub(super) server: Box<str>,
    pub(super) name: Box<str>,
    pub(super) id: ShelfId,
    /// Patterns without brackets.
    pub(super) whole: Run,
    /// All patterns with brackets.
    pub(super) brackets: Run,
    /// Those without a literal beginning or end.
    pub(super) loose: Run,
    /// Of what stands in brackets.
    pub(super) texts: Ends,
}

impl ToolShelf {
    pub(super) fn is_empty(&self) -> bool {
        self.whole.len == 0 && self.brackets.len == 0
    }
}

/// Beginnings, whole texts among them, and ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ends {
    pub(super) starts: Literals,
    pub(super) ends: Literals,
}

impl Ends {
    pub(super) fn is_empty(&self) -> bool {
        self.starts.firsts | self.ends.firsts == 0
    }
}

/// Some of the places of an index.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Run {
    pub(super) fn of(self, places: &[Found]) -> &[Found] {
        let start = self.start as usize;
        places.get(start..start + self.len as usize).unwrap_or_default()
    }
}

/// Beginnings (ends), all below one root.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Literals {
    /// Bits of the bytes that they begin (end) with: one look tells that most texts have none of them.
    pub(super) firsts: u64,
    pub(super) slot: Slot,
}

impl Literals {
    pub(super) fn may_begin(&self, text: &[u8], side: Side) -> bool {
        self.firsts & first_bit(text, side) != 0
    }
}

/// The bit of the byte that `text` begins (ends) with. Small letters and digits are told apart.
pub(super) fn first_bit(text: &[u8], side: Side) -> u64 {
    let byte = match side {
        Side::Start => text.first(),
        Side::End => text.last(),
    };
    byte.map_or(0, |byte| 1 << ((byte & 31) | ((byte >> 1) & 32)))
}

/// A stem: where the entries begin that are kept at it, and by how many bytes all others go on. Packed, since there may
/// be very many.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot(u64);

impl Slot {
    /// Entries beginning at `start`, if there are any, and others that go on by `skip` bytes; none do by 0.
    pub(super) fn new(start: Option<usize>, skip: u8) -> Self {
        Self(start.map_or(0, |start| start as u64 + 1) << 8 | u64::from(skip))
    }

    /// Where its entries begin, if it has any.
    pub(super) fn start(self) -> Option<usize> {
        usize::try_from(self.0 >> 8).ok()?.checked_sub(1)
    }

    /// By how many bytes all go on that are not kept here, if there are others.
    pub(super) fn skip(self) -> Option<usize> {
        let skip = self.0 & 0xff;
        (skip != 0).then_some(skip as usize)
    }
}
