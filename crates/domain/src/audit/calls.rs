//! The audit view: what happened to each call, in one row.

mod row;

pub use row::{Answered, CallRow, Status};

use crate::interaction::{Answer, Purpose};
use crate::run::{Event, Judgement, Proposal, Reading, Recorded, Started};
use crate::{CallId, InteractionId, RunId};
use jiff::Timestamp;
use std::collections::HashMap;

/// Folds events into rows, whatever the order in which runs take turns. It remembers only what has not ended.
#[derive(Debug, Default)]
pub struct Calls {
    runs: HashMap<RunId, InRun>,
}

#[derive(Debug)]
struct InRun {
    started: Box<Started>,
    calls: Vec<CallRow>,
    questions: HashMap<InteractionId, (CallId, Purpose)>,
}

impl Calls {
    /// Takes the next event of its run, with what was written in it. Gives the row of the call that ended with it.
    ///
    /// Events of runs whose beginning was not there are passed over.
    pub fn take(&mut self, recorded: Recorded) -> Option<CallRow> {
        let Recorded { run: id, at, step, event, .. } = recorded;
        if event.is_last() {
            // All its calls have ended before it.
            self.runs.remove(&id);
            return None;
        }
        if let Event::RunStarted(started) = event {
            self.runs.insert(id, InRun { started, calls: vec![], questions: HashMap::new() });
            return None;
        }
        let run = self.runs.get_mut(&id)?;
        match event {
            Event::StepCompleted(turn) => {
                run.questions.clear();
                let rows = turn.calls.into_iter().map(|proposal| proposed(id, step, at, &run.started, proposal));
                run.calls.extend(rows);
            }
            Event::ToolJudged { call_id, judgement } => judged(run.call(call_id)?, *judgement),
            Event::InteractionRequest(asked) => {
                run.questions.insert(asked.id, (asked.call_id, asked.purpose));
            }
            Event::InteractionResponse { interaction_request_id, response, .. } => {
                let (call, purpose) = *run.questions.get(&interaction_request_id)?;
                let Answer { decision, reason, edited, by, responded_at, .. } = response;
                if let Some(edited) = edited {
                    // What is executed is what was made of it.
                    run.call(call)?.input_json = serde_json::Value::Object(edited.args).to_string();
                }
                run.call(call)?.answers.push(Answered { purpose, decision, by, at: responded_at, reason });
            }
            Event::ToolStarted { call_id, .. } => {
                let row = run.call(call_id)?;
                row.status = Status::Running;
                row.started_at.get_or_insert(at);
            }
            Event::ToolHeld { call_id, end } => run.call(call_id)?.latency_ms = end.latency_ms,
            Event::ToolLost { call_id, again } => {
                run.call(call_id)?.status = if again { Status::Pending } else { Status::Unknown };
            }
            Event::ToolFinished { call_id, end } => {
                let at_row = run.calls.iter().position(|row| row.call == call_id)?;
                let row = run.calls.remove(at_row);
                return Some(CallRow {
                    status: end.status.into(),
                    output_json: Some(serde_json::Value::String(end.output).to_string()),
                    completed_at: Some(at),
                    latency_ms: end.latency_ms.or(row.latency_ms),
                    ..row
                });
            }
            _ => {}
        }
        None
    }

    /// The rows of all calls that have not ended, the oldest of each run first.
    pub fn open(self) -> Vec<CallRow> {
        let mut rows: Vec<_> = self.runs.into_values().flat_map(|run| run.calls).collect();
        // Of one turn they stay in the order in which the model proposed them.
        rows.sort_by_key(|row| (row.proposed_at, row.run));
        rows
    }
}

impl InRun {
    fn call(&mut self, id: CallId) -> Option<&mut CallRow> {
        self.calls.iter_mut().find(|row| row.call == id)
    }
}

fn proposed(run: RunId, step: Option<u32>, at: Timestamp, started: &Started, proposal: Proposal) -> CallRow {
    let Proposal { call_id, name, reading, .. } = proposal;
    let (tool_name, input_json) = match reading {
        Reading::Call { server, tool, args, .. } => {
            let name = server.map_or_else(|| tool.clone(), |server| format!("{server}/{tool}"));
            (name, serde_json::Value::Object(args).to_string())
        }
        Reading::Unreadable { arguments, .. } => (name, serde_json::Value::String(arguments).to_string()),
    };
    CallRow {
        run,
        call: call_id,
        step,
        tool_name,
        input_json,
        output_json: None,
        status: Status::Pending,
        proposed_at: at,
        started_at: None,
        completed_at: None,
        latency_ms: None,
        user: started.user_id.clone(),
        agent: started.agent.clone(),
        door: started.door(),
        started_by: started.started_by.clone(),
        digest: None,
        policy: None,
        reasons: vec![],
        answers: vec![],
    }
}

