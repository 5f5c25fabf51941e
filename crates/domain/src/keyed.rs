//! HMAC-SHA-256 (RFC 2104): a hash that only whoever has the key can make.

use sha2::{Digest as _, Sha256};

/// The block of SHA-256, in bytes.
const BLOCK: usize = 64;

/// The hash of `parts`, one behind the other, under `key`. Whoever hashes several parts of changing length sees to it that
/// they cannot be read otherwise.
pub(crate) fn keyed(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let padded = |with: u8| {
        let mut block = [with; BLOCK];
        block.iter_mut().zip(key).for_each(|(to, from)| *to ^= from);
        Sha256::new_with_prefix(block)
    };
    let inner = parts.iter().fold(padded(0x36), Sha256::chain_update).finalize();
    padded(0x5c).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::hex;

    /// Reckoned with `openssl dgst -sha256 -mac HMAC`.
    #[test]
    fn it_is_hmac() {
        let key = *b"key-of-thirty-two-bytes-exactly!";
        let whole = keyed(&key, &[b"what do ya want for nothing?"]);
        assert_eq!(whole, keyed(&key, &[b"what do ya ", b"want for nothing?"]));
        assert_eq!(hex(&whole), "9cee6da95ed581387ea01edaf8334ed12955d06ecc23202ba5f30f67fa6830d6");
    }
}
