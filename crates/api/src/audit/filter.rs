//! What is exported: in which form, and of which calls.

use countersign_domain::RunId;
use countersign_domain::audit::calls::CallRow;
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A table of calls for spreadsheets.
    Csv,
    /// A list of calls.
    Json,
    /// The log itself, with all that is needed to verify it: whole, or with filters the runs of those calls, each entry with
    /// the proof that it is in the log.
    Jsonl,
}

/// Which calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this run.
    pub run: Option<RunId>,
    /// Only those on behalf of this user.
    pub user: Option<String>,
    /// Only those of this agent.
    pub agent: Option<String>,
    /// Only those of this tool: `server/tool`, or `tool` alone.
    pub tool: Option<String>,
    /// Only those that stand so.
    pub status: Option<String>,
    /// Only those proposed since then.
    pub since: Option<Timestamp>,
    /// Only those proposed before then.
    pub until: Option<Timestamp>,
}

impl Filter {
    /// The one run whose calls it lets through, if it asks for nothing else.
    pub fn only_run(&self) -> Option<RunId> {
        let rest = Self { run: None, ..self.clone() };
        self.run.filter(|_| rest == Self::default())
    }

    /// Whether it lets `row` through.
    pub fn lets(&self, row: &CallRow) -> bool {
        let is = |wanted: &Option<String>, value: Option<&str>| wanted.is_none() || wanted.as_deref() == value;
        self.run.is_none_or(|run| run == row.run)
            && is(&self.user, row.user.as_deref())
            && is(&self.agent, Some(&row.agent))
            && is(&self.tool, Some(&row.tool_name))
            && is(&self.status, Some(row.status.word()))
            && self.since.is_none_or(|since| row.proposed_at >= since)
            && self.until.is_none_or(|until| row.proposed_at < until)
    }
}
