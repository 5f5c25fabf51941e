//! What a server needs, looked at piece by piece: each check says how it is and what to do. Nothing is changed by looking.

mod config;
mod database;
mod key;
mod machine;
mod models;

use crate::args::Doctor;
use crate::rim;
use serde_json::{Value, json};
use tokio::time::Instant;

/// How something is, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// As it should be.
    Ok,
    /// A server works with it, but somebody should know.
    Warning,
    /// A server does not work with it.
    Failed,
}

impl State {
    /// As it is told.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone)]
pub struct Check {
    /// What it is called, for ever.
    pub id: &'static str,
    /// How it is.
    pub state: State,
    text: String,
    hint: Option<String>,
    details: Vec<String>,
}

impl Check {
    fn new(id: &'static str, state: State, text: impl Into<String>) -> Self {
        Self { id, state, text: text.into(), hint: None, details: vec![] }
    }

    fn ok(id: &'static str, text: impl Into<String>) -> Self {
        Self::new(id, State::Ok, text)
    }

    fn warning(id: &'static str, text: impl Into<String>) -> Self {
        Self::new(id, State::Warning, text)
    }

    fn failed(id: &'static str, text: impl Into<String>) -> Self {
        Self::new(id, State::Failed, text)
    }

    /// What cannot be looked at before something else is put right.
    fn unseen(id: &'static str, because: &str) -> Self {
        Self::warning(id, format!("not looked at: {because}"))
    }

    /// With what to do about it.
    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    fn details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }

    /// For people: a line, and one for each detail.
    pub fn lines(&self) -> Vec<String> {
        let hint = self.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
        let first = format!("{:<8} {:<12} {}{hint}", self.state.word(), self.id, self.text);
        [first].into_iter().chain(self.details.iter().map(|detail| format!("{:>22}{detail}", ""))).collect()
    }

    /// For machines.
    pub fn to_json(&self) -> Value {
        json!({
            "id": self.id, "status": self.state.word(), "text": self.text, "hint": self.hint, "details": self.details
        })
    }
}

/// Looks at everything, and tells each thing once, always in the same order.
pub async fn examine(args: &Doctor) -> Vec<Check> {
    let (ticking, began) = (Instant::now(), rim::now());
    let (config, settings) = config::look(args);
    let mut checks = vec![config];
    let Some(settings) = settings else {
        let because = "the configuration cannot be used";
        checks.extend(["database", "schema", "audit_key", "checkpoints"].map(|id| Check::unseen(id, because)));
        checks.push(machine::clock(None, began, ticking));
        checks.extend(["disk", "sandbox", "listen", "models"].map(|id| Check::unseen(id, because)));
        checks.push(machine::page());
        return checks;
    };
    let database::Looked { database, schema, seen } = database::look(&settings.database).await;
    checks.extend([database, schema]);
    checks.extend(key::look(&settings.kept, seen.as_ref()));
    checks.push(machine::clock(seen.as_ref(), began, ticking));
    checks.push(machine::disk(&settings));
    checks.push(machine::sandbox(settings.sandbox.as_ref()));
    checks.push(machine::listen(&settings.listen).await);
    checks.push(models::look(&settings.loaded));
    checks.push(machine::page());
    checks
}
