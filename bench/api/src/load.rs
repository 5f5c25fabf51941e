//! So many clients send the same request again and again, each on a connection that is kept.

use crate::wire::{Wire, find, post};
use crate::{Failure, processor_time};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// What is sent, and for how long.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    pub address: SocketAddr,
    pub path: String,
    pub token: String,
    pub body: String,
    /// What every answer begins with, and the first one of each connection holds.
    pub status: u16,
    pub holds: String,
    pub clients: usize,
    pub warm: Duration,
    pub measured: Duration,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Found {
    /// Answers a second, while it was measured.
    pub rate: f64,
    /// All answers.
    pub all: u64,
    /// Processor time of this process, in seconds: of all answers.
    pub processor: f64,
}

pub async fn load(plan: &Plan) -> Result<(), Failure> {
    let began = processor_time();
    let begin = Instant::now();
    let (from, to) = (begin + plan.warm, begin + plan.warm + plan.measured);
    let mut at_work = JoinSet::new();
    for _ in 0..plan.clients {
        at_work.spawn(client(plan.clone(), from, to));
    }
    let mut found = Found::default();
    while let Some(done) = at_work.join_next().await {
        let (all, counted) = done??;
        found.all += all;
        found.rate += counted as f64 / plan.measured.as_secs_f64();
    }
    found.processor = processor_time() - began;
    serde_json::to_writer(std::io::stdout(), &found)?;
    Ok(())
}

async fn client(plan: Plan, from: Instant, to: Instant) -> Result<(u64, u64), Failure> {
    let Plan { address, path, token, body, status, holds, .. } = &plan;
    let request = post(*address, path, token, body);
    let mut wire = Wire::to(*address).await?;
    let (mut all, mut counted) = (0, 0);
    while Instant::now() < to {
        let (got, text) = wire.answer(&request).await?;
        if got != *status || (all == 0 && !holds.is_empty() && find(text, holds.as_bytes()).is_none()) {
            return Err(format!("`{path}` was answered with {}", String::from_utf8_lossy(text)).into());
        }
        let now = Instant::now();
        all += 1;
        counted += u64::from(now >= from && now < to);
    }
    Ok((all, counted))
}
