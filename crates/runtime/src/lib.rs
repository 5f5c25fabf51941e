//! The path of a call: judge, ask, answer, execute, record; and the durable runs of agents that walk it.
//!
//! Start reading at `path`.

pub mod ports;
