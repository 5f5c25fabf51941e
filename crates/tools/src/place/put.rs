//! Putting a new file in the place of an old one: whole or not at all, however it ends.

use super::open::Existing;
use super::{Place, told, walk};
use crate::sandbox::Waiting;
use countersign_domain::Digest;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{
    Access, AtFlags, Gid, Mode, OFlags, Uid, accessat, fchmod, fchown, fstat, fsync, openat, renameat, unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write};

/// What is to be put somewhere.
#[derive(Debug)]
pub struct Put<'a> {
    /// What the file is to hold.
    pub bytes: &'a [u8],
    /// What was there when somebody looked last. What is there now must be the same.
    pub before: Option<&'a Existing>,
    /// The key of the execution. What is left of a broken one is cleared away by the next with the same key.
    pub key: Digest,
}

/// What a new file may be used for, before the umask takes some of it.
const NEW: Mode = Mode::from_raw_mode(0o666);
/// What is kept of an old file's mode. Whoever writes a program of another user's must not lend that user's rights to it.
const KEPT: u32 = 0o777;

impl Place {
    /// Puts a file there, and makes the folders on the way that are missing.
    pub fn put(&self, put: &Put<'_>, waiting: &Waiting) -> Result<(), String> {
        let told = |error: Errno| told(&self.shown, &error.into());
        let ground = walk::ground(&self.ground).map_err(told)?;
        let name = self.name()?;
        let folder = walk::made(ground.as_fd(), self.way.parent().unwrap_or(&self.way)).map_err(told)?;
        if put.before.is_some() {
            // To replace a file takes no right to write to it, and so must be asked for.
            accessat(&folder, name, Access::WRITE_OK, AtFlags::empty()).map_err(told)?;
        }
        let draft = Draft { folder: folder.as_fd(), name: format!(".countersign-{:.16}", put.key.hex()) };
        draft.write(put).map_err(|error| super::told(&self.shown, &error))?;
        let now = self.existing_in(folder.as_fd())?;
        if now.as_ref().map(Existing::digest) != put.before.map(Existing::digest) {
            return Err(format!("`{}` was changed by somebody else meanwhile. Nothing was done.", self.shown));
        }
        if waiting.is_over() {
            return Err("Nobody waits for this any more. Nothing was done.".to_owned());
        }
        // Whatever has that name now, be it a link, is replaced and not followed.
        renameat(&folder, &draft.name, &folder, name).map_err(told)?;
        let opened = openat(&folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        opened.and_then(fsync).map_err(|error| {
            format!("`{}` was written, but may not survive a power cut: {}", self.shown, io::Error::from(error))
        })
    }
}

/// A file beside the one it is to become. Dropped before that, it is gone.
struct Draft<'a> {
    folder: BorrowedFd<'a>,
    name: String,
}

impl Draft<'_> {
    fn write(&self, put: &Put<'_>) -> io::Result<()> {
        let mut file = self.create(if put.before.is_some() { Mode::RUSR | Mode::WUSR } else { NEW })?;
        if let Some(before) = put.before {
            let (old, new) = (&before.stat, fstat(&file)?);
            if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) {
                fchown(&file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)))?;
            }
            fchmod(&file, Mode::from_raw_mode(old.st_mode & KEPT))?;
        }
        file.write_all(put.bytes)?;
        file.sync_all()
    }

    fn create(&self, mode: Mode) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let create = || openat(self.folder, &self.name, flags, mode);
        match create() {
            Err(Errno::EXIST) => {
                unlinkat(self.folder, &self.name, AtFlags::empty())?;
                Ok(create()?.into())
            }
            created => Ok(created?.into()),
        }
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // Once it has become the file, there is nothing of this name.
        let _ = unlinkat(self.folder, &self.name, AtFlags::empty());
    }
}
