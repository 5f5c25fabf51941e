//! A row of `runs`, as lists show it.

use super::Place;
use crate::json;
use countersign_domain::delegation::Frame;
use countersign_domain::run::{ERASED, Event, Failure, Phase, Started, Usage};
use countersign_domain::{InteractionId, RunId};
use countersign_runtime::ports::{RunStatus, RunSummary, StoreError};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What is read of a run: its columns, what it started with, and the questions it waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    pub id: Uuid,
    pub seq: i64,
    pub phase: String,
    pub is_leased: bool,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub ending: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
    /// The data of its first event, and what it says; `None` if that was erased.
    pub started: String,
    pub texts: Option<String>,
    /// What was taken away from it since.
    pub narrowed: Option<String>,
    /// The open questions, the oldest end first.
    pub waiting_on: Vec<Uuid>,
}

/// What lists show of the end of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

impl TryFrom<RunRow> for RunSummary {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self, StoreError> {
        let id = RunId::new(row.id);
        let place = Place { table: "runs", row: &id };
        let started = started(&row.started, row.texts.as_deref()).map_err(|why| place.wrong(why))?;
        let ending: Ending =
            row.ending.as_deref().map(json::thing_in).transpose().map_err(|why| place.wrong(why))?.unwrap_or_default();
        let narrowed: Vec<Frame> = row
            .narrowed
            .as_deref()
            .map(json::thing_in)
            .transpose()
            .map_err(|why| place.wrong(why))?
            .unwrap_or_default();
        let delegated =
            narrowed.into_iter().fold(started.delegated_permissions, |chain, frame| chain.narrowed_by(frame));
        let status = match row.phase.as_str() {
            "active" | "woken" if row.is_leased => RunStatus::Running,
            "active" | "woken" => RunStatus::Queued,
            "waiting" => RunStatus::Waiting,
            "completed" => RunStatus::Completed,
            "failed" => RunStatus::Failed,
            "cancelled" => RunStatus::Cancelled,
            "set_aside" => RunStatus::SetAside,
            other => return Err(place.wrong(format!("`{other}` is no phase"))),
        };
        Ok(Self {
            id,
            kind: started.kind,
            parent_run_id: started.parent_run_id,
            agent: started.agent,
            user_id: started.user_id,
            session_id: started.session_id,
            org_id: started.org_id,
            project_id: started.project_id,
            cwd: started.cwd,
            delegated_permissions: delegated,
            status,
            input: started.input,
            output: ending.output,
            error: ending.error,
            waiting_on: row.waiting_on.into_iter().map(InteractionId::new).collect(),
            usage: Usage {
                input_tokens: place.count(row.input_tokens)?,
                output_tokens: place.count(row.output_tokens)?,
            },
            seq: place.count(row.seq)?,
            created_at: place.time(row.created_at)?,
            updated_at: place.time(row.updated_at)?,
        })
    }
}

/// The ending of a run whose texts are erased.
pub fn erased(ending: &str) -> Result<String, StoreError> {
    let place = Place { table: "runs", row: &"ending" };
    let Ending { output, error } = json::thing_in(ending).map_err(|why| place.wrong(why))?;
    let said = |words: String| if words.is_empty() { words } else { ERASED.to_owned() };
    let error = error.map(|Failure { code, message }| Failure { code, message: said(message) });
    json::text_of(&Ending { output: output.map(said), error }).map_err(|why| place.wrong(why))
}

/// What a run started with.
fn started(data: &str, texts: Option<&str>) -> Result<Started, String> {
    let mut event = Event::RunStarted(Box::new(json::thing_in(data)?));
    match texts {
        Some(texts) => event.put_texts(json::thing_in(texts)?).map_err(|wrong| wrong.to_string())?,
        None => event.put_erased(),
    }
    if let Event::RunStarted(started) = event { Ok(*started) } else { Err("it is another event".into()) }
}

/// The word for where a run stands.
pub const fn phase_word(phase: &Phase) -> &'static str {
    match phase {
        Phase::Active => "active",
        Phase::Woken => "woken",
        Phase::Waiting => "waiting",
        Phase::Completed { .. } => "completed",
        Phase::Failed(_) => "failed",
        Phase::Cancelled { .. } => "cancelled",
        Phase::SetAside(_) => "set_aside",
    }
}
