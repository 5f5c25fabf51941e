//! Speed: in each round everybody does the same work, one after the other, so that what else the machine does meets all.

use crate::bare::{Bare, Commit};
use crate::engine::{Database, Engine};
use crate::measure::processor_time;
use crate::ours::{CLIENTS, Options, Ours};
use crate::peers::{Asked, Peer, Peers, Speed};
use crate::{Extent, Failure, flush};
use bench_report::median;
use std::path::Path;
use std::time::{Duration, Instant};

/// How many threads LangGraph is given.
pub const THREADS: [usize; 3] = [1, 8, 32];

/// Slices of one client's work, between which the disk is measured.
const SLICES: usize = 8;
const DISK: Duration = Duration::from_millis(150);

/// What was measured in one round, on one engine.
#[derive(Debug, Clone)]
pub struct Round {
    pub disk: Disk,
    pub ours: Rates,
    /// What the database allows.
    pub limit: Rates,
    /// By number of threads.
    pub langgraph: Vec<Option<Speed>>,
    pub dbos: Option<Speed>,
}

/// Runs a second, and what of the processor each takes, in microseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rates {
    pub to_wait: f64,
    pub resumes: f64,
    /// Resumes one at a time.
    pub single: f64,
    pub wait_processor: f64,
    pub resume_processor: f64,
}

/// One client, between measurements of the disk.
#[derive(Debug, Clone, Copy)]
pub struct Disk {
    /// Pages appended and flushed in a second.
    pub appends: f64,
    /// Pages written over and flushed in a second.
    pub overwrites: f64,
    /// Resumes a second, one at a time.
    pub single: f64,
    /// Flushes that a resume took, where this process does them.
    pub flushes: f64,
    /// Resumes a second, as a share of the flushes a second that the disk does and each resume needs.
    pub share: f64,
}

/// How the steps of a run are saved.
#[derive(Debug, Clone)]
pub struct Steps {
    pub to_wait: Vec<Commit>,
    pub to_end: Vec<Commit>,
}

impl Steps {
    pub async fn seen(within: &Path) -> Result<Self, Failure> {
        let database = Engine::Sqlite.fresh(within, "steps")?;
        let ours = Ours::start(&database, Options::default()).await?;
        let (run, to_wait, to_end) = ours.steps().await?;
        let path = Path::new(&database.place);
        let seen = Self { to_wait: Commit::all(path, run, &to_wait)?, to_end: Commit::all(path, run, &to_end)? };
        ours.stop(&database).await?;
        Engine::Sqlite.remove(&database)?;
        Ok(seen)
    }

    /// How many are saved from an answer to the recorded end of the tool.
    pub fn to_recorded_end(&self) -> usize {
        let ends = |commit: &Commit| commit.events.iter().any(|event| event.kind == "tool_finished");
        self.to_end.iter().position(ends).map_or(self.to_end.len(), |place| place + 1)
    }
}

pub async fn round(
    engine: &Engine,
    steps: &Steps,
    peers: Option<&Peers>,
    within: &Path,
    extent: &Extent,
) -> Result<Round, Failure> {
    let database = engine.fresh(within, "ours")?;
    let ours = Ours::start(&database, Options::default()).await?;
    let rates = of_many(&ours, extent.runs).await?;
    let limit = limit(engine, steps, within, extent).await?;
    let disk = of_one(&ours, within, extent.single, steps.to_end.len()).await?;
    ours.stop(&database).await?;
    engine.remove(&database)?;
    let asked = |runs, clients, single| Asked { runs, clients, single };
    let langgraph = |threads| peers?.speed(Peer::LangGraph, engine, within, asked(extent.peer_runs, threads, 0));
    Ok(Round {
        disk,
        ours: rates,
        limit,
        langgraph: THREADS.into_iter().map(langgraph).collect(),
        dbos: peers.and_then(|peers| peers.speed(Peer::Dbos, engine, within, of_dbos(engine, extent.peer_runs))),
    })
}

