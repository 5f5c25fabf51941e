//! The vault: what stood where a placeholder stands, sealed under a key that is not in the database.
//!
//! The secrets of an event are one row, bound to their place: sealed bytes that were moved to another event or run do not
//! open. They are there for as long as the run may need them.

use crate::failure::unavailable;
use crate::json;
use countersign_domain::RunId;
use countersign_domain::run::Event;
use countersign_domain::secret::{Key, Secrets};
use countersign_runtime::ports::{Masks, StoreError};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

/// Masks what is saved, seals what was masked, and opens it again.
#[derive(Debug)]
pub struct Vault {
    masks: Masks,
}

/// The secrets of the event at this place of its run, sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRow {
    pub seq: i64,
    pub sealed: Vec<u8>,
}

impl Vault {
    pub fn new(key: Key) -> Self {
        Self { masks: Masks::new(key) }
    }

    /// Under a key that is gone with it.
    pub fn fleeting() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self::new(Key::new(key)))
    }

    pub const fn masks(&self) -> &Masks {
        &self.masks
    }

    /// Seals the secrets of the event of `run` at `seq`.
    pub fn seal(&self, run: RunId, seq: i64, secrets: &Secrets) -> Result<SealedRow, StoreError> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(unavailable)?;
        let mut bytes = json::text_of(secrets).map_err(unavailable)?.into_bytes();
        let key = self.key(run).ok_or_else(|| unavailable("nothing can be sealed"))?;
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), bound_to(run, seq), &mut bytes)
            .map_err(|_| unavailable("nothing can be sealed"))?;
        Ok(SealedRow { seq, sealed: [&nonce[..], &bytes].concat() })
    }

    /// Puts the secrets of the event of `run` at `seq` back, and remembers them.
    pub fn unmask(&self, run: RunId, seq: i64, sealed: &[u8], event: &mut Event) -> Result<(), StoreError> {
        let secrets = self.open(run, seq, sealed).ok_or(StoreError::Sealed(run))?;
        secrets.unmask(event);
        self.masks.remember(run, secrets);
        Ok(())
    }

    /// Whether what is sealed of the event of `run` at `seq` opens.
    pub fn can_open(&self, run: RunId, seq: i64, sealed: &[u8]) -> bool {
        self.open(run, seq, sealed).is_some()
    }

    fn open(&self, run: RunId, seq: i64, sealed: &[u8]) -> Option<Secrets> {
        let (nonce, bytes) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut bytes = bytes.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let text = self.key(run)?.open_in_place(nonce, bound_to(run, seq), &mut bytes).ok()?;
        json::thing_in(str::from_utf8(text).ok()?).ok()
    }

    fn key(&self, run: RunId) -> Option<LessSafeKey> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, &self.masks.key().sealing(run)).ok()?;
        Some(LessSafeKey::new(key))
    }
}

fn bound_to(run: RunId, seq: i64) -> Aad<Vec<u8>> {
    Aad::from([run.uuid().as_bytes(), &seq.to_be_bytes()[..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn masked(vault: &Vault, run: RunId) -> (Event, Event, Secrets) {
        let said = Event::RunCompleted { output: "PASSWORD=hunter2hunter2".into() };
        let mut events = [said.clone()];
        let secrets = vault.masks().masker(run).mask(&mut events).remove(0);
        let [masked] = events;
        (said, masked, secrets)
    }

    #[test]
    fn what_was_sealed_opens_in_its_place_under_its_key_and_nowhere_else() {
        let vault = Vault::new(Key::new([1; 32]));
        let (here, elsewhere) = (RunId::new(Uuid::from_u128(1)), RunId::new(Uuid::from_u128(2)));
        let (said, masked, secrets) = masked(&vault, here);
        let SealedRow { sealed, .. } = vault.seal(here, 3, &secrets).unwrap();
        assert!(!String::from_utf8_lossy(&sealed).contains("hunter2"));
        let opened = |vault: &Vault, run, seq, sealed: &[u8]| {
            let mut event = masked.clone();
            vault.unmask(run, seq, sealed, &mut event).map(|()| event)
        };
        assert_eq!(opened(&vault, here, 3, &sealed).unwrap(), said);
        let mut changed = sealed.clone();
        *changed.last_mut().unwrap() ^= 1;
        for wrong in [
            opened(&vault, here, 4, &sealed),
            opened(&vault, elsewhere, 3, &sealed),
            opened(&Vault::new(Key::new([2; 32])), here, 3, &sealed),
            opened(&vault, here, 3, &changed),
            opened(&vault, here, 3, &[]),
        ] {
            assert!(matches!(wrong, Err(StoreError::Sealed(_))), "{wrong:?}");
        }
    }
}
