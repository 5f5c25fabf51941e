//! What a tool waits for that no person is asked about: a signal, a message, or a time.

use super::ask::ask;
use super::call::CallEntry;
use super::ending::finished;
use super::event::{EndStatus, Event, Letter, WaitOutcome, WaitType};
use super::{Run, ending};
use crate::interaction::{Interaction, Purpose};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a tool waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Awaited {
    /// A signal with this key. What it brings is the answer.
    Signal {
        /// The key.
        key: String,
    },
    /// A letter to the agent, which reads it next.
    Message {
        /// Only one that comes this way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
    },
    /// A time: that at which the wait ends.
    Timer,
}

/// How keys begin by which people are asked. A tool cannot wait under one of them.
const RESERVED: [&str; 4] = ["cap-approval-", "result-review-", "question-", "outcome-"];
/// The longest name that somebody gives to what they wait for, in bytes.
const LONGEST: usize = 200;

impl Awaited {
    /// What is asked for, though no person is.
    pub const fn purpose(&self) -> Purpose {
        match self {
            Self::Signal { .. } => Purpose::Signal,
            Self::Message { .. } => Purpose::Message,
            Self::Timer => Purpose::Timer,
        }
    }

    /// Why it cannot be waited for in `run`.
    fn wrong(&self, run: &Run) -> Option<String> {
        let name = match self {
            Self::Signal { key } => Some(key),
            Self::Message { channel } => channel.as_ref(),
            Self::Timer => None,
        }?;
        if name.trim().is_empty() || name.len() > LONGEST {
            return Some(format!("the name of what is waited for must have 1 to {LONGEST} bytes"));
        }
        if !matches!(self, Self::Signal { .. }) {
            return None;
        }
        if RESERVED.iter().any(|reserved| name.starts_with(reserved)) {
            return Some(format!("`{name}` begins like the key of a question to a person"));
        }
        // A signal finds what it is for by its key: the first answer would be that of the second wait.
        let is_taken = run.interactions.values().any(|asked| asked.correlation_key == *name);
        is_taken.then(|| format!("this run has waited for a signal `{name}` before; use a key of its own"))
    }
}

/// A tool waits. One that could wait for ever has failed.
pub(super) fn waits(run: &Run, call: &CallEntry, awaited: Awaited, expires_at: Timestamp) -> Vec<Event> {
    let call_id = call.proposal.call_id;
    if let Some(wrong) = awaited.wrong(run) {
        return vec![finished(call_id, EndStatus::Error, &wrong)];
    }
    let mut request = ask(call, awaited.purpose(), None, expires_at);
    if let Event::InteractionRequest(asked) = &mut request {
        asked.awaited = Some(awaited);
    }
    vec![Event::ToolPaused { call_id }, request]
}

/// A letter came, and with it what a tool waits for.
pub(super) fn received(run: &Run, letter: Letter) -> Vec<Event> {
    let fits = |asked: &&Interaction| match &asked.awaited {
        Some(Awaited::Message { channel }) => channel.is_none() || *channel == letter.channel,
        _ => false,
    };
    let awaited = run.open_interactions().into_iter().find(fits);
    let came = awaited.map(|asked| ending::wait_completed(asked, WaitOutcome::Came));
    [Event::MessageReceived(letter)].into_iter().chain(came).collect()
}

impl Purpose {
    /// What kind of thing is waited for.
    pub(super) const fn wait_type(self) -> WaitType {
        match self {
            Self::Approval | Self::ResultReview | Self::Question | Self::UncertainOutcome => WaitType::Human,
            Self::Signal => WaitType::Signal,
            Self::Message => WaitType::Message,
            Self::Timer => WaitType::Timer,
        }
    }
}
