//! What entries of a run say that cannot be, or must not.

use super::super::{Breach, Unapproved};
use super::scribe::{Scribe, approved, ask, edited, end, eventful, outside, person, refused};
use super::*;
use crate::interaction::{AnswerableBy, Decision, Form, Reply};
use crate::principal::{Kind, Principal, Role};
use crate::run::{Awaited, EndStatus, Input, Letter, OnTimeout, Question, Review, Ruling, WaitOutcome};
use crate::{Digest, RunId};
use jiff::SignedDuration;

/// What is found in these events when everything but their meaning is made right.
pub(super) fn found(mut events: Vec<Recorded>) -> Vec<(usize, Wrong)> {
    for (seq, event) in (1..).zip(&mut events) {
        event.seq = seq;
    }
    let findings = verify(&rows(events.iter().map(entry)), &[]).1;
    findings.into_iter().map(|finding| (finding.place.unwrap() as usize, finding.wrong)).collect()
}

pub(super) fn at(events: &[Recorded], word: &str, nth: usize) -> usize {
    let mut places = events.iter().enumerate().filter(|(_, one)| one.event.word() == word).map(|(i, _)| i);
    places.nth(nth).unwrap()
}

pub(super) fn breach(place: usize, breach: Breach) -> (usize, Wrong) {
    (place, Wrong::Meaning(breach))
}

/// The run of [`approved`] with one thing changed.
fn changed(word: &str, nth: usize, change: impl Fn(&mut Event)) -> (usize, Vec<Recorded>) {
    let mut events = approved(1);
    let place = at(&events, word, nth);
    change(&mut events[place].event);
    (place, events)
}

fn without(events: &[Recorded], places: &[usize]) -> Vec<Recorded> {
    events.iter().enumerate().filter(|(i, _)| !places.contains(i)).map(|(_, event)| event.clone()).collect()
}

#[test]
fn runs_that_went_well_mean_what_they_say() {
    for events in [approved(1), edited(1), eventful(1), refused(1), outside(1)] {
        assert_eq!(found(events.clone()), vec![]);
        // A run that is under way is no finding, wherever it stands.
        for end in 1..events.len() {
            assert_eq!(found(events[..end].to_vec()), vec![]);
        }
    }
}

#[test]
fn a_report_is_waited_for_only_where_a_program_outside_makes_the_call() {
    // In the run of an agent.
    let mut events = outside(1);
    let Event::RunStarted(started) = &mut events[0].event else { panic!() };
    started.kind = crate::run::RunKind::Agent;
    let waits = at(&events, "interaction_request", 1);
    assert_eq!(found(events.clone()), [breach(waits, Breach::Question)]);
    // Before it was started.
    let events = outside(1);
    let started = at(&events, "tool_started", 0);
    assert_eq!(found(without(&events, &[started]))[0].0, started, "{:?}", found(without(&events, &[started])));
    // It came twice.
    let mut events = outside(1);
    let came = at(&events, "wait_completed", 1);
    events.insert(came + 1, events[came].clone());
    assert_eq!(found(events), [breach(came + 1, Breach::Wait)]);
    // Nobody looked at what was held for review.
    let events = outside(1);
    let answer = at(&events, "interaction_response", 1);
    assert!(!found(without(&events, &[answer, answer + 1])).is_empty());
}

#[test]
fn a_program_outside_is_allowed_by_the_same_rules_as_an_agent() {
    let events = outside(1);
    let (judged, started) = (at(&events, "tool_judged", 1), at(&events, "tool_started", 0));
    assert!(found(without(&events, &[judged])).contains(&breach(started - 1, Breach::Unallowed("proposed"))));
    let answer = at(&events, "interaction_response", 0);
    let found = found(without(&events, &[answer, answer + 1]));
    assert!(
        found.iter().any(|(_, wrong)| matches!(wrong, Wrong::Meaning(Breach::Move(_) | Breach::Unapproved(_)))),
        "{found:?}"
    );
}

