//! The tables, as Markdown.

use crate::measure::Measured;
use crate::workload::{Form, SIZES};
use bench_report::{thousands, times};

pub struct Figures {
    pub lines: Vec<Line>,
    /// The median of the everyday command lines, in nanoseconds.
    pub commands: f64,
    /// How many times as long a line sixteen times as long takes to take apart.
    pub lengths: f64,
}

pub struct Line {
    pub engine: &'static str,
    pub form: Form,
    pub size: usize,
    pub measured: Measured,
}

const OURS: &str = "countersign";
const BAR: &str = "globset";
/// The bar, made to say which rule decided, as Countersign does.
const NAMED: &str = "globset_named";

pub fn report(figures: &Figures, machine: &str) -> String {
    let mut out = format!("## Judging calls (`make bench-policy`)\n\n{machine}.\n\n");
    out += "One thread, processor time, medians of three processes; what the engines and the workload are stands in \
            `bench/policy/README.md`.\n\n### What is aimed at\n\n";
    out += &aims(figures);
    for form in Form::ALL {
        out += &format!("\n### The form `{}`\n", form.word());
        let tables: [(&str, Cell); 4] = [
            ("Judgements a second", |own, _| thousands(own.per_second)),
            ("How many times as many Countersign makes", |own, ours| times(ours.per_second / own.per_second)),
            ("p50 / p99 of one judgement, µs", |own, _| format!("{} / {}", micro(own.p50), micro(own.p99))),
            ("Compiling: seconds / MiB", |own, _| format!("{:.3} / {:.0}", own.build, own.memory.max(0.0))),
        ];
        for (title, cell) in tables {
            out += &figures.table(form, title, cell);
        }
        out += &figures.table(form, "Wrong answers, of those compared", |own, _| {
            format!("{} of {}", own.wrong, thousands(own.checked as f64))
        });
    }
    out
}

/// A cell from an engine's figures and from ours.
type Cell = fn(&Measured, &Measured) -> String;

impl Figures {
    fn get(&self, engine: &str, form: Form, size: usize) -> Option<&Measured> {
        let line = self.lines.iter().find(|line| (line.engine, line.form, line.size) == (engine, form, size));
        line.map(|line| &line.measured)
    }

    fn table(&self, form: Form, title: &str, cell: Cell) -> String {
        let mut engines: Vec<&str> = Vec::new();
        for line in self.lines.iter().filter(|line| line.form == form) {
            if !engines.contains(&line.engine) {
                engines.push(line.engine);
            }
        }
        let sizes = SIZES.map(|size| thousands(size as f64)).join(" | ");
        let mut out = format!("\n{title}:\n\n| rules | {sizes} |\n|---|{}\n", "---|".repeat(SIZES.len()));
        for engine in engines {
            let cells = SIZES.map(|size| match (self.get(engine, form, size), self.get(OURS, form, size)) {
                (Some(own), Some(ours)) => cell(own, ours),
                _ => "-".into(),
            });
            out += &format!("| {engine} | {} |\n", cells.join(" | "));
        }
        out
    }
}

fn aims(figures: &Figures) -> String {
    let mut out = format!("| what | form | aim | measured | beside `{NAMED}` |\n|---|---|---|---|---|\n");
    for form in Form::ALL {
        let ratio = |engine: &str, size: usize, of: fn(&Measured, &Measured) -> f64| {
            let both = figures.get(OURS, form, size).zip(figures.get(engine, form, size));
            both.map_or(f64::NAN, |(ours, other)| of(ours, other))
        };
        let rate = |engine: &str, size| ratio(engine, size, |ours, other| ours.per_second / other.per_second);
        let flat = figures.get(OURS, form, 100_000).zip(figures.get(OURS, form, 100));
        let flat = flat.map_or(f64::NAN, |(many, few)| many.p50 / few.p50);
        let mut row = |what: &str, aim: &str, measured: f64, reached: bool, named: Option<f64>| {
            let missed = if reached { "" } else { " (missed)" };
            let named = named.map(times).unwrap_or_default();
            out += &format!("| {what} | {} | {aim} | {}{missed} | {named} |\n", form.word(), times(measured));
        };
        row("p50 at 100,000 rules / at 100", "at most 2", flat, flat <= 2.0, None);
        for (size, least) in [(10, 0.5), (100, 1.0), (1_000, 1.0), (10_000, 4.0), (100_000, 20.0)] {
            let measured = rate(BAR, size);
            let what = format!("rate / {BAR}'s, {} rules", thousands(size as f64));
            row(&what, &format!("at least {least}"), measured, measured >= least, Some(rate(NAMED, size)));
        }
        let p99_of = |bar| ratio(bar, 100_000, |ours, other| ours.p99 / other.p99);
        let p99 = p99_of(BAR);
        row(&format!("p99 / {BAR}'s, 100,000 rules"), "at most 0.14", p99, p99 <= 1.0 / 7.0, Some(p99_of(NAMED)));
        let build = ratio(BAR, 100_000, |ours, other| ours.build / other.build);
        row(&format!("time to compile 100,000 / {BAR}'s"), "less than 1", build, build < 1.0, None);
        let memory = ratio(BAR, 100_000, |ours, other| ours.memory / other.memory);
        row(&format!("memory of 100,000 / {BAR}'s"), "less than 1", memory, memory < 1.0, None);
        let cedar = rate("cedar", 10_000);
        row("rate / cedar's cut by action, 10,000 rules", "at least 500", cedar, cedar >= 500.0, None);
    }
    let (commands, lengths) = (micro(figures.commands), figures.lengths);
    let missed = if lengths <= 20.0 { "" } else { " (missed)" };
    out +=
        &format!("| an everyday command line, described and judged, median of 50 | commands | | {commands} µs | |\n");
    out += &format!("| taking apart 256 KiB / 16 KiB | commands | at most 20 | {}{missed} | |\n", times(lengths));
    out
}

fn micro(nanoseconds: f64) -> String {
    match nanoseconds / 1e3 {
        micro if micro >= 100.0 => thousands(micro),
        micro if micro >= 10.0 => format!("{micro:.1}"),
        micro => format!("{micro:.2}"),
    }
}
