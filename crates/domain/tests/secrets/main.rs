//! Secrets: all that are planted are found, nothing ordinary is, and masking is undone byte for byte.
#![expect(
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what goes wrong fails the test"
)]

mod args;
mod golden;
mod hostile;
mod kinds;
mod masker;
mod ordinary;
mod planted;
mod properties;
mod vault;
