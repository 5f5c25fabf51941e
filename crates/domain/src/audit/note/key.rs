//! The keys of notes, each in one word.

use super::STANDARD;
use crate::audit::entry::push_hex;
use crate::audit::tree::Hash;
use crate::keyed::keyed;
use base64::Engine as _;
use ed25519_dalek::{Signature, SignatureError, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// A public key, and the name by which its signatures are known. Printed as `name+hash+key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    hash: [u8; 4],
    key: VerifyingKey,
}

/// A private key. It never prints itself; whoever keeps it asks for its text.
#[derive(Clone)]
pub struct SignerKey {
    name: String,
    hash: [u8; 4],
    key: SigningKey,
}

impl SignerKey {
    /// The key with this name that follows from 32 random bytes, which the caller draws.
    pub fn new(name: &str, seed: [u8; 32]) -> Result<Self, BadName> {
        check_name(name)?;
        let key = SigningKey::from_bytes(&seed);
        Ok(Self { name: name.to_owned(), hash: hash(name, &key.verifying_key()), key })
    }

    /// The key by which others verify what this one signs.
    pub fn verifier(&self) -> VerifierKey {
        VerifierKey { name: self.name.clone(), hash: self.hash, key: self.key.verifying_key() }
    }

    /// The text to keep it in, `PRIVATE+KEY+name+hash+seed`. Whoever has it can sign.
    pub fn secret_text(&self) -> String {
        format!("{SECRET}{}", word(&self.name, self.hash, self.key.as_bytes()))
    }

    /// Another key, for `purpose`, that follows from this one and does not tell it.
    pub fn derived(&self, purpose: &str) -> [u8; 32] {
        keyed(self.key.as_bytes(), &[purpose.as_bytes()])
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn hash(&self) -> [u8; 4] {
        self.hash
    }

    pub(super) fn sign(&self, text: &str) -> [u8; 64] {
        self.key.sign(text.as_bytes()).to_bytes()
    }
}

impl VerifierKey {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn hash(&self) -> [u8; 4] {
        self.hash
    }

    pub(super) fn verify(&self, text: &str, signature: &[u8]) -> Result<(), SignatureError> {
        self.key.verify_strict(text.as_bytes(), &Signature::from_slice(signature)?)
    }
}

const SECRET: &str = "PRIVATE+KEY+";
/// What stands before a key, for Ed25519.
const ED25519: u8 = 1;

fn hash(name: &str, key: &VerifyingKey) -> [u8; 4] {
    let kind = [b'\n', ED25519];
    let whole: Hash =
        Sha256::new().chain_update(name).chain_update(kind).chain_update(key.as_bytes()).finalize().into();
    let [a, b, c, d, ..] = whole;
    [a, b, c, d]
}

fn word(name: &str, hash: [u8; 4], key: &[u8; 32]) -> String {
    let mut text = format!("{name}+");
    push_hex(&hash, &mut text);
    format!("{text}+{}", STANDARD.encode([&[ED25519], &key[..]].concat()))
}

/// The name cannot be that of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name of a key is not empty, and has no spaces, no `+` and no control characters")]
pub struct BadName;

pub(super) fn check_name(name: &str) -> Result<(), BadName> {
    let odd = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '+';
    if name.is_empty() || name.contains(odd) { Err(BadName) } else { Ok(()) }
}

/// Why a text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// It has another form.
    #[error("expected {0}")]
    Form(&'static str),
    /// Its name cannot be one.
    #[error(transparent)]
    Name(#[from] BadName),
    /// It is for another kind of signature.
    #[error("the key is of kind {0}; only Ed25519, kind 1, is understood")]
    Kind(u8),
    /// It is no point of the curve, or one with which everybody can sign.
    #[error("it is no Ed25519 key")]
    Key,
    /// The hash in it is that of another key or name.
    #[error("the hash in the key does not belong to its name and key: part of it was changed")]
    Hash,
}

const PUBLIC_FORM: &str = "a public key, `name+hash+key`";
const SECRET_FORM: &str = "a private key, `PRIVATE+KEY+name+hash+key`";

/// Name, hash and bytes of a key in one word.
fn parse<'a>(text: &'a str, form: &'static str) -> Result<(&'a str, &'a str, [u8; 32]), BadKey> {
    let (name, rest) = text.split_once('+').ok_or(BadKey::Form(form))?;
    let (hash, key) = rest.split_once('+').ok_or(BadKey::Form(form))?;
    check_name(name)?;
    let bytes = STANDARD.decode(key).map_err(|_| BadKey::Form(form))?;
    let (kind, key) = bytes.split_first().ok_or(BadKey::Form(form))?;
    if *kind != ED25519 {
        return Err(BadKey::Kind(*kind));
    }
    Ok((name, hash, key.try_into().map_err(|_| BadKey::Form(form))?))
}

/// The hash as it must be written, if it is.
fn same_hash(name: &str, key: &VerifyingKey, written: &str) -> Result<[u8; 4], BadKey> {
    let (hash, mut text) = (hash(name, key), String::new());
    push_hex(&hash, &mut text);
    if text == written { Ok(hash) } else { Err(BadKey::Hash) }
}

impl FromStr for VerifierKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let (name, written, bytes) = parse(text, PUBLIC_FORM)?;
        let key = VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak()).ok_or(BadKey::Key)?;
        Ok(Self { name: name.to_owned(), hash: same_hash(name, &key, written)?, key })
    }
}

