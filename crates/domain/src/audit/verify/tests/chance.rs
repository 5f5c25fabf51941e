//! Runs that go as chance has it. Whatever a run can come through, nothing is found wrong with it.

use super::scribe::{Scribe, ask, end, person};
use super::*;
use crate::CallId;
use crate::audit::calls::Calls;
use crate::delegation::Frame;
use crate::interaction::{AnswerableBy, Decision, Interaction, Purpose, Reply, Response, Status};
use crate::principal::{Kind, Principal};
use crate::run::{Awaited, CallEntry, CallState, EndStatus, Failure, Input, Letter, Question, Review, Ruling};
use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

/// What may arrive next, by these dice.
fn input(run: &Scribe, dice: [u8; 3]) -> Option<Input> {
    let [what, which, how] = dice.map(usize::from);
    let calls: Vec<_> = run.draft.run.calls().filter(|call| !matches!(call.state, CallState::Ended(_))).collect();
    let expires_at = run.expires_at();
    let running = || {
        let running: Vec<_> = calls.iter().filter(|call| matches!(call.state, CallState::Running { .. })).collect();
        running.get(which % running.len().max(1)).map(|call| call.proposal.call_id)
    };
    Some(match what % 16 {
        0 => Input::Said(run.turn(which % 4)),
        1..=5 => judged(run, calls.get(which % calls.len().max(1))?, how),
        6 | 7 => {
            let status = if how % 3 == 0 { EndStatus::Error } else { EndStatus::Completed };
            Input::Finished { call: running()?, end: end(status), expires_at }
        }
        8 if how % 4 == 0 => Input::Waits { call: running()?, awaited: awaited(which, how), expires_at },
        8 => Input::Paused { call: running()?, question: question(), expires_at },
        9 => Input::Lost { call: running()?, again: how % 2 == 0, expires_at },
        10..=12 => answered(run, which, how)?,
        13 if how % 2 == 0 => Input::Slept,
        13 => Input::Resumed,
        14 if how % 3 == 0 => Input::Expired(open(run, which)?.id),
        14 if how % 3 == 1 => Input::Reminded(open(run, which)?.id),
        14 => Input::Message(Letter { text: "hurry".into(), channel: None, by: somebody(which) }),
        _ => match how % 40 {
            0 => Input::Failed(Failure { code: "NO".into(), message: "no".into() }),
            1 => Input::Cancelled { by: somebody(which), reason: None },
            2 => Input::SetAside { attempts: 5 },
            3 => Input::Narrowed { frame: Frame::default(), by: somebody(which) },
            _ => return None,
        },
    })
}

fn judged(run: &Scribe, call: &CallEntry, how: usize) -> Input {
    let by = [AnswerableBy::Anyone, AnswerableBy::Human, AnswerableBy::SecondPerson][how / 8 % 3];
    let groups: &[&[&str]] = if how.is_multiple_of(5) { &[&["ops"]] } else { &[] };
    let review = [Review::Never, Review::OnError, Review::Always][how % 3];
    let is_approved = is_approved(run, call.proposal.call_id);
    let (ruling, layer) = match how % 8 {
        0 => (Ruling::Deny { refusal: "no".into() }, "rule"),
        1 => (Ruling::Allow, "rule"),
        _ if is_approved => (Ruling::Allow, "approval"),
        _ => (ask(by, 1 + u32::from(how.is_multiple_of(7)), groups), "rule"),
    };
    run.judgement(call.proposal.call_id, ruling, &[layer], review)
}

/// Whether the latest question about the call has been answered so that it may be made.
fn is_approved(run: &Scribe, call: CallId) -> bool {
    let asked = run.draft.run.asked_about(call);
    let asked = asked.filter(|asked| matches!(asked.purpose, Purpose::Approval | Purpose::UncertainOutcome));
    let latest = asked.max_by_key(|asked| asked.ordinal).filter(|asked| asked.status == Status::Answered);
    latest.is_some_and(|asked| asked.answer.as_ref().is_some_and(|answer| answer.decision.authorises()))
}

fn open(run: &Scribe, which: usize) -> Option<&Interaction> {
    let open = run.draft.run.open_interactions();
    open.get(which % open.len().max(1)).copied()
}

