//! An open file of a watched disk: each change is asked for, recorded, and handed to the platform's file.

use crate::disk::{Ruling, Watched};
use crate::record::FileId;
use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::{ptr, slice};

/// What `SQLite` sees as its file. The platform's own file follows it in memory.
#[repr(C)]
pub struct Handle {
    base: sqlite3_file,
    /// Null after a file that could not be opened.
    watched: *mut OpenFile,
}

struct OpenFile {
    disk: Arc<Watched>,
    file: FileId,
    forgets: bool,
    /// The platform flushes the folder together with this file: the first time that a new journal is flushed.
    syncs_folder: bool,
}

impl Handle {
    /// The handle for the platform's file `real`, which was opened with this result.
    ///
    /// # Safety
    ///
    /// `real` is what the platform's `xOpen` was given.
    pub unsafe fn over(
        real: *mut sqlite3_file,
        code: c_int,
        disk: Arc<Watched>,
        name: &str,
        syncs_folder: bool,
    ) -> Self {
        // SAFETY: it was zeroed or written by the platform. Without methods SQLite will not close it.
        let is_open = unsafe { !(*real).pMethods.is_null() };
        if !is_open || code != ffi::SQLITE_OK {
            return Self { base: sqlite3_file { pMethods: ptr::null() }, watched: ptr::null_mut() };
        }
        let (file, forgets) = (disk.opened(name), disk.forgets(name));
        let watched = Box::into_raw(Box::new(OpenFile { disk, file, forgets, syncs_folder }));
        Self { base: sqlite3_file { pMethods: &raw const METHODS }, watched }
    }
}

/// Whether the platform flushes the folder too when it first flushes a file that was opened with these flags.
pub const fn syncs_folder_first(flags: c_int) -> bool {
    let journals = ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_SUPER_JOURNAL | ffi::SQLITE_OPEN_WAL;
    flags & ffi::SQLITE_OPEN_CREATE != 0 && flags & journals != 0
}

/// The second version: no memory-mapped pages, which nobody could watch.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The platform's file behind `file`.
///
/// # Safety
///
/// `file` is one that [`Handle::over`] made.
unsafe fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: the platform's file follows the handle in the same allocation.
    unsafe { file.cast::<Handle>().add(1) }.cast()
}

/// What is known of `file`. `SQLite` uses a file from one thread at a time.
///
/// # Safety
///
/// `file` is one that [`Handle::over`] made and that is not closed, and nobody else uses it meanwhile.
unsafe fn known<'a>(file: *mut sqlite3_file) -> Option<&'a mut OpenFile> {
    // SAFETY: null, or from a box that only `close` takes back.
    unsafe { (*file.cast::<Handle>()).watched.as_mut() }
}

/// Calls a function of the platform's file with the arguments that `SQLite` gave.
macro_rules! on_platform {
    ($file:ident, $method:ident, $otherwise:expr $(, $argument:expr)*) => {{
        // SAFETY: SQLite calls this with an open file of ours and arguments that the platform understands as well.
        unsafe {
            let real = real($file);
            match (*real).pMethods.as_ref().and_then(|methods| methods.$method) {
                Some(method) => method(real $(, $argument)*),
                None => $otherwise,
            }
        }
    }};
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let code = on_platform!(file, xClose, ffi::SQLITE_IOERR_CLOSE);
    // SAFETY: SQLite closes a file once, and does not use it afterwards.
    let watched = unsafe { ptr::replace(&raw mut (*file.cast::<Handle>()).watched, ptr::null_mut()) };
    if !watched.is_null() {
        // SAFETY: it came from a box, and nobody else has it any more.
        unsafe { Box::from_raw(watched) }.disk.closed();
    }
    code
}

