//! Who is at the door: a token in a header, or a browser's session.

pub mod door;
mod signed_in;

pub use signed_in::{Sight, SignedIn};

/// The name of the browser's cookie.
pub const COOKIE: &str = "countersign_session";
