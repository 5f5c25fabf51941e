//! The record, through its doors: it is whole, it says what happened, and whoever changes it is found out.

use super::server::{Server, one_call};
use countersign_domain::audit::SignerKey;
use reqwest::Method;
use serde_json::{Value, json};
use std::process::Output;

/// A server with a run that was approved and one that was rejected.
async fn lived(mut server: Server) -> Server {
    for decision in ["approve", "reject"] {
        let run = server.run().await;
        let asked = server.open(1).await.remove(0);
        let id = asked["id"].as_str().unwrap();
        let body = json!({"request_id": id, "decision": decision, "reason": "=1+1 is why"});
        let (status, answer) = server.post(&server.approver, &format!("/api/interactions/{id}/respond"), body).await;
        assert_eq!(status, 200, "{answer}");
        server.until(&format!("/api/runs/{run}"), |run| run["status"] == "completed").await;
    }
    server.until("/api/audit/verify", |report| report["waiting"] == 0).await;
    server.stop();
    server
}

fn audit(server: &Server, arguments: &[&str]) -> Output {
    server.program().arg("audit").args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn verified(server: &Server, more: &[&str]) -> (Option<i32>, Value) {
    let output = audit(server, &[&["verify", "--json", "--db", &server.db()], more].concat());
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    (output.status.code(), report)
}

async fn is_whole_and_says_what_happened(server: Server) {
    let server = lived(server).await;
    let (code, report) = verified(&server, &[]);
    assert_eq!((code, &report["whole"], &report["waiting"]), (Some(0), &json!(true), &json!(0)), "{report}");
    assert!(report["entries"].as_u64() > Some(20) && report["unsigned"] == 0, "the end is signed: {report}");
    // To somebody who has the export, the public key and the checkpoints, and nothing else.
    let (log, key) = (server.path("log.jsonl"), audit(&server, &["key", "--db", &server.db()]));
    let key = String::from_utf8(key.stdout).unwrap();
    let log = log.to_str().unwrap();
    let exported = audit(&server, &["export", "--format", "jsonl", "-o", log, "--db", &server.db()]);
    assert!(exported.status.success(), "{}", text(&exported));
    let offline = audit(&server, &["verify", "--export", log, "--key", key.trim()]);
    assert_eq!(offline.status.code(), Some(0), "{}", text(&offline));
    assert!(text(&offline).contains("the record is whole"), "{}", text(&offline));
    // As a table, which no spreadsheet takes for formulas.
    let table = audit(&server, &["export", "--format", "csv", "--db", &server.db()]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.starts_with("tool_name,input_json,output_json,status,started_at,completed_at,latency_ms,"));
    assert!(table.contains(",completed,") && table.contains(",rejected,"), "{table}");
    let list = audit(&server, &["export", "--format", "json", "--status", "rejected", "--db", &server.db()]);
    let list: Vec<Value> = serde_json::from_slice(&list.stdout).unwrap();
    let [call] = &list[..] else { panic!("{list:?}") };
    assert_eq!(
        (&call["status"], &call["user_id"], &call["agent"]),
        (&json!("rejected"), &json!("kim"), &json!("worker"))
    );
    assert_eq!(call["answers"][0]["by"]["kind"], "user");
    assert_eq!(call["answers"][0]["reason"], "=1+1 is why");
}

#[tokio::test]
async fn the_record_is_whole_and_says_what_happened() {
    is_whole_and_says_what_happened(Server::new(one_call(), "")).await;
}

#[tokio::test]
async fn the_record_is_whole_and_says_what_happened_on_postgres() {
    is_whole_and_says_what_happened(Server::on_postgres(one_call(), "", None)).await;
}

#[tokio::test]
async fn whoever_changes_the_record_is_found_out() {
    let server = lived(Server::new(one_call(), "")).await;
    let path = server.path("data/countersign.db");
    countersign_testkit::change_file(&path, "PRAGMA wal_checkpoint(TRUNCATE)");
    let whole = std::fs::read(&path).unwrap();
    let restore = || {
        let _ = std::fs::remove_file(server.path("data/countersign.db-wal"));
        std::fs::write(&path, &whole).unwrap();
    };
    let without_triggers = "
        DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_removed; DROP TRIGGER texts_are_only_erased;
        DROP TRIGGER the_log_is_never_changed; DROP TRIGGER the_log_is_never_cut;
        DROP TRIGGER checkpoints_are_never_changed; DROP TRIGGER checkpoints_are_never_removed;";
    let tamperings = [
        ("UPDATE events SET texts = replace(texts, 'do it', 'do not') WHERE type = 'run_started'", "leaf was made of"),
        ("UPDATE events SET data = replace(data, 'kim', 'tim') WHERE type = 'run_started'", "leaf was made of"),
        (
            "UPDATE events SET data = replace(data, 'reject', 'approve') WHERE type = 'interaction_response'",
            "leaf was made of",
        ),
        ("UPDATE events SET at = at + 1 WHERE seq = 3", "leaf was made of"),
        ("DELETE FROM events WHERE type = 'interaction_response'", ""),
        ("DELETE FROM log WHERE place > 9", "its end was removed"),
        ("UPDATE log SET seq = seq + 1 WHERE place = 3", ""),
        ("DELETE FROM checkpoints; DELETE FROM log WHERE place > 9", "its end was removed"),
    ];
    for (tampering, told) in tamperings {
        restore();
        countersign_testkit::change_file(&path, &format!("{without_triggers} {tampering}"));
        let (code, report) = verified(&server, &[]);
        assert_eq!((code, &report["whole"]), (Some(1), &json!(false)), "{tampering}: {report}");
        assert!(report["findings"].to_string().contains(told), "{tampering}: {report}");
    }
    // Somebody with another key signs all of it anew: their checkpoints are not believed.
    restore();
    let other = SignerKey::new("other", [1; 32]).unwrap().verifier().to_string();
    let (code, report) = verified(&server, &["--key", &other]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report["findings"].to_string().contains("none of the keys that are trusted"), "{report}");
}

#[tokio::test]
async fn the_record_is_shown_to_people_and_exported_by_operators() {
    let server = Server::new(one_call(), "");
    let run = server.run().await;
    server.open(1).await;
    let (status, page) = server.get("/api/audit?user_id=kim").await;
    let [call] = &page["items"].as_array().unwrap()[..] else { panic!("{page}") };
    assert_eq!((status, &call["status"], &call["run_id"]), (200, &json!("pending"), &json!(run)));
    assert_eq!(page["next"], Value::Null);
    let nothing = ["user_id=tim", "status=completed", "tool=other", "until=2000-01-01T00:00:00Z"];
    for filter in nothing {
        let (_, page) = server.get(&format!("/api/audit?{filter}")).await;
        assert_eq!(page["items"], json!([]), "{filter}");
    }
    let (status, csv) = server.get("/api/audit/export?format=csv").await;
    assert_eq!(status, 200);
    assert!(csv.as_str().unwrap().starts_with("tool_name,"), "{csv}");
    let agent = server.token(&["--kind", "agent", "--name", "robot", "--for", "kim"]);
    for (token, path, expected) in [
        (&server.approver, "/api/audit", 200),
        (&server.approver, "/api/audit/export?format=csv", 403),
        (&server.approver, "/api/audit/verify", 403),
        (&agent, "/api/audit", 403),
        (&agent, "/api/audit/export?format=jsonl", 403),
        (&server.operator, "/api/audit/verify", 200),
        (&server.operator, "/api/audit/export?format=xml", 400),
        (&server.operator, "/api/audit?since=yesterday", 400),
    ] {
        let (status, body) = server.try_send(token, Method::GET, path, None).await.unwrap();
        assert_eq!(status, expected, "{path}: {body}");
    }
}
