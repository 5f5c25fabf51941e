//! The file system that `SQLite` is given: the default one of the process, with files of ours around its own.
#![expect(unsafe_code, reason = "a file system of SQLite is a table of C functions over raw pointers")]

mod file;

use file::{Handle, VERSION};
use rusqlite::ffi::{self, sqlite3_file, sqlite3_vfs};
use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;
use std::{io, ptr};

/// The name under which `SQLite` knows it.
const NAME: &CStr = c"countersign-wal";

/// The name of the file system, for whoever opens a database. `SQLite` hears of it the first time.
pub fn name() -> io::Result<&'static CStr> {
    static IS_KNOWN: OnceLock<bool> = OnceLock::new();
    let is_known = IS_KNOWN.get_or_init(|| register().is_some());
    is_known.then_some(NAME).ok_or_else(|| io::Error::other("SQLite did not take the file system of its log"))
}

fn register() -> Option<()> {
    // SAFETY: null, or valid for ever. A copy may be used: of its functions only `xOpen` looks at `pAppData` or at the pointer it
    // is called with, and that one is called with the original.
    let mut ours = *unsafe { default_one().as_ref() }?;
    ours.zName = NAME.as_ptr();
    ours.pNext = ptr::null_mut();
    ours.szOsFile = c_int::try_from(size_of::<Handle>()).ok()?;
    ours.xOpen = Some(open);
    ours.xDelete = Some(delete);
    // SAFETY: leaked, so valid for the life of the process, as SQLite asks for.
    let code = unsafe { ffi::sqlite3_vfs_register(Box::leak(Box::new(ours)), 0) };
    (code == ffi::SQLITE_OK).then_some(())
}

/// The default file system of the process, as it is now: a test may put another in its place at any time.
fn default_one() -> *mut sqlite3_vfs {
    // SAFETY: a null name asks for the default.
    unsafe { ffi::sqlite3_vfs_find(ptr::null()) }
}

/// Opens a file of the default file system behind a [`Handle`].
unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let handle = file.cast::<Handle>();
    // SAFETY: SQLite has made room for `szOsFile` bytes at `file`, which is a handle, and nothing in it must be dropped. Without
    // methods SQLite will not close it.
    unsafe { handle.write(Handle::closed()) };
    let default = default_one();
    // SAFETY: registered file systems stay valid; a null pointer is not followed.
    let Some(platform) = (unsafe { default.as_ref() }) else { return ffi::SQLITE_CANTOPEN };
    let (Some(open), Ok(size)) = (platform.xOpen, usize::try_from(platform.szOsFile)) else {
        return ffi::SQLITE_CANTOPEN;
    };
    let mut room = Handle::room(size);
    let real = room.as_mut_ptr().cast::<sqlite3_file>();
    // SAFETY: what SQLite handed in is handed on, with the room that the platform asks for, zeroed as it would be without us.
    let code = unsafe { open(default, name, real, flags, out) };
    // SAFETY: it was zeroed or written by the platform.
    if let Some(methods) = unsafe { (*real).pMethods.as_ref() } {
        if methods.iVersion < VERSION {
            // SAFETY: it is open, and nobody else knows of it.
            methods.xClose.map(|close| unsafe { close(real) });
            return ffi::SQLITE_CANTOPEN;
        }
        // SAFETY: as above. What the platform has opened is closed by SQLite through the handle, also after an error.
        unsafe { handle.write(Handle::over(room, flags)) };
    }
    code
}

/// Removes a file.
unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    let default = default_one();
    // SAFETY: registered file systems stay valid; a null pointer is not followed.
    match unsafe { default.as_ref() }.and_then(|platform| platform.xDelete) {
        // SAFETY: what SQLite handed in is handed on.
        Some(delete) => unsafe { delete(default, name, sync) },
        None => ffi::SQLITE_IOERR_DELETE,
    }
}
