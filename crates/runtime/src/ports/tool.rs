//! A tool that acts.

use async_trait::async_trait;
use countersign_domain::Digest;
use countersign_domain::canonical::canonical;
use countersign_domain::describe::Described;
use countersign_domain::interaction::{Answer, Preview};
use countersign_domain::run::{Awaited, Question};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::time::Duration;

/// A tool.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// What it is, as models are told.
    fn definition(&self) -> ToolDefinition;

    /// Executes exactly what was ordered, once. Whatever goes wrong is a report too.
    ///
    /// A tool that asks has stopped: nothing of it goes on while a person thinks, be it for a month. It is ordered again
    /// with the answer, under the same key, and takes up from there.
    ///
    /// Whoever drives the run waits until the tool first waits for something: what takes long belongs on a thread of its own.
    async fn execute(&self, order: Order<'_>) -> Outcome;

    /// What the call would do, as somebody is shown who is asked about it. Nothing is changed to find out.
    async fn preview(&self, _call: &Described) -> Option<Preview> {
        None
    }

    /// Whether executing the same call once more does no harm.
    fn is_idempotent(&self) -> bool {
        false
    }
}

/// What models are told of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

impl ToolDefinition {
    /// The digest that calls of it are bound to.
    pub fn digest(&self) -> Digest {
        let whole = json!({"description": self.description, "name": self.name, "parameters": self.parameters});
        Digest::of(canonical(&whole).as_bytes())
    }
}

/// A call that was cleared, as it was judged.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// The call and what it touches.
    pub call: &'a Described,
    /// The key of this execution: the same key is the same execution.
    pub key: Digest,
    /// How long it may work.
    pub timeout: Duration,
    /// What people have answered to its questions so far, the first question first.
    pub answers: &'a [Answer],
    /// What was shown to whoever approved it, if somebody did and there was something to show.
    pub seen: Option<&'a Preview>,
}

/// What came of an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is done.
    Done(Report),
    /// It wants to know something of a person before it goes on.
    Ask(Question),
    /// It waits for something else before it goes on.
    Wait(Wait),
}

/// What a tool waits for, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// What for.
    pub awaited: Awaited,
    /// Until when; as long as a question stays open if it does not say.
    pub until: Option<Until>,
}

/// When a wait ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// After so long.
    In(Duration),
    /// At this time.
    At(Timestamp),
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What the tool gave, or what went wrong.
    pub output: String,
    /// Whether it failed.
    pub failed: bool,
}

impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        Self::Done(report)
    }
}