fn judged(row: &mut CallRow, judgement: Judgement) {
    let Judgement { digest, policy, reasons, .. } = judgement;
    (row.digest, row.policy, row.reasons) = (Some(digest), Some(policy), reasons);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::scribe::{approved, eventful, refused};
    use crate::run::EndStatus;

    fn folded(events: Vec<Recorded>) -> (Vec<CallRow>, Vec<CallRow>) {
        let mut calls = Calls::default();
        let ended = events.into_iter().filter_map(|event| calls.take(event)).collect();
        (ended, calls.open())
    }

    #[test]
    fn a_call_that_was_approved_is_one_row_with_everybody_who_answered() {
        let events = approved(1);
        let time = |word: &str, nth: usize| {
            events.iter().filter(|event| event.event.word() == word).nth(nth).map(|event| event.at)
        };
        let (rows, open) = folded(events.clone());
        assert_eq!((rows.len(), open), (2, vec![]));
        // The one that was just allowed ended first.
        assert_eq!(rows[0].answers, vec![]);
        let row = &rows[1];
        assert_eq!((row.tool_name.as_str(), row.status, row.latency_ms), ("bash", Status::Completed, Some(12)));
        assert!(row.input_json.starts_with(r#"{"command":"rm -r /srv/run_"#), "{}", row.input_json);
        assert_eq!(row.output_json.as_deref(), Some(r#""what the tool gave""#));
        assert_eq!((Some(row.proposed_at), row.started_at), (time("step_completed", 0), time("tool_started", 1)));
        assert_eq!(row.completed_at, time("tool_finished", 1));
        assert_eq!(
            (row.user.as_deref(), row.agent.as_str(), row.started_by.name.as_str()),
            (Some("ann"), "helper", "ann")
        );
        assert!(row.digest.is_some() && row.policy.is_some());
        assert_eq!(row.reasons.last().map(|reason| reason.layer.as_str()), Some("approval"));
        let who: Vec<_> = row.answers.iter().map(|answer| (answer.by.name.as_str(), answer.decision.word())).collect();
        assert_eq!(who, [("bob", "approve"), ("eve", "approve")]);
    }

    #[test]
    fn every_way_to_end_has_its_word() {
        let statuses = |events| folded(events).0.iter().map(|row| row.status.word()).collect::<Vec<_>>();
        assert_eq!(statuses(refused(1)), ["error", "denied", "rejected", "expired", "cancelled"]);
        assert_eq!(statuses(eventful(1)), ["completed"]);
        for status in EndStatus::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), Status::from(status).word());
        }
    }

    #[test]
    fn a_call_that_is_under_way_says_so() {
        let events = eventful(1);
        let status = |end: usize| folded(events[..=end].to_vec()).1.first().map(|row| row.status);
        let at = |word: &str, nth: usize| {
            let mut places = events.iter().enumerate().filter(|(_, event)| event.event.word() == word);
            places.nth(nth).unwrap().0
        };
        assert_eq!(status(at("interaction_request", 0)), Some(Status::Pending));
        assert_eq!(status(at("tool_started", 0)), Some(Status::Running));
        assert_eq!(status(at("tool_paused", 0)), Some(Status::Running));
        assert_eq!(status(at("tool_lost", 0)), Some(Status::Pending));
        assert_eq!(status(at("tool_lost", 1)), Some(Status::Unknown));
        assert_eq!(status(at("tool_held", 0)), Some(Status::Running));
        assert_eq!(status(at("tool_finished", 0)), None);
    }

    #[test]
    fn a_run_that_ended_is_forgotten_and_one_without_a_beginning_passed_over() {
        let mut calls = Calls::default();
        for event in approved(1) {
            calls.take(event);
        }
        assert!(calls.runs.is_empty());
        assert_eq!(folded(approved(1).split_off(1)), (vec![], vec![]));
    }

    #[test]
    fn a_row_has_a_field_for_every_column() {
        let (rows, _) = folded(approved(1));
        let mut csv = String::new();
        crate::audit::csv::push_row(CallRow::COLUMNS, &mut csv);
        crate::audit::csv::push_row(rows[1].fields().iter().map(String::as_str), &mut csv);
        assert!(csv.contains("bob approve; eve approve"), "{csv}");
        assert!(csv.starts_with("tool_name,input_json,output_json,status,started_at,completed_at,latency_ms,"));
    }
}
