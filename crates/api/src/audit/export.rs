//! `GET /api/audit/export`: the record as a file. The terminal writes the same.

use super::body::CallBody;
use super::filter::{Filter, Format};
use super::writer::{Export, Stopped};
use crate::body::Asked;
use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use countersign_domain::RunId;
use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

/// What to export.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct What {
    /// In which form.
    #[param(inline)]
    format: Format,
    /// For `jsonl`: give each entry its own proof, also where the log is whole and needs none.
    #[serde(default)]
    proofs: bool,
    /// Only calls of this run.
    #[param(value_type = Option<String>)]
    run_id: Option<RunId>,
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
        (status = 200, description = "The file",
            content((String = "text/csv"), (Vec<CallBody> = "application/json"), (String = "application/jsonl"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 409, description = "Nothing is signed yet", body = Problem)
    )
)]
pub async fn export(State(api): State<Api>, who: SignedIn, Asked(what): Asked<What>) -> Result<Response, Problem> {
    who.may_see_all()?;
    let What { format, proofs, run_id: run, user_id: user, agent, tool, status, since, until } = what;
    let mut export = Export::new(format, Filter { run, user, agent, tool, status, since, until });
    if proofs {
        export = export.with_proofs();
    }
    // What can be refused is refused before anything is sent.
    let head = export.part(api.runtime.store()).await.map_err(|stopped| match stopped {
        Stopped::Unsigned => Problem::new(StatusCode::CONFLICT, "NOTHING_SIGNED", stopped.to_string()),
        Stopped::Store(error) => Problem::from(error),
        Stopped::Entry(error) => Problem::internal(&error),
    })?;
    let rest = stream::try_unfold((export, Arc::new(api)), |(mut export, api)| async move {
        let part = export.part(api.runtime.store()).await?;
        Ok::<_, Stopped>(part.map(|part| (part, (export, api))))
    });
    let parts = stream::iter(head.map(Ok)).chain(rest);
    let (kind, name) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "audit.csv"),
        Format::Json => ("application/json", "audit.json"),
        Format::Jsonl => ("application/jsonl", "audit.jsonl"),
    };
    let headers = [(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))];
    Ok((headers, Body::from_stream(parts)).into_response())
}
