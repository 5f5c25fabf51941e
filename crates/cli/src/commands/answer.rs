//! `countersign approve ID`, `countersign reject ID --reason …`: the inbox for scripts.

use crate::args::{Approve, Reject, ServerArgs};
use crate::client::Client;
use crate::failure::Failure;
use crate::output::{self, visible};
use serde_json::{Value, json};

/// Carries out `approve`.
pub fn approve(approve: &Approve) -> Result<u8, Failure> {
    answer(&approve.server, &approve.id, "approve", approve.reason.as_deref())
}

/// Carries out `reject`.
pub fn reject(reject: &Reject) -> Result<u8, Failure> {
    answer(&reject.server, &reject.id, "reject", reject.reason.as_deref())
}

fn answer(server: &ServerArgs, id: &str, decision: &str, reason: Option<&str>) -> Result<u8, Failure> {
    if !id.starts_with("int_") || !id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(Failure::new("expected the id of an interaction, such as `int_0197…`"));
    }
    let client = Client::new(server)?;
    let body = json!({"request_id": id, "decision": decision, "reason": reason});
    let path = format!("/interactions/{id}/respond");
    let answered = super::in_async(async { client.post(&path, &body).await })?;
    if server.json {
        output::json_line(&answered.to_string());
        return Ok(0);
    }
    let asked = answered.get("interaction_request");
    let text = |key: &str| asked.and_then(|asked| asked.get(key)).and_then(Value::as_str).unwrap_or_default();
    let done = if decision == "approve" { "approved" } else { "rejected" };
    let again = if answered.get("repeated") == Some(&Value::Bool(true)) { " (as before)" } else { "" };
    output::line(&format!("{done}{again}: {}", visible(text("description"))));
    Ok(0)
}