impl FromStr for SignerKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let (name, written, seed) = parse(text.strip_prefix(SECRET).ok_or(BadKey::Form(SECRET_FORM))?, SECRET_FORM)?;
        let key = SigningKey::from_bytes(&seed);
        Ok(Self { name: name.to_owned(), hash: same_hash(name, &key.verifying_key(), written)?, key })
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&word(&self.name, self.hash, self.key.as_bytes()))
    }
}

impl fmt::Debug for SignerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignerKey").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The example of the Go implementation.
    pub const PUBLIC: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    pub const SECRET: &str = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";

    #[test]
    fn the_published_keys_are_read_and_written_and_belong_together() {
        let (public, secret): (VerifierKey, SignerKey) = (PUBLIC.parse().unwrap(), SECRET.parse().unwrap());
        assert_eq!(secret.verifier(), public);
        assert_eq!((public.to_string(), secret.secret_text()), (PUBLIC.into(), SECRET.into()));
        assert!(!format!("{secret:?}").contains("AYEK"));
    }

    #[test]
    fn a_key_of_which_any_part_is_missing_or_changed_is_refused() {
        for (start, end) in (0..PUBLIC.len()).flat_map(|start| (start..=PUBLIC.len()).map(move |end| (start, end))) {
            let part = PUBLIC.get(start..end).unwrap();
            assert!(part == PUBLIC || part.parse::<VerifierKey>().is_err(), "{part}");
        }
        for text in [PUBLIC, SECRET] {
            for i in 0..text.len() {
                let mut changed = text.as_bytes().to_vec();
                changed[i] += 1;
                let changed = String::from_utf8(changed).unwrap();
                assert!(changed.parse::<VerifierKey>().is_err() && changed.parse::<SignerKey>().is_err(), "{changed}");
            }
        }
    }

    #[test]
    fn a_bad_key_says_what_is_wrong() {
        let cases = [
            ("", "expected a public key, `name+hash+key`"),
            (SECRET, "expected a public key, `name+hash+key`"),
            ("a b+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "the name of a key is not empty"),
            ("Peter+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "the hash in the key does not belong"),
            ("Peter+c74f20a3+AhpcAAAA", "the key is of kind 2"),
            ("Peter+c74f20a3+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "it is no Ed25519 key"),
        ];
        for (text, expected) in cases {
            let error = text.parse::<VerifierKey>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert_eq!(SignerKey::new("a+b", [1; 32]).unwrap_err(), BadName);
    }
}
