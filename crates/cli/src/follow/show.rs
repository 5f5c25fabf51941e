//! How the events of a run look at the terminal.

use super::progress::Progress;
use super::text;
use crate::output::{self, Paint, visible};
use serde_json::{Value, json};
use std::collections::HashMap;

/// What has been printed, and how the next thing is.
pub struct Screen {
    form: Form,
    paint: Paint,
    pub progress: Progress,
    /// What has been printed of what the model is saying.
    spoken: String,
    /// Whether a line of it is open.
    in_line: bool,
    /// What each call touches, by its id.
    calls: HashMap<String, String>,
    /// The calls that are being executed, the first one first.
    at_work: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// For people.
    Plain,
    /// One event a line, for programs.
    Json,
}

/// How much is shown of what is at work, in characters.
const LONGEST_AT_WORK: usize = 60;
/// How much of a result is shown, in characters.
const LONGEST_RESULT: usize = 160;

impl Screen {
    /// For people.
    pub fn plain() -> Self {
        Self::new(Form::Plain, Progress::on_stderr())
    }

    /// For programs.
    pub fn json() -> Self {
        Self::new(Form::Json, Progress::never())
    }

    fn new(form: Form, progress: Progress) -> Self {
        let paint = Paint::for_stdout();
        Self { form, paint, progress, spoken: String::new(), in_line: false, calls: HashMap::new(), at_work: vec![] }
    }

    pub fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// Draws what is going on, unless a line of the agent's is open.
    pub fn draw(&mut self) {
        if !self.in_line {
            self.progress.draw();
        }
    }

    /// Shows an event. The exit code, if it is the last one.
    pub fn show(&mut self, kind: &str, event: &Value, data: &Value) -> Option<u8> {
        if self.is_json() {
            output::json_line(&event.to_string());
        }
        match kind {
            "run_completed" => return Some(0),
            "run_failed" | "run_set_aside" => {
                self.end_line();
                let error = data.get("error").unwrap_or(&Value::Null);
                output::to_stderr(&format!("error: {}: {}", text(error, "code"), visible(text(error, "message"))));
                return Some(1);
            }
            "run_cancelled" => {
                self.end_line();
                let because = Some(text(data, "reason")).filter(|reason| !reason.is_empty());
                let because = because.map(|reason| format!(": {}", visible(reason))).unwrap_or_default();
                output::to_stderr(&format!("stopped by {}{because}", visible(&name_of(data))));
                return Some(1);
            }
            _ if self.is_json() => {}
            _ => {
                self.going_on(kind, data);
                self.print(kind, event, data);
            }
        }
        None
    }

    /// What is going on after this event.
    fn going_on(&mut self, kind: &str, data: &Value) {
        let call = text(data, "call_id");
        match kind {
            "tool_started" => self.at_work.push(call.to_owned()),
            "tool_finished" | "tool_held" | "tool_paused" | "tool_lost" => self.at_work.retain(|one| one != call),
            "run_started" | "execution_resumed" | "execution_suspended" => {}
            _ => return,
        }
        let says = match self.at_work.first().map(|call| self.calls.get(call)) {
            Some(what) => {
                let short =
                    visible(what.map_or("a tool", String::as_str)).chars().take(LONGEST_AT_WORK).collect::<String>();
                format!("{short} is at work")
            }
            None if kind == "execution_suspended" => "waiting for somebody to answer".to_owned(),
            None => "the model is thinking".to_owned(),
        };
        self.progress.says(&says);
    }

