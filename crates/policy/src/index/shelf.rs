//! Shelves: what is filed under a server and under a tool.

use super::key::Side;
use std::ops::Range;

/// What is filed under one server, or under any.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ServerShelf {
    /// Patterns with brackets name tools exactly: there are shelves for those.
    pub(super) has_tools: bool,
    pub(super) has_any_tool: bool,
    pub(super) has_names: bool,
    /// Patterns that say nothing literal about the tool's name.
    pub(super) any_tool: ToolShelf,
    /// Of tools' names.
    pub(super) names: Ends,
}

/// What is filed under one tool, or under any.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ToolShelf {
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
    pub(super) fn of(self, places: &[u32]) -> &[u32] {
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

/// Some of the entries of an index, and what to look for below their stem. Packed, since there may be very many.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot(u64);

/// Enough for more patterns than fit into memory.
const COUNT_BITS: u32 = 28;
const COUNT: u64 = (1 << COUNT_BITS) - 1;

impl Slot {
    /// Literals go on by a whole chunk.
    pub(super) const GOES_ON: u8 = 1;

    pub(super) fn set_range(&mut self, range: Range<usize>) {
        self.0 = self.0 & 0xff | (range.start as u64 & COUNT) << 8 | (range.len() as u64 & COUNT) << (8 + COUNT_BITS);
    }

    pub(super) fn range(self) -> Range<usize> {
        // Of a number of so few bits nothing is lost.
        let count = |bits: u64| usize::try_from(bits & COUNT).unwrap_or(usize::MAX >> 1);
        let (start, len) = (count(self.0 >> 8), count(self.0 >> (8 + COUNT_BITS)));
        start..start + len
    }

    /// Bit 0: literals go on by a whole chunk; bit `n`: literals go on by `n` bytes and end.
    pub(super) fn add_below(&mut self, bits: u8) {
        self.0 |= u64::from(bits);
    }

    pub(super) fn has_below(self) -> bool {
        self.0 & 0xff != 0
    }

    pub(super) fn goes_on(self) -> bool {
        self.0 & u64::from(Self::GOES_ON) != 0
    }

    /// By how many bytes literals go on that end before the next chunk, ascending.
    pub(super) fn tails(self) -> impl Iterator<Item = usize> {
        let mut left = self.0 & 0xfe;
        std::iter::from_fn(move || {
            let tail = (left != 0).then_some(left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            tail
        })
    }
}
