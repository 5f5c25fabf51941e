//! Reminders in the record: once for each question, while it is open.

use super::super::Breach;
use super::meaning::{at, breach, found};
use super::scribe::{Scribe, approved, ask, outside};
use super::*;
use crate::interaction::AnswerableBy;
use crate::run::{Awaited, Draft, Input, Ruling, advance};
use crate::{CallId, InteractionId};
use jiff::{SignedDuration, Timestamp};

fn reminder(of: &Recorded) -> Recorded {
    let id = match &of.event {
        Event::InteractionRequest(asked) => asked.id,
        other => panic!("{other:?} is about no question"),
    };
    Recorded { event: Event::Reminder { interaction_request_id: id }, ..of.clone() }
}

/// The events with another after the one at `place`.
fn with(events: &[Recorded], place: usize, more: Recorded) -> Vec<Recorded> {
    let mut events = events.to_vec();
    events.insert(place + 1, more);
    events
}

#[test]
fn a_reminder_stands_once_where_a_question_is_open() {
    let events = approved(1);
    let asked = at(&events, "interaction_request", 0);
    let once = with(&events, asked, reminder(&events[asked]));
    assert_eq!(found(once.clone()), []);
    let twice = with(&once, asked + 1, reminder(&events[asked]));
    assert_eq!(found(twice), [breach(asked + 2, Breach::Reminder)]);
    let over = at(&events, "wait_completed", 0);
    let late = with(&events, over, reminder(&events[asked]));
    assert_eq!(found(late), [breach(over + 1, Breach::Reminder)]);
    let unknown = Event::Reminder { interaction_request_id: InteractionId::new(uuid::Uuid::nil()) };
    let nobodys = with(&events, asked, Recorded { event: unknown, ..events[asked].clone() });
    assert_eq!(found(nobodys), [breach(asked + 1, Breach::NoQuestion)]);
}

#[test]
fn nobody_is_reminded_of_what_waits_for_no_person() {
    let events = outside(1);
    let report = at(&events, "interaction_request", 1);
    let reminded = with(&events, report, reminder(&events[report]));
    assert_eq!(found(reminded), [breach(report + 1, Breach::Reminder)]);
}

/// A run with one open question, and how long that lasts from when it was asked.
fn asking(question: impl FnOnce(&mut Scribe, CallId)) -> (Draft, InteractionId, Timestamp, SignedDuration) {
    let mut run = Scribe::new(1);
    let call = run.says(1)[0];
    question(&mut run, call);
    let asked = run.draft.run.open_interactions()[0];
    let (id, since) = (asked.id, asked.created_at);
    let life = asked.expires_at.duration_since(since);
    (run.draft.clone(), id, since, life)
}

#[test]
fn people_are_reminded_from_half_of_the_time_to_its_end() {
    let (draft, id, since, life) = asking(|run, call| {
        run.judged(call, ask(AnswerableBy::Anyone, 1, &[]), &["rule"]);
    });
    let moment = SignedDuration::from_millis(1);
    for (after, events) in
        [(SignedDuration::ZERO, 0), (life / 2 - moment, 0), (life / 2, 1), (life - moment, 1), (life, 0)]
    {
        let step = advance(&draft.run, Input::Reminded(id), since + after).unwrap();
        assert_eq!(step.events.len(), events, "after {after}");
        let again = advance(&step.run, Input::Reminded(id), since + after).unwrap();
        assert_eq!(again.events, [], "after {after}, for the second time");
    }
    let (draft, id, since, life) = asking(|run, call| {
        let expires_at = run.expires_at();
        run.judged(call, Ruling::Allow, &["rule"]).take(Input::Waits { call, awaited: Awaited::Timer, expires_at });
    });
    assert_eq!(advance(&draft.run, Input::Reminded(id), since + life / 2).unwrap().events, [], "nobody is asked");
}
