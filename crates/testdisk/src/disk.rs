//! A folder that is watched, and what is wrong with its disk.

use crate::record::{Entry, FileId};
use crate::vfs;
use rusqlite::ffi;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::io;
use std::ops::{Bound, RangeBounds};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The parts in which a disk writes: of a write that fails, some may be there.
pub(crate) const SECTOR: usize = 512;

/// A folder whose `SQLite` files are watched from now on, until this is dropped.
#[derive(Debug)]
pub struct Disk {
    watched: Arc<Watched>,
}

/// What is wrong with a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// No file gets longer. Of a write that would make one so, a part may be written.
    Full,
    /// Nothing can be written, made or removed, and the system says that the disk is read-only.
    ReadOnly,
    /// Every write and flush fails.
    Broken,
}

impl Disk {
    /// Watches `folder`, which must be there. What it held before is in no record.
    pub fn over(folder: &Path) -> io::Result<Self> {
        Self::watch(folder, None)
    }

    /// The same; but this disk says that it has flushed files whose names end with `suffix`, and has not.
    pub fn that_forgets(folder: &Path, suffix: &'static str) -> io::Result<Self> {
        Self::watch(folder, Some(suffix))
    }

    fn watch(folder: &Path, forgets: Option<&'static str>) -> io::Result<Self> {
        vfs::install()?;
        let folder = folder.canonicalize()?;
        let watched = Arc::new(Watched { folder, forgets, inner: Mutex::default() });
        lock(&DISKS).push(Arc::clone(&watched));
        Ok(Self { watched })
    }

    /// What has been done so far.
    pub fn record(&self) -> Vec<Entry> {
        self.watched.lock().record.clone()
    }

    /// How long the record is: whatever is done from now on comes after this.
    pub fn moment(&self) -> usize {
        self.watched.lock().record.len()
    }

    /// How many changes and flushes have been asked for, whether they succeeded or not.
    pub fn changes(&self) -> usize {
        self.watched.lock().changes
    }

    /// How many handles of files are open.
    pub fn open_files(&self) -> usize {
        self.watched.lock().open
    }

    /// The changes of this range, counted from now, will meet this trouble.
    pub fn fails(&self, trouble: Trouble, changes: impl RangeBounds<usize>) {
        let mut inner = self.watched.lock();
        let done = inner.changes;
        let start = match changes.start_bound() {
            Bound::Included(start) => *start,
            Bound::Excluded(start) => start.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match changes.end_bound() {
            Bound::Included(end) => end.saturating_add(1),
            Bound::Excluded(end) => *end,
            Bound::Unbounded => usize::MAX,
        };
        inner.trouble = Some((trouble, done.saturating_add(start), done.saturating_add(end)));
    }

    /// All is well again.
    pub fn recovers(&self) {
        self.watched.lock().trouble = None;
    }
}

impl Drop for Disk {
    /// Files that are open stay watched; nobody will ask.
    fn drop(&mut self) {
        lock(&DISKS).retain(|other| !Arc::ptr_eq(other, &self.watched));
    }
}

static DISKS: Mutex<Vec<Arc<Watched>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The disk on which `path` is, if it is a watched one, and its name there.
pub(crate) fn of(path: &Path) -> Option<(Arc<Watched>, String)> {
    let (folder, name) = (path.parent()?, path.file_name()?.to_str()?);
    let disk = lock(&DISKS).iter().find(|disk| disk.folder == folder).cloned()?;
    Some((disk, name.to_owned()))
}

/// A disk as the file system sees it: it asks before each change, and tells after it.
#[derive(Debug)]
pub(crate) struct Watched {
    folder: PathBuf,
    forgets: Option<&'static str>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    record: Vec<Entry>,
    names: BTreeMap<String, FileId>,
    files: u32,
    open: usize,
    changes: usize,
    /// With the first change it meets, and the first that it no longer does.
    trouble: Option<(Trouble, usize, usize)>,
}

/// What is to become of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ruling {
    Proceed,
    /// Only so many bytes are written; then it fails like this.
    Part(usize, c_int),
    Fail(c_int),
}

impl Watched {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// Whether a file can be opened for writing, or made.
    pub fn is_read_only(&self) -> bool {
        self.lock().trouble_now() == Some(Trouble::ReadOnly)
    }

