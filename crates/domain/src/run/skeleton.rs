//! An event in two halves: its skeleton, which is the record of what happened, and its texts, which can be erased.
//!
//! The skeleton is an event like any other, with a mark wherever a text stood: it folds, and it is judged by whoever checks the
//! record, whether the texts are still there or not.

use super::event::Event;
use super::texts::Text;
use serde_json::{Map, Value, json};
use std::mem;

/// What stands in a skeleton in place of words.
const MARK: &str = "-";
/// What people read where words were erased.
pub const ERASED: &str = "(erased)";

/// Texts that are not those of a skeleton.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadTexts {
    /// There are more or fewer of them than marks.
    #[error("it has other texts than its marks say")]
    Count,
    /// Words stand where arguments belong, or the other way round.
    #[error("a text is of another kind than its mark")]
    Kind,
}

impl Event {
    /// Takes the texts out, in their order.
    pub fn take_texts(&mut self) -> Vec<Value> {
        let mut texts = vec![];
        self.texts(&mut |text| {
            texts.push(match text {
                Text::Words(words) => Value::String(mem::replace(words, MARK.to_owned())),
                Text::Args { args, .. } => Value::Object(mem::replace(args, mark_of_args())),
            });
        });
        texts
    }

    /// Puts back the texts that were taken out.
    pub fn put_texts(&mut self, texts: Vec<Value>) -> Result<(), BadTexts> {
        let mut texts = texts.into_iter();
        let mut wrong = None;
        self.texts(&mut |place| match (place, texts.next()) {
            (Text::Words(words), Some(Value::String(text))) => *words = text,
            (Text::Args { args, .. }, Some(Value::Object(text))) => *args = text,
            (_, None) => wrong = Some(BadTexts::Count),
            (_, Some(_)) => wrong = Some(BadTexts::Kind),
        });
        match (wrong, texts.next()) {
            (Some(wrong), _) => Err(wrong),
            (None, Some(_)) => Err(BadTexts::Count),
            (None, None) => Ok(()),
        }
    }

    /// Says of every text that it was erased.
    pub fn put_erased(&mut self) {
        self.texts(&mut |place| match place {
            Text::Words(words) => ERASED.clone_into(words),
            Text::Args { args, .. } => *args = Map::from_iter([(ERASED.to_owned(), json!(true))]),
        });
    }
}

