//! Walking down from a folder without ever following a link.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::{Errno, Result};
use std::path::{Component, Path};

/// Opens the folder `path`, which is absolute and has no links, or had none.
pub fn ground(path: &Path) -> Result<OwnedFd> {
    let root = openat(CWD, "/", FOLDER, Mode::empty())?;
    folder(root.as_fd(), path.strip_prefix("/").map_err(|_| Errno::INVAL)?)
}

/// Opens the folder at `way` beneath `ground`.
#[cfg(target_os = "linux")]
pub fn folder(ground: BorrowedFd<'_>, way: &Path) -> Result<OwnedFd> {
    match at_once(ground, way) {
        // An old kernel, a filter that does not know the call, folders that are being moved about; or a link at the end, which
        // it does not tell from a file.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::NOTDIR) => {
            step_by_step(ground, way, &Missing::IsAnError)
        }
        opened => opened,
    }
}

/// Opens the folder at `way` beneath `ground`.
#[cfg(not(target_os = "linux"))]
pub fn folder(ground: BorrowedFd<'_>, way: &Path) -> Result<OwnedFd> {
    step_by_step(ground, way, &Missing::IsAnError)
}

/// The same, and makes what is missing.
pub fn made(ground: BorrowedFd<'_>, way: &Path) -> Result<OwnedFd> {
    step_by_step(ground, way, &Missing::IsMade)
}

/// What becomes of a folder that is not there.
enum Missing {
    IsAnError,
    IsMade,
}

/// Flags with which folders on the way are opened: to pass through, not to read.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// By the kernel, which refuses links, and whatever else leads out.
#[cfg(target_os = "linux")]
fn at_once(ground: BorrowedFd<'_>, way: &Path) -> Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let way = if way.as_os_str().is_empty() { Path::new(".") } else { way };
    openat2(ground, way, FOLDER, Mode::empty(), beneath)
}

/// Name by name, each of which must be a folder and no link.
fn step_by_step(ground: BorrowedFd<'_>, way: &Path, missing: &Missing) -> Result<OwnedFd> {
    let mut here = openat(ground, ".", FOLDER, Mode::empty())?;
    for step in way.components() {
        let Component::Normal(name) = step else { return Err(Errno::XDEV) };
        let opened = match (openat(&here, name, FOLDER, Mode::empty()), missing) {
            (Err(Errno::NOENT), Missing::IsMade) => {
                match mkdirat(&here, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error),
                }
                openat(&here, name, FOLDER, Mode::empty())
            }
            (opened, _) => opened,
        };
        // A link is not a folder either; which of the two it is makes a difference to whoever is told.
        here = opened.map_err(|error| if is_link(here.as_fd(), name) { Errno::LOOP } else { error })?;
    }
    Ok(here)
}

fn is_link(folder: BorrowedFd<'_>, name: &std::ffi::OsStr) -> bool {
    rustix::fs::readlinkat(folder, name, vec![]).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    type Walk = fn(BorrowedFd<'_>, &Path) -> Result<OwnedFd>;

    /// The kernel's way and our own give the same.
    #[test]
    fn both_ways_lead_to_folders_beneath_and_by_no_link() {
        let outside = tempfile::tempdir().unwrap();
        let at = tempfile::tempdir().unwrap();
        fs::create_dir_all(at.path().join("a/b")).unwrap();
        fs::write(at.path().join("file"), "").unwrap();
        symlink(outside.path(), at.path().join("out")).unwrap();
        symlink("b", at.path().join("a/inside")).unwrap();
        let here = ground(&at.path().canonicalize().unwrap()).unwrap();
        let walks: [Walk; 2] = [folder, |ground, way| step_by_step(ground, way, &Missing::IsAnError)];
        for walk in walks {
            let walk = |way: &str| walk(here.as_fd(), Path::new(way)).map(drop);
            assert_eq!([walk(""), walk("a"), walk("a/b")], [Ok(()); 3]);
            assert_eq!([walk("a/c"), walk("a/c/d")], [Err(Errno::NOENT); 2]);
            assert_eq!([walk("file"), walk("file/x")], [Err(Errno::NOTDIR); 2]);
            for way in ["out", "out/x", "a/inside", "a/inside/x"] {
                assert_eq!(walk(way), Err(Errno::LOOP), "{way}");
            }
            for way in ["..", "a/../..", "/", "/etc"] {
                assert!(walk(way).is_err(), "{way}");
            }
        }
    }

    #[test]
    fn what_is_missing_is_made_and_no_link_is_followed_to_make_it() {
        let outside = tempfile::tempdir().unwrap();
        let at = tempfile::tempdir().unwrap();
        symlink(outside.path(), at.path().join("out")).unwrap();
        let here = ground(&at.path().canonicalize().unwrap()).unwrap();
        made(here.as_fd(), Path::new("a/b/c")).unwrap();
        assert!(at.path().join("a/b/c").is_dir());
        assert_eq!(made(here.as_fd(), Path::new("out/x")).map(drop), Err(Errno::LOOP));
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
