//! The spans of traces: what was done, and what may be said of it. A closed list: ids, numbers, names of tools and models, words
//! of ours; never arguments, results, tokens, or anything else that a person or a model wrote.
//!
//! Where nobody collects traces, none of this does anything. A wait for a person is no span: what goes on after it says how
//! long it was.

use crate::ports::StoreError;
use crate::tally::Count;
use countersign_domain::run::{CallEntry, Ruling, Run, Usage};
use countersign_domain::{CallId, RunId};
use tracing::field::Empty;
use tracing::{Span, info_span};

/// What all of them are known by.
pub const TARGET: &str = "countersign::span";
/// The field with the name of a span, where it is not the same for all of its kind.
pub const NAME: &str = "otel.name";
/// The field with its kind: `server` or `client`.
pub const KIND: &str = "otel.kind";
/// The field with what a request says of the trace that it belongs to.
pub const PARENT: &str = "traceparent";
/// The field that ends a span, though others that it caused go on.
pub const ENDED: &str = "ended";

/// All that is ever said of a span.
pub const ATTRIBUTES: [&str; 14] = [
    "http.request.method",
    "http.route",
    "http.response.status_code",
    "countersign.run_id",
    "countersign.call_id",
    "countersign.tool",
    "countersign.verdict",
    "countersign.waited_ms",
    "countersign.status",
    "countersign.events",
    "gen_ai.request.model",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "error.type",
];

/// What became of the spans of this process.
#[derive(Debug)]
pub struct Fate {
    /// Those that a collector took.
    pub sent: Count,
    /// Those that were let go because it could not.
    pub dropped: Count,
}

/// What became of the spans of this process.
pub static SPANS: Fate = Fate { sent: Count::new(), dropped: Count::new() };

/// A worker at a run, from when it takes it until the run sleeps or ends; below what woke the run, where that is known.
pub(crate) fn turn(cause: &Span, run: RunId) -> Span {
    info_span!(target: TARGET, parent: cause, "run turn", countersign.run_id = %run)
}

/// A model that is asked.
pub(crate) fn model(run: RunId, model: &str) -> Span {
    info_span!(
        target: TARGET, "model request", otel.kind = "client", countersign.run_id = %run, gen_ai.request.model = model,
        gen_ai.usage.input_tokens = Empty, gen_ai.usage.output_tokens = Empty, error.type = Empty
    )
}

/// What the model used, or why it said nothing.
pub(crate) fn spoken(span: &Span, said: Result<Usage, &'static str>) {
    match said {
        Ok(usage) => {
            span.record("gen_ai.usage.input_tokens", usage.input_tokens);
            span.record("gen_ai.usage.output_tokens", usage.output_tokens);
        }
        Err(code) => {
            span.record("error.type", code);
        }
    }
}

/// A call that is judged. Where a person was asked about it before, it says how long that took.
pub(crate) fn judge(run: &Run, entry: &CallEntry, tool: &str) -> Span {
    let id = entry.proposal.call_id;
    let span = info_span!(
        target: TARGET, "judge", countersign.run_id = %run.id, countersign.call_id = %id, countersign.tool = tool,
        countersign.verdict = Empty, countersign.waited_ms = Empty
    );
    if !span.is_disabled() {
        let waits = run.asked_about(id).filter_map(|asked| {
            let answer = asked.answer.as_ref()?;
            u64::try_from(answer.responded_at.duration_since(asked.created_at).as_millis()).ok()
        });
        if let Some(waited) = waits.reduce(u64::saturating_add) {
            span.record("countersign.waited_ms", waited);
        }
    }
    span
}

/// What the policy said.
pub(crate) fn judged(span: &Span, ruling: &Ruling) {
    let verdict = match ruling {
        Ruling::Allow => "allow",
        Ruling::Ask { .. } => "ask",
        Ruling::Deny { .. } => "deny",
    };
    span.record("countersign.verdict", verdict);
}

/// A call that is executed.
pub(crate) fn execute(run: RunId, call: CallId, tool: &str) -> Span {
    info_span!(
        target: TARGET, "execute tool", countersign.run_id = %run, countersign.call_id = %call, countersign.tool = tool,
        countersign.verdict = "allow", countersign.status = Empty
    )
}

/// A step that is saved.
pub(crate) fn save(run: RunId, events: usize) -> Span {
    info_span!(
        target: TARGET, "store save", countersign.run_id = %run, countersign.events = events, error.type = Empty
    )
}

/// Why a step was not saved.
pub(crate) fn unsaved(span: &Span, error: &StoreError) {
    let word = match error {
        StoreError::Conflict(_) => "conflict",
        StoreError::Fenced(_) => "fenced",
        StoreError::Made(_) => "made_before",
        StoreError::PolicyMoved => "policy_moved",
        StoreError::Inconsistent { .. } => "inconsistent",
        StoreError::Sealed(_) => "sealed",
        StoreError::Unavailable(_) => "unavailable",
        StoreError::Full(_) => "disk_full",
        StoreError::ReadOnly(_) => "read_only",
    };
    span.record("error.type", word);
}

/// A request to this server, by the route that it took, below the trace that it says it belongs to.
pub fn request(method: &'static str, route: &str, traceparent: Option<&str>) -> Span {
    info_span!(
        target: TARGET, "http", otel.name = format_args!("{method} {route}"), otel.kind = "server",
        http.request.method = method, http.route = route, traceparent = traceparent, http.response.status_code = Empty,
        ended = Empty
    )
}

/// A request that was answered: whatever it caused may go on.
pub fn answered(span: &Span, status: u16) {
    span.record("http.response.status_code", status);
    span.record(ENDED, true);
}
