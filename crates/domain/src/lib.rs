//! The nouns of Countersign: ids, calls, canonical JSON and digests, what a call touches, delegation,
//! and the lives of runs, calls and interactions.
//!
//! Pure: no I/O, no async, no clock, no randomness. Everything here is computable from its arguments alone.

pub mod audit;
pub mod call;
pub mod canonical;
pub mod delegation;
pub mod describe;
mod digest;
pub mod disguise;
mod ids;
pub mod interaction;
mod keyed;
pub mod principal;
pub mod run;
pub mod schema;
pub mod secret;

pub use call::Call;
pub use digest::Digest;
pub use ids::{BadId, CallId, InteractionId, RunId};
pub use principal::Principal;
