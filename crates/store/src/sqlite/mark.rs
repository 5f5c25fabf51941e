//! A mark of the write-ahead log, by which one sees without reading anything that nobody has written.

use crate::time;
use countersign_runtime::ports::Mark;
use jiff::{SignedDuration, Timestamp};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// How long the log must have been left alone. What is written within one tick of the file system's clock looks alike.
const LEFT_ALONE: SignedDuration = SignedDuration::from_millis(100);

/// The log of the database at `path`, where the links on the way to it lead.
pub fn log(path: &Path) -> PathBuf {
    let mut log = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
    log.push("-wal");
    log.into()
}

/// Its mark. Every commit, of whichever process, writes to it; asking the system about a file that is open waits for nobody.
pub fn of(log: &Path) -> Option<Mark> {
    let about = std::fs::metadata(log).ok()?;
    // A clock of whole seconds tells nothing of what happened within one.
    let nanoseconds = i32::try_from(about.mtime_nsec()).ok().filter(|fraction| *fraction != 0)?;
    let written = Timestamp::new(about.mtime(), nanoseconds).ok()?;
    let settled = time::now().duration_since(written) >= LEFT_ALONE;
    settled.then_some(Mark { file: about.ino(), bytes: about.len(), written })
}

/// Gives the log another mark. Its frames are written before their commit can be seen: whoever looked in between would take what
/// they saw for what is. Where that cannot be done, what was seen counts for no longer than it may at the most.
pub fn renew(log: &Path) {
    let renewed = std::fs::File::options().append(true).open(log);
    if let Err(error) = renewed.and_then(|log| log.set_modified(time::now().into())) {
        tracing::warn!(%error, "the write-ahead log cannot be given another time");
    }
}
