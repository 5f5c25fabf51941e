//! Places at which a test can have the process killed, to show that nothing is lost there. Absent from release builds.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The names, in the order in which a run passes them.
pub const NAMES: [&str; 12] = [
    "after_run_started",
    "before_model",
    "after_model",
    "after_step_saved",
    "before_judgement_saved",
    "after_ask_saved",
    "before_answer_saved",
    "after_answer_saved",
    "after_tool_started",
    "after_tool_ran",
    "after_tool_finished",
    "after_run_ended",
];

static ARMED: OnceLock<Armed> = OnceLock::new();

struct Armed {
    name: String,
    passes: AtomicU32,
}

/// The text names no failpoint.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no failpoint: expected NAME or NAME:COUNT")]
pub struct UnknownFailpoint(String);

/// Kills this process when it passes `spec`: `NAME`, or `NAME:COUNT` for a later pass.
pub fn arm(spec: &str) -> Result<(), UnknownFailpoint> {
    let wrong = || UnknownFailpoint(spec.to_owned());
    let (name, count) = spec.split_once(':').unwrap_or((spec, "1"));
    let count: u32 = count.parse().map_err(|_| wrong())?;
    if count == 0 || !NAMES.contains(&name) {
        return Err(wrong());
    }
    let _ = ARMED.set(Armed { name: name.to_owned(), passes: AtomicU32::new(count) });
    Ok(())
}

/// Dies here, if a test wants it so.
pub(crate) fn failpoint(name: &str) {
    if cfg!(debug_assertions)
        && let Some(armed) = ARMED.get()
        && armed.name == name
        && armed.passes.fetch_sub(1, Ordering::SeqCst) == 1
    {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}
