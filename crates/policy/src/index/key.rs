//! Keys: fingerprints of what patterns are filed under.
//!
//! Two different things may have one key. Then a pattern is looked at that does not fit, and no harm is done; so the
//! hash needs to be quick and even, not strong. Policies choose what is filed, callers only look up.

use std::hash::{BuildHasherDefault, Hasher};

/// A fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(u64);

/// The places below a server or a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawer {
    /// Of a server: tools that are exactly named.
    Tool,
    /// Of a server: patterns that say nothing literal about the tool's name.
    AnyTool,
    /// Of a tool: all patterns with brackets.
    Brackets,
    /// Of a tool: brackets without a literal beginning or end.
    Loose,
    /// Beginnings of names (of a server) or of what stands in brackets (of a tool).
    Starts,
    /// Ends of the same.
    Ends,
}

/// The side from which a literal is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Start,
    End,
}

impl Side {
    pub(super) fn drawer(self) -> Drawer {
        match self {
            Self::Start => Drawer::Starts,
            Self::End => Drawer::Ends,
        }
    }

    /// The `bytes` of `text` that are nearest to this side, and those behind them; `None` where it has not so many.
    #[inline]
    pub(super) fn split(self, text: &[u8], bytes: usize) -> Option<(&[u8], &[u8])> {
        match self {
            Self::Start => text.split_at_checked(bytes),
            Self::End => text.split_at_checked(text.len().checked_sub(bytes)?).map(|(rest, part)| (part, rest)),
        }
    }
}

/// How many bytes are taken in at once.
pub(super) const CHUNK: usize = 8;

impl Key {
    const SERVERS: Self = Self(0x243f_6a88_85a3_08d3);
    pub(super) const ANY_SERVER: Self = Self(0x1319_8a2e_0370_7344);

    /// No key is greater.
    pub(super) const LAST: Self = Self(u64::MAX);

    pub(super) fn server(name: &str) -> Self {
        Self::SERVERS.text(name)
    }

    /// The key of a tool of the server with this key.
    pub(super) fn tool(self, name: &str) -> Self {
        self.drawer(Drawer::Tool).text(name)
    }

    pub(super) fn drawer(self, drawer: Drawer) -> Self {
        self.with(drawer as u64)
    }

    /// The key of a whole text below this one.
    pub(super) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    fn bytes(self, bytes: &[u8]) -> Self {
        self.with(bytes.len() as u64).part(bytes)
    }

    /// The key of a literal that goes on by these bytes. How many they are is known to whoever asks.
    #[inline]
    pub(super) fn part(self, bytes: &[u8]) -> Self {
        let (chunks, rest) = bytes.as_chunks::<CHUNK>();
        let key = chunks.iter().fold(self, |key, chunk| key.with(u64::from_le_bytes(*chunk)));
        match (rest, bytes.last_chunk::<CHUNK>()) {
            ([], Some(_)) => key,
            // Bytes that are read twice do no harm, and reading them one by one is slow.
            (_, Some(last)) => key.with(u64::from_le_bytes(*last)),
            (rest, None) => key.with(short(rest)),
        }
    }

    /// The chunk that leads from here to where `chunk` leads from `other`.
    #[cfg(test)]
    pub(super) fn chunk_like(self, other: Self, chunk: u64) -> u64 {
        self.0 ^ other.0 ^ chunk
    }

    /// Its place in a table of so many.
    pub(super) fn home(self, places: usize) -> usize {
        let (_, place) = self.0.carrying_mul(places as u64, 0);
        usize::try_from(place).unwrap_or_default()
    }

    /// Two bits of a word, or one, by what has no part in its place in a table.
    pub(super) fn two_bits(self) -> u64 {
        1 << (self.0 & 63) | 1 << (self.0 >> 6 & 63)
    }

    /// Multiplies to twice the width and folds: every bit of both reaches every bit of the result.
    #[inline]
    fn with(self, word: u64) -> Self {
        let (low, high) = (self.0 ^ word).carrying_mul(0x9e37_79b9_7f4a_7c15, 0);
        Self(low ^ high)
    }
}

/// Fewer than [`CHUNK`] bytes as one word.
fn short(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) => u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)),
        _ => bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Keys are hashes already; names are hashed as keys are.
pub(crate) type Hashing = BuildHasherDefault<KeyHasher>;

/// Takes a key as its own hash, and makes one of anything else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyHasher(Key);

impl Default for KeyHasher {
    fn default() -> Self {
        Self(Key::SERVERS)
    }
}

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0.0
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = Key(key);
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 = self.0.with(u64::from(byte));
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = self.0.bytes(bytes);
    }
}
