//! Checkpoints: how large the log was and what its root was, signed, as [C2SP](https://c2sp.org/tlog-checkpoint) has them.
//!
//! ```text
//! example.com/log
//! 20852163
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
//!
//! — example.com/log Az3grlgt…
//! ```
//!
//! The origin names the log, then come its size and, in base64, its root. Lines after that are extensions, opaque to us.
//! Whoever keeps one can tell ever after whether the log still begins with what it then was.

use super::note::{self, BadNote, Note, SignerKey, Unverified, VerifierKey};
use super::tree::Hash;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// What was signed of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    origin: String,
    size: u64,
    root: Hash,
    extensions: Vec<String>,
}

/// Why a text is no checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadCheckpoint {
    /// A line is missing.
    #[error("a checkpoint has at least three lines: origin, size and root")]
    Short,
    /// A line is empty, or has a break or a control character in it.
    #[error("line {0} of a checkpoint must be a line, and not empty")]
    Line(usize),
    /// The size is not a number as it must be written.
    #[error("the size of a checkpoint is a decimal number without leading zeroes")]
    Size,
    /// The root is not one.
    #[error("the root of a checkpoint is the base64 of 32 bytes")]
    Root,
}

impl Checkpoint {
    /// The checkpoint of the log `origin` at this size.
    pub fn new(origin: &str, size: u64, root: Hash) -> Result<Self, BadCheckpoint> {
        Ok(Self { origin: line(1, origin)?, size, root, extensions: vec![] })
    }

    /// The same with one more line.
    pub fn extended(mut self, extension: &str) -> Result<Self, BadCheckpoint> {
        self.extensions.push(line(self.extensions.len() + 4, extension)?);
        Ok(self)
    }

    /// The name of the log.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// How many leaves the tree had.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The root it had.
    pub const fn root(&self) -> &Hash {
        &self.root
    }

    /// What else it says.
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// The text that is signed.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root));
        for extension in &self.extensions {
            text.push_str(extension);
            text.push('\n');
        }
        text
    }

    /// Reads the text of a note that was verified.
    pub fn parse(text: &str) -> Result<Self, BadCheckpoint> {
        let mut lines = text.strip_suffix('\n').ok_or(BadCheckpoint::Short)?.split('\n');
        let mut next = || lines.next().ok_or(BadCheckpoint::Short);
        let (origin, size, root) = (next()?, next()?, next()?);
        let is_plain = size == "0" || !size.starts_with('0') && size.bytes().all(|byte| byte.is_ascii_digit());
        let size = Some(size).filter(|_| is_plain).and_then(|size| size.parse().ok()).ok_or(BadCheckpoint::Size)?;
        let root = STANDARD.decode(root).ok().and_then(|root| root.try_into().ok()).ok_or(BadCheckpoint::Root)?;
        lines.try_fold(Self::new(origin, size, root)?, Self::extended)
    }

    /// The checkpoint as a note that `key` signed.
    pub fn sign(&self, key: &SignerKey) -> Result<String, BadNote> {
        note::sign(&self.text(), key)
    }

    /// Reads a note, verifies that one of `keys` signed it, and reads what it says.
    pub fn open(note: &str, keys: &[VerifierKey]) -> Result<Self, Unopened> {
        Ok(Self::parse(Note::parse(note)?.verify(keys)?)?)
    }
}

/// Why a note is no checkpoint to rely on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unopened {
    /// It is no note.
    #[error("it is no signed note: {0}")]
    Note(#[from] BadNote),
    /// Nobody who is trusted signed it.
    #[error(transparent)]
    Unverified(#[from] Unverified),
    /// It says something else.
    #[error(transparent)]
    Checkpoint(#[from] BadCheckpoint),
}

fn line(number: usize, text: &str) -> Result<String, BadCheckpoint> {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ') {
        return Err(BadCheckpoint::Line(number));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the example in the specification.
    const TEXT: &str = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";

    fn key() -> SignerKey {
        SignerKey::new("example.com/log", [3; 32]).unwrap()
    }

    #[test]
    fn the_published_text_is_read_and_written() {
        let read = Checkpoint::parse(TEXT).unwrap();
        assert_eq!((read.origin(), read.size()), ("example.com/behind-the-sofa", 20_852_163));
        assert_eq!(read.text(), TEXT);
        let note = format!(
            "{TEXT}\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
        );
        assert!(Note::parse(&note).is_ok());
    }

    #[test]
    fn what_was_signed_is_what_is_opened() {
        let plain = Checkpoint::new("example.com/log", 0, crate::audit::tree::empty_root()).unwrap();
        let extended = plain.clone().extended("one").unwrap().extended("two").unwrap();
        for checkpoint in [plain, extended] {
            let note = checkpoint.sign(&key()).unwrap();
            assert_eq!(Checkpoint::open(&note, &[key().verifier()]), Ok(checkpoint));
        }
    }

    #[test]
    fn what_nobody_who_is_trusted_signed_is_not_opened() {
        let note = Checkpoint::new("example.com/log", 3, [1; 32]).unwrap().sign(&key()).unwrap();
        let other = SignerKey::new("example.com/log", [4; 32]).unwrap().verifier();
        assert!(matches!(Checkpoint::open(&note, &[other]), Err(Unopened::Unverified(Unverified::Unknown { .. }))));
        let larger = note.replacen("\n3\n", "\n4\n", 1);
        let opened = Checkpoint::open(&larger, &[key().verifier()]);
        assert!(matches!(opened, Err(Unopened::Unverified(Unverified::False { .. }))));
        let letter = note::sign("dear log\n", &key()).unwrap();
        assert_eq!(Checkpoint::open(&letter, &[key().verifier()]), Err(Unopened::Checkpoint(BadCheckpoint::Short)));
    }

    #[test]
    fn what_is_no_checkpoint_is_refused_and_says_why() {
        let root = STANDARD.encode([0; 32]);
        let cases = [
            (String::new(), BadCheckpoint::Short),
            ("log\n1\n".into(), BadCheckpoint::Short),
            (format!("log\n1\n{root}"), BadCheckpoint::Short),
            (format!("\n1\n{root}\n"), BadCheckpoint::Line(1)),
            (format!("log\n01\n{root}\n"), BadCheckpoint::Size),
            (format!("log\n+1\n{root}\n"), BadCheckpoint::Size),
            (format!("log\n\n{root}\n"), BadCheckpoint::Size),
            (format!("log\n99999999999999999999\n{root}\n"), BadCheckpoint::Size),
            (format!("log\n1\n{}\n", root.trim_end_matches('=')), BadCheckpoint::Root),
            (format!("log\n1\n{}\n", STANDARD.encode([0; 31])), BadCheckpoint::Root),
            (format!("log\n1\n{root}\n\n"), BadCheckpoint::Line(4)),
            (format!("log\n1\n{root}\na\n\n"), BadCheckpoint::Line(5)),
        ];
        for (text, wrong) in cases {
            assert_eq!(Checkpoint::parse(&text), Err(wrong), "{text}");
        }
        // An origin with a break in it would be a checkpoint of another size.
        assert_eq!(Checkpoint::new("log\n999", 1, [0; 32]), Err(BadCheckpoint::Line(1)));
    }
}
