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
    let answered = super::in_async(async {
        match client.post(&path, &body).await {
            Err(failure) => Err(other_decisions(&client, id, decision).await.unwrap_or(failure)),
            answered => answered,
        }
    })?;
    if server.json {
        output::json_line(&answered.to_string());
        return Ok(0);
    }
    let asked = answered.get("interaction_request");
    let text = |key: &str| asked.and_then(|asked| asked.get(key)).and_then(Value::as_str).unwrap_or_default();
    let done = match (decision, text("purpose")) {
        ("approve", _) => "approved",
        (_, "question") => "declined",
        (_, "result_review") => "withheld",
        _ => "rejected",
    };
    let again = if answered.get("repeated") == Some(&Value::Bool(true)) { " (as before)" } else { "" };
    output::line(&format!("{done}{again}: {}", visible(text("description"))));
    Ok(0)
}

/// Why `decision` does not answer `id`, if it takes other ones: what is asked for, what it takes, and where to answer.
async fn other_decisions(client: &Client, id: &str, decision: &str) -> Option<Failure> {
    let found = client.get(&format!("/interactions/{id}")).await.ok()?;
    let asked = found.get("interaction_request")?;
    let allowed: Vec<&str> = asked.get("allowed_decisions")?.as_array()?.iter().filter_map(Value::as_str).collect();
    if allowed.contains(&decision) {
        return None;
    }
    let what = match asked.get("purpose")?.as_str()? {
        "question" => "is a question to be answered",
        "result_review" => "asks whether the agent may see a result",
        "uncertain_outcome" => "asks what became of a call that was started and never reported",
        _ => "asks for something else",
    };
    let page = client.page(&format!("/interactions/{id}"));
    let allowed = allowed.join("`, `");
    Some(Failure::new(format!("`{id}` {what}: it takes `{allowed}`, not `{decision}`. Answer it at {page}")))
}
