//! The durable core alone: the calls that the API's handler makes, by tasks in this process.

use crate::house::program;
use crate::load::Found;
use crate::rounds::{TOOL, arguments};
use crate::{CLIENTS, Extent, Failure};
use countersign_domain::delegation::Chain;
use countersign_domain::run::Stands;
use countersign_runtime::{CallRequest, Runtime};
use std::time::Instant;
use tokio::task::JoinSet;

/// So many tasks ask about the same allowed call, again and again.
pub async fn asked(runtime: &Runtime, extent: &Extent) -> Result<Found, Failure> {
    let begin = Instant::now();
    let (from, to) = (begin + extent.warm, begin + extent.warm + extent.measured);
    let mut at_work = JoinSet::new();
    for _ in 0..CLIENTS {
        let runtime = runtime.clone();
        at_work.spawn(async move {
            let (mut all, mut counted) = (0_u64, 0_u64);
            while Instant::now() < to {
                let asked = runtime.ask(request()).await?;
                let outside = asked.run.outside().ok_or("a run without a call")?;
                if !matches!(outside.stands, Stands::Allowed { .. }) {
                    return Err("the call was not allowed".into());
                }
                let now = Instant::now();
                all += 1;
                counted += u64::from(now >= from && now < to);
            }
            Ok::<_, Failure>((all, counted))
        });
    }
    let mut found = Found::default();
    while let Some(done) = at_work.join_next().await {
        let (all, counted) = done??;
        found.all += all;
        found.rate += counted as f64 / extent.measured.as_secs_f64();
    }
    Ok(found)
}

fn request() -> CallRequest {
    CallRequest {
        server: None,
        tool: TOOL.into(),
        args: arguments(),
        agent: None,
        user_id: Some("alice".into()),
        session_id: None,
        org_id: None,
        project_id: None,
        cwd: None,
        delegated_permissions: Chain::default(),
        parent: None,
        started_by: program(),
        once: None,
    }
}