    fn print(&mut self, kind: &str, event: &Value, data: &Value) {
        match kind {
            "run_started" => output::line(&self.paint.faint(text(event, "run_id"))),
            "step_delta" => {
                self.speak(text(data, "text"));
                self.spoken.push_str(text(data, "text"));
            }
            // Pieces are live only, and some may not have come; what was saved is what was said.
            "step_completed" => {
                let spoken = std::mem::take(&mut self.spoken);
                match text(data, "text").strip_prefix(&*spoken) {
                    Some(rest) => self.speak(rest),
                    None => self.speak(&format!("\n{}", text(data, "text"))),
                }
                self.end_line();
            }
            "tool_judged" => self.judged(data),
            "tool_held" => self.aside("done; somebody looks at the result first"),
            "tool_lost" if data.get("again") == Some(&Value::Bool(true)) => {
                self.aside("interrupted; it is started again");
            }
            "tool_lost" => self.aside("started, and nobody knows whether it happened"),
            "tool_finished" => self.finished(data),
            "reminder" => self.aside("nobody has answered yet; half of the time is over"),
            "interaction_response" => self.aside(&who_decided(data)),
            "wait_completed" if text(data, "outcome") == "expired" => self.aside("nobody answered in time"),
            "wait_completed" if text(data, "outcome") == "cancelled" => self.aside("the question was withdrawn"),
            "permissions_narrowed" => self.aside(&format!("{} took tools away from the run", name_of(data))),
            "message_received" => {
                self.end_line();
                output::line(&format!("  {} wrote:", visible(&name_of(data))));
                output::marked(text(data, "text"));
            }
            _ => {}
        }
    }

    /// The verdict, what the call touches, and the reason of whatever decided. Why it asks is said with the question.
    fn judged(&mut self, data: &Value) {
        let (verdict, resource) = (text(data, "verdict"), text(data, "resource"));
        self.calls.insert(text(data, "call_id").to_owned(), resource.to_owned());
        output::line(&format!("  {} {}", self.paint.verdict(verdict), visible(resource)));
        if verdict != "ask" {
            let reasons = data.get("reasons").and_then(Value::as_array);
            let decided = reasons.and_then(|reasons| reasons.iter().rfind(|reason| spoke(reason)));
            self.aside(decided.map_or("", |reason| text(reason, "text")));
        }
    }

    /// How a call ended. Of one that was denied the reason stands there already.
    fn finished(&self, data: &Value) {
        let status = text(data, "status");
        if status == "denied" {
            return;
        }
        let seconds = data.get("latency_ms").and_then(Value::as_f64).map(|ms| ms / 1000.0);
        let took = seconds.filter(|seconds| *seconds >= 0.1).map(|seconds| format!(" after {seconds:.1} s"));
        let many = if self.calls.len() > 1 { self.calls.get(text(data, "call_id")) } else { None };
        let of = many.map(|resource| format!(": {resource}")).unwrap_or_default();
        self.aside(&format!("{status}{}{of}", took.unwrap_or_default()));
        if status == "error" {
            let first = text(data, "output").lines().next().unwrap_or_default();
            self.aside(&first.chars().take(LONGEST_RESULT).collect::<String>());
        }
    }

    /// Why an approval is asked for.
    pub fn why_asked(&self, asked: &Value) {
        if asked.get("purpose") == Some(&json!("approval")) {
            let reasons = asked.get("reasons").and_then(Value::as_array).into_iter().flatten();
            reasons.filter(|reason| spoke(reason)).for_each(|reason| self.aside(text(reason, "text")));
        }
    }

    /// Prints what the agent says, every line of it marked: nothing that it says can look like a question of ours.
    fn speak(&mut self, words: &str) {
        let mut marked = String::new();
        for (i, line) in words.split('\n').enumerate() {
            if i > 0 {
                marked.push('\n');
                self.in_line = false;
            }
            if !line.is_empty() {
                marked.push_str(if self.in_line { "" } else { "│ " });
                marked.push_str(&visible(line));
                self.in_line = true;
            }
        }
        output::piece(&marked);
    }

    /// Ends a line that the agent has begun.
    pub fn end_line(&mut self) {
        if std::mem::take(&mut self.in_line) {
            output::line("");
        }
    }

    /// Less important news of a call.
    fn aside(&self, line: &str) {
        if !line.is_empty() {
            output::line(&self.paint.faint(&format!("         {}", visible(line))));
        }
    }
}

/// Whether a layer had something to say.
fn spoke(reason: &Value) -> bool {
    reason.get("said") != Some(&json!("silent"))
}

/// `kim: run_again`
fn who_decided(data: &Value) -> String {
    let response = data.get("response").unwrap_or(&Value::Null);
    format!("{}: {}", text(response, "user_id"), text(response, "decision"))
}

fn name_of(data: &Value) -> String {
    let name = data.get("by").and_then(|by| by.get("name")).and_then(Value::as_str);
    name.unwrap_or("somebody").to_owned()
}
