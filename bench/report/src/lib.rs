//! What all benchmarks share: the page that their figures go to, the machine they were measured on, and how numbers read.

mod machine;
mod number;

pub use machine::machine;
pub use number::{median, percentile, thousands, times};

use std::path::Path;

/// Writes `text` into the page at `path`, in the place of what an earlier run of the benchmark `name` wrote there.
pub fn write(path: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    std::fs::write(path, written_into(&old, name, text))
}

fn written_into(old: &str, name: &str, text: &str) -> String {
    let (begin, end) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let part = format!("{begin}\n{text}{end}\n");
    match (old.split_once(&begin), old.split_once(&end)) {
        (Some((before, _)), Some((_, after))) => format!("{before}{part}{}", after.strip_prefix('\n').unwrap_or(after)),
        _ if old.is_empty() => format!("# Benchmarks\n\nWritten by `make bench`; not by hand.\n\n{part}"),
        _ => format!("{}\n\n{part}", old.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_benchmark_changes_its_own_part_only() {
        let first = written_into("", "one", "1\n");
        let both = written_into(&first, "two", "2\n");
        assert_eq!(both, format!("{first}\n<!-- two -->\n2\n<!-- /two -->\n"));
        let again = written_into(&both, "one", "3\n");
        assert_eq!(again, both.replace("1\n", "3\n"));
        assert_eq!(written_into(&again, "two", "2\n"), again);
    }
}
