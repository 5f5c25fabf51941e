//! Calls of programs outside: ask, wait, report.

pub mod ask;
pub mod body;
pub mod read;
pub mod report;
