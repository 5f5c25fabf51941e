//! Looking into the record: is it whole, and what happened to each call.

use crate::ports::{Erasure, Log, Store, StoreError};
use countersign_domain::audit::calls::{CallRow, Calls};
use countersign_domain::audit::verify::{Checkpoints, Finding, Kept, Verified, Verifier, Wrong};
use countersign_domain::principal::{Kind, Role};
use countersign_domain::run::Recorded;
use countersign_domain::{Principal, RunId};

/// Entries that are looked at at a time.
const MANY: u32 = 1_000;
/// The most findings that are told one by one: a log that was cut in the middle has one for each entry behind it.
const MOST_FINDINGS: usize = 100;

/// What the log was found to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How large it is, and how much of it is signed.
    pub verified: Verified,
    /// What is wrong with it, the first of it.
    pub findings: Vec<Finding>,
    /// How much is wrong with it.
    pub wrong: usize,
    /// Events that have no place yet.
    pub waiting: u64,
}

/// Verifies the whole log, against `checkpoints` that were kept elsewhere and those in the database, and tells `seen` from
/// time to time how many entries were looked at.
pub async fn verify(
    log: &dyn Log,
    mut checkpoints: Checkpoints,
    mut seen: impl FnMut(u64) + Send,
) -> Result<Report, StoreError> {
    let mut found = Found::default();
    let mut notes = vec![];
    let mut over = 0;
    loop {
        let page = log.checkpoints(over, MANY).await?;
        let Some(last) = page.last() else { break };
        over = last.size;
        notes.extend(page.into_iter().map(|signed| signed.note));
    }
    found.add(checkpoints.add("the database", notes.iter().map(String::as_str)));
    // In this order: what is given its place meanwhile is counted twice, and nothing is missed.
    let recorded = log.recorded().await?;
    let waiting = log.unplaced().await?;
    let mut verifier = Verifier::new(checkpoints);
    let mut place = 0;
    loop {
        let page = log.entries(place, MANY).await?;
        if page.is_empty() {
            break;
        }
        for logged in &page {
            found.add(verifier.entry(logged.place, &logged.entry, &Kept { leaf: logged.leaf, commitment: None }));
            place = logged.place.saturating_add(1);
        }
        seen(place);
    }
    let beside = recorded.saturating_sub(place).saturating_sub(waiting);
    if beside > 0 {
        found.add(vec![Finding { place: None, entry: None, wrong: Wrong::Beside(beside) }]);
    }
    Ok(found.report(verifier, waiting))
}

/// Findings, as far as they are told.
#[derive(Debug, Default)]
pub struct Found {
    findings: Vec<Finding>,
    wrong: usize,
}

impl Found {
    /// Adds some.
    pub fn add(&mut self, findings: Vec<Finding>) {
        self.wrong += findings.len();
        let room = MOST_FINDINGS.saturating_sub(self.findings.len());
        self.findings.extend(findings.into_iter().take(room));
    }

    /// A report with these before its own.
    #[must_use]
    pub fn with(self, report: Report) -> Report {
        let findings = self.findings.into_iter().chain(report.findings).take(MOST_FINDINGS).collect();
        Report { findings, wrong: self.wrong + report.wrong, ..report }
    }

    /// All of them, and what the verifier says at the end.
    pub fn report(mut self, verifier: Verifier, waiting: u64) -> Report {
        let (log, last) = verifier.end();
        self.add(last);
        if log.entries > 0 && log.checkpoints == 0 {
            self.add(vec![Finding { place: None, entry: None, wrong: Wrong::Unsigned }]);
        }
        Report { verified: log, findings: self.findings, wrong: self.wrong, waiting }
    }
}

/// What happened to each call of a run, in the order in which they were proposed.
pub async fn calls_of(store: &dyn Store, run: RunId) -> Result<Vec<CallRow>, StoreError> {
    let mut calls = Calls::default();
    let (mut rows, mut after) = (vec![], 0);
    loop {
        let page = store.events(run, after, MANY).await?;
        let Some(last) = page.last().map(|recorded: &Recorded| recorded.seq) else { break };
        after = last;
        rows.extend(page.into_iter().filter_map(|recorded| calls.take(recorded)));
    }
    rows.extend(calls.open());
    rows.sort_by_key(|row| (row.proposed_at, row.step));
    Ok(rows)
}

/// Why nothing is erased.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// There is no such run.
    #[error("there is no run `{0}`")]
    NoRun(RunId),
    /// What is written in it is still needed.
    #[error("run `{0}` has not ended: stop it first")]
    NotEnded(RunId),
    /// Nobody said why.
    #[error("say why it is erased")]
    NoReason,
    /// They may not.
    #[error("only an operator erases what was written")]
    Denied,
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Erases what people, models and tools wrote in a run, on behalf of `by`. Says in how many events there was something.
pub async fn erase(store: &dyn Store, run: RunId, by: Principal, why: &str) -> Result<u64, EraseError> {
    if by.kind == Kind::Agent || by.role < Role::Operator {
        return Err(EraseError::Denied);
    }
    if why.trim().is_empty() {
        return Err(EraseError::NoReason);
    }
    let found = store.run(run).await?.ok_or(EraseError::NoRun(run))?;
    if !found.status.has_ended() {
        return Err(EraseError::NotEnded(run));
    }
    let at = store.now().await?;
    Ok(store.erase(Erasure { run, by, why: why.to_owned(), at }).await?)
}
