//! An open file: one of the platform's, and what was gathered for it if it is a log.

use crate::gathered::{Gathered, Then};
use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods};
use std::ffi::{c_int, c_void};
use std::{ptr, slice};

/// What `SQLite` sees as its file.
#[repr(C)]
pub struct Handle {
    base: sqlite3_file,
    /// Null for a file that is not open.
    open: *mut Open,
}

struct Open {
    /// The platform's file, which may not move.
    room: Box<[u64]>,
    /// For a log.
    gathered: Option<Gathered>,
}

impl Handle {
    /// Of a file that is not open.
    pub const fn closed() -> Self {
        Self { base: sqlite3_file { pMethods: ptr::null() }, open: ptr::null_mut() }
    }

    /// Zeroed room for a file of the platform of so many bytes.
    pub fn room(bytes: usize) -> Box<[u64]> {
        vec![0; bytes.div_ceil(size_of::<u64>())].into_boxed_slice()
    }

    /// Of the platform's open file in `room`.
    pub fn over(room: Box<[u64]>, flags: c_int) -> Self {
        let gathered = (flags & ffi::SQLITE_OPEN_WAL != 0).then(Gathered::default);
        let open = Box::into_raw(Box::new(Open { room, gathered }));
        Self { base: sqlite3_file { pMethods: &raw const METHODS }, open }
    }
}

/// Of what the platform's files must be able to do, and these are: an index that is shared, and no memory-mapped pages.
pub const VERSION: c_int = 2;

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: VERSION,
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

/// What is behind `file`. `SQLite` uses a file from one thread at a time.
///
/// # Safety
///
/// `file` is a [`Handle`] that is not closed, and nobody else uses it meanwhile.
unsafe fn behind<'a>(file: *mut sqlite3_file) -> Option<&'a mut Open> {
    // SAFETY: null, or from a box that only `close` takes back.
    unsafe { (*file.cast::<Handle>()).open.as_mut() }
}

impl Open {
    fn platform(&mut self) -> *mut sqlite3_file {
        self.room.as_mut_ptr().cast()
    }

    /// Writes what was gathered. What cannot be written is forgotten: whoever asked for it is told, and takes it back.
    fn hand_on(&mut self) -> c_int {
        let file = self.platform();
        let Some(gathered) = &mut self.gathered else { return ffi::SQLITE_OK };
        let Some((at, bytes)) = gathered.all() else { return ffi::SQLITE_OK };
        let code = match c_int::try_from(bytes.len()) {
            // SAFETY: the file is open, and the bytes are there.
            Ok(amount) => unsafe { on_platform(file, bytes.as_ptr().cast(), amount, at) },
            Err(_) => ffi::SQLITE_IOERR_WRITE,
        };
        gathered.clear();
        code
    }

    /// # Safety
    ///
    /// There are `amount` bytes at `from`, which nobody changes meanwhile.
    unsafe fn write(&mut self, from: *const c_void, amount: c_int, at: sqlite3_int64) -> c_int {
        let file = self.platform();
        let follows = match &self.gathered {
            // SAFETY: the file is open, and the bytes are the caller's.
            None => return unsafe { on_platform(file, from, amount, at) },
            Some(gathered) => gathered.is_followed_by(at),
        };
        let code = if follows { ffi::SQLITE_OK } else { self.hand_on() };
        let (ffi::SQLITE_OK, Ok(length), Some(gathered)) = (code, usize::try_from(amount), &mut self.gathered) else {
            return if code == ffi::SQLITE_OK { ffi::SQLITE_IOERR_WRITE } else { code };
        };
        // SAFETY: as the caller says.
        let bytes = unsafe { slice::from_raw_parts(from.cast::<u8>(), length) };
        match gathered.add(at, bytes) {
            Then::Keep => ffi::SQLITE_OK,
            Then::HandOn => self.hand_on(),
        }
    }
}

/// Writes to a file of the platform.
///
/// # Safety
///
/// `file` is open, and there are `amount` bytes at `from`.
unsafe fn on_platform(file: *mut sqlite3_file, from: *const c_void, amount: c_int, at: sqlite3_int64) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        match (*file).pMethods.as_ref().and_then(|methods| methods.xWrite) {
            Some(write) => write(file, from, amount, at),
            None => ffi::SQLITE_IOERR_WRITE,
        }
    }
}

