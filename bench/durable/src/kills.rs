//! Kills: a run dies in its tool, a new process takes it up. What became of the answer, and how often did the tool run?

use crate::Failure;
use crate::engine::{Database, Engine};
use crate::ours::{Options, Ours};
use crate::peers::Kills;
use crate::watched::Rest;
use crate::work::{Kill, effects};
use countersign_domain::interaction::{Decision, Purpose};
use countersign_runtime::ports::{RunFilter, RunStatus, Store};
use serde::{Deserialize, Serialize};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// How long a run may take to come to rest.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the process found that took up a killed run.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Found {
    /// The same question was open again.
    answer_lost: bool,
    /// A person was asked what had become of the call.
    asked: bool,
    /// The run came to its end.
    ended: bool,
    /// How often the tool had done its work before anybody was asked, if somebody was, or else in the end.
    effects: usize,
}

/// Every other time before the effect, every other time after.
pub fn kills(engine: &Engine, within: &Path, count: usize) -> Result<Kills, Failure> {
    let database = engine.fresh(within, "kills")?;
    let mut all = Kills::default();
    for number in 0..count {
        let (name, kill) = (format!("kill-{number}-"), if number % 2 == 0 { "before" } else { "after" });
        if child(&["die", &database.place, &name, kill], &database)?.status.signal() != Some(9) {
            all.not_reached += 1;
            continue;
        }
        let found: Found = serde_json::from_slice(&child(&["recover", &database.place, &name], &database)?.stdout)?;
        all.kills += 1;
        all.answers_lost += usize::from(found.answer_lost);
        all.asked += usize::from(found.asked);
        all.stuck += usize::from(!found.ended);
        all.twice += usize::from(found.effects > 1);
        all.never += usize::from(effects(&database.folder.join("effects"), &name) == 0);
    }
    engine.remove(&database)?;
    Ok(all)
}

fn child(words: &[&str], database: &Database) -> Result<Output, Failure> {
    Ok(Command::new(std::env::current_exe()?).args(words).arg(&database.folder).output()?)
}

/// In a process of its own: brings a run to its tool, and dies there.
pub async fn die(database: &Database, name: &str, kill: Kill) -> Result<(), Failure> {
    let ours = Ours::start(database, Options { kill: Some(kill), ..Options::for_kills(database) }).await?;
    let waiting = ours.waiting(name).await?;
    ours.resumed(waiting).await
}

/// In another: takes up the newest run, and sees to it that it ends.
pub async fn recover(database: &Database, name: &str) -> Result<(), Failure> {
    let ours = Ours::start(database, Options::for_kills(database)).await?;
    let store = ours.store();
    let newest = store.runs(RunFilter { limit: 1, ..RunFilter::default() }).await?.items;
    let run = newest.first().ok_or("there is no run")?.id;
    let mut found = Found::default();
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let now = store.run(run).await?.ok_or("the run is gone")?;
        found.effects = effects(ours.file(), name);
        if now.status.has_ended() {
            found.ended = now.status == RunStatus::Completed;
            break;
        }
        if let (RunStatus::Waiting, [question]) = (now.status, &*now.waiting_on) {
            let asked = store.interaction(*question).await?.ok_or("the question is gone")?;
            found.answer_lost = asked.purpose == Purpose::Approval;
            found.asked = asked.purpose == Purpose::UncertainOutcome;
            let decision = match found {
                Found { answer_lost: true, .. } => Decision::Approve,
                Found { effects: 0, .. } => Decision::RunAgain,
                Found { .. } => Decision::Happened,
            };
            store.forget(run);
            found.ended = matches!(ours.answered((run, *question), decision).await?, Rest::Ended);
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    println!("{}", serde_json::to_string(&found)?);
    Ok(())
}
