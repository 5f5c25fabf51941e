//! Flushes: how many the disk does in a second, and how many this process has asked for.

use crate::Failure;
use rustix::fd::{BorrowedFd, RawFd};
use std::ffi::c_int;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static ASKED_FOR: AtomicU64 = AtomicU64::new(0);

/// How many flushes this process has asked for so far, whoever in it did: `SQLite` asks by the two functions below, which
/// stand in the place of the system's.
pub fn asked_for() -> u64 {
    ASKED_FOR.load(Ordering::Relaxed)
}

#[unsafe(no_mangle)]
extern "C" fn fdatasync(file: RawFd) -> c_int {
    counted(file, |file| rustix::fs::fdatasync(file))
}

#[unsafe(no_mangle)]
extern "C" fn fsync(file: RawFd) -> c_int {
    counted(file, |file| rustix::fs::fsync(file))
}

fn counted(file: RawFd, flush: impl Fn(BorrowedFd<'_>) -> rustix::io::Result<()>) -> c_int {
    ASKED_FOR.fetch_add(1, Ordering::Relaxed);
    // SAFETY: whoever asks for a flush holds the file open until it is done.
    let file = unsafe { BorrowedFd::borrow_raw(file) };
    while let Err(error) = flush(file) {
        if error != rustix::io::Errno::INTR {
            return -1;
        }
    }
    0
}

/// What is written before each flush.
const PAGE: [u8; 4096] = [0x5a; 4096];
/// Where pages are written over.
const LENGTH: u64 = 4 << 20;

/// Appends a page and flushes, again and again: how often in a second.
pub fn of_appends(folder: &Path, lasting: Duration) -> Result<f64, Failure> {
    let path = folder.join("flushes");
    let mut file = File::create(&path)?;
    let rate = rate(lasting, |_| {
        file.write_all(&PAGE)?;
        Ok(file.sync_data()?)
    })?;
    std::fs::remove_file(path)?;
    Ok(rate)
}

/// The same, over pages that are there already, as a write-ahead log does that has its size.
pub fn of_overwrites(folder: &Path, lasting: Duration) -> Result<f64, Failure> {
    let path = folder.join("flushes");
    let mut file = File::create(&path)?;
    for _ in 0..LENGTH / PAGE.len() as u64 {
        file.write_all(&PAGE)?;
    }
    file.sync_all()?;
    let rate = rate(lasting, |count| {
        file.write_all_at(&PAGE, count * PAGE.len() as u64 % LENGTH)?;
        Ok(file.sync_data()?)
    })?;
    std::fs::remove_file(path)?;
    Ok(rate)
}

fn rate(lasting: Duration, mut flush: impl FnMut(u64) -> Result<(), Failure>) -> Result<f64, Failure> {
    let (begin, mut count) = (Instant::now(), 0);
    while begin.elapsed() < lasting {
        flush(count)?;
        count += 1;
    }
    Ok(count as f64 / begin.elapsed().as_secs_f64())
}
