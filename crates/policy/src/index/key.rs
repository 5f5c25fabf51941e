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
}

/// How many bytes are taken in at once.
pub(super) const CHUNK: usize = 8;

impl Key {
    const SERVERS: Self = Self(0x243f_6a88_85a3_08d3);
    pub(super) const ANY_SERVER: Self = Self(0x1319_8a2e_0370_7344);

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
        let mut key = self.with(bytes.len() as u64);
        let mut end = End::new(bytes, Side::Start);
        loop {
            key = key.with(end.chunk());
            if !end.go_on() {
                return key;
            }
        }
    }

    /// The key of a literal that goes on by a whole chunk.
    pub(super) fn whole(self, chunk: u64) -> Self {
        self.with(chunk)
    }

    /// The key of a literal that goes on by the first `tail` bytes of a chunk and ends.
    pub(super) fn tail(self, chunk: u64, tail: usize) -> Self {
        self.with(low_bytes(chunk, tail) | ((tail as u64) << 56))
    }

    /// The chunk that leads from here to where `chunk` leads from `other`.
    #[cfg(test)]
    pub(super) fn chunk_like(self, other: Self, chunk: u64) -> u64 {
        self.0 ^ other.0 ^ chunk
    }

    /// Multiplies to twice the width and folds: every bit of both reaches every bit of the result.
    fn with(self, word: u64) -> Self {
        let (low, high) = (self.0 ^ word).carrying_mul(0x9e37_79b9_7f4a_7c15, 0);
        Self(low ^ high)
    }
}

/// The lowest so many bytes of a chunk; fewer than all of them.
pub(super) fn low_bytes(chunk: u64, bytes: usize) -> u64 {
    chunk & ((1 << (bytes * 8)) - 1)
}

/// A text, read in chunks from one of its sides.
pub(super) struct End<'a> {
    left: &'a [u8],
    side: Side,
}

impl<'a> End<'a> {
    pub(super) fn new(bytes: &'a [u8], side: Side) -> Self {
        Self { left: bytes, side }
    }

    /// How many bytes have not been read.
    pub(super) fn left(&self) -> usize {
        self.left.len()
    }

    /// The next bytes, the one nearest to the side lowest; zeros where there are none.
    pub(super) fn chunk(&self) -> u64 {
        match self.side {
            Side::Start => match self.left.first_chunk::<CHUNK>() {
                Some(chunk) => u64::from_le_bytes(*chunk),
                None => self.left.iter().rev().fold(0, |chunk, &byte| chunk << 8 | u64::from(byte)),
            },
            Side::End => match self.left.last_chunk::<CHUNK>() {
                Some(chunk) => u64::from_be_bytes(*chunk),
                None => self.left.iter().fold(0, |chunk, &byte| chunk << 8 | u64::from(byte)),
            },
        }
    }

    /// Goes on by a whole chunk, if there is one.
    pub(super) fn go_on(&mut self) -> bool {
        let rest = match self.side {
            Side::Start => self.left.get(CHUNK..),
            Side::End => self.left.len().checked_sub(CHUNK).and_then(|rest| self.left.get(..rest)),
        };
        rest.map(|rest| self.left = rest).is_some()
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