#[test]
fn a_run_that_is_one_call_has_no_other() {
    let mut run = Scribe::of_kind(1, crate::run::RunKind::Call);
    run.says(2);
    assert_eq!(found(run.recorded())[0].1, Wrong::Meaning(Breach::OneCall));
}

#[test]
fn an_execution_needs_an_allow() {
    let events = approved(1);
    // The second execution is the approved one: without its judgement the answer alone does not start it.
    let (judged, started) = (at(&events, "tool_judged", 2), at(&events, "tool_started", 1));
    let found_without = found(without(&events, &[judged]));
    assert_eq!(found_without, [breach(started - 1, Breach::Unallowed("proposed"))]);

    for ruling in [ask(AnswerableBy::Anyone, 1, &[]), Ruling::Deny { refusal: "no".into() }] {
        let (place, events) = changed("tool_judged", 2, |event| {
            let Event::ToolJudged { judgement, .. } = event else { panic!() };
            judgement.ruling = ruling.clone();
        });
        assert_eq!(found(events), [breach(place + 1, Breach::Unallowed("proposed"))]);
    }
}

#[test]
fn what_somebody_edited_is_executed_only_as_they_left_it() {
    let events = edited(1);
    let (answer, judged) = (at(&events, "interaction_response", 0), at(&events, "tool_judged", 1));
    let mut other = events.clone();
    let Event::InteractionResponse { response, .. } = &mut other[answer].event else { panic!() };
    response.edited.as_mut().unwrap().digest = Digest::of(b"something else");
    let unapproved = Breach::Unapproved(Unapproved::Digest);
    assert_eq!(found(other), [breach(judged, Breach::Digest), breach(judged + 1, unapproved)]);
    // An approval of the call as it was proposed is none of an edited one.
    let mut plain = events;
    let Event::InteractionResponse { response, .. } = &mut plain[answer].event else { panic!() };
    (response.decision, response.edited) = (Decision::Approve, None);
    assert_eq!(
        found(plain),
        [breach(judged, Breach::Digest), breach(judged + 1, Breach::Unapproved(Unapproved::Digest))]
    );
}

#[test]
fn an_allow_is_for_the_very_call_that_was_proposed() {
    for nth in 0..3 {
        let (place, events) = changed("tool_judged", nth, |event| {
            let Event::ToolJudged { judgement, .. } = event else { panic!() };
            judgement.digest = Digest::of(b"another call");
        });
        let found = found(events);
        assert_eq!(found[0], breach(place, Breach::Digest));
        // Asked about one call, executed another: the approval is not for it.
        let unapproved = Wrong::Meaning(Breach::Unapproved(Unapproved::Digest));
        assert_eq!(found.iter().any(|(_, wrong)| *wrong == unapproved), nth != 1, "{found:?}");
    }
}

#[test]
fn calls_are_who_they_say_they_are() {
    let moved: Vec<_> =
        approved(1).into_iter().map(|event| Recorded { run: RunId::new(uuid::Uuid::from_u128(2)), ..event }).collect();
    assert_eq!(found(moved)[0], breach(2, Breach::Digest), "a call of one run is none of another");
    let (place, events) = changed("step_completed", 0, |event| {
        let Event::StepCompleted(turn) = event else { panic!() };
        turn.calls[0].call_id = turn.calls[1].call_id;
    });
    assert_eq!(found(events)[0], breach(place, Breach::Identity));
}

#[test]
fn an_approval_needs_every_answer_that_was_asked_for() {
    let events = approved(1);
    let [bob, eve] = [0, 1].map(|nth| at(&events, "interaction_response", nth));
    let started = at(&events, "tool_started", 1);
    // Without bob's answer eve's settles nothing, whatever is said of it.
    let missing = found(without(&events, &[bob]));
    let too_few = Breach::Unapproved(Unapproved::TooFew { given: 1, needed: 2 });
    assert_eq!(
        missing,
        [breach(eve - 1, Breach::Settled { given: 1, needed: 2 }), breach(started - 1, too_few.clone())]
    );

    // Without any nobody said yes; and the call was still waiting when it was judged again.
    let wrong: Vec<_> = found(without(&events, &[bob, eve])).into_iter().map(|(_, wrong)| wrong).collect();
    assert!(wrong.contains(&Wrong::Meaning(Breach::Unapproved(Unapproved::Unanswered))), "{wrong:?}");

    // Nor does it help that the same one says it twice.
    let (_, twice) = changed("interaction_response", 1, |event| {
        let Event::InteractionResponse { response, .. } = event else { panic!() };
        response.by = person("bob", &["ops"]);
    });
    let twice = found(twice);
    assert!(matches!(twice[0], (place, Wrong::Meaning(Breach::Answer(_))) if place == eve), "{twice:?}");
    assert_eq!(twice[1], breach(started, too_few));
}

