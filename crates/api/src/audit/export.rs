//! `GET /api/audit/export`: the record as a file. The terminal writes the same.

use super::body::CallBody;
use crate::body::Asked;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use countersign_domain::audit::calls::{CallRow, Calls};
use countersign_domain::audit::export::{push_checkpoint, push_entry};
use countersign_domain::audit::{NoEvent, csv};
use countersign_runtime::ports::{Log, Logged, StoreError};
use futures_util::stream;
use jiff::Timestamp;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A table of calls for spreadsheets.
    Csv,
    /// A list of calls.
    Json,
    /// The log itself, with all that is needed to verify it.
    Jsonl,
}

/// Which calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
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
    /// Whether it lets `row` through.
    pub fn lets(&self, row: &CallRow) -> bool {
        let is = |wanted: &Option<String>, value: Option<&str>| wanted.is_none() || wanted.as_deref() == value;
        is(&self.user, row.user.as_deref())
            && is(&self.agent, Some(&row.agent))
            && is(&self.tool, Some(&row.tool_name))
            && is(&self.status, Some(row.status.word()))
            && self.since.is_none_or(|since| row.proposed_at >= since)
            && self.until.is_none_or(|until| row.proposed_at < until)
    }
}

/// Entries that are read at a time.
const MANY: u32 = 1_000;

/// Why an export ends before its end.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An entry.
    #[error(transparent)]
    Entry(#[from] NoEvent),
}

/// An export under way: part by part, so that it needs no more memory for a long log than for a short one.
pub struct Export {
    format: Format,
    filter: Filter,
    calls: Calls,
    place: u64,
    rows: u64,
    at: At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Head,
    Entries,
    End,
}

impl Export {
    /// The export of what `filter` lets through. The log itself is always exported whole.
    pub fn new(format: Format, filter: Filter) -> Self {
        Self { format, filter, calls: Calls::default(), place: 0, rows: 0, at: At::Head }
    }

    /// How many entries were read so far.
    pub const fn read(&self) -> u64 {
        self.place
    }

    /// The next part of it; `None` after the last.
    pub async fn part(&mut self, log: &dyn Log) -> Result<Option<String>, Stopped> {
        match self.at {
            At::Head => {
                self.at = At::Entries;
                Ok(Some(self.head(log).await?))
            }
            At::End => Ok(None),
            At::Entries => {
                let page = log.entries(self.place, MANY).await?;
                let mut part = String::new();
                if page.is_empty() {
                    self.at = At::End;
                    self.end(&mut part);
                }
                for logged in page {
                    self.place = logged.place.saturating_add(1);
                    self.entry(&logged, &mut part)?;
                }
                Ok(Some(part))
            }
        }
    }

    async fn head(&self, log: &dyn Log) -> Result<String, StoreError> {
        let mut head = String::new();
        match self.format {
            Format::Csv => csv::push_row(CallRow::COLUMNS, &mut head),
            Format::Json => head.push_str("[\n"),
            Format::Jsonl => {
                let mut over = 0;
                loop {
                    let page = log.checkpoints(over, MANY).await?;
                    let Some(last) = page.last() else { break };
                    over = last.size;
                    for signed in page {
                        push_checkpoint(&signed.note, &mut head);
                    }
                }
            }
        }
        Ok(head)
    }

    fn entry(&mut self, logged: &Logged, to: &mut String) -> Result<(), NoEvent> {
        if self.format == Format::Jsonl {
            push_entry(logged.place, &logged.entry, logged.leaf, to);
            return Ok(());
        }
        let ended = logged.entry.recorded()?.and_then(|recorded| self.calls.take(recorded));
        if let Some(row) = ended.filter(|row| self.filter.lets(row)) {
            self.row(row, to);
        }
        Ok(())
    }

    fn row(&mut self, row: CallRow, to: &mut String) {
        if self.format == Format::Csv {
            csv::push_row(row.fields().iter().map(String::as_str), to);
        } else {
            to.push_str(if self.rows > 0 { ",\n" } else { "" });
            to.push_str(&serde_json::to_string(&CallBody::from(row)).unwrap_or_default());
        }
        self.rows += 1;
    }

    /// What has not ended comes last.
    fn end(&mut self, to: &mut String) {
        let open = std::mem::take(&mut self.calls).open();
        for row in open.into_iter().filter(|row| self.filter.lets(row)).collect::<Vec<_>>() {
            self.row(row, to);
        }
        if self.format == Format::Json {
            to.push_str("\n]\n");
        }
    }
}

/// What to export.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct What {
    /// In which form.
    #[param(inline)]
    format: Format,
    /// Only calls on behalf of this user.
    user_id: Option<String>,
    /// Only calls of this agent.
    agent: Option<String>,
    /// Only calls of this tool: `server/tool`, or `tool` alone.
    tool: Option<String>,
    /// Only calls that stand so.
    status: Option<String>,
    /// Only calls proposed since then.
    #[param(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// Only calls proposed before then.
    #[param(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
}

/// The record as a file. For operators.
#[utoipa::path(
    get, operation_id = "export_audit", path = "/audit/export", tag = "audit", params(What),
    responses(
        (status = 200, description = "The file", content_type = "application/octet-stream", body = String),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem)
    )
)]
pub async fn export(State(api): State<Api>, who: SignedIn, Asked(what): Asked<What>) -> Result<Response, Problem> {
    who.may_see_all()?;
    let What { format, user_id: user, agent, tool, status, since, until } = what;
    let filter = Filter { user, agent, tool, status, since, until };
    if format == Format::Jsonl && filter != Filter::default() {
        return Err(Problem::invalid("the log is exported whole, so that it can be verified: leave the filters out"));
    }
    let export = Export::new(format, filter);
    let parts = stream::try_unfold((export, Arc::new(api)), |(mut export, api)| async move {
        let part = export.part(api.runtime.store()).await?;
        Ok::<_, Stopped>(part.map(|part| (part, (export, api))))
    });
    let (kind, name) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "audit.csv"),
        Format::Json => ("application/json", "audit.json"),
        Format::Jsonl => ("application/jsonl", "audit.jsonl"),
    };
    let headers = [(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))];
    Ok((headers, Body::from_stream(parts)).into_response())
}
