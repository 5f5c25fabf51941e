//! What the analysis of command lines says it understands, a real bash understands the same way.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at once")]

mod batch;
mod cage;
mod differential;
mod found;
mod lines;
mod robust;