#[test]
fn an_approval_needs_principals_who_may_give_it() {
    let service = |name: &str| Principal { kind: Kind::Service, ..person(name, &["ops", "board"]) };
    let agent = Principal { kind: Kind::Agent, ..person("helper", &["ops", "board"]) };
    let viewer = Principal { role: Role::Viewer, ..person("vic", &["ops", "board"]) };
    for (who, why) in [
        (agent, "an agent can ask and wait"),
        (viewer, "a viewer cannot answer"),
        (service("bot"), "a person must answer this"),
        (person("ann", &["ops", "board"]), "a second person must answer this"),
        (person("zoe", &["sales"]), "only members of the groups"),
    ] {
        let (place, events) = changed("interaction_response", 0, |event| {
            let Event::InteractionResponse { response, .. } = event else { panic!() };
            response.by = who.clone();
        });
        let started = at(&events, "tool_started", 1);
        let found = found(events);
        let Wrong::Meaning(Breach::Answer(said)) = &found[0].1 else { panic!("{found:?}") };
        assert!(found[0].0 == place && said.starts_with(why), "{who:?}: {found:?}");
        let too_few = Breach::Unapproved(Unapproved::TooFew { given: 1, needed: 2 });
        assert_eq!(found.last().unwrap(), &breach(started, too_few), "{who:?}");
    }
}

#[test]
fn whoever_wrote_to_the_agent_is_no_second_person() {
    let mut events = approved(1);
    let letter = Letter { text: "go on".into(), channel: None, by: person("eve", &["board"]) };
    events.insert(2, Recorded { event: Event::MessageReceived(letter), ..events[1].clone() });
    assert!(matches!(found(events)[0].1, Wrong::Meaning(Breach::Answer(_))));
}

#[test]
fn an_answer_that_came_too_late_does_not_count() {
    let (place, events) = changed("interaction_response", 0, |event| {
        let Event::InteractionResponse { response, .. } = event else { panic!() };
        response.responded_at += SignedDuration::from_hours(2);
    });
    assert!(matches!(&found(events)[0], (found, Wrong::Meaning(Breach::Answer(_))) if *found == place));
}

#[test]
fn a_rejection_is_no_approval() {
    let (_, events) = changed("interaction_response", 1, |event| {
        let Event::InteractionResponse { response, .. } = event else { panic!() };
        response.decision = Decision::Reject;
    });
    let wrong: Vec<_> = found(events).into_iter().map(|(_, wrong)| wrong).collect();
    assert!(wrong.contains(&Wrong::Meaning(Breach::Unapproved(Unapproved::Unanswered))), "{wrong:?}");
}

#[test]
fn an_allow_by_approval_needs_a_question() {
    let (place, events) = changed("tool_judged", 1, |event| {
        let Event::ToolJudged { judgement, .. } = event else { panic!() };
        judgement.reasons[0].layer = "approval".into();
    });
    assert_eq!(found(events), [breach(place + 1, Breach::Unapproved(Unapproved::Unasked))]);
    // Nor can the question be hidden by leaving the reasons out.
    let (place, mut events) = changed("tool_judged", 2, |event| {
        let Event::ToolJudged { judgement, .. } = event else { panic!() };
        judgement.reasons.clear();
    });
    events.remove(at(&events, "interaction_response", 0));
    let too_few = Breach::Unapproved(Unapproved::TooFew { given: 1, needed: 2 });
    assert_eq!(found(events).last().unwrap(), &breach(place, too_few));
}