/// How DBOS is measured. On `SQLite` it looks once a second, and fails when more runs wait than it has connections.
pub fn of_dbos(engine: &Engine, runs: usize) -> Asked {
    match engine {
        Engine::Sqlite => Asked { runs: 16, clients: 8, single: 4 },
        Engine::Postgres(_) => Asked { runs, clients: CLIENTS, single: runs / 5 },
    }
}

async fn of_many(ours: &Ours, count: usize) -> Result<Rates, Failure> {
    let each = |spent: f64| spent / count as f64 * 1e6;
    let begin = processor_time();
    let (waiting, to_wait) = ours.all_waiting(count, CLIENTS).await?;
    let between = processor_time();
    let resumed = ours.all_resumed(waiting, CLIENTS).await?;
    Ok(Rates {
        to_wait: count as f64 / to_wait.as_secs_f64(),
        resumes: count as f64 / resumed.as_secs_f64(),
        wait_processor: each(between - begin),
        resume_processor: each(processor_time() - between),
        ..Rates::default()
    })
}

async fn limit(engine: &Engine, steps: &Steps, within: &Path, extent: &Extent) -> Result<Rates, Failure> {
    let database = engine.fresh(within, "limit")?;
    // Makes the tables.
    let ours = Ours::start(&database, Options::default()).await?;
    ours.stop(&database).await?;
    let rates = match engine {
        Engine::Sqlite => of_bare_loop(&database, steps, extent)?,
        Engine::Postgres(server) => {
            let commits = [&*steps.to_wait, &*steps.to_end];
            let [to_wait, resumes, single] = server.rates(&database, commits, [extent.runs, extent.single])?;
            Rates { to_wait, resumes, single, ..Rates::default() }
        }
    };
    engine.remove(&database)?;
    Ok(rates)
}

fn of_bare_loop(database: &Database, steps: &Steps, extent: &Extent) -> Result<Rates, Failure> {
    let count = extent.runs;
    let each = |spent: f64| spent / count as f64 * 1e6;
    let mut bare = Bare::open(Path::new(&database.place))?;
    let begin = processor_time();
    let (ids, to_wait) = bare.write(&steps.to_wait, count)?;
    let between = processor_time();
    let resumed = bare.write_to(&steps.to_end, &ids, CLIENTS)?;
    let end = processor_time();
    let (ids, _) = bare.write(&steps.to_wait, extent.single)?;
    let single = bare.write_to(&steps.to_end, &ids, 1)?;
    Ok(Rates {
        to_wait: count as f64 / to_wait.as_secs_f64(),
        resumes: count as f64 / resumed.as_secs_f64(),
        single: extent.single as f64 / single.as_secs_f64(),
        wait_processor: each(between - begin),
        resume_processor: each(end - between),
    })
}

async fn of_one(ours: &Ours, within: &Path, count: usize, steps: usize) -> Result<Disk, Failure> {
    let (waiting, _) = ours.all_waiting(count, CLIENTS).await?;
    let (mut appends, mut overwrites, mut singles, mut flushes, mut shares) = (vec![], vec![], vec![], vec![], vec![]);
    for slice in waiting.chunks(count.div_ceil(SLICES)) {
        let disk = flush::of_appends(within, DISK)?;
        overwrites.push(flush::of_overwrites(within, DISK)?);
        let (before, begin) = (flush::asked_for(), Instant::now());
        ours.one_by_one(slice).await?;
        let single = slice.len() as f64 / begin.elapsed().as_secs_f64();
        let counted = (flush::asked_for() - before) as f64 / slice.len() as f64;
        // A server's flushes are not this process': there each step is one.
        let flushed = if counted > 0.0 { counted } else { steps as f64 };
        flushes.push(flushed);
        // The disk after it counts as much as the disk before.
        let disk = (disk + flush::of_appends(within, DISK)?) / 2.0;
        shares.push(single * flushed / disk);
        singles.push(single);
        appends.push(disk);
    }
    Ok(Disk {
        appends: median(appends),
        overwrites: median(overwrites),
        single: median(singles),
        flushes: median(flushes),
        share: median(shares),
    })
}
