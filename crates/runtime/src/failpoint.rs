//! Places at which a test can have the process killed, to show that nothing is lost there. Absent from release builds.
//!
//! Each event has three of its own: before the transaction that holds it is committed, after that, and before whoever
//! asked for it is told. Whatever else is written has the first two, and what is done outside has one before and after.

use countersign_domain::run::Event;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where in the life of something that is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// All is written, and not yet committed.
    BeforeCommit,
    /// It is committed, and nobody knows.
    AfterCommit,
    /// Whoever works on has been told, whoever asked has not.
    BeforeAck,
}

impl Moment {
    const ALL: [Self; 3] = [Self::BeforeCommit, Self::AfterCommit, Self::BeforeAck];

    const fn word(self) -> &'static str {
        match self {
            Self::BeforeCommit => "before_commit",
            Self::AfterCommit => "after_commit",
            Self::BeforeAck => "before_ack",
        }
    }
}

/// What is saved besides events: each is passed before and after its commit.
const WRITES: [&str; 7] = ["claim", "renew", "release", "policy_change", "token", "place", "checkpoint"];

/// What is done outside.
const EFFECTS: [&str; 5] = ["judged", "before_model", "after_model", "before_tool", "after_tool"];

/// The names of all of them.
pub fn names() -> Vec<String> {
    let events = Event::WORDS.iter().flat_map(|word| Moment::ALL.map(|moment| name(word, moment)));
    let writes =
        WRITES.iter().flat_map(|write| [Moment::BeforeCommit, Moment::AfterCommit].map(|moment| name(write, moment)));
    events.chain(writes).chain(EFFECTS.map(ToOwned::to_owned)).collect()
}

fn name(what: &str, moment: Moment) -> String {
    format!("{what}.{}", moment.word())
}

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
    if count == 0 || !names().iter().any(|known| known == name) {
        return Err(wrong());
    }
    let _ = ARMED.set(Armed { name: name.to_owned(), passes: AtomicU32::new(count) });
    Ok(())
}

/// Dies here, if a test wants it so.
pub(crate) fn failpoint(name: &str) {
    if let Some(armed) = armed()
        && armed.name == name
    {
        armed.pass();
    }
}

/// Dies here, if a test wants it so of one of `what`, at that moment.
pub fn passing<'a>(what: impl IntoIterator<Item = &'a str>, moment: Moment) {
    let Some(armed) = armed() else { return };
    let Some((wanted, at)) = armed.name.split_once('.') else { return };
    if at == moment.word() && what.into_iter().any(|one| one == wanted) {
        armed.pass();
    }
}

fn armed() -> Option<&'static Armed> {
    if cfg!(debug_assertions) { ARMED.get() } else { None }
}

impl Armed {
    fn pass(&self) {
        if self.passes.fetch_sub(1, Ordering::SeqCst) == 1 {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
}