#[test]
fn an_approval_is_used_up_once() {
    let events = approved(1);
    let (judged, started) = (at(&events, "tool_judged", 2), at(&events, "tool_started", 1));
    let mut again = events.clone();
    again.insert(started + 1, events[judged].clone());
    again.insert(started + 2, events[started].clone());
    let found = found(again);
    assert!(matches!(found[0].1, Wrong::Meaning(Breach::Move(_))), "{found:?}");
    assert_eq!(found[1], breach(started + 2, Breach::Unapproved(Unapproved::Spent)));
}

#[test]
fn a_call_ends_once_and_for_a_reason() {
    let events = approved(1);
    let finished = at(&events, "tool_finished", 1);
    let mut twice = events.clone();
    twice.insert(finished + 1, events[finished].clone());
    let done = crate::run::call::Refused { state: "done", input: "finished" };
    assert_eq!(found(twice), [breach(finished + 1, Breach::Move(done))]);

    // No report without a start.
    let started = at(&events, "tool_started", 1);
    assert!(matches!(found(without(&events, &[started]))[0].1, Wrong::Meaning(Breach::Move(_))));

    // Refused without a refusal, unreadable though it was read, unknown though nothing was lost.
    let judged = at(&events, "tool_judged", 0);
    for status in [EndStatus::Denied, EndStatus::Error, EndStatus::Unknown] {
        let mut events = events[..=judged].to_vec();
        let Event::ToolJudged { call_id, .. } = events[judged].event else { panic!() };
        events.pop();
        let ended = Event::ToolFinished { call_id, end: end(status) };
        events.push(Recorded { event: ended, ..events[1].clone() });
        assert_eq!(found(events), [breach(judged, Breach::Ending)], "{status:?}");
    }
    // Rejected and expired though nobody said so.
    let asked = at(&events, "interaction_request", 0);
    for status in [EndStatus::Rejected, EndStatus::Expired, EndStatus::Unknown] {
        let mut events = events[..=asked].to_vec();
        let Event::InteractionRequest(ask) = &events[asked].event else { panic!() };
        let ended = Event::ToolFinished { call_id: ask.call_id, end: end(status) };
        events.push(Recorded { event: ended, ..events[1].clone() });
        assert_eq!(found(events), [breach(asked + 1, Breach::Ending)], "{status:?}");
    }
}

#[test]
fn a_result_that_is_held_needs_its_release() {
    let events = eventful(1);
    let (released, waited) = (at(&events, "interaction_response", 3), at(&events, "wait_completed", 3));
    assert_eq!(found(without(&events, &[released, waited]))[0], breach(released, Breach::Ending));
}

#[test]
fn a_lost_call_is_made_again_only_if_somebody_says_so() {
    let events = eventful(1);
    let (said, waited) = (at(&events, "interaction_response", 2), at(&events, "wait_completed", 2));
    let wrong: Vec<_> = found(without(&events, &[said, waited])).into_iter().map(|(_, wrong)| wrong).collect();
    assert!(wrong.contains(&Wrong::Meaning(Breach::Unapproved(Unapproved::Unanswered))), "{wrong:?}");
    // And what became of it only somebody can say.
    let lost = at(&events, "tool_lost", 1);
    let mut ended = events[..=lost + 1].to_vec();
    let Event::ToolLost { call_id, .. } = events[lost].event else { panic!() };
    let event = Event::ToolFinished { call_id, end: end(EndStatus::Completed) };
    ended.push(Recorded { event, ..events[lost].clone() });
    assert_eq!(found(ended), [breach(lost + 2, Breach::Ending)]);
}