fn mark_of_args() -> Map<String, Value> {
    Map::from_iter([(MARK.to_owned(), json!(0))])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One event of every kind and more, with `secret` in every text and nowhere else.
    fn events() -> Vec<Event> {
        let id = "00000000-0000-7000-8000-000000000000".replace('-', "");
        let (call, asked, digest) = (format!("call_{id}"), format!("int_{id}"), format!("sha256:{}", "a".repeat(64)));
        let by = json!({"kind": "user", "name": "ann", "role": "approver"});
        let end = json!({"call_id": call, "status": "completed", "output": "secret"});
        let judged = |ruling: Value| {
            let mut judged = json!({"call_id": call, "digest": digest, "policy": digest, "resource": "secret", "risk": "low",
                "reasons": [{"layer": "rules", "said": "ask", "name": "secret", "text": "secret"}]});
            judged.as_object_mut().unwrap().extend(ruling.as_object().unwrap().clone());
            judged
        };
        let form = json!({"type": "combined", "interactions": [
            {"id": "a", "title": "secret", "description": "secret", "type": "input", "placeholder": "secret"},
            {"id": "b", "title": "secret", "type": "select",
                "options": [{"value": "secret", "label": "secret", "description": "secret"}]},
            {"id": "c", "title": "secret", "type": "confirm", "confirm_text": "secret", "cancel_text": "secret"}]});
        let mut question = json!({"title": "secret", "description": "secret", "default": {"text": "secret"}});
        question.as_object_mut().unwrap().extend(form.as_object().unwrap().clone());
        let at = "2026-01-01T00:00:00Z";
        let all = json!([
            ["run_started", {"agent": "a", "input": "secret", "cwd": "secret", "started_by": by}],
            ["step_completed", {"text": "secret", "calls": [
                {"call_id": call, "model_id": "1", "name": "t", "tool": "t", "args": {"a": ["secret"]}, "cwd": "secret", "key": digest},
                {"call_id": call, "model_id": "2", "name": "t", "error": "secret", "arguments": "secret"}]}],
            ["tool_judged", judged(json!({"verdict": "allow"}))],
            ["tool_judged", judged(json!({"verdict": "ask", "by": "anyone", "mode": "once", "approvals": 1}))],
            ["tool_judged", judged(json!({"verdict": "deny", "refusal": "secret"}))],
            ["interaction_request", {"id": asked, "call_id": call, "purpose": "question", "expires_at": at, "question": question}],
            ["interaction_request", {"id": asked, "call_id": call, "purpose": "signal", "expires_at": at, "awaited": {"for": "signal", "key": "k"}}],
            ["interaction_request", {"id": asked, "call_id": call, "expires_at": at,
                "preview": {"path": "secret", "change": {"kind": "diff", "text": "secret", "digest": digest}}}],
            ["execution_suspended", {"interaction_request_id": asked, "wait_type": "human"}],
            ["reminder", {"interaction_request_id": asked}],
            ["interaction_response", {"interaction_request_id": asked, "settled": true, "response": {
                "decision": "answer", "reason": "secret", "replacement": "secret", "remember": {"pattern": "secret"},
                "reply": {"text": "secret", "selected_values": ["secret"], "responses": [
                    {"request_id": "a", "text": "secret", "selected_values": ["secret"], "responses": [
                        {"request_id": "b", "text": "secret"}]}]},
                "by": by, "responded_at": at}}],
            ["interaction_response", {"interaction_request_id": asked, "settled": true, "response": {
                "decision": "edit", "edited": {"tool": "t", "args": {"a": "secret"}, "digest": digest},
                "by": by, "responded_at": at}}],
            ["wait_completed", {"interaction_request_id": asked, "outcome": "answered"}],
            ["wait_completed", {"interaction_request_id": asked, "outcome": "defaulted"}],
            ["wait_completed", {"interaction_request_id": asked, "outcome": "came"}],
            ["execution_resumed", {}],
            ["tool_started", {"call_id": call, "fence": 1}],
            ["tool_paused", {"call_id": call}],
            ["tool_held", end],
            ["tool_lost", {"call_id": call, "again": false}],
            ["tool_finished", end],
            ["message_received", {"text": "secret", "by": by}],
            ["permissions_narrowed", {"frame": {"denied_tools": ["bash"]}, "by": by}],
            ["run_completed", {"output": "secret"}],
            ["run_failed", {"error": {"code": "C", "message": "secret"}}],
            ["run_cancelled", {"by": by, "reason": "secret"}],
            ["run_set_aside", {"error": {"code": "C", "message": "secret"}}],
        ]);
        let all: Vec<(String, Value)> = serde_json::from_value(all).unwrap();
        all.into_iter()
            .map(|(kind, data)| serde_json::from_value(json!({"type": kind, "data": data})).unwrap())
            .collect()
    }

    #[test]
    fn no_text_is_left_in_a_skeleton_and_each_finds_its_place_again() {
        let events = events();
        assert!(Event::WORDS.iter().all(|word| events.iter().any(|event| event.word() == *word)));
        for event in events {
            let mut skeleton = event.clone();
            let texts = skeleton.take_texts();
            let text = serde_json::to_string(&skeleton).unwrap();
            assert!(!text.contains("secret"), "{text}");
            let count = serde_json::to_string(&event).unwrap().matches("secret").count();
            assert_eq!(texts.len(), count, "{event:?}");
            let mut read: Event = serde_json::from_str(&text).unwrap();
            read.put_texts(texts).unwrap();
            assert_eq!(read, event);
        }
    }

    #[test]
    fn an_erased_event_says_so_and_nothing_else() {
        for event in events() {
            let mut erased = event.clone();
            let texts = erased.take_texts();
            erased.put_erased();
            let text = serde_json::to_string(&erased).unwrap();
            assert!(!text.contains("secret"), "{text}");
            assert_eq!(text.matches(ERASED).count(), texts.len(), "{text}");
            assert_eq!(erased.word(), event.word());
        }
    }

    #[test]
    fn texts_of_another_event_are_refused() {
        let mut event = Event::RunCompleted { output: "done".into() };
        event.take_texts();
        assert_eq!(event.clone().put_texts(vec![]), Err(BadTexts::Count));
        assert_eq!(event.clone().put_texts(vec![json!({})]), Err(BadTexts::Kind));
        assert_eq!(event.put_texts(vec![json!("a"), json!("b")]), Err(BadTexts::Count));
    }
}
