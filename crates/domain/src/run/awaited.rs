//! What a tool waits for that no person is asked about: a signal, a message, or a time.

use super::ask::ask;
use super::call::CallEntry;
use super::ending::finished;
use super::event::{EndStatus, Event, Letter, WaitOutcome, WaitType};
use super::{Run, RunKind, ending, outside};
use crate::interaction::{Interaction, Purpose};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

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
    /// What a program outside reports of the call that it makes.
    Report,
}

/// How keys begin by which people are asked. A tool cannot wait under one of them.
const RESERVED: [&str; 5] = ["cap-approval-", "result-review-", "question-", "outcome-", "report-"];
/// The longest wait for a time: a year.
pub const LONGEST_WAIT: Duration = Duration::from_hours(366 * 24);
/// The longest name that somebody gives to what they wait for, in bytes.
const LONGEST: usize = 200;

impl Awaited {
    /// What is asked for, though no person is.
    pub const fn purpose(&self) -> Purpose {
        match self {
            Self::Signal { .. } => Purpose::Signal,
            Self::Message { .. } => Purpose::Message,
            Self::Timer => Purpose::Timer,
            Self::Report => Purpose::Report,
        }
    }

    /// Why it cannot be waited for so long. How long a signal or a message is waited for is a matter of the settings too.
    fn too_long(&self, expires_at: Timestamp, now: Timestamp) -> Option<String> {
        let latest = now.saturating_add(LONGEST_WAIT).unwrap_or(Timestamp::MAX);
        let days = LONGEST_WAIT.as_secs() / (24 * 60 * 60);
        let is_too_long = *self == Self::Timer && expires_at > latest;
        is_too_long.then(|| format!("a wait lasts {days} days at the most, and `{expires_at}` is later than that"))
    }

    /// Whether `letter` is what is waited for.
    fn is_for(&self, letter: &Letter) -> bool {
        matches!(self, Self::Message { channel } if channel.is_none() || *channel == letter.channel)
    }

    /// Why it cannot be waited for in `run`.
    fn wrong(&self, run: &Run) -> Option<String> {
        let name = match self {
            Self::Signal { key } => Some(key),
            Self::Message { channel } => channel.as_ref(),
            Self::Timer => None,
            Self::Report => return Some("no tool waits for a report".into()),
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

/// A tool waits. One that could wait for ever has failed; one that waits for a letter which the model has not read yet goes
/// on at once, as nobody would write it again.
pub(super) fn waits(
    run: &Run,
    call: &CallEntry,
    awaited: Awaited,
    expires_at: Timestamp,
    now: Timestamp,
) -> Vec<Event> {
    let call_id = call.proposal.call_id;
    if awaited == Awaited::Report && run.started.kind == RunKind::Call {
        return vec![outside::await_report(call, expires_at)];
    }
    if let Some(wrong) = awaited.wrong(run).or_else(|| awaited.too_long(expires_at, now)) {
        return vec![finished(call_id, EndStatus::Error, &wrong)];
    }
    let mut request = ask(call, awaited.purpose(), None, expires_at);
    let mut came = None;
    if let Event::InteractionRequest(asked) = &mut request {
        let is_there = run.unheard().any(|letter| awaited.is_for(letter));
        came =
            is_there.then_some(Event::WaitCompleted { interaction_request_id: asked.id, outcome: WaitOutcome::Came });
        asked.awaited = Some(awaited);
    }
    [Event::ToolPaused { call_id }, request].into_iter().chain(came).collect()
}

/// A letter came, and with it what a tool waits for.
pub(super) fn received(run: &Run, letter: Letter) -> Vec<Event> {
    let fits = |asked: &&Interaction| asked.awaited.as_ref().is_some_and(|awaited| awaited.is_for(&letter));
    let awaited = run.open_interactions().into_iter().find(fits);
    let came = awaited.map(|asked| ending::wait_completed(asked, WaitOutcome::Came));
    [Event::MessageReceived(letter)].into_iter().chain(came).collect()
}

impl Run {
    /// The letters that came after the model was asked for the present step.
    fn unheard(&self) -> impl Iterator<Item = &Letter> {
        let heard = self.steps.last().map_or(0, |step| step.heard);
        self.letters.iter().skip(heard).map(|(_, letter)| letter)
    }
}

impl Purpose {
    /// What kind of thing is waited for.
    pub(super) const fn wait_type(self) -> WaitType {
        match self {
            Self::Approval | Self::ResultReview | Self::Question | Self::UncertainOutcome => WaitType::Human,
            Self::Signal => WaitType::Signal,
            Self::Message => WaitType::Message,
            Self::Timer => WaitType::Timer,
            Self::Report => WaitType::Report,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallId;
    use crate::audit::scribe::{Scribe, person};
    use crate::interaction::Status;
    use crate::run::{CallState, Input, Ruling};

    fn letter(channel: Option<&str>) -> Input {
        Input::Message(Letter { text: "hi".into(), channel: channel.map(Into::into), by: person("bob", &[]) })
    }

    fn message(channel: Option<&str>) -> Awaited {
        Awaited::Message { channel: channel.map(Into::into) }
    }

    /// The first call of `run` is made and waits.
    fn wait(run: &mut Scribe, call: CallId, awaited: Awaited) {
        let expires_at = run.expires_at();
        run.judged(call, Ruling::Allow, &["rule"]).take(Input::Waits { call, awaited, expires_at });
    }

    #[test]
    fn a_letter_that_came_while_the_model_was_thinking_is_what_it_waits_for() {
        for (awaited, came_by, is_it) in [
            (message(None), None, true),
            (message(None), Some("chat"), true),
            (message(Some("mail")), Some("mail"), true),
            (message(Some("mail")), Some("chat"), false),
            (message(Some("mail")), None, false),
            (Awaited::Timer, None, false),
        ] {
            let mut run = Scribe::new(1);
            // The model was asked before the letter came, and so has not read it.
            let turn = run.turn(1);
            let call = turn.calls[0].call_id;
            run.take(letter(came_by)).take(Input::Said(turn));
            wait(&mut run, call, awaited.clone());
            let run = &run.draft.run;
            let state = &run.call(call).unwrap().state;
            assert_eq!(run.open_interactions().is_empty(), is_it, "{awaited:?} {came_by:?}");
            assert_eq!(*state == CallState::Proposed, is_it, "{state:?}");
            assert_eq!(run.answers(call).len(), usize::from(is_it));
        }
    }

    #[test]
    fn nobody_waits_for_a_time_that_is_more_than_a_year_away() {
        for (more, waits) in [(Duration::ZERO, true), (Duration::from_secs(1), false)] {
            let mut run = Scribe::new(1);
            let call = run.says(1)[0];
            run.judged(call, Ruling::Allow, &["rule"]);
            // The clock goes on a little until the run hears of it.
            let expires_at = run.expires_at() - Duration::from_hours(1) + LONGEST_WAIT + more;
            run.take(Input::Waits { call, awaited: Awaited::Timer, expires_at });
            let ended = matches!(&run.draft.run.call(call).unwrap().state, CallState::Ended(end) if end.output.contains("366 days"));
            assert_eq!((run.draft.run.open_interactions().len() == 1, ended), (waits, !waits));
        }
    }

    #[test]
    fn a_letter_that_the_model_has_read_is_not_waited_for_again() {
        let mut run = Scribe::new(1);
        run.take(letter(None));
        let call = run.says(1)[0];
        wait(&mut run, call, message(None));
        let asked = run.question();
        run.take(letter(None));
        assert_eq!(run.draft.run.interactions[&asked].status, Status::Answered);
    }
}