#[test]
fn a_run_ends_when_all_of_it_has() {
    let mut run = Scribe::new(1);
    let call = run.says(1)[0];
    run.judged_for(call, ask(AnswerableBy::Anyone, 1, &[]), &["rule"], Review::Never).take(Input::Slept);
    let mut events = run.recorded();
    let done = Event::RunCompleted { output: "done".into() };
    events.push(Recorded { event: done.clone(), ..events[1].clone() });
    assert_eq!(found(events.clone()), [breach(events.len() - 1, Breach::OpenQuestion)]);
    let Event::InteractionRequest(asked) = &events[at(&events, "interaction_request", 0)].event else { panic!() };
    let withdrawn = Event::WaitCompleted { interaction_request_id: asked.id, outcome: WaitOutcome::Cancelled };
    events.insert(events.len() - 1, Recorded { event: withdrawn, ..events[1].clone() });
    assert_eq!(found(events.clone()), [breach(events.len() - 1, Breach::OpenCall)]);
    events.push(Recorded { event: done, ..events[1].clone() });
    assert_eq!(found(events.clone())[1], breach(events.len() - 1, Breach::AfterEnd));
}

#[test]
fn a_run_begins_once_and_its_model_waits_for_its_calls() {
    let events = approved(1);
    assert_eq!(found(events[1..].to_vec())[0], breach(0, Breach::Beginning));
    let mut twice = events.clone();
    twice.insert(3, events[0].clone());
    assert_eq!(found(twice), [breach(3, Breach::Beginning)]);
    let mut hasty = events.clone();
    hasty.insert(2, events[events.len() - 2].clone());
    assert_eq!(found(hasty)[0], breach(2, Breach::Spoke));
}

#[test]
fn what_nobody_asked_nobody_answers() {
    let events = approved(1);
    let asked = at(&events, "interaction_request", 0);
    let found = found(without(&events, &[asked]));
    assert!(found.iter().any(|(_, wrong)| *wrong == Wrong::Meaning(Breach::NoQuestion)), "{found:?}");
    let unapproved = Wrong::Meaning(Breach::Unapproved(Unapproved::Unasked));
    assert!(found.iter().any(|(_, wrong)| *wrong == unapproved), "{found:?}");
}

#[test]
fn silence_is_an_answer_only_where_the_run_and_the_question_say_so() {
    let defaulted = |on_timeout: OnTimeout, default: Option<Reply>| {
        let mut run = Scribe::new(1);
        let call = run.says(1)[0];
        let form = Form::Input { placeholder: None, multiline: false };
        let question = Question { title: "Which?".into(), description: None, required: true, default, form };
        let expires_at = run.expires_at();
        run.judged(call, Ruling::Allow, &["rule"]).take(Input::Paused { call, question, expires_at });
        let event = Event::WaitCompleted { interaction_request_id: run.question(), outcome: WaitOutcome::Defaulted };
        let mut events = run.recorded();
        let Event::RunStarted(started) = &mut events[0].event else { panic!() };
        started.on_timeout = on_timeout;
        events.push(Recorded { event, ..events[1].clone() });
        (events.len() - 1, found(events))
    };
    let blue = || Some(Reply { text: Some("blue".into()), ..Reply::default() });
    assert_eq!(defaulted(OnTimeout::Default, blue()).1, []);
    for (on_timeout, default) in [(OnTimeout::Deny, blue()), (OnTimeout::Cancel, blue()), (OnTimeout::Default, None)] {
        let (place, found) = defaulted(on_timeout, default);
        assert_eq!(found, [breach(place, Breach::Wait)], "{on_timeout:?}");
    }
}

#[test]
fn a_message_has_come_only_if_somebody_wrote_one_that_was_not_read_before() {
    let letter = || Letter { text: "go on".into(), channel: None, by: person("eve", &[]) };
    let mut run = Scribe::new(1);
    run.take(Input::Message(letter()));
    let call = run.says(1)[0];
    let (awaited, expires_at) = (Awaited::Message { channel: None }, run.expires_at());
    run.judged(call, Ruling::Allow, &["rule"]).take(Input::Waits { call, awaited, expires_at });
    run.take(Input::Message(letter()));
    let events = run.recorded();
    assert_eq!(found(events.clone()), []);
    let (came, waited) = (at(&events, "message_received", 1), at(&events, "wait_completed", 0));
    assert_eq!(found(without(&events, &[came])), [breach(waited - 1, Breach::Wait)]);
}
