//! The tables, as Markdown.

use crate::Extent;
use crate::engine::Engine;
use crate::many::{Bytes, FEW, Many};
use crate::ours::CLIENTS;
use crate::peers::{Kills, Speed};
use crate::rounds::{Round, Steps, THREADS, of_dbos};
use bench_report::{median, thousands, times};

pub struct Figures {
    pub engines: Vec<OnEngine>,
    pub steps: Steps,
    pub extent: Extent,
    pub server: Option<String>,
}

/// All that was measured on one engine.
pub struct OnEngine {
    pub engine: Engine,
    pub rounds: Vec<Round>,
    /// Of a waiting run.
    pub bytes: Bytes,
    pub many: Many,
    pub peer_bytes: Vec<(&'static str, f64)>,
    pub kills: Vec<(&'static str, Kills)>,
}

/// The time of a flush below which what a library does itself shows.
const QUICK_FLUSH: f64 = 0.2;

pub fn report(figures: &Figures, machine: &str) -> String {
    let server = figures.server.as_ref().map(|server| format!("; {server}")).unwrap_or_default();
    let mut out = format!("## Durable runs (`make bench-durable`)\n\n{machine}{server}.\n\n");
    out += &format!(
        "A run proposes one call, is stored and waits; a person approves; the tool appends a line to a file; the run ends. \
         Medians of {} rounds in which all take turns; a ratio is the median of the rounds' ratios. How it is measured \
         stands in `bench/durable/README.md`.\n\n### What is aimed at\n\n",
        figures.extent.rounds
    );
    out += &aims(figures);
    for on in &figures.engines {
        out += &on.speed();
    }
    out + &bytes(figures) + &kills(figures)
}

struct Aims(String);

impl Aims {
    fn row(&mut self, what: &str, engine: &str, aim: &str, measured: String, reached: bool) {
        let missed = if reached { "" } else { " (missed)" };
        self.0 += &format!("| {what} | {engine} | {aim} | {measured}{missed} |\n");
    }
}

fn aims(figures: &Figures) -> String {
    let mut aims = Aims("| what | engine | aim | measured |\n|---|---|---|---|\n".into());
    let steps = figures.steps.to_recorded_end();
    aims.row(
        "steps saved from an answer to the recorded end of the tool",
        "both",
        "at most 3",
        steps.to_string(),
        steps <= 3,
    );
    for on in &figures.engines {
        on.aims(&mut aims);
    }
    aims.0
}

impl OnEngine {
    /// The median of what `figure` gives of each round.
    fn of(&self, figure: impl Fn(&Round) -> f64) -> f64 {
        let all = self.rounds.iter().map(figure).filter(|figure| figure.is_finite());
        median(all.collect())
    }

    fn aims(&self, aims: &mut Aims) {
        let title = self.engine.title();
        let mut at_least = |what: &str, least: f64, measured: f64| {
            aims.row(what, title, &format!("at least {least}"), times(measured), measured >= least);
        };
        let limit = match self.engine {
            Engine::Sqlite => "a bare loop's",
            Engine::Postgres(_) => "pgbench's",
        };
        if matches!(self.engine, Engine::Sqlite) {
            at_least("resumes one at a time / what the flushes allow", 0.8, self.of(|round| round.disk.share));
        }
        let ratio = self.of(|round| round.disk.single / best(round, 1, |speed| speed.resumes));
        let flush = 1e3 / self.of(|round| round.disk.appends);
        if flush < QUICK_FLUSH {
            at_least("resumes one at a time / LangGraph's", 4.0, ratio);
        } else {
            let aim = format!("at least 4 where a flush takes under {QUICK_FLUSH} ms");
            let measured = format!("{} (a flush took {flush:.2} ms)", times(ratio));
            aims.row("resumes one at a time / LangGraph's", title, &aim, measured, true);
        }
        let mut at_least = |what: String, least: f64, measured: f64| {
            aims.row(&what, title, &format!("at least {least}"), times(measured), measured >= least);
        };
        let clients = format!("{CLIENTS} clients");
        at_least(
            format!("runs brought to the wait, {clients} / {limit}"),
            0.5,
            self.of(|round| round.ours.to_wait / round.limit.to_wait),
        );
        at_least(
            format!("resumes, {clients} / {limit}"),
            0.5,
            self.of(|round| round.ours.resumes / round.limit.resumes),
        );
        let most = *THREADS.last().unwrap_or(&1);
        at_least(
            format!("runs brought to the wait, {clients} / LangGraph's best"),
            10.0,
            self.of(|round| round.ours.to_wait / best(round, most, |speed| speed.to_wait)),
        );
        at_least(
            format!("resumes, {clients} / LangGraph's best"),
            10.0,
            self.of(|round| round.ours.resumes / best(round, most, |speed| speed.resumes)),
        );
        let what = "bytes on disk of a waiting run with 100 bytes of arguments, audit apart";
        let apart = self.bytes.all - self.bytes.record;
        let told = format!("{} ({} with it)", thousands(apart), thousands(self.bytes.all));
        aims.row(what, title, "at most 3,000", told, apart <= 3_000.0);
        if let Some((_, ours)) = self.kills.first() {
            let what = format!("{} kills: answers lost / tools run twice unasked / runs not ended", ours.kills);
            let told = format!("{} / {} / {}", ours.answers_lost, ours.twice, ours.stuck);
            let reached = ours.answers_lost + ours.twice + ours.stuck + ours.not_reached == 0 && ours.kills > 0;
            aims.row(&what, title, "0 / 0 / 0", told, reached);
        }
        let Many { count, few, many, memory, .. } = self.many;
        let (count, slower) = (thousands(count as f64), many / few);
        let what = format!("answer to end with {count} runs waiting / with {}", thousands(FEW as f64));
        let told = format!("{} ({many:.2} ms / {few:.2} ms)", times(slower));
        aims.row(&what, title, "at most 1.5", told, slower <= 1.5);
        let what = format!("memory of an idle process with {count} runs waiting");
        aims.row(&what, title, "less than 100 MiB", format!("{memory:.0} MiB"), memory < 100.0);
    }

    fn speed(&self) -> String {
        let (title, limit) = match self.engine {
            Engine::Sqlite => ("SQLite", "bare loop, 32 runs to a commit"),
            Engine::Postgres(_) => ("PostgreSQL", "pgbench"),
        };
        let mut out = format!(
            "\n### Runs a second, {title}\n\nThe disk appended and flushed {} pages a second, or {} where it wrote over pages. \
             {}\n\n| who | clients | to the wait | resumes | resumes, one at a time |\n|---|---|---|---|---|\n",
            thousands(self.of(|round| round.disk.appends)),
            thousands(self.of(|round| round.disk.overwrites)),
            self.described(),
        );
        let mut row = |who: &str, clients: usize, cells: [f64; 3]| {
            let cells = cells.map(|cell| if cell.is_finite() { rate(cell) } else { "-".into() });
            out += &format!("| {who} | {clients} | {} |\n", cells.join(" | "));
        };
        let nothing = f64::NAN;
        let of = |figure: fn(&Round) -> f64| self.of(figure);
        let single = of(|round| round.limit.single);
        row(limit, CLIENTS, [of(|round| round.limit.to_wait), of(|round| round.limit.resumes), single]);
        let single = self.of(|round| round.disk.single);
        row("Countersign", CLIENTS, [self.of(|round| round.ours.to_wait), self.of(|round| round.ours.resumes), single]);
        for (place, threads) in THREADS.into_iter().enumerate() {
            let of = |figure: fn(&Speed) -> f64| {
                self.of(|round| round.langgraph.get(place).and_then(Option::as_ref).map_or(f64::NAN, figure))
            };
            let (to_wait, resumes) = (of(|speed| speed.to_wait), of(|speed| speed.resumes));
            row("LangGraph", threads, [to_wait, resumes, if threads == 1 { resumes } else { nothing }]);
        }
        let of = |figure: fn(&Speed) -> f64| self.of(|round| round.dbos.as_ref().map_or(f64::NAN, figure));
        let single = of(|speed| speed.single.unwrap_or(f64::NAN));
        row("DBOS", of_dbos(&self.engine, 0).clients, [of(|speed| speed.to_wait), of(|speed| speed.resumes), single]);
        out
    }

    /// What else is known of ours.
    fn described(&self) -> String {
        let flushes = self.of(|round| round.disk.flushes);
        let of = |figure: fn(&Round) -> f64| thousands(self.of(figure));
        match self.engine {
            Engine::Sqlite => format!(
                "A resume of ours took {flushes:.2} flushes; beside what three of them would allow, as many as it may take, its rate \
                 is {}. Of the processor a run took {} µs to the wait and {} µs from \
                 there to its end, client included; the bare loop took {} µs and {} µs.",
                times(self.of(|round| round.disk.share) * 3.0 / flushes),
                of(|round| round.ours.wait_processor),
                of(|round| round.ours.resume_processor),
                of(|round| round.limit.wait_processor),
                of(|round| round.limit.resume_processor),
            ),
            Engine::Postgres(_) => format!(
                "A resume of ours took {flushes:.0} transactions. Of our processor a run took {} µs to the wait and {} µs \
                 from there to its end, client included.",
                of(|round| round.ours.wait_processor),
                of(|round| round.ours.resume_processor),
            ),
        }
    }
}

/// How many times as fast as LangGraph we were in a round, if it was measured.
pub fn beside_langgraph(round: &Round) -> Option<String> {
    let most = *THREADS.last().unwrap_or(&1);
    let ratios = [
        round.ours.to_wait / best(round, most, |speed| speed.to_wait),
        round.ours.resumes / best(round, most, |speed| speed.resumes),
        round.disk.single / best(round, 1, |speed| speed.resumes),
    ];
    let told = ratios.map(times).join(", ");
    ratios.iter().all(|ratio| ratio.is_finite()).then(|| format!("{told} times as fast as LangGraph"))
}

/// The best of LangGraph's with at most so many threads.
fn best(round: &Round, threads: usize, figure: impl Fn(&Speed) -> f64) -> f64 {
    let fitting = THREADS.iter().zip(&round.langgraph).filter(|(many, _)| **many <= threads);
    fitting.filter_map(|(_, speed)| speed.as_ref().map(&figure)).fold(f64::NAN, f64::max)
}

/// Slow ones with what is behind the point.
fn rate(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}") } else { thousands(rate) }
}

fn bytes(figures: &Figures) -> String {
    let [own, of_peer] = figures.extent.bytes.map(|count| thousands(count as f64));
    let mut out = format!(
        "\n### Bytes on disk of a waiting run\n\nOf {own} runs, of a peer's {of_peer}; after a checkpoint, the record included.\n\n\
         | engine | Countersign | LangGraph | DBOS |\n|---|---|---|---|\n"
    );
    for on in &figures.engines {
        let of = |peer: &str| {
            let found = on.peer_bytes.iter().find(|(name, _)| *name == peer);
            found.map_or_else(|| "-".to_owned(), |(_, bytes)| thousands(*bytes))
        };
        out += &format!(
            "| {} | {} | {} | {} |\n",
            on.engine.title(),
            thousands(on.bytes.all),
            of("LangGraph"),
            of("DBOS")
        );
    }
    for OnEngine { engine, many: Many { count, bytes, .. }, .. } in &figures.engines {
        out += &format!("\nOf {} runs on {}: {}.\n", thousands(*count as f64), engine.title(), thousands(*bytes));
    }
    out
}

fn kills(figures: &Figures) -> String {
    let mut out = "\n### Kills\n\nSIGKILL in the tool, half of them just before its effect, half just after it and before it \
                   is recorded; then a new process.\n\n\
                   | who | engine | kills | answers lost | tool run twice, nobody asked | person asked whether it happened | \
                   tool never run | run not ended | tool not reached |\n|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for on in &figures.engines {
        for (who, Kills { kills, answers_lost, twice, never, stuck, not_reached, asked }) in &on.kills {
            let engine = on.engine.title();
            out += &format!(
                "| {who} | {engine} | {kills} | {answers_lost} | {twice} | {asked} | {never} | {stuck} | {not_reached} |\n"
            );
        }
    }
    out
}
