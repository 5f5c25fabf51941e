//! The built program, through its command line.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at once"
)]

mod cases;
mod check;
mod corpus;
mod durable;
mod lint;
mod product;
mod program;
mod refusals;
mod sound;
