//! The file system that `SQLite` is given: the platform's own, with an ear on the files of watched disks.
#![expect(unsafe_code, reason = "a file system of SQLite is a table of C functions over raw pointers")]

mod file;

use crate::disk::{self, Ruling, Watched};
use file::Handle;
use rusqlite::ffi::{self, sqlite3_file, sqlite3_vfs};
use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::{io, ptr};

/// The name under which `SQLite` knows it.
const NAME: &CStr = c"countersign-testdisk";

/// The platform's file system, found once.
struct Platform(*mut sqlite3_vfs);

// SAFETY: SQLite keeps its file systems for the life of the process, does not change them once they are registered, and
// calls them from any thread itself.
unsafe impl Send for Platform {}
// SAFETY: as above.
unsafe impl Sync for Platform {}

static PLATFORM: OnceLock<Option<Platform>> = OnceLock::new();

/// Makes this the default file system of the process; once.
pub fn install() -> io::Result<()> {
    let installed = PLATFORM.get_or_init(register);
    installed.as_ref().map(|_| ()).ok_or_else(|| io::Error::other("SQLite did not take the file system of the tests"))
}

fn register() -> Option<Platform> {
    // SAFETY: a null name asks for the default.
    let platform = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
    // SAFETY: null, or valid for ever. A copy may be used: of its functions only `xOpen` looks at `pAppData` or at the
    // pointer it is called with, and that one is called with the original.
    let mut ours = *unsafe { platform.as_ref() }?;
    ours.zName = NAME.as_ptr();
    ours.pNext = ptr::null_mut();
    ours.szOsFile += c_int::try_from(size_of::<Handle>()).ok()?;
    ours.xOpen = Some(open);
    ours.xDelete = Some(delete);
    // SAFETY: leaked, so valid for the life of the process, as SQLite asks for.
    let code = unsafe { ffi::sqlite3_vfs_register(Box::leak(Box::new(ours)), 1) };
    (code == ffi::SQLITE_OK).then_some(Platform(platform))
}

fn platform() -> *mut sqlite3_vfs {
    PLATFORM.get().and_then(Option::as_ref).map_or(ptr::null_mut(), |platform| platform.0)
}

/// Opens a file: one of a watched disk behind a [`Handle`], another as if this file system were not there.
unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite hands a name that ends in a zero, or none for a temporary file.
    match unsafe { on_disk(name) } {
        // SAFETY: SQLite has made room for `szOsFile` bytes at `file`, and that is more than the platform asks for.
        None => unsafe { open_on_platform(name, file, flags, out) },
        // SAFETY: as above; the handle and then the platform's file fit.
        Some((disk, name_there)) => unsafe { open_watched(disk, &name_there, name, file, flags, out) },
    }
}

/// # Safety
///
/// The arguments are those of `xOpen`.
unsafe fn open_watched(
    disk: Arc<Watched>,
    name_there: &str,
    name: ffi::sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let flags = if disk.is_read_only() { as_read_only(flags) } else { flags };
    let handle = file.cast::<Handle>();
    // SAFETY: the caller's file has room for the handle, and behind it for the platform's file.
    let real = unsafe { handle.add(1) }.cast::<sqlite3_file>();
    // SAFETY: `real` has room for what the platform asks for. Zeroed, as it would be without us.
    let code = unsafe {
        ptr::write_bytes(real.cast::<u8>(), 0, platform_file_size());
        open_on_platform(name, real, flags, out)
    };
    let syncs_folder = file::syncs_folder_first(flags);
    // SAFETY: there is room for a handle, and nothing in it that would have to be dropped.
    unsafe { handle.write(Handle::over(real, code, disk, name_there, syncs_folder)) };
    code
}

/// What a system does with a file that is to be written on a read-only disk: it is opened for reading, if it is there.
const fn as_read_only(flags: c_int) -> c_int {
    (flags & !(ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE)) | ffi::SQLITE_OPEN_READONLY
}

fn platform_file_size() -> usize {
    // SAFETY: registered file systems stay valid; a null pointer is not followed.
    let size = unsafe { platform().as_ref() }.map_or(0, |platform| platform.szOsFile);
    usize::try_from(size).unwrap_or(0)
}

/// # Safety
///
/// The arguments are those of `xOpen`.
unsafe fn open_on_platform(
    name: ffi::sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let platform = platform();
    // SAFETY: registered file systems stay valid; a null pointer is not followed.
    match unsafe { platform.as_ref() }.and_then(|platform| platform.xOpen) {
        // SAFETY: what SQLite handed in is handed on.
        Some(open) => unsafe { open(platform, name, file, flags, out) },
        None => ffi::SQLITE_CANTOPEN,
    }
}

/// Removes a file; `sync` asks to flush the folder as well.
unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    // SAFETY: SQLite hands a name that ends in a zero.
    let watched = unsafe { on_disk(name) };
    if let Some(Ruling::Fail(code)) = watched.as_ref().map(|(disk, _)| disk.remove()) {
        return code;
    }
    let platform = platform();
    // SAFETY: registered file systems stay valid; a null pointer is not followed.
    let code = match unsafe { platform.as_ref() }.and_then(|platform| platform.xDelete) {
        // SAFETY: what SQLite handed in is handed on.
        Some(delete) => unsafe { delete(platform, name, sync) },
        None => ffi::SQLITE_IOERR_DELETE,
    };
    if let Some((disk, name)) = watched.filter(|_| code == ffi::SQLITE_OK) {
        disk.removed(&name);
        if sync != 0 && !disk.forgets(&name) {
            disk.folder_synced();
        }
    }
    code
}

/// The watched disk on which a file of this name is, and its name there.
///
/// # Safety
///
/// `name` is null or ends in a zero.
unsafe fn on_disk(name: *const c_char) -> Option<(Arc<Watched>, String)> {
    if name.is_null() {
        return None;
    }
    // SAFETY: it is not null, and so ends in a zero. It is only used here.
    let name = unsafe { CStr::from_ptr(name) };
    disk::of(Path::new(OsStr::from_bytes(name.to_bytes())))
}
