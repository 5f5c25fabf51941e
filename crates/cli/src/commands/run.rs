//! `countersign run AGENT "…"`: starts a run, follows it, and asks inline.

use crate::args::RunAgent;
use crate::ask;
use crate::client::Client;
use crate::failure::Failure;
use crate::output::{self, Paint, visible};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::io::IsTerminal as _;
use std::time::Duration;

/// Carries out the command. Exit codes: 0 the agent is done, 1 the run ended before that.
pub fn run(run: &RunAgent) -> Result<u8, Failure> {
    super::in_async(async {
        let client = Client::new(&run.server)?;
        Follower {
            client,
            json: run.server.json,
            paint: Paint::for_stdout(),
            seen: 0,
            run: String::new(),
            spoken: String::new(),
            in_line: false,
        }
        .follow(run)
        .await
    })
}

struct Follower {
    client: Client,
    json: bool,
    paint: Paint,
    /// The last event that was shown.
    seen: u64,
    run: String,
    /// What has been printed of what the model is saying.
    spoken: String,
    /// Whether a line of it is open.
    in_line: bool,
}

impl Follower {
    async fn follow(mut self, run: &RunAgent) -> Result<u8, Failure> {
        let body = json!({"agent": run.agent, "input": run.input, "cwd": run.cwd, "session_id": run.session});
        let mut events = self.client.post_and_follow("/runs", &body).await?;
        loop {
            while let Some(event) = events.next().await {
                // A connection that broke is taken up again where it was.
                let Ok(event) = event else { break };
                if let Some(code) = self.show(&event).await? {
                    return Ok(code);
                }
            }
            if self.run.is_empty() {
                return Err(Failure::new("the server closed the connection before the run began"));
            }
            events = self.reconnected().await?;
        }
    }

    /// Tries for half a minute: a server that is started again is soon back.
    async fn reconnected(&self) -> Result<crate::client::Events, Failure> {
        let mut tries = 0;
        loop {
            match self.client.follow(&format!("/runs/{}/events", self.run), self.seen).await {
                Ok(events) => return Ok(events),
                Err(failure) if tries == 30 => return Err(failure),
                Err(_) => tries += 1,
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Shows an event. The exit code, once the run has ended.
    async fn show(&mut self, event: &Value) -> Result<Option<u8>, Failure> {
        if let Some(seq) = event.get("seq").and_then(Value::as_u64) {
            self.seen = seq;
        }
        if self.json {
            output::json_line(&event.to_string());
        }
        let data = event.get("data").unwrap_or(&Value::Null);
        let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default();
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "run_started" => {
                self.run = event.get("run_id").and_then(Value::as_str).unwrap_or_default().to_owned();
                self.say(&self.paint.faint(&self.run));
            }
            "step_delta" if !self.json => {
                self.speak(text("text"));
                self.spoken.push_str(text("text"));
            }
            // Pieces are live only, and some may not have come; what was saved is what was said.
            "step_completed" if !self.json => {
                let spoken = std::mem::take(&mut self.spoken);
                match text("text").strip_prefix(&*spoken) {
                    Some(rest) => self.speak(rest),
                    None => self.speak(&format!("\n{}", text("text"))),
                }
                self.end_line();
            }
            "tool_judged" => {
                let verdict = self.paint.verdict(text("verdict"));
                self.say(&format!("  {verdict} {}", visible(text("resource"))));
            }
            "tool_held" => self.aside("done; somebody looks at the result first"),
            "tool_lost" if data.get("again") == Some(&Value::Bool(true)) => {
                self.aside("interrupted; it is started again");
            }
            "tool_lost" => self.aside("started, and nobody knows whether it happened"),
            "tool_finished" => self.aside(text("status")),
            "interaction_response" => self.aside(&who_decided(data)),
            "wait_completed" if text("outcome") == "expired" => self.aside("nobody answered in time"),
            "wait_completed" if text("outcome") == "cancelled" => self.aside("the question was withdrawn"),
            "message_received" => {
                self.end_line();
                self.say(&format!("  {} wrote:", visible(&name_of(data))));
                self.say_marked(text("text"));
            }
            "interaction_request" => self.ask(data.get("interaction_request").unwrap_or(&Value::Null)).await?,
            "run_completed" => return Ok(Some(0)),
            "run_failed" | "run_set_aside" => {
                let error = data.get("error").unwrap_or(&Value::Null);
                let said = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                output::to_stderr(&format!("error: {}: {}", said("code"), visible(&said("message"))));
                return Ok(Some(1));
            }
            "run_cancelled" => {
                let because = Some(text("reason")).filter(|reason| !reason.is_empty());
                let because = because.map(|reason| format!(": {}", visible(reason))).unwrap_or_default();
                output::to_stderr(&format!("stopped by {}{because}", visible(&name_of(data))));
                return Ok(Some(1));
            }
            _ => {}
        }
        Ok(None)
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
    fn end_line(&mut self) {
        if std::mem::take(&mut self.in_line) {
            self.say("");
        }
    }

    /// Less important news of a call.
    fn aside(&self, line: &str) {
        self.say(&self.paint.faint(&format!("         {}", visible(line))));
    }

    fn say_marked(&self, words: &str) {
        if !self.json {
            output::marked(words);
        }
    }

    fn say(&self, line: &str) {
        if !self.json {
            output::line(line);
        }
    }

    /// Asks whoever sits at the terminal; without one, says how to answer from elsewhere.
    async fn ask(&self, asked: &Value) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        let id = asked.get("id").and_then(Value::as_str).unwrap_or_default();
        let is_approval = asked.get("purpose") == Some(&json!("approval"));
        let why = asked.get("reasons").and_then(Value::as_array).into_iter().flatten().filter(|_| is_approval);
        let why =
            why.filter(|reason| reason.get("said") != Some(&json!("silent"))).filter_map(|reason| reason.get("text"));
        for reason in why.filter_map(Value::as_str) {
            self.say(&self.paint.faint(&format!("         {}", visible(reason))));
        }
        let at_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        while at_terminal && let Some(body) = ask::answer(asked).await {
            let Err(failure) = self.client.post(&format!("/interactions/{id}/respond"), &body).await else {
                return Ok(());
            };
            // What does not fit can be said better; else somebody was faster, and the run goes on either way.
            let failure = failure.to_string();
            output::to_stderr(&visible_lines(&failure));
            if !failure.starts_with("INVALID:") {
                return Ok(());
            }
        }

        let page = self.client.page(&format!("/interactions/{id}"));
        self.say(&if is_approval {
            format!("  waits: countersign approve {id}, or countersign reject {id} --reason …")
        } else {
            format!("  waits: answer it at {page}")
        });
        Ok(())
    }
}

/// `kim: run_again`
fn who_decided(data: &Value) -> String {
    let response = data.get("response").unwrap_or(&Value::Null);
    let said = |key: &str| response.get(key).and_then(Value::as_str).unwrap_or_default();
    format!("{}: {}", said("user_id"), said("decision"))
}

fn name_of(data: &Value) -> String {
    let name = data.get("by").and_then(|by| by.get("name")).and_then(Value::as_str);
    name.unwrap_or("somebody").to_owned()
}

fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}
