//! What the API adds to the durable core and to an empty handler, and how soon streams tell of an answer.
//!
//!     api [FILE] [--quick]
//!     api --checks [--quick]
//!
//! FILE is docs/reference/benchmarks.md unless told. With `--checks` only `/policy/check` is measured, and nothing written. Whoever sends requests is a process of its own, so that what it costs
//! is told apart: the same program, as `api load` and `api follow`.

mod database;
mod direct;
mod follow;
mod house;
mod load;
mod report;
mod rounds;
mod wire;

use bench_report::{machine, write};
use database::{Engine, Server};
use mimalloc::MiMalloc;
use report::Figures;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// That of the program which is measured.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Whoever asks at once.
pub const CLIENTS: usize = 32;

/// How much is measured.
pub struct Extent {
    /// Rounds in which all take turns.
    pub rounds: usize,
    /// How long one is measured, and how long it warms up.
    pub measured: Duration,
    pub warm: Duration,
    /// Answers while streams are open.
    pub answers: usize,
}

const USUAL: Extent =
    Extent { rounds: 3, measured: Duration::from_secs(5), warm: Duration::from_secs(1), answers: 1_000 };
const QUICK: Extent =
    Extent { rounds: 1, measured: Duration::from_secs(1), warm: Duration::from_millis(200), answers: 100 };

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // Whoever sends requests does so in one thread: no more than that is needed, and threads cost.
    let alone = || tokio::runtime::Builder::new_current_thread().enable_all().build();
    match words[..] {
        ["load"] => alone()?.block_on(load::load(&plan()?)),
        ["follow"] => alone()?.block_on(follow::follow(plan()?)),
        ref asked => tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(measure(asked)),
    }
}

async fn measure(asked: &[&str]) -> Result<(), Failure> {
    let extent = if asked.contains(&"--quick") { QUICK } else { USUAL };
    let file = asked.iter().find(|word| !word.starts_with("--")).unwrap_or(&"docs/reference/benchmarks.md");
    let within = folder()?;
    if asked.contains(&"--checks") {
        rounds::of_checks(&within, &extent).await?;
        return Ok(std::fs::remove_dir_all(&within)?);
    }
    let server = Server::given();
    let described = server.as_ref().map(Server::described).transpose()?;
    let mut calls = vec![];
    for engine in [Some(Engine::Sqlite), server.map(Engine::Postgres)].into_iter().flatten() {
        let rounds = rounds::of_calls(&engine, &within, &extent).await?;
        calls.push((engine, rounds));
    }
    let checks = rounds::of_checks(&within, &extent).await?;
    let streams = rounds::of_streams(&within, &extent).await?;
    std::fs::remove_dir_all(&within)?;
    let figures = Figures { calls, checks, streams, extent, server: described };
    let text = report::report(&figures, &machine());
    println!("{text}");
    Ok(write(Path::new(file), "bench-api", &text)?)
}

/// A folder for all files, on the disk that this program was built on: not in memory, as `/tmp` may be.
fn folder() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()?;
    let folder = program.ancestors().nth(2).ok_or("this program is in no folder")?.join("api");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// What a process that sends requests is to do.
fn plan<T: DeserializeOwned>() -> Result<T, Failure> {
    Ok(serde_json::from_reader(std::io::stdin().lock())?)
}

/// Has a process of its own send requests, and gives what it found.
pub async fn sent<T: DeserializeOwned>(word: &str, plan: &impl Serialize) -> Result<T, Failure> {
    let mut process = Command::new(std::env::current_exe()?)
        .arg(word)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut input = process.stdin.take().ok_or("no way to tell a process what to do")?;
    input.write_all(&serde_json::to_vec(plan)?).await?;
    drop(input);
    let output = process.wait_with_output().await?;
    if !output.status.success() {
        return Err(format!("`api {word}` failed: {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Processor time that this process has used, in seconds.
pub fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}
