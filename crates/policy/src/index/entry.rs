//! One literal among few, with enough of it to tell at a glance that a text lacks it.

use super::key::{CHUNK, End, Side, low_bytes};

/// A literal that a pattern is filed under.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Its last bytes as seen from its side: those in which literals that are kept together differ most.
    far: u64,
    /// Its length, and whether it is all of the text.
    len: u32,
    place: u32,
}

const WHOLE: u32 = 1 << 31;

impl Entry {
    /// `literal` begins (ends) what the pattern at `place` fits, or is all of it.
    pub(super) fn new(literal: &[u8], side: Side, whole: bool, place: u32) -> Self {
        let len = u32::try_from(literal.len()).unwrap_or(WHOLE - 1).min(WHOLE - 1);
        let far = far(literal, side, len as usize).unwrap_or_default();
        Self { far, len: if whole { len | WHOLE } else { len }, place }
    }

    pub(super) fn place(&self) -> u32 {
        self.place
    }

    /// A no is certain.
    pub(super) fn may_fit(&self, text: &[u8], side: Side) -> bool {
        let len = (self.len & !WHOLE) as usize;
        (self.len & WHOLE == 0 || text.len() == len) && far(text, side, len) == Some(self.far)
    }
}

/// The last chunk of the first `len` bytes from a side, or all of them where they are fewer; `None` where `bytes` is
/// shorter than that.
fn far(bytes: &[u8], side: Side, len: usize) -> Option<u64> {
    let left = bytes.len().checked_sub(len)?;
    if len < CHUNK {
        return Some(low_bytes(End::new(bytes, side).chunk(), len));
    }
    let start = match side {
        Side::Start => len - CHUNK,
        Side::End => left,
    };
    let chunk = bytes.get(start..)?.first_chunk::<CHUNK>()?;
    Some(u64::from_le_bytes(*chunk))
}