/// Calls a function of the platform's file with the arguments that `SQLite` gave.
macro_rules! pass_on {
    ($file:ident, $method:ident, $otherwise:expr $(, $argument:expr)*) => {{
        // SAFETY: SQLite calls this with an open file of ours and arguments that the platform understands as well.
        unsafe {
            match behind($file) {
                None => $otherwise,
                Some(open) => {
                    let real = open.platform();
                    match (*real).pMethods.as_ref().and_then(|methods| methods.$method) {
                        Some(method) => method(real $(, $argument)*),
                        None => $otherwise,
                    }
                }
            }
        }
    }};
}

/// Writes what was gathered, and ends here if that cannot be done.
macro_rules! hand_on {
    ($file:ident) => {
        // SAFETY: SQLite calls this with an open file of ours.
        if let Some(open) = unsafe { behind($file) } {
            let code = open.hand_on();
            if code != ffi::SQLITE_OK {
                return code;
            }
        }
    };
}

/// Closes the file. What a commit has not finished is not written any more: its place in the log is somebody else's by now.
unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let code = pass_on!(file, xClose, ffi::SQLITE_IOERR_CLOSE);
    // SAFETY: SQLite closes a file once, and does not use it afterwards.
    let open = unsafe { ptr::replace(&raw mut (*file.cast::<Handle>()).open, ptr::null_mut()) };
    if !open.is_null() {
        // SAFETY: it came from a box, and nobody else has it any more.
        drop(unsafe { Box::from_raw(open) });
    }
    code
}

unsafe extern "C" fn read(file: *mut sqlite3_file, to: *mut c_void, amount: c_int, at: sqlite3_int64) -> c_int {
    // What SQLite believed to be written is not: of a failed write it takes everything back, and not of a failed read.
    // SAFETY: SQLite calls this with an open file of ours.
    if unsafe { behind(file) }.is_some_and(|open| open.hand_on() != ffi::SQLITE_OK) {
        return ffi::SQLITE_IOERR_WRITE;
    }
    pass_on!(file, xRead, ffi::SQLITE_IOERR_READ, to, amount, at)
}

unsafe extern "C" fn write(file: *mut sqlite3_file, from: *const c_void, amount: c_int, at: sqlite3_int64) -> c_int {
    // SAFETY: SQLite calls this with an open file of ours, and hands `amount` bytes at `from`, which nobody changes meanwhile.
    unsafe { behind(file).map_or(ffi::SQLITE_IOERR_WRITE, |open| open.write(from, amount, at)) }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: sqlite3_int64) -> c_int {
    hand_on!(file);
    pass_on!(file, xTruncate, ffi::SQLITE_IOERR_TRUNCATE, length)
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    hand_on!(file);
    pass_on!(file, xSync, ffi::SQLITE_IOERR_FSYNC, flags)
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, size: *mut sqlite3_int64) -> c_int {
    hand_on!(file);
    pass_on!(file, xFileSize, ffi::SQLITE_IOERR_FSTAT, size)
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    hand_on!(file);
    pass_on!(file, xFileControl, ffi::SQLITE_NOTFOUND, operation, argument)
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    pass_on!(file, xLock, ffi::SQLITE_IOERR_LOCK, level)
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    pass_on!(file, xUnlock, ffi::SQLITE_IOERR_UNLOCK, level)
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, out: *mut c_int) -> c_int {
    pass_on!(file, xCheckReservedLock, ffi::SQLITE_IOERR_CHECKRESERVEDLOCK, out)
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    pass_on!(file, xSectorSize, 0)
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    pass_on!(file, xDeviceCharacteristics, 0)
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    page: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    pass_on!(file, xShmMap, ffi::SQLITE_IOERR_SHMMAP, page, size, extend, out)
}

unsafe extern "C" fn shm_lock(file: *mut sqlite3_file, offset: c_int, count: c_int, flags: c_int) -> c_int {
    pass_on!(file, xShmLock, ffi::SQLITE_IOERR_SHMLOCK, offset, count, flags)
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    pass_on!(file, xShmBarrier, ());
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, delete: c_int) -> c_int {
    pass_on!(file, xShmUnmap, ffi::SQLITE_OK, delete)
}
