//! The tables, as Markdown.

use crate::database::Engine;
use crate::follow::Told;
use crate::rounds::{EVERY, Reached, Round, STREAMS};
use crate::{CLIENTS, Extent};
use bench_report::{median, percentile, thousands, times};

pub struct Figures {
    pub calls: Vec<(Engine, Vec<Round>)>,
    pub checks: Vec<Round>,
    pub streams: Told,
    pub extent: Extent,
    pub server: Option<String>,
}

/// The longest that 99 of 100 events may take, in seconds.
const SOON: f64 = 0.05;

pub fn report(figures: &Figures, machine: &str) -> String {
    let server = figures.server.as_ref().map(|server| format!("; {server}")).unwrap_or_default();
    let mut out = format!("## The API (`make bench-api`)\n\n{machine}{server}.\n\n");
    out += &format!(
        "All of Countersign in one process; whoever sends requests is another one, on the same processors, over loopback. \
         Medians of {} rounds in which both take turns; a ratio is the median of the rounds' ratios. How it is measured stands \
         in `bench/api/README.md`.\n\n| what | engine | aim | measured |\n|---|---|---|---|\n",
        figures.extent.rounds
    );
    let mut aim = |what: &str, engine: &str, aim: &str, measured: String, reached: bool| {
        let missed = if reached { "" } else { " (missed)" };
        out += &format!("| {what} | {engine} | {aim} | {measured}{missed} |\n");
    };
    for (engine, rounds) in &figures.calls {
        let ratio = of(rounds, Round::ratio);
        let what = format!("allowed calls over the API, {CLIENTS} clients / the durable core alone");
        aim(&what, engine.title(), "at least 0.5", times(ratio), ratio >= 0.5);
    }
    let ratio = of(&figures.checks, Round::ratio);
    let what = format!("`/policy/check`, {CLIENTS} clients / an empty handler of axum");
    aim(&what, "SQLite", "at least 0.5", times(ratio), ratio >= 0.5);
    let [inbox, run] = [&figures.streams.inbox, &figures.streams.run].map(|all| ascending(all));
    let late = percentile(&inbox, 99).max(percentile(&run, 99));
    let what = format!("from an answer to its event at each of {} open streams, p99", 2 * STREAMS);
    aim(&what, "SQLite", "under 50 ms", milli(late), late < SOON);
    out + &rates(figures) + &streams(figures, &inbox, &run)
}

fn rates(figures: &Figures) -> String {
    let mut out = "\nProcessor time of the server and of whoever sends the requests, for each:\n\n\
                   | what | engine | a second | server | sender |\n|---|---|---|---|---|\n"
        .to_owned();
    let mut row = |what: &str, engine: &str, rounds: &[Round], which: fn(&Round) -> Reached| {
        let (rate, ours) = (of(rounds, |round| which(round).rate), of(rounds, |round| which(round).ours));
        let theirs = of(rounds, |round| which(round).theirs);
        let sender = if theirs > 0.0 { micro(theirs) } else { "-".into() };
        out += &format!("| {what} | {engine} | {} | {} | {sender} |\n", thousands(rate), micro(ours));
    };
    for (engine, rounds) in &figures.calls {
        row("`/tool-calls`, allowed", engine.title(), rounds, |round| round.api);
        row("the durable core alone", engine.title(), rounds, |round| round.beside);
    }
    row("`/policy/check`", "SQLite", &figures.checks, |round| round.api);
    row("an empty handler", "-", &figures.checks, |round| round.beside);
    out
}

fn streams(figures: &Figures, inbox: &[f64], run: &[f64]) -> String {
    let Told { rate, acknowledged, processor, .. } = &figures.streams;
    let acknowledged = ascending(acknowledged);
    let mut out = format!(
        "\n{} answers, {} a second of {} that were aimed at, with {STREAMS} streams of the inbox and {STREAMS} of runs open. The \
         time is taken right before an answer is sent, and when its event is read; the process with all streams took {} of a \
         processor.\n\n| what | p50 | p99 | longest |\n|---|---|---|---|\n",
        thousands(acknowledged.len() as f64),
        times(*rate),
        times(1.0 / EVERY.as_secs_f64()),
        times(processor * rate / acknowledged.len() as f64),
    );
    for (what, all) in
        [("at streams of the inbox", inbox), ("at streams of runs", run), ("acknowledged", &acknowledged)]
    {
        let longest = all.last().copied().unwrap_or(f64::NAN);
        out += &format!(
            "| {what} | {} | {} | {} |\n",
            milli(percentile(all, 50)),
            milli(percentile(all, 99)),
            milli(longest)
        );
    }
    out
}

/// The median of what `figure` gives of each round.
fn of(rounds: &[Round], figure: impl Fn(&Round) -> f64) -> f64 {
    median(rounds.iter().map(figure).collect())
}

fn ascending(all: &[f64]) -> Vec<f64> {
    let mut all = all.to_vec();
    all.sort_by(f64::total_cmp);
    all
}

fn milli(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1e3)
}

fn micro(seconds: f64) -> String {
    format!("{:.0} µs", seconds * 1e6)
}
