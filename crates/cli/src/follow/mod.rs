//! Follows a run at the terminal: what happens is shown, what it asks is asked, and whoever leaves is told how to go on.

mod progress;
mod show;

use crate::args::RunAgent;
use crate::ask;
use crate::client::{Client, Events};
use crate::failure::Failure;
use crate::output::{self, visible};
use futures_util::StreamExt as _;
use progress::Progress;
use serde_json::{Value, json};
use show::Screen;
use std::io::IsTerminal as _;
use std::time::Duration;

/// The exit code of whoever leaves a run that goes on or waits.
const LEFT: u8 = 3;

/// Follows one run.
pub struct Follower {
    client: Client,
    screen: Screen,
    /// Whether to leave the run as soon as it only waits.
    leaving: Leaving,
    /// The last event that was shown.
    seen: u64,
    run: String,
    /// What it waits for and was not answered here.
    waiting: Vec<Waiting>,
}

/// What to do when a run only waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaving {
    /// Wait with it.
    Stay,
    /// Leave it.
    Leave,
}

/// A question that somebody else is to answer, or the same person later.
struct Waiting {
    id: String,
    how: String,
}

impl Follower {
    /// Follows the run that `run` describes.
    pub fn new(client: Client, run: &RunAgent) -> Self {
        let leaving = if run.no_wait { Leaving::Leave } else { Leaving::Stay };
        let screen = if run.server.json { Screen::json() } else { Screen::plain() };
        Self { client, screen, leaving, seen: 0, run: String::new(), waiting: vec![] }
    }

    /// Follows the run until it ends, or until somebody has enough: an interrupt leaves it, and it goes on.
    pub async fn until_the_end(mut self, events: Events) -> Result<u8, Failure> {
        let ended = tokio::select! {
            ended = self.follow(events) => Some(ended),
            _ = tokio::signal::ctrl_c() => None,
        };
        self.screen.progress.clear();
        ended.unwrap_or_else(|| {
            // The line of whoever interrupts ends in the middle.
            output::to_stderr("");
            Ok(self.left())
        })
    }

    async fn follow(&mut self, mut events: Events) -> Result<u8, Failure> {
        loop {
            while let Some(event) = self.next(&mut events).await {
                // A connection that broke is taken up again where it was.
                let Ok(event) = event else { break };
                if let Some(code) = self.take(&event).await? {
                    return Ok(code);
                }
            }
            if self.run.is_empty() {
                return Err(Failure::new("the server closed the connection before the run began"));
            }
            self.screen.progress.says("the connection broke: trying again");
            events = self.reconnected().await?;
        }
    }

    /// The next event; what is going on is drawn meanwhile.
    async fn next(&mut self, events: &mut Events) -> Option<Result<Value, String>> {
        loop {
            tokio::select! {
                event = events.next() => {
                    self.screen.progress.clear();
                    return event;
                }
                () = tokio::time::sleep(Progress::BEAT) => self.screen.draw(),
            }
        }
    }

    /// Tries for half a minute: a server that is started again is soon back.
    async fn reconnected(&self) -> Result<Events, Failure> {
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

    /// Takes in an event. The exit code, once the run has ended or is left.
    async fn take(&mut self, event: &Value) -> Result<Option<u8>, Failure> {
        if let Some(seq) = event.get("seq").and_then(Value::as_u64) {
            self.seen = seq;
        }
        let data = event.get("data").unwrap_or(&Value::Null);
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some(code) = self.screen.show(kind, event, data) {
            return Ok(Some(code));
        }
        match kind {
            "run_started" => self.run = text(event, "run_id").to_owned(),
            "interaction_request" => self.ask(data.get("interaction_request").unwrap_or(&Value::Null)).await?,
            "interaction_response" | "wait_completed" => {
                let response = data.get("response").unwrap_or(&Value::Null);
                let answered = [text(data, "interaction_request_id"), text(response, "request_id")];
                self.waiting.retain(|one| !answered.contains(&one.id.as_str()));
            }
            "execution_suspended" if self.leaving == Leaving::Leave => return Ok(Some(self.left())),
            _ => {}
        }
        Ok(None)
    }

    /// Asks whoever sits at the terminal; without one, says how to answer from elsewhere.
    async fn ask(&mut self, asked: &Value) -> Result<(), Failure> {
        let id = text(asked, "id").to_owned();
        let how = self.how_to_answer(asked, &id);
        // Whoever interrupts the question is told as well.
        self.waiting.push(Waiting { id: id.clone(), how: how.clone() });
        if self.screen.is_json() {
            return Ok(());
        }
        self.screen.why_asked(asked);
        let at_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        while at_terminal
            && self.leaving == Leaving::Stay
            && let Some(body) = ask::answer(asked, async || self.advice(&id).await).await
        {
            let answered = self.client.post(&format!("/interactions/{id}/respond"), &body).await;
            let Err(failure) = answered else {
                self.waiting.retain(|one| one.id != id);
                return Ok(());
            };
            let lines: Vec<String> = failure.to_string().lines().map(visible).collect();
            output::to_stderr(&lines.join("\n"));
            // What does not fit can be said better; else somebody was faster, and the run goes on either way.
            if !failure.in_one_line().starts_with("INVALID:") {
                return Ok(());
            }
        }
        // Whoever puts a question off does not sit and wait for it.
        if at_terminal {
            self.leaving = Leaving::Leave;
        }
        output::line(&format!("  waits: {how}"));
        Ok(())
    }

    /// What a model says of the call by now, if one is asked.
    async fn advice(&self, id: &str) -> Option<Value> {
        let found = self.client.get(&format!("/interactions/{id}")).await.ok()?;
        found.get("interaction_request")?.get("advice").cloned()
    }

    fn how_to_answer(&self, asked: &Value, id: &str) -> String {
        if asked.get("purpose") == Some(&json!("approval")) {
            format!("countersign approve {id}, or countersign reject {id} --reason …")
        } else {
            format!("answer it at {}", self.client.page(&format!("/interactions/{id}")))
        }
    }

    /// Leaves the run, and says how to go on with it.
    fn left(&mut self) -> u8 {
        self.screen.end_line();
        if self.run.is_empty() {
            output::to_stderr("left before the run began");
            return LEFT;
        }
        let what = if self.waiting.is_empty() { "goes on without you" } else { "waits" };
        output::to_stderr(&format!("left: the run {what}, see {}", self.client.page(&format!("/runs/{}", self.run))));
        for Waiting { how, .. } in &self.waiting {
            output::to_stderr(&format!("  to answer it later: {how}"));
        }
        LEFT
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
