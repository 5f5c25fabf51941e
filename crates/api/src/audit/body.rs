//! A call as the record shows it.

use countersign_domain::Principal;
use countersign_domain::audit::calls::{Answered, CallRow};
use countersign_domain::interaction::Reason;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What happened to one call.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = AuditedCall)]
pub struct CallBody {
    /// `server/tool`, or `tool` alone.
    pub tool_name: String,
    /// The arguments, a JSON text.
    pub input_json: String,
    /// What the tool gave or the agent was told instead, a JSON text.
    pub output_json: Option<String>,
    /// `pending`, `running`, `completed`, `error`, `denied`, `rejected`, `expired`, `cancelled` or `unknown`.
    pub status: &'static str,
    /// When it was first executed.
    pub started_at: Option<String>,
    /// When it ended, one way or another.
    pub completed_at: Option<String>,
    /// How long the tool worked.
    pub latency_ms: Option<u64>,
    /// The run.
    pub run_id: String,
    /// The call.
    pub tool_call_id: String,
    /// The step in which it was proposed.
    pub step: Option<u32>,
    /// When the model proposed it.
    pub proposed_at: String,
    /// The user on whose behalf.
    pub user_id: Option<String>,
    /// The agent that proposed it.
    pub agent: String,
    /// Through which door it came: `runtime` where Countersign runs the agent, else the one at which a program asked.
    pub door: &'static str,
    /// Whoever started the run.
    #[schema(value_type = Object)]
    pub started_by: Principal,
    /// The digest of the call, as it was judged last.
    pub digest: Option<String>,
    /// The version of the policy that judged it last.
    pub policy: Option<String>,
    /// Why.
    #[schema(value_type = Vec<Object>)]
    pub reasons: Vec<Reason>,
    /// Who answered what about it, in order.
    #[schema(value_type = Vec<Object>)]
    pub answers: Vec<Value>,
}

impl From<CallRow> for CallBody {
    fn from(row: CallRow) -> Self {
        let text = |at: Option<jiff::Timestamp>| at.map(|at| at.to_string());
        Self {
            tool_name: row.tool_name,
            input_json: row.input_json,
            output_json: row.output_json,
            status: row.status.word(),
            started_at: text(row.started_at),
            completed_at: text(row.completed_at),
            latency_ms: row.latency_ms,
            run_id: row.run.to_string(),
            tool_call_id: row.call.to_string(),
            step: row.step,
            proposed_at: row.proposed_at.to_string(),
            user_id: row.user,
            agent: row.agent,
            door: row.door.word(),
            started_by: row.started_by,
            digest: row.digest.map(|digest| digest.to_string()),
            policy: row.policy.map(|policy| policy.to_string()),
            reasons: row.reasons,
            answers: row.answers.into_iter().map(answer).collect(),
        }
    }
}

fn answer(answered: Answered) -> Value {
    let Answered { purpose, decision, by, at, reason } = answered;
    serde_json::json!({"purpose": purpose.word(), "decision": decision.word(), "by": by, "at": at, "reason": reason})
}
