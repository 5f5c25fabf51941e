//! Reading the configuration anew when the process is told to: `kill -HUP`.

use crate::failure::Failure;
use countersign_domain::Principal;
use countersign_domain::principal::{Door, Kind, Role};
use countersign_runtime::{ReloadError, Reloaded, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

/// From now on, until what is returned is dropped, the configuration is read anew at each hangup.
pub fn on_hangup(runtime: &Runtime) -> Result<JoinSet<()>, Failure> {
    let mut hangup = signal(SignalKind::hangup())
        .map_err(|error| Failure::new(format!("cannot listen for signals of the system: {error}")))?;
    let runtime = runtime.clone();
    let mut listening = JoinSet::new();
    listening.spawn(async move {
        while hangup.recv().await.is_some() {
            reload(&runtime).await;
        }
    });
    Ok(listening)
}

async fn reload(runtime: &Runtime) {
    match runtime.reload(&signalled()).await {
        Ok(Reloaded { changed, needs_restart, policy }) => {
            let (changed, waits) = (changed.join(", "), needs_restart.join(", "));
            tracing::info!(changed, policy = %policy, "the configuration was read anew");
            if !waits.is_empty() {
                tracing::warn!("needs a restart to count: {waits}");
            }
        }
        Err(ReloadError::Bad(bad)) => {
            for problem in bad.0 {
                tracing::error!("the configuration before stays in force: {problem}");
            }
        }
        Err(error) => tracing::error!(%error, "the configuration before stays in force"),
    }
}

/// Whoever may send this process a signal: who that was, nobody can tell.
fn signalled() -> Principal {
    Principal::new(Kind::Service, "SIGHUP", Role::Operator).at(Door::Terminal)
}
