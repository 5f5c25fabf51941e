//! The key of secrets: what placeholders are made with, and what their secrets are sealed under. Kept outside of the database.

use crate::audit::note::SignerKey;
use crate::keyed::keyed;
use crate::{Digest, RunId};
use std::fmt;

/// What placeholders are made with, and what their secrets are sealed under. It never prints itself.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of these random bytes, which the caller draws.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key that follows from the one that signs the log: whoever keeps that one keeps this one too.
    pub fn of(signer: &SignerKey) -> Self {
        Self(signer.derived("countersign secrets v1"))
    }

    /// The key under which the secrets of `run` are sealed.
    pub fn sealing(&self, run: RunId) -> [u8; 32] {
        keyed(&self.0, &[b"seal", run.uuid().as_bytes()])
    }

    /// The digest of a request that somebody may send again. Without the key nobody can try out which request it was.
    pub fn request(&self, text: &str) -> Digest {
        Digest::new(keyed(&self.0, &[b"request", text.as_bytes()]))
    }

    /// What the placeholders of `run` are made with; without one, those of what happens outside of runs.
    pub(super) fn naming(&self, run: Option<RunId>) -> [u8; 32] {
        let run = run.map(|run| *run.uuid().as_bytes()).unwrap_or_default();
        keyed(&self.0, &[b"name", &run])
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}
