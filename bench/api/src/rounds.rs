//! The measurements, in rounds in which all take turns: what else the machine does falls on all of them.

use crate::database::Engine;
use crate::follow::{self, Told};
use crate::house::{House, person, program};
use crate::load::{self, Found};
use crate::{CLIENTS, Extent, Failure, direct, processor_time, sent};
use axum::Router;
use axum::routing::post;
use countersign_domain::delegation::Chain;
use countersign_runtime::RunRequest;
use serde_json::{Map, Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpListener;

/// The tool of the call that is asked about.
pub const TOOL: &str = "lookup";
/// Streams of each kind that are open at once.
pub const STREAMS: usize = 100;
/// The time between two answers.
pub const EVERY: Duration = Duration::from_millis(20);

/// The arguments of the call: 100 bytes.
pub fn arguments() -> Map<String, Value> {
    [("query".to_owned(), Value::from(format!("{:x<88}", "what is asked for ")))].into_iter().collect()
}

fn body() -> String {
    json!({"tool": TOOL, "args": arguments()}).to_string()
}

/// What one way of doing something reached.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// A second.
    pub rate: f64,
    /// Seconds of our processor time for each.
    pub ours: f64,
    /// And of whoever sends requests.
    pub theirs: f64,
}

/// What two ways reached in one round.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    pub api: Reached,
    pub beside: Reached,
}

impl Round {
    pub fn ratio(&self) -> f64 {
        self.api.rate / self.beside.rate
    }
}

/// Calls that are allowed: over the API, and asked of the durable core alone.
pub async fn of_calls(engine: &Engine, within: &Path, extent: &Extent) -> Result<Vec<Round>, Failure> {
    let mut rounds = vec![];
    for number in 1..=extent.rounds {
        let house = House::open(engine.fresh(within).await?).await?;
        let beside = measured(direct::asked(&house.runtime, extent)).await?;
        house.close().await?;
        let house = House::open(engine.fresh(within).await?).await?;
        let token = house.token(program()).await?;
        let (status, holds) = (201, r#""decision":"allow""#);
        let plan = plan(house.address, "/api/tool-calls", token, status, holds, extent);
        let api = measured(sent("load", &plan)).await?;
        house.close().await?;
        let round = Round { api, beside };
        told(&format!("{} calls", engine.title()), number, &round);
        rounds.push(round);
    }
    Ok(rounds)
}

/// Checks, and an empty handler.
pub async fn of_checks(within: &Path, extent: &Extent) -> Result<Vec<Round>, Failure> {
    let house = House::open(Engine::Sqlite.fresh(within).await?).await?;
    let token = house.token(program()).await?;
    let empty = Router::new().route("/api/policy/check", post(async || {}));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let serving = tokio::spawn(axum::serve(listener, empty).into_future());
    let mut rounds = vec![];
    for number in 1..=extent.rounds {
        let plan = |address, holds| plan(address, "/api/policy/check", token.clone(), 200, holds, extent);
        let beside = measured(sent("load", &plan(address, ""))).await?;
        let api = measured(sent("load", &plan(house.address, r#""verdict":"allow""#))).await?;
        let round = Round { api, beside };
        told("checks", number, &round);
        rounds.push(round);
    }
    serving.abort();
    house.close().await?;
    Ok(rounds)
}

/// Streams that tell of answers.
pub async fn of_streams(within: &Path, extent: &Extent) -> Result<Told, Failure> {
    let house = House::open(Engine::Sqlite.fresh(within).await?).await?;
    let token = house.token(person()).await?;
    let mut runs = vec![];
    for _ in 0..STREAMS {
        runs.push(house.runtime.start(run()).await?.run.id.to_string());
    }
    let (address, answers) = (house.address, extent.answers);
    let plan = follow::Plan { address, token, inboxes: STREAMS, runs, answers, every: EVERY };
    let told = sent("follow", &plan).await?;
    house.close().await?;
    Ok(told)
}

fn plan(address: SocketAddr, path: &str, token: String, status: u16, holds: &str, extent: &Extent) -> load::Plan {
    let Extent { warm, measured, .. } = *extent;
    let (path, body, holds) = (path.to_owned(), body(), holds.to_owned());
    load::Plan { address, path, token, body, status, holds, clients: CLIENTS, warm, measured }
}

/// What was reached, with our processor time meanwhile.
async fn measured(work: impl Future<Output = Result<Found, Failure>>) -> Result<Reached, Failure> {
    let began = processor_time();
    let Found { rate, all, processor } = work.await?;
    let all = all as f64;
    Ok(Reached { rate, ours: (processor_time() - began) / all, theirs: processor / all })
}

fn told(what: &str, number: usize, round: &Round) {
    eprintln!(
        "{what}, round {number}: {:.0}/s of {:.0}, {:.2}; processor {:.0} µs of {:.0}, and {:.0} µs to send",
        round.api.rate,
        round.beside.rate,
        round.ratio(),
        round.api.ours * 1e6,
        round.beside.ours * 1e6,
        round.api.theirs * 1e6
    );
}

fn run() -> RunRequest {
    RunRequest {
        agent: "agent".into(),
        input: "begin".into(),
        user_id: Some("alice".into()),
        session_id: None,
        org_id: None,
        project_id: None,
        cwd: None,
        delegated_permissions: Chain::default(),
        started_by: person(),
        once: None,
    }
}
