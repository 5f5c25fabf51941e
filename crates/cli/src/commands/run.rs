//! `countersign run AGENT "…"`: starts a run, follows it, and asks inline.

use crate::args::RunAgent;
use crate::client::Client;
use crate::failure::Failure;
use crate::follow::Follower;
use serde_json::json;

/// Carries out the command. Exit codes: 0 the agent is done, 1 the run ended before that, 3 it goes on without us.
pub fn run(run: &RunAgent) -> Result<u8, Failure> {
    super::in_async(async {
        let client = Client::new(&run.server)?;
        let body = json!({"agent": run.agent, "input": run.input, "cwd": run.cwd, "session_id": run.session});
        let events = client.post_and_follow("/runs", &body).await?;
        Follower::new(client, run).until_the_end(events).await
    })
}
