//! `GET /healthz`, `GET /readyz`, `GET /metrics`: for whoever watches over the process.

use crate::{Api, Problem, metrics};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use serde_json::{Map, Value};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Outside `/api`, and for everybody.
pub fn router() -> Router<Api> {
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics::tell))
}

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long what was found out holds: to ask again and again costs nothing but this.
const HOLDS: Duration = Duration::from_secs(1);

/// What was found out last.
#[derive(Debug, Default)]
pub struct Found(Mutex<Option<(Instant, Vec<Trouble>)>>);

/// What is not ready, and what is wrong with it.
type Trouble = (&'static str, String);

/// Ready means that the database can be read and written, that workers are at it, and that the policy was read.
async fn ready(State(api): State<Api>) -> Result<&'static str, Problem> {
    let known = api.found.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let troubles = if let Some((_, troubles)) = known.filter(|(at, _)| at.elapsed() < HOLDS) {
        troubles
    } else {
        let troubles = find(&api).await;
        *api.found.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), troubles.clone()));
        troubles
    };
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
