//! Many waiting runs: what one costs on disk, in memory, and when another is answered.

use crate::Failure;
use crate::engine::{Database, Engine};
use crate::measure::memory;
use crate::ours::{CLIENTS, Options, Ours, Waiting};
use bench_report::median;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Bytes on disk for a waiting run.
#[derive(Debug, Clone, Copy)]
pub struct Bytes {
    pub all: f64,
    /// Of these: hashes of events and the tables of the log.
    pub record: f64,
}

pub async fn bytes(engine: &Engine, within: &Path, count: usize) -> Result<Bytes, Failure> {
    let database = engine.fresh(within, "bytes")?;
    let empty = empty(engine, &database).await?;
    let ours = Ours::start(&database, Options::default()).await?;
    ours.all_waiting(count, CLIENTS).await?;
    ours.stop(&database).await?;
    let (full, record) = (engine.bytes(&database)?, engine.record_bytes(&database)?);
    engine.remove(&database)?;
    Ok(Bytes { all: (full - empty) / count as f64, record: record / count as f64 })
}

/// Bytes of the database, and its tables, before anything is in them.
async fn empty(engine: &Engine, database: &Database) -> Result<f64, Failure> {
    drop(database.open().await?);
    database.closed().await?;
    engine.bytes(database)
}

/// What many waiting runs cost.
#[derive(Debug, Clone, Copy)]
pub struct Many {
    pub count: usize,
    /// From an answer to the end of its run, in milliseconds, where few wait and where many do.
    pub few: f64,
    pub many: f64,
    /// Of a process that has nothing to do, in MiB.
    pub memory: f64,
    pub bytes: f64,
}

/// Few waiting runs.
pub const FEW: usize = 1_000;

/// Runs that are answered of the few and of the many, by turns.
const ANSWERED: usize = 300;

pub async fn many(engine: &Engine, within: &Path, count: usize) -> Result<Many, Failure> {
    let (small, large) = (engine.fresh(within, "few")?, engine.fresh(within, "many")?);
    let empty = empty(engine, &large).await?;
    let mut latencies = [vec![], vec![]];
    {
        let few = Ours::start(&small, Options::default()).await?;
        let many = Ours::start(&large, Options::default()).await?;
        let (of_few, of_many) = (few.all_waiting(FEW, CLIENTS).await?.0, many.all_waiting(count, CLIENTS).await?.0);
        let pick = |all: &[Waiting], number: usize| all.get(number * all.len() / ANSWERED).copied();
        for number in 0..ANSWERED {
            let both = [(&few, &of_few), (&many, &of_many)];
            for ((ours, waiting), latencies) in both.into_iter().zip(&mut latencies) {
                let begin = Instant::now();
                ours.resumed(pick(waiting, number).ok_or("too few runs wait")?).await?;
                latencies.push(begin.elapsed().as_secs_f64() * 1e3);
            }
        }
        few.stop(&small).await?;
        many.stop(&large).await?;
    }
    let memory = idle_memory(&large)?;
    let bytes = (engine.bytes(&large)? - empty) / count as f64;
    engine.remove(&small)?;
    engine.remove(&large)?;
    let [few, many] = latencies.map(median);
    Ok(Many { count, few, many, memory, bytes })
}

/// The memory of a process of its own that has opened the database and waits.
fn idle_memory(database: &Database) -> Result<f64, Failure> {
    let output =
        Command::new(std::env::current_exe()?).args(["idle", &database.place]).arg(&database.folder).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// In a process of its own: a server with nothing to do tells its memory.
pub async fn idle(database: &Database) -> Result<(), Failure> {
    let _ours = Ours::start(database, Options::default()).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    println!("{}", memory());
    Ok(())
}
