//! Walking through a folder and those below it, by no link.

use super::glob::Glob;
use crate::sandbox::Waiting;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, readlinkat, statat};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// A list in the making.
#[derive(Debug)]
pub struct List {
    depth: u64,
    pattern: Option<Glob>,
    lines: Vec<String>,
    bytes: usize,
    looked_at: usize,
    left_out: usize,
    unreadable: usize,
}

/// How many lines a list has.
const MOST_LINES: usize = 1000;
/// How much text a list is.
const MOST_OUTPUT: usize = 128 * 1024;
/// How much is looked at to make a list.
const MOST_LOOKED_AT: usize = 100_000;
/// What versions of files are kept in is rarely what is looked for.
const NOT_ENTERED: &str = ".git";

impl List {
    /// A list of so many levels, of what fits the pattern.
    pub const fn new(depth: u64, pattern: Option<Glob>) -> Self {
        Self { depth, pattern, lines: vec![], bytes: 0, looked_at: 0, left_out: 0, unreadable: 0 }
    }

    /// The list of what is in `folder`, which is called `shown`.
    pub fn of(mut self, folder: &OwnedFd, shown: &str, waiting: &Waiting) -> Result<String, String> {
        self.enter(folder, "", 1, waiting).map_err(|error| format!("`{shown}` could not be read: {error}"))?;
        let mut notes = vec![];
        if self.left_out > 0 {
            notes.push(format!("[… {} more …]", self.left_out));
        }
        if self.is_full() {
            notes.push(format!("[… not all was looked at, only {MOST_LOOKED_AT} files and folders …]"));
        }
        if self.unreadable > 0 {
            notes.push(format!("[… {} folders could not be read …]", self.unreadable));
        }
        if self.lines.is_empty() && notes.is_empty() {
            let none = if self.pattern.is_some() { "Nothing there fits the pattern." } else { "The folder is empty." };
            notes.push(none.to_owned());
        }
        self.lines.append(&mut notes);
        Ok(self.lines.join("\n"))
    }

    fn is_full(&self) -> bool {
        self.looked_at >= MOST_LOOKED_AT
    }

    fn enter(&mut self, folder: &OwnedFd, way: &str, level: u64, waiting: &Waiting) -> rustix::io::Result<()> {
        // The folder was opened to be passed through; now it is read.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut names = vec![];
        let mut entries = Dir::new(openat(folder, ".", flags, Mode::empty())?)?;
        while let Some(entry) = entries.read() {
            let name = entry?.file_name().to_owned();
            if !matches!(name.to_bytes(), b"." | b"..") && !self.is_full() {
                self.looked_at += 1;
                names.push(name);
            }
        }
        drop(entries);
        names.sort();
        for name in names {
            if waiting.is_over() {
                return Ok(());
            }
            let text = OsStr::from_bytes(name.to_bytes()).to_string_lossy().into_owned();
            let path = if way.is_empty() { text.clone() } else { format!("{way}/{text}") };
            let Ok(stat) = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let kind = FileType::from_raw_mode(stat.st_mode);
            let end = match kind {
                FileType::Directory => "/".to_owned(),
                FileType::Symlink => {
                    let target = readlinkat(folder.as_fd(), &name, vec![]).unwrap_or_default();
                    format!(" -> {}", target.to_string_lossy())
                }
                _ => String::new(),
            };
            self.add(&path, &end);
            if kind == FileType::Directory && level < self.depth && text != NOT_ENTERED && !self.is_full() {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
                let below = openat(folder, &name, flags, Mode::empty());
                if below.and_then(|below| self.enter(&below, &path, level + 1, waiting)).is_err() {
                    self.unreadable += 1;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &str, end: &str) {
        if self.pattern.as_ref().is_some_and(|pattern| !pattern.fits(path)) {
            return;
        }
        // A name with a line end in it must not look like two.
        let line: String = format!("{path}{end}").chars().flat_map(visible).collect();
        if self.lines.len() >= MOST_LINES || self.bytes + line.len() > MOST_OUTPUT {
            self.left_out += 1;
            return;
        }
        self.bytes += line.len() + 1;
        self.lines.push(line);
    }
}

fn visible(c: char) -> impl Iterator<Item = char> {
    let escaped = c.is_control().then(|| c.escape_default());
    let plain = escaped.is_none().then_some(c);
    escaped.into_iter().flatten().chain(plain)
}
