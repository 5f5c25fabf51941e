//! `GET /api/audit/verify`: is the record whole?

use crate::sign_in::SignedIn;
use crate::{Api, Problem};
use axum::Json;
use axum::extract::State;
use countersign_domain::audit::hex;
use countersign_domain::audit::verify::Checkpoints;
use countersign_runtime::audit::{Found, Report, verify as verify_log};
use serde::Serialize;
use utoipa::ToSchema;

/// What the log was found to be.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditReport)]
pub struct ReportBody {
    /// Whether nothing is wrong with it.
    whole: bool,
    /// How many entries there are.
    entries: u64,
    /// The root of the tree over them, in hexadecimal digits.
    root: String,
    /// At how many sizes a checkpoint was held against the tree, and held.
    checkpoints: u64,
    /// Entries after the last checkpoint: nobody has signed for them yet.
    unsigned: u64,
    /// Events that have no place in the log yet.
    waiting: u64,
    /// How much is wrong.
    wrong: usize,
    /// What is wrong, the first of it.
    findings: Vec<String>,
    /// The public key of whoever signs, for `countersign audit verify --key`. Keep a copy where the server cannot change it.
    key: Option<String>,
}

impl ReportBody {
    fn new(report: Report, key: Option<String>) -> Self {
        let Report { verified, findings, wrong, waiting } = report;
        Self {
            whole: wrong == 0,
            entries: verified.entries,
            root: hex(&verified.root),
            checkpoints: verified.checkpoints,
            unsigned: verified.unsigned,
            waiting,
            wrong,
            findings: findings.iter().map(ToString::to_string).collect(),
            key,
        }
    }
}

/// Verifies the whole log. For operators. It proves something only to somebody who trusts this server; to anybody else
/// `countersign audit verify` does, with the public key and checkpoints that were kept elsewhere.
#[utoipa::path(
    get, operation_id = "verify_audit", path = "/audit/verify", tag = "audit",
    responses((status = 200, body = ReportBody), (status = 401, body = Problem), (status = 403, body = Problem))
)]
pub async fn verify(State(api): State<Api>, who: SignedIn) -> Result<Json<ReportBody>, Problem> {
    who.may_see_all()?;
    let notary = api.runtime.notary();
    let key = notary.map(|notary| notary.key.verifier());
    let mut checkpoints = Checkpoints::new(key.iter().cloned().collect());
    let mut found = Found::default();
    for anchor in notary.iter().flat_map(|notary| &notary.anchors) {
        found.add(checkpoints.add(anchor.name(), anchor.kept().await.iter().map(String::as_str)));
    }
    let report = found.with(verify_log(api.runtime.store(), checkpoints, |_| {}).await?);
    Ok(Json(ReportBody::new(report, key.map(|key| key.to_string()))))
}
