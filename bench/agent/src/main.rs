//! What Countersign adds to an agent's turn, to many runs at once, and to what a model streams.
//!
//!     agent [FILE]
//!
//! FILE is docs/reference/benchmarks.md unless told.

#[path = "../../durable/src/flush.rs"]
mod flush;
mod house;
mod streaming;

use bench_report::{machine, median, percentile, thousands, times, write};
use countersign_models::Scripted;
use house::House;
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Turns with a call in one run.
const TURNS: usize = 40;
/// Runs whose turns are measured, one after the other.
const RUNS: usize = 50;
/// Runs at once.
const MANY: usize = 500;
/// How long flushes are measured.
const FLUSHING: Duration = Duration::from_secs(3);

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let page = std::env::args().nth(1).unwrap_or_else(|| "docs/reference/benchmarks.md".into());
    let folder = tempfile::tempdir_in(".")?;
    let place = |name: &str| -> Result<_, Failure> {
        let place = folder.path().join(name);
        std::fs::create_dir(&place)?;
        Ok(place)
    };
    // A write-ahead log grows at first and is written over later: the quicker of the two is what we are held against.
    let appends = flush::of_appends(folder.path(), FLUSHING)?;
    let flush = 1.0 / appends.max(flush::of_overwrites(folder.path(), FLUSHING)?);
    let turn = turns(&place("turns")?).await?;
    let many = at_once(&place("many")?).await?;
    let delays = streaming::delays(&place("streaming")?).await?;
    let figures = Figures { flush, turn, many, delays };
    write(Path::new(&page), "bench-agent", &figures.report(&machine()))?;
    println!("wrote {page}");
    Ok(())
}

struct Figures {
    /// Seconds that one flush takes.
    flush: f64,
    turn: Turn,
    many: Many,
    /// Seconds that pieces of a model's words took, in ascending order.
    delays: Vec<f64>,
}

/// What one turn takes.
struct Turn {
    seconds: f64,
    flushes: f64,
    processor: f64,
}

/// What came of many runs at once.
struct Many {
    completed: usize,
    seconds: f64,
}

/// Runs of many turns, one after the other.
async fn turns(folder: &Path) -> Result<Turn, Failure> {
    let house = House::open(folder, Arc::new(script(TURNS, 0)?), 1)?;
    // The first one finds everything cold.
    completed(&house, house.start().await?).await?;
    let (mut seconds, flushes, processor) = (vec![], flush::asked_for(), processor_time());
    for _ in 0..RUNS {
        let began = Instant::now();
        completed(&house, house.start().await?).await?;
        seconds.push(began.elapsed().as_secs_f64() / TURNS as f64);
    }
    let all = (RUNS * TURNS) as f64;
    let turn = Turn {
        seconds: median(seconds),
        flushes: (flush::asked_for() - flushes) as f64 / all,
        processor: (processor_time() - processor) / all,
    };
    house.close().await;
    Ok(turn)
}

/// So many runs at once, by a model that takes its time.
async fn at_once(folder: &Path) -> Result<Many, Failure> {
    let house = House::open(folder, Arc::new(script(3, 200)?), MANY)?;
    let began = Instant::now();
    let mut runs = vec![];
    for _ in 0..MANY {
        runs.push(house.start().await?);
    }
    let mut done = 0;
    for run in runs {
        done += usize::from(house.ended(run).await?);
    }
    let many = Many { completed: done, seconds: began.elapsed().as_secs_f64() };
    house.close().await;
    Ok(many)
}

async fn completed(house: &House, run: countersign_domain::RunId) -> Result<(), Failure> {
    if house.ended(run).await? { Ok(()) } else { Err(format!("run `{run}` failed").into()) }
}

/// A model that makes one call in each of so many turns, each after so long, and then has a last word.
fn script(turns: usize, delay_ms: u64) -> Result<Scripted, Failure> {
    let turn =
        |n: usize| format!("      - {{ delay_ms: {delay_ms}, calls: [ {{ tool: nothing, args: {{ n: {n} }} }} ] }}\n");
    let turns: String = (0..turns).map(turn).collect();
    Ok(Scripted::read(&format!("scenarios:\n  - replies:\n{turns}      - say: done\n"))?)
}

impl Figures {
    fn report(&self, machine: &str) -> String {
        let met = |met: bool| if met { "" } else { " (missed)" };
        let Self { flush, turn, many, delays } = self;
        let milli = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
        let (multiple, delay) = (turn.seconds / flush, percentile(delays, 50));
        let mut out = format!(
            "## An agent's turn (`make bench-agent`)\n\n{machine}.\n\nAll of Countersign in one process on SQLite, with a \
             scripted model that answers at once and a tool that does nothing: {} turns in runs of {TURNS}. One flush of this \
             disk takes {}. `bench/agent/README.md` says how.\n\n| what | aim | measured |\n|---|---|---|\n",
            thousands((RUNS * TURNS) as f64),
            milli(*flush)
        );
        out += &format!(
            "| a turn with one allowed call, in flush times | at most 4 | {}{} |\n",
            times(multiple),
            met(multiple <= 4.0)
        );
        out += &format!(
            "| flushes asked for in a turn | at most 4 | {}{} |\n",
            times(turn.flushes),
            met(turn.flushes <= 4.0)
        );
        out += &format!(
            "| processor time of a turn | at most 2 ms | {}{} |\n",
            milli(turn.processor),
            met(turn.processor <= 0.002)
        );
        out += &format!(
            "| of {MANY} runs at once, completed | {MANY} | {}{} |\n",
            many.completed,
            met(many.completed == MANY)
        );
        out += &format!(
            "| what streaming adds from the model's piece to the client's, median | under 1 ms | {}{} |\n\n",
            milli(delay),
            met(delay < 0.001)
        );
        out += &format!(
            "The {MANY} runs of three turns, in each of which the model takes 0.2 s, took {:.1} s together. Of {} pieces 95 in \
             100 came within {}, 99 in 100 within {}.\n",
            many.seconds,
            delays.len(),
            milli(percentile(delays, 95)),
            milli(percentile(delays, 99))
        );
        out
    }
}

fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}