fn answered(run: &Scribe, which: usize, how: usize) -> Option<Input> {
    let asked = open(run, which)?;
    let decisions = asked.allowed_decisions();
    let decision = *decisions.get(how % decisions.len().max(1))?;
    let reply = if decision == Decision::Answer {
        Reply { text: Some("this".into()), ..Reply::default() }
    } else {
        Reply::default()
    };
    let response = Response::new(asked.id, Some(decision), Some("so".into())).unwrap().filled_in(reply);
    let edited = (decision == Decision::Edit).then(|| serde_json::Map::from_iter([("n".to_owned(), how.into())]));
    let response = response.editing(edited);
    let replacement = (decision == Decision::Replace).then(|| "something else".to_owned());
    Some(Input::Answered { interaction: asked.id, response: response.replacing(replacement), by: somebody(how / 8) })
}

fn somebody(which: usize) -> Principal {
    match which % 5 {
        0 => person("ann", &["ops"]),
        1 => person("bob", &["ops"]),
        2 => person("eve", &["ops", "board"]),
        3 => person("zoe", &[]),
        _ => Principal { kind: Kind::Service, ..person("bot", &["ops"]) },
    }
}

fn awaited(which: usize, how: usize) -> Awaited {
    match which % 3 {
        0 => Awaited::Signal { key: format!("key {how}") },
        1 => Awaited::Message { channel: None },
        _ => Awaited::Timer,
    }
}

fn question() -> Question {
    let form = crate::interaction::Form::Input { placeholder: None, multiline: false };
    Question { title: "Which?".into(), description: None, required: true, default: None, form }
}

/// A run that these dice make.
fn chanced(dice: Vec<[u8; 3]>) -> Scribe {
    let mut run = Scribe::new(1);
    run.says(2);
    for dice in dice {
        if let Some(input) = input(&run, dice) {
            if matches!(input, Input::Reminded(_)) {
                run.passes(SignedDuration::from_mins(31));
            }
            // What does not follow is refused, and changes nothing.
            let _ = run.try_take(input);
        }
    }
    run
}

#[test]
fn chance_leaves_nothing_out() {
    let (mut runner, mut words) = (TestRunner::deterministic(), BTreeSet::new());
    let strategy = prop::collection::vec(any::<[u8; 3]>(), 150);
    for _ in 0..400 {
        let events = chanced(strategy.new_tree(&mut runner).unwrap().current()).recorded();
        words.extend(events.into_iter().map(|event| match event.event {
            Event::ToolFinished { end, .. } => format!("{:?}", end.status),
            Event::ToolJudged { judgement, .. } if judgement.ruling == Ruling::Allow => {
                judgement.reasons[0].layer.clone()
            }
            Event::InteractionResponse { response, .. } => response.decision.word().to_owned(),
            event => event.word().to_owned(),
        }));
    }
    let told = ["tool_judged", "tool_finished", "interaction_response"];
    let mut expected: BTreeSet<_> =
        Event::WORDS.into_iter().filter(|word| !told.contains(word)).map(ToOwned::to_owned).collect();
    expected.extend(EndStatus::ALL.map(|status| format!("{status:?}")));
    expected.extend(Decision::ALL.map(|decision| decision.word().to_owned()));
    expected.extend(["approval", "rule", "tool_judged"].map(ToOwned::to_owned));
    assert_eq!(words, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn nothing_is_found_wrong_with_whatever_a_run_can_come_through(
        dice in prop::collection::vec(any::<[u8; 3]>(), 1..150),
    ) {
        let run = chanced(dice);
        let events = run.recorded();
        let words: Vec<_> = events.iter().map(|event| event.event.word()).collect();
        let findings = verify(&rows(events.iter().map(entry)), &[]).1;
        prop_assert!(findings.is_empty(), "{:?}\n{:?}", findings, words);

        // Every call that was proposed is one row, ended or open; of a run that has ended none is open.
        let (mut calls, proposed) = (Calls::default(), run.draft.run.calls().count());
        let ended = events.into_iter().filter_map(|event| calls.take(event)).count();
        let open = calls.open().len();
        prop_assert_eq!(ended + open, proposed);
        prop_assert!(open == 0 || !run.draft.run.has_ended());
    }
}
