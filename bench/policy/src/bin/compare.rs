//! Runs every engine on every workload, one process after another, and writes the tables.
//!
//!     compare [FILE]      FILE is docs/reference/benchmarks.md unless told

use bench_policy::measure::{Measured, median};
use bench_policy::report::{Figures, Line, report, written_into};
use bench_policy::workload::{Form, SIZES};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Binaries beside this one, ours first.
const ENGINES: [&str; 7] = ["countersign", "globset", "globset_named", "plain_loop", "cedar", "regorus", "casbin"];
/// The median of so many processes counts.
const RUNS: usize = 3;

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "docs/reference/benchmarks.md".into());
    let mut lines = Vec::new();
    for form in Form::ALL {
        for size in SIZES {
            for engine in ENGINES {
                let runs: Vec<_> = (0..RUNS).map_while(|_| run(engine, form, size)).collect();
                if runs.is_empty() {
                    eprintln!("{engine} failed on {} {size}", form.word());
                    continue;
                }
                let line = Line { engine, form, size, measured: of_medians(&runs) };
                eprintln!("{:10} {:7} {:12} {:>12.0}/s", form.word(), size, engine, line.measured.per_second);
                lines.push(line);
            }
        }
    }
    let commands = median((0..RUNS).filter_map(|_| printed("countersign", &["commands"])?.parse().ok()).collect());
    let lengths = printed("countersign", &["lengths"]).and_then(|ratio| ratio.parse().ok()).unwrap_or(f64::NAN);
    let text = report(&Figures { lines, commands, lengths }, &machine());
    println!("{text}");
    let path = Path::new(&file);
    let old = std::fs::read_to_string(path).unwrap_or_default();
    std::fs::write(path, written_into(&old, &text))
}

fn run(engine: &str, form: Form, size: usize) -> Option<Measured> {
    serde_json::from_str(&printed(engine, &[form.word(), &size.to_string()])?).ok()
}

/// What a binary beside this one prints.
fn printed(binary: &str, words: &[&str]) -> Option<String> {
    let own: PathBuf = std::env::current_exe().ok()?;
    let output = Command::new(own.with_file_name(binary)).args(words).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn of_medians(runs: &[Measured]) -> Measured {
    let of = |figure: fn(&Measured) -> f64| median(runs.iter().map(figure).collect());
    Measured {
        per_second: of(|run| run.per_second),
        p50: of(|run| run.p50),
        p99: of(|run| run.p99),
        build: of(|run| run.build),
        memory: of(|run| run.memory),
        samples: runs.iter().map(|run| run.samples).sum(),
        checked: runs.iter().map(|run| run.checked).sum(),
        wrong: runs.iter().map(|run| run.wrong).sum(),
    }
}

/// What the figures were measured on.
fn machine() -> String {
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
