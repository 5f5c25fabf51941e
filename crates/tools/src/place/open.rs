//! Opening what is at a place, if it is a file.

use super::{Place, told, walk};
use countersign_domain::Digest;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

/// A file that was there, and what it held.
#[derive(Debug)]
pub struct Existing {
    /// What it holds.
    pub bytes: Vec<u8>,
    pub(super) stat: Stat,
}

impl Existing {
    /// The digest of what it holds.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }
}

/// Files larger than this are neither changed nor compared.
pub const LARGEST: usize = 16 * 1024 * 1024;

impl Place {
    /// Opens the file, to be read.
    pub fn open(&self) -> Result<File, String> {
        let folder = self.folder().map_err(|error| told(&self.shown, &error.into()))?;
        Ok(self.open_in(folder.as_fd())?.0)
    }

    /// The folder at the place itself.
    pub fn open_folder(&self) -> Result<OwnedFd, String> {
        let opened = walk::ground(&self.ground).and_then(|ground| walk::folder(ground.as_fd(), &self.way));
        opened.map_err(|error| match error {
            Errno::NOTDIR => format!("`{}` is a file, not a folder. Nothing was done.", self.shown),
            Errno::NOENT => format!("There is no folder `{}`. Nothing was done.", self.shown),
            error => told(&self.shown, &error.into()),
        })
    }

    /// The file as it is now; `None` where there is none.
    pub fn existing(&self) -> Result<Option<Existing>, String> {
        match self.folder() {
            Ok(folder) => self.existing_in(folder.as_fd()),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(told(&self.shown, &error.into())),
        }
    }

    pub(super) fn existing_in(&self, folder: BorrowedFd<'_>) -> Result<Option<Existing>, String> {
        match statat(folder, self.name()?, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(told(&self.shown, &error.into())),
            Ok(_) => {}
        }
        let (file, stat) = self.open_in(folder)?;
        let mut bytes = vec![];
        file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(|error| told(&self.shown, &error))?;
        if bytes.len() > LARGEST {
            return Err(format!("`{}` is larger than {LARGEST} bytes. Nothing was done.", self.shown));
        }
        Ok(Some(Existing { bytes, stat }))
    }

    /// The file is looked at before it is opened, since opening a device may do something; and after, since it may have been
    /// swapped in between.
    fn open_in(&self, folder: BorrowedFd<'_>) -> Result<(File, Stat), String> {
        let told = |error: Errno| told(&self.shown, &io::Error::from(error));
        let name = self.name()?;
        self.regular(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(told)?)?;
        // A pipe that was put there meanwhile must not hold us up.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let file = File::from(openat(folder, name, flags, Mode::empty()).map_err(told)?);
        let stat = fstat(&file).map_err(told)?;
        self.regular(&stat)?;
        Ok((file, stat))
    }

    fn regular(&self, stat: &Stat) -> Result<(), String> {
        let what = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => return Ok(()),
            FileType::Directory => "a folder",
            FileType::Fifo => "a named pipe",
            FileType::Socket => "a socket",
            FileType::Symlink => return Err(super::elsewhere(&self.shown, "judged")),
            _ => "a device",
        };
        Err(format!("`{}` is {what}, not a file. Nothing was done.", self.shown))
    }

    /// The folder that the file is in.
    fn folder(&self) -> Result<OwnedFd, Errno> {
        let ground = walk::ground(&self.ground)?;
        walk::folder(ground.as_fd(), self.way.parent().unwrap_or(&self.way))
    }

    pub(super) fn name(&self) -> Result<&OsStr, String> {
        let is_ground = || format!("`{}` is a folder, not a file. Nothing was done.", self.shown);
        self.way.file_name().ok_or_else(is_ground)
    }
}
