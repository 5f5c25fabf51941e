//! Runs every engine on every workload, one process after another, and writes the tables.
//!
//!     compare [FILE]      FILE is docs/reference/benchmarks.md unless told

use bench_policy::measure::Measured;
use bench_policy::report::{Figures, Line, report};
use bench_policy::workload::{Form, SIZES};
use bench_report::{machine, median};
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
    bench_report::write(Path::new(&file), "bench-policy", &text)
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
