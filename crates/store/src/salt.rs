//! Salts: what texts are hashed with, so that nobody can guess a short text from its hash.

use crate::failure::unavailable;
use countersign_runtime::ports::StoreError;

/// The length of a salt.
const LENGTH: usize = 16;

/// So many new ones.
pub fn some(many: usize) -> Result<Vec<[u8; LENGTH]>, StoreError> {
    let mut salts = vec![[0; LENGTH]; many];
    getrandom::fill(salts.as_flattened_mut()).map_err(unavailable)?;
    Ok(salts)
}
