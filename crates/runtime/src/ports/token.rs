//! What proves who somebody is, as it is kept.

use super::Receipt;
use countersign_domain::{Digest, Principal};
use jiff::Timestamp;

/// A token, session or sign-in link to keep.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// What is told of it.
    pub entry: TokenEntry,
    /// The hash of it.
    pub hash: Digest,
    /// Who made it; `None` is whoever has the database: the command line, or the server for somebody who signs in.
    pub by: Option<Principal>,
    /// The key under which it is made once.
    pub receipt: Option<Receipt>,
}

/// What is told of a token, session or sign-in link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenEntry {
    /// Its id: no secret.
    pub id: String,
    /// What it is.
    pub form: TokenForm,
    /// Whose it is.
    pub principal: Principal,
    /// For a session: the token it was opened with.
    pub parent: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked or used up.
    pub ended_at: Option<Timestamp>,
}

/// What proves who somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenForm {
    /// A token that a program or person keeps.
    Token,
    /// A browser's session.
    Session,
    /// A link that signs in once.
    Link,
}

impl TokenForm {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Session => "session",
            Self::Link => "link",
        }
    }
}
