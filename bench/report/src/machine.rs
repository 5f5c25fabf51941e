//! What the figures were measured on.

use std::process::Command;

/// Processors, memory, system and compiler, and how much else was going on.
pub fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':')).map_or_else(String::new, |(_, value)| value.trim().to_owned())
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let memory: f64 = after(&read("/proc/meminfo"), "MemTotal").split(' ').next().unwrap_or("").parse().unwrap_or(0.0);
    let first = |command: &str, word: &str| {
        let output = Command::new(command).arg(word).output().map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&output).trim().to_owned()
    };
    format!(
        "{processors} processors ({}), {:.0} GiB, Linux {}, {}; load {} when it ended",
        after(&read("/proc/cpuinfo"), "model name"),
        memory / f64::from(1 << 20),
        read("/proc/sys/kernel/osrelease").trim(),
        first("rustc", "--version"),
        read("/proc/loadavg").split(' ').next().unwrap_or_default(),
    )
}
