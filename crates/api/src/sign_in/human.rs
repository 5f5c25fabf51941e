//! Who counts as a person, where a person must answer.

use countersign_domain::principal::{Kind, Presence};
use countersign_runtime::ports::TokenEntry;

/// Who counts as a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Human {
    /// Whoever has a personal token, or is signed in.
    #[default]
    Token,
    /// Only whoever is signed in: a program may hold a token.
    Session,
}

impl Human {
    /// Whoever shows this token.
    pub fn by_token(self, mut entry: TokenEntry) -> TokenEntry {
        if self == Self::Session && entry.principal.kind == Kind::User {
            entry.principal.presence = Presence::ByToken;
        }
        entry
    }
}
