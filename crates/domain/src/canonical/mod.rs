//! Canonical JSON: one text per value (RFC 8785), and a reader that takes only what has one meaning.
//!
//! Two programs that read the same bytes must see the same call. Whatever parsers are known to disagree on
//! (repeated keys, lone surrogates, integers a double cannot hold, trailing text) is refused here, before anything
//! is judged, shown, signed or executed.

mod read;
mod text;
mod write;

pub use read::{Limits, ReadError, Wrong, read};
pub use text::{Text, Unwritable, text_of};
pub use write::{canonical, depth};
