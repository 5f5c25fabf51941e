//! What must be done next, from the state alone.

use super::{CallEntry, CallState, EndStatus, Failure, OnReject, Phase, Run, RunKind};
use crate::CallId;
use std::collections::BTreeSet;

/// What a worker does next with a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'a> {
    /// Say that the run goes on.
    Resume,
    /// This call was started and never reported.
    Lost(&'a CallEntry),
    /// Judge this call, and then ask, refuse or execute.
    Judge(&'a CallEntry),
    /// Tools are at work: see what they report.
    Attend,
    /// This call was started, and a program outside makes it: wait for its report.
    AwaitReport(&'a CallEntry),
    /// The call that is all of the run has ended.
    Complete,
    /// Ask the model what comes next.
    AskModel,
    /// Nothing can be done until somebody answers.
    Sleep,
    /// End the run.
    Fail(Failure),
    /// It is asleep or has ended.
    Nothing,
}

impl Run {
    /// What must be done next. To be asked only by whoever holds the run, or will with the next step, and executes these calls
    /// of it.
    pub fn next(&self, executing: &BTreeSet<CallId>) -> Next<'_> {
        match self.phase {
            Phase::Woken => return Next::Resume,
            Phase::Active => {}
            _ => return Next::Nothing,
        }
        if self.started.kind == RunKind::Call {
            return self.next_of_call();
        }
        let calls = || self.steps.last().into_iter().flat_map(|step| &step.calls);
        let running = |call: &&CallEntry| matches!(call.state, CallState::Running { .. });
        if let Some(lost) = calls().filter(running).find(|call| !executing.contains(&call.proposal.call_id)) {
            return Next::Lost(lost);
        }
        if let Some(call) = calls().find(|call| call.state == CallState::Proposed) {
            return Next::Judge(call);
        }
        if calls().any(|call| running(&call)) {
            return Next::Attend;
        }
        if calls().any(CallEntry::waits) {
            return Next::Sleep;
        }
        let rejected =
            |call: &CallEntry| matches!(&call.state, CallState::Ended(end) if end.status == EndStatus::Rejected);
        if self.started.on_reject == OnReject::Stop && calls().any(rejected) {
            return Next::Fail(failure("REJECTED", "a call of this run was rejected, and `on_reject` is `stop`"));
        }
        self.limit().map_or(Next::AskModel, Next::Fail)
    }
}

fn failure(code: &str, message: &str) -> Failure {
    Failure { code: code.to_owned(), message: message.to_owned() }
}
