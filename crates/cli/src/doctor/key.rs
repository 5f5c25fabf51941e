//! The key that signs the record, and the file of what it signed.

use super::Check;
use super::database::open_to_others;
use crate::notary::{Kept, notes};
use countersign_domain::audit::checkpoint::Checkpoint;
use countersign_domain::audit::note::{SignerKey, VerifierKey};
use countersign_domain::secret::Key;
use countersign_runtime::ports::SignedTree;
use countersign_store::{Inspected, Opens};
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;

const KEY: &str = "audit_key";
const CHECKPOINTS: &str = "checkpoints";

/// How much of the end of the file of checkpoints is read: more than the longest of them.
const END: u64 = 256 * 1024;

/// Looks at both; `seen` is what is in the database.
pub fn look(kept: &Kept, seen: Option<&Inspected>) -> [Check; 2] {
    match kept.key() {
        Ok(key) => [key_there(kept, &key, seen), checkpoints(&kept.checkpoints, &key.verifier(), seen)],
        Err(Some(failure)) => {
            let key = Check::failed(KEY, failure.in_one_line()).hint("put the key back from a copy");
            [key, Check::unseen(CHECKPOINTS, "there is no key to hold them against")]
        }
        Err(None) => [
            key_missing(&kept.key, seen),
            match seen.and_then(|seen| seen.signed.as_ref()) {
                None if !kept.checkpoints.exists() => Check::ok(CHECKPOINTS, "nothing was signed yet"),
                _ => Check::unseen(CHECKPOINTS, "there is no key to hold them against"),
            },
        ],
    }
}

fn key_missing(path: &Path, seen: Option<&Inspected>) -> Check {
    let text = format!("there is none at `{}`", path.display());
    let needed = seen.is_some_and(|seen| seen.signed.is_some() || seen.opens(Key::new([0; 32])) == Opens::No);
    if needed {
        return Check::failed(KEY, format!("{text}, and what is in the database was signed or sealed with one"))
            .hint("put it back from a copy, or name it with `audit.key`");
    }
    Check::ok(KEY, text).hint("it is made when the server first starts")
}

fn key_there(kept: &Kept, key: &SignerKey, seen: Option<&Inspected>) -> Check {
    let (name, path) = (key.name(), kept.key.display());
    let other = |what: &str| {
        Check::failed(KEY, format!("`{path}` holds `{name}`, which is not the key that {what}"))
            .hint("put the right one back from a copy, or name it with `audit.key`")
    };
    if let Some(seen) = seen {
        let by_it = |signed: &SignedTree| Checkpoint::open(&signed.note, &[key.verifier()]).is_ok();
        if seen.signed.as_ref().is_some_and(|signed| !by_it(signed)) {
            return other("signed the log of this database");
        }
        if seen.opens(Key::of(key)) == Opens::No {
            return other("secrets in this database are sealed under");
        }
    }
    if open_to_others(&kept.key) {
        return Check::warning(KEY, format!("`{path}` can be read by other users of this machine"))
            .hint(format!("chmod 600 '{path}'"));
    }
    Check::ok(KEY, format!("`{path}` holds `{name}`"))
}

fn checkpoints(path: &Path, key: &VerifierKey, seen: Option<&Inspected>) -> Check {
    let text = match end_of(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return none_kept(path, seen),
        Err(error) => return Check::failed(CHECKPOINTS, format!("cannot read `{}`: {error}", path.display())),
    };
    let shown = path.display();
    let Some(newest) = notes(&text).pop() else { return none_kept(path, seen) };
    let size = match Checkpoint::open(&newest, std::slice::from_ref(key)) {
        Ok(checkpoint) => checkpoint.size(),
        Err(wrong) => {
            return Check::failed(CHECKPOINTS, format!("the newest in `{shown}` does not count: {wrong}"))
                .hint("see that the key and the file belong together, then run `countersign audit verify`");
        }
    };
    let known = |seen: &Inspected| seen.signed.as_ref().map_or(0, |signed| signed.size);
    if let Some(in_database) = seen.map(known).filter(|known| size > *known) {
        let text = format!("`{shown}` knows of {size} entries that were signed, the database of {in_database}");
        return Check::failed(CHECKPOINTS, text)
            .hint("the database is older than the file, or another one: run `countersign audit verify`");
    }
    Check::ok(CHECKPOINTS, format!("the newest in `{shown}` is signed by this key, over {size} entries"))
}

fn none_kept(path: &Path, seen: Option<&Inspected>) -> Check {
    let text = format!("there are none at `{}`", path.display());
    match seen.and_then(|seen| seen.signed.as_ref()) {
        None => Check::ok(CHECKPOINTS, "nothing was signed yet"),
        Some(_) => Check::warning(CHECKPOINTS, text)
            .hint("put the file back from a copy: without it only the database says what it held"),
    }
}

/// The last of a file. What is cut off at its beginning is no note.
fn end_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(END)))?;
    let mut bytes = vec![];
    file.take(END).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
