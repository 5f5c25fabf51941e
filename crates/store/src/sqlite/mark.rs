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
    let nanoseconds = i32::try_from(about.mtime_nsec()).ok()?;
    let written = Timestamp::new(about.mtime(), nanoseconds).ok()?;
    let settled = time::now().duration_since(written) >= LEFT_ALONE;
    settled.then_some(Mark { file: about.ino(), bytes: about.len(), written })
}
