//! A span that has ended, as it leaves.

use super::context::{SpanId, TraceId};

/// Something that was done, from when to when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub trace: TraceId,
    pub id: SpanId,
    pub parent: Option<SpanId>,
    pub name: String,
    pub kind: Kind,
    /// Nanoseconds since 1970.
    pub start: u64,
    pub end: u64,
    pub attributes: Vec<(&'static str, Value)>,
    pub failed: bool,
}

/// Which side of a conversation it is, in the numbers of the protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// What is said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(i64),
}

/// The word for an error, in the numbers of the protocol.
pub const FAILED: u64 = 2;
