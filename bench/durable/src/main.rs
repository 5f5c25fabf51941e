//! Durable runs beside what the disk and the database allow, and beside other libraries, on the same work.
//!
//!     durable [FILE] [--million] [--quick] [--alone] [--rounds]
//!
//! FILE is docs/reference/benchmarks.md unless told. `--million` has a million runs wait where otherwise a hundred thousand
//! do; `--quick` measures little of everything, to see whether all works; `--alone` leaves the other libraries out;
//! `--rounds` only tells how fast we are beside what the databases allow, and beside LangGraph, and writes nothing.

mod bare;
mod engine;
mod flush;
mod kills;
mod many;
mod measure;
mod ours;
mod peers;
mod pgbench;
mod report;
mod rounds;
mod watched;
mod work;

use crate::engine::{Database, Engine};
use crate::peers::{Kills, Peer, Peers};
use crate::pgbench::Server;
use crate::report::{Figures, OnEngine};
use crate::rounds::{Round, Steps};
use crate::work::Kill;
use mimalloc::MiMalloc;
use std::path::{Path, PathBuf};

/// That of the program which is measured.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub rounds: usize,
    /// Runs of many clients.
    pub runs: usize,
    /// Runs of one client.
    pub single: usize,
    /// Runs of a peer.
    pub peer_runs: usize,
    /// Waiting runs whose bytes are counted, ours and a peer's.
    pub bytes: [usize; 2],
    pub kills: usize,
    pub many: usize,
}

const USUAL: Extent =
    Extent { rounds: 3, runs: 4_000, single: 400, peer_runs: 250, bytes: [10_000, 500], kills: 50, many: 100_000 };
const QUICK: Extent =
    Extent { rounds: 1, runs: 500, single: 80, peer_runs: 40, bytes: [1_000, 100], kills: 4, many: 3_000 };

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let database = |place: &str, folder: &str| Database { place: place.to_owned(), folder: folder.into() };
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["die", place, name, "before", folder] => kills::die(&database(place, folder), name, Kill::BeforeEffect).await,
        ["die", place, name, _, folder] => kills::die(&database(place, folder), name, Kill::AfterEffect).await,
        ["recover", place, name, folder] => kills::recover(&database(place, folder), name).await,
        ["idle", place, folder] => many::idle(&database(place, folder)).await,
        ref asked => compare(asked).await,
    }
}

async fn compare(asked: &[&str]) -> Result<(), Failure> {
    let mut extent = if asked.contains(&"--quick") { QUICK } else { USUAL };
    if asked.contains(&"--million") {
        extent.many = 1_000_000;
    }
    let file = asked.iter().find(|word| !word.starts_with("--")).unwrap_or(&"docs/reference/benchmarks.md");
    let within = folder()?;
    let peers = if asked.contains(&"--alone") { None } else { Some(Peers::installed()?) };
    let server = Server::given();
    let described = server.as_ref().map(Server::described).transpose()?;
    let steps = Steps::seen(&within).await?;
    // Speed first: what comes after it leaves a disk that has much to clear up.
    let mut measured = vec![];
    for engine in [Some(Engine::Sqlite), server.map(Engine::Postgres)].into_iter().flatten() {
        let rounds = rounds(&engine, &steps, peers.as_ref(), &within, &extent).await?;
        measured.push((engine, rounds));
    }
    if asked.contains(&"--rounds") {
        return Ok(std::fs::remove_dir_all(&within)?);
    }
    let mut engines = vec![];
    for (engine, rounds) in measured {
        engines.push(on(engine, rounds, peers.as_ref(), &within, &extent).await?);
    }
    std::fs::remove_dir_all(&within)?;
    let figures = Figures { engines, steps, extent, server: described };
    let text = report::report(&figures, &bench_report::machine());
    println!("{text}");
    Ok(bench_report::write(Path::new(file), "bench-durable", &text)?)
}

/// A folder for all files, on the disk that this program was built on: not in memory, as `/tmp` may be.
fn folder() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()?;
    let folder = program.ancestors().nth(2).ok_or("this program is in no folder")?.join("durable");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

async fn on(
    engine: Engine,
    rounds: Vec<Round>,
    peers: Option<&Peers>,
    within: &Path,
    extent: &Extent,
) -> Result<OnEngine, Failure> {
    let [own, of_peer] = extent.bytes;
    let bytes = many::bytes(&engine, within, own).await?;
    let many = many::many(&engine, within, extent.many).await?;
    eprintln!("{}: {} runs waited", engine.title(), extent.many);
    let mut all_kills: Vec<(&'static str, Kills)> = vec![("Countersign", kills::kills(&engine, within, extent.kills)?)];
    let mut peer_bytes = vec![];
    for peer in Peer::ALL {
        let Some(peers) = peers else { break };
        peer_bytes.extend(peers.size(peer, &engine, within, of_peer).map(|bytes| (peer.title(), bytes)));
        all_kills.extend(peers.kills(peer, &engine, within, extent.kills).map(|kills| (peer.title(), kills)));
        eprintln!("{}: {} done", engine.title(), peer.title());
    }
    Ok(OnEngine { engine, rounds, bytes, many, peer_bytes, kills: all_kills })
}

async fn rounds(
    engine: &Engine,
    steps: &Steps,
    peers: Option<&Peers>,
    within: &Path,
    extent: &Extent,
) -> Result<Vec<Round>, Failure> {
    let mut rounds = vec![];
    for number in 1..=extent.rounds {
        let round = rounds::round(engine, steps, peers, within, extent).await?;
        let Round { ours, limit, disk, .. } = &round;
        eprintln!(
            "{} round {number}: to the wait {:.0}/s of {:.0}, resumes {:.0}/s of {:.0}, one at a time {:.0}/s of {:.0} \
             ({:.2} of what the flushes allow); {:.0} and {:.0} µs of the processor{}",
            engine.title(),
            ours.to_wait,
            limit.to_wait,
            ours.resumes,
            limit.resumes,
            disk.single,
            limit.single,
            disk.share,
            ours.wait_processor,
            ours.resume_processor,
            report::beside_langgraph(&round).map(|told| format!("; {told}")).unwrap_or_default(),
        );
        rounds.push(round);
    }
    Ok(rounds)
}