unsafe extern "C" fn write(file: *mut sqlite3_file, from: *const c_void, amount: c_int, at: sqlite3_int64) -> c_int {
    let Ok(length) = usize::try_from(amount) else { return ffi::SQLITE_IOERR_WRITE };
    // SAFETY: SQLite hands `amount` bytes at `from`, which nobody changes meanwhile.
    let bytes = unsafe { slice::from_raw_parts(from.cast::<u8>(), length) };
    // SAFETY: SQLite calls this with an open file of ours.
    let Some(known) = (unsafe { known(file) }) else { return ffi::SQLITE_IOERR_WRITE };
    let Ok(begin) = usize::try_from(at) else { return ffi::SQLITE_IOERR_WRITE };
    let (amount, outcome) = match known.disk.write(known.file, begin, bytes, length_of(file)) {
        Ruling::Proceed => (amount, ffi::SQLITE_OK),
        Ruling::Part(some, code) => (c_int::try_from(some).unwrap_or(0), code),
        Ruling::Fail(code) => return code,
    };
    match on_platform!(file, xWrite, ffi::SQLITE_IOERR_WRITE, from, amount, at) {
        ffi::SQLITE_OK => outcome,
        code => code,
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: sqlite3_int64) -> c_int {
    // SAFETY: SQLite calls this with an open file of ours.
    let Some(known) = (unsafe { known(file) }) else { return ffi::SQLITE_IOERR_TRUNCATE };
    match known.disk.cut(known.file, usize::try_from(length).unwrap_or(0)) {
        Ruling::Proceed => on_platform!(file, xTruncate, ffi::SQLITE_IOERR_TRUNCATE, length),
        Ruling::Part(_, code) | Ruling::Fail(code) => code,
    }
}

/// Nothing is flushed for real: what the record says is what counts, and tests are many.
unsafe extern "C" fn sync(file: *mut sqlite3_file, _: c_int) -> c_int {
    // SAFETY: SQLite calls this with an open file of ours.
    let Some(known) = (unsafe { known(file) }) else { return ffi::SQLITE_IOERR_FSYNC };
    let (ruling, covers) = known.disk.sync(known.file);
    if let Ruling::Part(_, code) | Ruling::Fail(code) = ruling {
        return code;
    }
    if !known.forgets {
        known.disk.synced(known.file, covers);
        if std::mem::take(&mut known.syncs_folder) {
            known.disk.folder_synced();
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    page: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    let code = on_platform!(file, xShmMap, ffi::SQLITE_IOERR_SHMMAP, page, size, 0, out);
    // SAFETY: SQLite hands a place for the answer.
    let is_there = code != ffi::SQLITE_OK || unsafe { !(*out).is_null() };
    if is_there || extend == 0 {
        return code;
    }
    // SAFETY: SQLite calls this with an open file of ours.
    match unsafe { known(file) }.map(|known| known.disk.grow_index()) {
        Some(Ruling::Fail(code) | Ruling::Part(_, code)) => code,
        _ => on_platform!(file, xShmMap, ffi::SQLITE_IOERR_SHMMAP, page, size, extend, out),
    }
}

fn length_of(file: *mut sqlite3_file) -> usize {
    let mut length = 0;
    let code = on_platform!(file, xFileSize, ffi::SQLITE_IOERR_FSTAT, &raw mut length);
    if code == ffi::SQLITE_OK { usize::try_from(length).unwrap_or(0) } else { 0 }
}

unsafe extern "C" fn read(file: *mut sqlite3_file, to: *mut c_void, amount: c_int, at: sqlite3_int64) -> c_int {
    on_platform!(file, xRead, ffi::SQLITE_IOERR_READ, to, amount, at)
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, size: *mut sqlite3_int64) -> c_int {
    on_platform!(file, xFileSize, ffi::SQLITE_IOERR_FSTAT, size)
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    on_platform!(file, xLock, ffi::SQLITE_IOERR_LOCK, level)
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    on_platform!(file, xUnlock, ffi::SQLITE_IOERR_UNLOCK, level)
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, out: *mut c_int) -> c_int {
    on_platform!(file, xCheckReservedLock, ffi::SQLITE_IOERR_CHECKRESERVEDLOCK, out)
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    on_platform!(file, xFileControl, ffi::SQLITE_NOTFOUND, operation, argument)
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    on_platform!(file, xSectorSize, 0)
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    on_platform!(file, xDeviceCharacteristics, 0)
}

unsafe extern "C" fn shm_lock(file: *mut sqlite3_file, offset: c_int, count: c_int, flags: c_int) -> c_int {
    on_platform!(file, xShmLock, ffi::SQLITE_IOERR_SHMLOCK, offset, count, flags)
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    on_platform!(file, xShmBarrier, ());
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, delete: c_int) -> c_int {
    on_platform!(file, xShmUnmap, ffi::SQLITE_OK, delete)
}
