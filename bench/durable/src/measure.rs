//! Memory, processor time, open files, sizes: of this process and of files.

use rustix::time::{ClockId, clock_gettime};
use std::path::{Path, PathBuf};

/// Resident memory of this process, in MiB.
pub fn memory() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let resident = pages.and_then(|all| all.split_whitespace().nth(1)?.parse::<f64>().ok());
    resident.unwrap_or_default() * rustix::param::page_size() as f64 / f64::from(1 << 20)
}

/// Processor time that this process has used, in seconds.
pub fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Bytes of the files in `folder` whose names begin so.
pub fn bytes(folder: &Path, prefix: &str) -> std::io::Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            sum += entry.metadata()?.len();
        }
    }
    Ok(sum)
}

/// The files that this process has open.
pub fn open_files() -> std::io::Result<impl Iterator<Item = PathBuf>> {
    let all = std::fs::read_dir("/proc/self/fd")?;
    Ok(all.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok()))
}
