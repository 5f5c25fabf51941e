//! The record of a disk: what was done to its files, in order.

use std::sync::Arc;

/// A file, whatever its name is by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// One thing that was done.
///
/// A flush names how much of the record it `covers`: what was written while it was under way may have come too late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file came to be.
    Made {
        /// The file.
        file: FileId,
        /// Its name in the folder.
        name: String,
    },
    /// Bytes were written.
    Wrote {
        /// The file.
        file: FileId,
        /// Where they begin.
        at: usize,
        /// What they are.
        bytes: Arc<[u8]>,
    },
    /// The file got this length.
    Cut {
        /// The file.
        file: FileId,
        /// Its length.
        length: usize,
    },
    /// What was written to the file is on the disk for good.
    Synced {
        /// The file.
        file: FileId,
        /// How many entries of the record are.
        covers: usize,
    },
    /// The disk was to make it so, and failed: what was written may be there or not, and no later flush brings it back.
    SyncFailed {
        /// The file.
        file: FileId,
    },
    /// A name is gone.
    Removed {
        /// The name.
        name: String,
    },
    /// Which files the folder has is on the disk for good.
    FolderSynced {
        /// How many entries of the record are.
        covers: usize,
    },
}