    /// A file was opened; it is new if its name is.
    pub fn opened(&self, name: &str) -> FileId {
        let mut inner = self.lock();
        inner.open += 1;
        if let Some(known) = inner.names.get(name) {
            return *known;
        }
        let file = FileId(inner.files);
        inner.files += 1;
        inner.names.insert(name.to_owned(), file);
        inner.record.push(Entry::Made { file, name: name.to_owned() });
        file
    }

    pub fn closed(&self) {
        let mut inner = self.lock();
        inner.open = inner.open.saturating_sub(1);
    }

    /// `bytes` are to be written to a file of this `length`.
    pub fn write(&self, file: FileId, at: usize, bytes: &[u8], length: usize) -> Ruling {
        let mut inner = self.lock();
        let ruling = match inner.change() {
            None => Ruling::Proceed,
            Some(Trouble::Full) if at.saturating_add(bytes.len()) <= length => Ruling::Proceed,
            Some(Trouble::Full) => Ruling::Part(bytes.len() / 2 / SECTOR * SECTOR, ffi::SQLITE_FULL),
            Some(Trouble::ReadOnly | Trouble::Broken) => Ruling::Fail(ffi::SQLITE_IOERR_WRITE),
        };
        let written = match ruling {
            Ruling::Proceed => bytes,
            Ruling::Part(some, _) => bytes.get(..some).unwrap_or_default(),
            Ruling::Fail(_) => &[],
        };
        if !written.is_empty() {
            inner.record.push(Entry::Wrote { file, at, bytes: written.into() });
        }
        ruling
    }

    /// A file is to get this length.
    pub fn cut(&self, file: FileId, length: usize) -> Ruling {
        let mut inner = self.lock();
        match inner.change() {
            // Only ever asked to make a file shorter.
            None | Some(Trouble::Full) => {
                inner.record.push(Entry::Cut { file, length });
                Ruling::Proceed
            }
            Some(Trouble::ReadOnly | Trouble::Broken) => Ruling::Fail(ffi::SQLITE_IOERR_TRUNCATE),
        }
    }

    /// A file is to be flushed: whether it will be, and how much of the record that covers.
    pub fn sync(&self, file: FileId) -> (Ruling, usize) {
        let mut inner = self.lock();
        let covers = inner.record.len();
        match inner.change() {
            None | Some(Trouble::Full | Trouble::ReadOnly) => (Ruling::Proceed, covers),
            Some(Trouble::Broken) => {
                inner.record.push(Entry::SyncFailed { file });
                (Ruling::Fail(ffi::SQLITE_IOERR_FSYNC), covers)
            }
        }
    }

    /// Whether it says that it flushes files of this name, and does not.
    pub fn forgets(&self, name: &str) -> bool {
        self.forgets.is_some_and(|suffix| name.ends_with(suffix))
    }

    pub fn synced(&self, file: FileId, covers: usize) {
        self.lock().record.push(Entry::Synced { file, covers });
    }

    pub fn folder_synced(&self) {
        let mut inner = self.lock();
        let covers = inner.record.len();
        inner.record.push(Entry::FolderSynced { covers });
    }

    /// A file is to be removed.
    pub fn remove(&self) -> Ruling {
        match self.lock().change() {
            None | Some(Trouble::Full) => Ruling::Proceed,
            Some(Trouble::ReadOnly | Trouble::Broken) => Ruling::Fail(ffi::SQLITE_IOERR_DELETE),
        }
    }

    pub fn removed(&self, name: &str) {
        let mut inner = self.lock();
        if inner.names.remove(name).is_some() {
            inner.record.push(Entry::Removed { name: name.to_owned() });
        }
    }

    /// The shared index of the log is to grow. It is not recorded: it means nothing after a loss of power.
    pub fn grow_index(&self) -> Ruling {
        match self.lock().trouble_now() {
            Some(Trouble::Full | Trouble::ReadOnly) => Ruling::Fail(ffi::SQLITE_IOERR_SHMSIZE),
            None | Some(Trouble::Broken) => Ruling::Proceed,
        }
    }
}

impl Inner {
    /// Counts a change, and says what it meets.
    fn change(&mut self) -> Option<Trouble> {
        let met = self.trouble_now();
        self.changes += 1;
        met
    }

    fn trouble_now(&self) -> Option<Trouble> {
        let (trouble, from, to) = self.trouble?;
        (from..to).contains(&self.changes).then_some(trouble)
    }
}
