//! Trying a change of the policy out: the last calls of the record are judged with and without it, and nothing is kept.

use super::change::{ChangeError, Wanted, Wish, apply, stands_nowhere};
use super::merge::Merged;
use crate::Runtime;
use crate::path::around;
use crate::ports::{Machine, RunFilter, StoreError};
use countersign_domain::canonical::canonical;
use countersign_domain::run::Run;
use countersign_domain::{Call, CallId, Principal, RunId};
use countersign_policy::pattern::resource_text;
use countersign_policy::source::ContextSource;
use countersign_policy::{Ask, Context, Effect, Policy, explain, judge};
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;

/// The most calls that one trial looks at.
pub const MOST_CALLS: usize = 10_000;
/// The most runs that it looks into for them.
const MOST_RUNS: usize = 10_000;
/// Runs that are fetched at a time.
const PAGE: u32 = 50;

/// What a change would do to the last calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trial {
    /// How many calls were looked at.
    pub looked_at: usize,
    /// How many of them held a secret, and were judged with the mask in its place.
    pub masked: usize,
    /// Those that would be judged otherwise, the newest first.
    pub otherwise: Vec<Tried>,
}

/// A call that would be judged otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The call.
    pub call: CallId,
    /// Its run.
    pub run: RunId,
    /// `server/tool`, or `tool` alone.
    pub tool: String,
    /// What it touches.
    pub resource: Option<String>,
    /// The verdict as the policy stands.
    pub before: Told,
    /// The verdict with the change.
    pub after: Told,
    /// Why.
    pub why: String,
}

/// A verdict, as far as somebody would notice it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// It may be made.
    Allow,
    /// Somebody is asked.
    Ask(Ask),
    /// It is refused.
    Deny,
}

/// Why nothing was tried out.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// What is to be tried out is no change.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// Another one is being tried out.
    #[error("another change is being tried out: try again when it is done")]
    Busy,
    /// The work was broken off.
    #[error("the calls could not be judged")]
    Broken,
}

impl Runtime {
    /// Judges the last `many` calls as the policy stands and as it would be with `wishes`. Nothing is kept.
    pub async fn try_out(&self, wishes: &[Wish], many: usize, by: &Principal) -> Result<Trial, TrialError> {
        let _one_at_a_time = self.inner.trying.try_lock().map_err(|_| TrialError::Busy)?;
        let now = self.inner.store.now().await?;
        let (version, items) = self.inner.store.policy_items().await?;
        let configured = self.inner.rulebook.standing().configured;
        let wanted = Wanted { wishes, by, why: None, at: now };
        let changes = wanted.changes(&configured.source, version, &items)?;
        let mut would_be = items.clone();
        apply(&mut would_be, &changes, version);
        let source = Arc::clone(&configured);
        let compiled = tokio::task::spawn_blocking(move || {
            let (present, _) = source.with(&items).map_err(ChangeError::Invalid)?;
            let merged = Merged::new(&source.source, &would_be).map_err(ChangeError::Invalid)?;
            let mut wrong: Vec<_> = changes.iter().filter_map(|change| stands_nowhere(change, &merged)).collect();
            match merged.compile() {
                Ok(policy) if wrong.is_empty() => Ok(Both { present, changed: policy }),
                Ok(_) => Err(ChangeError::Invalid(wrong)),
                Err(more) => {
                    wrong.extend(more);
                    Err(ChangeError::Invalid(wrong))
                }
            }
        });
        let both = Arc::new(compiled.await.map_err(|_| TrialError::Broken)??);
        self.compare(both, many.min(MOST_CALLS), now).await
    }

    async fn compare(&self, both: Arc<Both>, many: usize, now: Timestamp) -> Result<Trial, TrialError> {
        let (mut trial, mut after, mut looked) = (Trial::default(), None, 0);
        while trial.looked_at < many && looked < MOST_RUNS {
            let page = self.inner.store.runs(RunFilter { after, limit: PAGE, ..RunFilter::default() }).await?;
            for summary in &page.items {
                let room = many - trial.looked_at;
                looked += 1;
                let Some(run) = self.inner.store.shown(summary.id).await?.filter(|_| room > 0) else { continue };
                let (both, machine) = (Arc::clone(&both), Arc::clone(&self.inner.machine));
                // Where links lead is looked up, and that takes its time.
                let judged = tokio::task::spawn_blocking(move || both.judge(&run, room, &*machine, now)).await;
                trial.add(judged.map_err(|_| TrialError::Broken)?);
            }
            after = page.items.last().map(|run| run.id);
            if page.next.is_none() {
                break;
            }
        }
        Ok(trial)
    }
}

/// The policy as it stands, and as it would be.
struct Both {
    present: Policy,
    changed: Policy,
}

impl Both {
    /// Judges the last calls of `run`, at most so many, by both.
    fn judge(&self, run: &Run, room: usize, machine: &dyn Machine, now: Timestamp) -> Trial {
        let mut trial = Trial::default();
        let context = around(run);
        let calls: Vec<_> = run.calls().collect();
        let read = calls.iter().rev().filter_map(|entry| Some((entry.proposal.call_id, entry.call()?)));
        for (id, call) in read.take(room) {
            trial.looked_at += 1;
            trial.masked += usize::from(is_masked(&call));
            let tool = call.name();
            let (before, _, _) = told(&self.present, machine, call.clone(), &context, now);
            let (after, resource, why) = told(&self.changed, machine, call, &context, now);
            if before != after {
                trial.otherwise.push(Tried { call: id, run: run.id, tool, resource, before, after, why });
            }
        }
        trial
    }
}

impl Trial {
    fn add(&mut self, more: Self) {
        self.looked_at += more.looked_at;
        self.masked += more.masked;
        self.otherwise.extend(more.otherwise);
    }
}

/// What a policy says of a call, what the call touches, and the reason that decided.
fn told(
    policy: &Policy,
    machine: &dyn Machine,
    call: Call,
    around: &ContextSource,
    now: Timestamp,
) -> (Told, Option<String>, String) {
    let call = machine.describe(policy, call);
    let resource = resource_text(&call);
    let Ok(context) = Context::new(around, call.digest, now) else {
        return (Told::Deny, resource, "its boundaries cannot be read".into());
    };
    let verdict = judge(policy, &call, &context);
    let why = explain(&verdict, policy, &call, &context).pop().map(|reason| reason.text).unwrap_or_default();
    let told = match verdict.effect {
        Effect::Allow => Told::Allow,
        Effect::Ask(ask) => Told::Ask(ask),
        Effect::Deny => Told::Deny,
    };
    (told, resource, why)
}

/// Whether a secret of the call was masked when it was saved.
fn is_masked(call: &Call) -> bool {
    canonical(&Value::Object(call.args().clone())).contains("⟦secret ")
}

impl From<StoreError> for TrialError {
    fn from(error: StoreError) -> Self {
        Self::Change(error.into())
    }
}
