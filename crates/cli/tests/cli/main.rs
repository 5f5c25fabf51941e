//! The built program, through its command line.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod cases;
mod check;
mod corpus;
mod lint;
mod program;
mod refusals;
