//! `countersign worker`: more hands for the runs of a database that several nodes share.

use super::serve::{prepared, stopped};
use crate::args::Worker;
use crate::assembly::Assembly;
use crate::failure::Failure;
use crate::home::Database;
use crate::output;
use crate::reload;
use crate::traces::Traces;
use countersign_runtime::Workers;

/// Carries out the command.
pub fn run(worker: &Worker) -> Result<u8, Failure> {
    let (assembly, traces) = prepared(worker.config.as_deref(), worker.db.as_deref())?;
    super::in_threads(async {
        let sending = traces.map(Traces::start).transpose()?;
        let ended = work(assembly).await;
        if let Some(sending) = sending {
            sending.finish().await;
        }
        ended
    })
}

async fn work(assembly: Assembly) -> Result<u8, Failure> {
    let database = assembly.database.clone();
    if matches!(database, Database::Sqlite(_)) {
        return Err(Failure::new(format!(
            "`{database}` is a file, which only one process works on: `countersign serve` does; \
             more workers need a database of the form `postgres://…`"
        )));
    }
    let store = assembly.open().await?;
    let runtime = assembly.runtime(store)?;
    let _reloading = reload::on_hangup(&runtime)?;
    let workers = Workers::start(&runtime);
    output::line(&format!("working on {database}"));
    stopped().await;
    workers.stop().await;
    Ok(0)
}
