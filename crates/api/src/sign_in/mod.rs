//! Who is at the door: a token in a header, or a browser's session.

mod cookie;
pub mod door;
mod human;
mod pass;
mod signed_in;

pub use human::Human;
pub use pass::Pass;
pub use signed_in::{Sight, SignedIn};

/// The name of the browser's cookie; over an encrypted connection with the prefix `__Host-`.
pub const COOKIE: &str = "countersign_session";
