//! `GET /healthz`, `GET /readyz`, `GET /metrics`: for whoever watches over the process.

use crate::{Api, Problem, metrics};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use countersign_runtime::tally::Count;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

/// Outside `/api`, and for everybody.
pub fn router() -> Router<Api> {
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics::tell))
}

/// Whether it is asked how the server is, which says nothing about anybody.
pub fn is_watched(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}

/// How long the database may take to answer.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// How long what was found out holds: to ask again and again costs nothing but this.
const HOLDS: Duration = Duration::from_secs(1);

/// What was found out last. Of many who ask at once one looks, and the others wait for what it finds.
pub struct Found<T> {
    last: Mutex<Option<(Instant, T)>>,
    /// How often somebody looked.
    pub looks: Count,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { last: Mutex::default(), looks: Count::new() }
    }
}

impl<T: Clone> Found<T> {
    /// What was found a moment ago, or else what `look` finds.
    pub async fn or(&self, look: impl Future<Output = T>) -> T {
        let mut last = self.last.lock().await;
        if let Some((_, found)) = last.as_ref().filter(|(at, _)| at.elapsed() < HOLDS) {
            return found.clone();
        }
        self.looks.add();
        let found = look.await;
        *last = Some((Instant::now(), found.clone()));
        found
    }
}

/// What is not ready, and what is wrong with it.
pub type Trouble = (&'static str, String);

/// Ready means that the database can be read and written, that workers are at it, and that the policy was read.
async fn ready(State(api): State<Api>) -> Result<&'static str, Problem> {
    let troubles = api.found.or(find(&api)).await;
    if troubles.is_empty() {
        return Ok("ready\n");
    }
    let names: Vec<_> = troubles.iter().map(|(what, _)| *what).collect();
    let detail = format!("not ready: {}", names.join(", "));
    let checks: Map<_, _> = troubles.into_iter().map(|(what, why)| (what.to_owned(), Value::from(why))).collect();
    Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "NOT_READY", detail).with("checks", checks))
}

async fn find(api: &Api) -> Vec<Trouble> {
    let mut troubles = vec![];
    match timeout(PATIENCE, api.runtime.store().check_writable()).await {
        Ok(Ok(())) => {}
        // Its words, and not its causes: those may name what is none of everybody's business.
        Ok(Err(error)) => troubles.push(("database", error.to_string())),
        Err(_) => troubles.push(("database", "the database does not answer in time".to_owned())),
    }
    if !api.runtime.workers_are_alive() {
        troubles
            .push(("workers", "the workers have not been heard of: see the log, and start the server again".into()));
    }
    if !api.runtime.policy_is_read() {
        troubles.push(("policy", "the policy cannot be read from the database: see the log".into()));
    }
    troubles
}
