//! One literal that a pattern is filed under. Entries lie one after the other with their bytes, so that whoever comes to
//! one has all that is needed to compare it at hand.

use super::found::Found;
use super::key::{CHUNK, Side};

/// A literal that begins (ends) what a pattern fits, or is all of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) literal: &'a [u8],
    /// The text must have nothing else.
    pub(super) whole: bool,
    pub(super) found: Found,
    /// The shelf and the side that it is filed on. Who comes to it by its key may have come from elsewhere.
    pub(super) shelf: u32,
}

/// Whether another entry is kept at the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Another,
    None,
}

const LEN: u32 = WHOLE - 1;
const WHOLE: u32 = 1 << 30;
const LAST: u32 = 1 << 31;

impl<'a> Entry<'a> {
    pub(super) fn write(&self, next: Next, out: &mut Vec<u8>) {
        // Of a literal that is longer than any line the beginning will do: then the pattern is looked at.
        let len = u32::try_from(self.literal.len()).ok().filter(|&len| len <= LEN);
        let (len, whole, found) = len.map_or((LEN, false, self.found.unsure()), |len| (len, self.whole, self.found));
        let marks = if whole { WHOLE } else { 0 } | if next == Next::None { LAST } else { 0 };
        out.extend((len | marks).to_le_bytes());
        out.extend(found.bits().to_le_bytes());
        out.extend(self.shelf.to_le_bytes());
        out.extend(self.literal.iter().take(len as usize));
    }

    /// The first entry of `bytes`, whether another follows, and the bytes behind it.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Self, Next, &'a [u8])> {
        let (head, rest) = bytes.split_first_chunk::<4>()?;
        let (found, rest) = rest.split_first_chunk::<4>()?;
        let (shelf, rest) = rest.split_first_chunk::<4>()?;
        let head = u32::from_le_bytes(*head);
        let (literal, rest) = rest.split_at_checked((head & LEN) as usize)?;
        let (found, shelf) = (Found::of_bits(u32::from_le_bytes(*found)), u32::from_le_bytes(*shelf));
        let entry = Self { literal, whole: head & WHOLE != 0, found, shelf };
        Some((entry, if head & LAST == 0 { Next::Another } else { Next::None }, rest))
    }

    pub(super) fn fits(&self, text: &[u8], side: Side) -> bool {
        let Some(more) = text.len().checked_sub(self.literal.len()) else { return false };
        if self.whole && more > 0 {
            return false;
        }
        // Literals that are kept together differ most in what is farthest from their side: most are told apart by that.
        let (part, far, own_far) = match side {
            Side::Start => {
                let part = text.get(..self.literal.len()).unwrap_or_default();
                (part, part.last_chunk::<CHUNK>(), self.literal.last_chunk::<CHUNK>())
            }
            Side::End => {
                let part = text.get(more..).unwrap_or_default();
                (part, part.first_chunk::<CHUNK>(), self.literal.first_chunk::<CHUNK>())
            }
        };
        far.map(|far| u64::from_le_bytes(*far)) == own_far.map(|far| u64::from_le_bytes(*far)) && part == self.literal
    }
}
