//! Sessions: conversations that go on over several runs.

pub mod list;
pub mod messages;
