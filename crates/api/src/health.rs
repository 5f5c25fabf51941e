//! `GET /healthz`, `GET /readyz`: for whoever watches over the process.

use crate::{Api, Problem};
use axum::Router;
use axum::extract::State;
use axum::routing::get;

/// Outside `/api`, and for everybody.
pub fn router() -> Router<Api> {
    Router::new().route("/healthz", get(async || "ok\n")).route("/readyz", get(ready))
}

/// Ready means that the database answers.
async fn ready(State(api): State<Api>) -> Result<&'static str, Problem> {
    api.runtime.store().now().await?;
    api.runtime.store().is_fresh().await?;
    Ok("ready\n")
}
