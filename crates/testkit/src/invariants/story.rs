//! What the events of one run may tell of its calls: nothing is executed without permission, and nothing silently twice.

use countersign_domain::CallId;
use countersign_domain::interaction::Purpose;
use countersign_domain::run::{Event, Recorded, Ruling};
use std::collections::BTreeMap;

/// What has been told of one call so far.
#[derive(Debug, Default)]
struct Told {
    /// The last judgement allowed it, and since then nobody has answered and it was not started.
    is_allowed: bool,
    /// It was started; and since then nobody was asked, nor was it found that it may simply be made again.
    is_started: bool,
    is_finished: bool,
}

/// All that is wrong with these events.
pub fn broken(events: &[Recorded]) -> Vec<String> {
    let mut calls: BTreeMap<CallId, Told> = BTreeMap::new();
    let mut asked_about = BTreeMap::new();
    let mut wrong = vec![];
    for Recorded { seq, event, .. } in events {
        match event {
            Event::ToolJudged { call_id, judgement } => {
                calls.entry(*call_id).or_default().is_allowed = judgement.ruling == Ruling::Allow;
            }
            Event::InteractionRequest(asked) => {
                asked_about.insert(asked.id, asked.call_id);
                // A report is waited for while the call is being made: nobody is asked.
                if asked.purpose != Purpose::Report {
                    calls.entry(asked.call_id).or_default().is_started = false;
                }
            }
            Event::ToolLost { call_id, again: true } => calls.entry(*call_id).or_default().is_started = false,
            Event::InteractionResponse { interaction_request_id, .. } => {
                let call = asked_about.get(interaction_request_id);
                match call.and_then(|call| calls.get_mut(call)) {
                    Some(call) => call.is_allowed = false,
                    None => wrong.push(format!("event {seq} answers what nobody asked")),
                }
            }
            Event::ToolStarted { call_id, .. } => {
                let call = calls.entry(*call_id).or_default();
                if !call.is_allowed {
                    wrong.push(format!("event {seq} starts {call_id} without permission"));
                }
                if call.is_started {
                    wrong.push(format!("event {seq} starts {call_id} again, and nobody was asked"));
                }
                (call.is_started, call.is_allowed) = (true, false);
            }
            Event::ToolFinished { call_id, .. } => {
                let call = calls.entry(*call_id).or_default();
                if call.is_finished {
                    wrong.push(format!("event {seq} finishes {call_id} again"));
                }
                call.is_finished = true;
            }
            _ => {}
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_domain::{Digest, InteractionId, RunId};
    use serde_json::{Value, json};
    use uuid::Uuid;

    fn told(events: &[Value]) -> Vec<String> {
        let event = |(seq, event): (u64, &Value)| Recorded {
            run: RunId::new(Uuid::nil()),
            seq,
            at: jiff::Timestamp::UNIX_EPOCH,
            step: Some(1),
            event: serde_json::from_value(event.clone()).unwrap(),
        };
        broken(&(1..).zip(events).map(event).collect::<Vec<_>>())
    }

    fn call() -> Value {
        json!(CallId::derived(Digest::of(b"call")))
    }

    fn judged(verdict: &str) -> Value {
        let digest = Digest::of(b"call");
        let judgement = json!({
            "call_id": call(), "verdict": verdict, "refusal": "no", "digest": digest, "reasons": [], "policy": digest,
            "resource": null, "capabilities": [], "risk": "low",
        });
        json!({"type": "tool_judged", "data": judgement})
    }

    fn asked() -> Value {
        let id = InteractionId::new(Uuid::nil());
        json!({"type": "interaction_request",
            "data": {"id": id, "call_id": call(), "purpose": "uncertain_outcome", "expires_at": "2027-01-01T00:00:00Z"}})
    }

    fn of_call(kind: &str, more: &Value) -> Value {
        let mut event = json!({"type": kind, "data": {"call_id": call()}});
        event["data"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    }

    fn started() -> Value {
        of_call("tool_started", &json!({"fence": 1}))
    }

    fn finished() -> Value {
        of_call("tool_finished", &json!({"status": "completed", "output": ""}))
    }

    fn lost(again: bool) -> Value {
        of_call("tool_lost", &json!({"again": again}))
    }

    #[test]
    fn what_was_allowed_may_be_started_and_ends_once() {
        assert_eq!(told(&[judged("allow"), started(), finished()]), Vec::<String>::new());
        assert_eq!(told(&[judged("allow"), started(), finished(), finished()]).len(), 1);
    }

    #[test]
    fn what_was_not_allowed_is_not_started() {
        for before in [vec![], vec![judged("deny")], vec![judged("allow"), judged("deny")]] {
            let events: Vec<_> = before.into_iter().chain([started()]).collect();
            let wrong = told(&events);
            assert!(wrong.len() == 1 && wrong[0].contains("without permission"), "{wrong:?}");
        }
    }

    #[test]
    fn what_was_started_is_started_again_only_if_it_may_be_or_somebody_was_asked() {
        let allowed_again = |between: Vec<Value>| {
            let events = [judged("allow"), started()].into_iter().chain(between).chain([judged("allow"), started()]);
            told(&events.collect::<Vec<_>>())
        };
        assert_eq!(allowed_again(vec![lost(true)]), Vec::<String>::new());
        assert_eq!(allowed_again(vec![lost(false), asked()]), Vec::<String>::new());
        for between in [vec![], vec![lost(false)]] {
            let wrong = allowed_again(between);
            assert!(wrong.len() == 1 && wrong[0].contains("nobody was asked"), "{wrong:?}");
        }
        assert_eq!(told(&[judged("allow"), started(), lost(true), started()]).len(), 1, "each start is judged");
    }
}
