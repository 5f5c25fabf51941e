//! Opening what was judged, and nothing else.

use countersign_domain::describe::PathPart;
use rustix::fs::{Mode, OFlags};
use std::ffi::OsStr;
use std::fs::{self, File, FileType};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

/// Opens the file at `path`, which must lead where it led when it was judged.
///
/// It is looked at before it is opened, since opening a device may do something; and after, since a link may have been
/// swapped in between.
pub fn open(path: &PathPart) -> Result<File, String> {
    let shown = path.canonical();
    let told = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("There is no file `{shown}`."),
        io::ErrorKind::PermissionDenied => format!("`{shown}` may not be read: permission denied."),
        _ => format!("`{shown}` could not be opened: {error}"),
    };
    stays(path, &fs::canonicalize(shown).map_err(told)?)?;
    regular(shown, fs::metadata(shown).map_err(told)?.file_type())?;
    // A pipe that was put there meanwhile must not hold us up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(shown, flags, Mode::empty()).map_err(|error| told(error.into()))?);
    stays(path, &opened_path(&file, shown).map_err(told)?)?;
    regular(shown, file.metadata().map_err(told)?.file_type())?;
    Ok(file)
}

/// Whether `real`, where the path leads now, is one of the spellings that were judged.
fn stays(path: &PathPart, real: &std::path::Path) -> Result<(), String> {
    if path.spellings.iter().any(|judged| OsStr::new(judged) == real.as_os_str()) {
        return Ok(());
    }
    Err(format!("`{}` now leads elsewhere than when it was judged. Nothing was read.", path.canonical()))
}

/// The path of the file that is really open.
#[cfg(target_os = "linux")]
fn opened_path(file: &File, _: &str) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// The path of the file that is really open: where `path` leads, if that is the same file.
#[cfg(not(target_os = "linux"))]
fn opened_path(file: &File, path: &str) -> io::Result<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let real = fs::canonicalize(path)?;
    let (opened, there) = (file.metadata()?, fs::symlink_metadata(&real)?);
    if (opened.dev(), opened.ino()) == (there.dev(), there.ino()) {
        return Ok(real);
    }
    Err(io::Error::other("it was replaced while it was opened"))
}

fn regular(shown: &str, kind: FileType) -> Result<(), String> {
    let what = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(format!("`{shown}` is {what}, not a file. Nothing was read."))
}
