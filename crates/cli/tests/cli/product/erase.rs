//! What people, models and tools wrote is erased, and the record holds.

use super::reader::Reader;
use super::server::Server;
use serde_json::{Value, json};

/// All that the stream of the inbox tells of a question that has ended.
async fn inbox(server: &Server, id: &str) -> String {
    let mut reader = Reader::inbox(server.http(), &server.base, &server.operator, Some(0)).await.unwrap();
    let mut all = String::new();
    loop {
        let told = reader.next().await.expect("the stream goes on");
        all += &told.data.to_string();
        if told.event == "wait_completed" && told.data.to_string().contains(id) {
            return all;
        }
    }
}

/// The words stand in the arguments of a call, in what its tool gave, in the question, the answer and the end of the run.
async fn erases_what_was_written(server: Server) {
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let erase = json!({"run_id": run, "why": "kim asked for it"});
    let (status, _) = server.post(&server.operator, "/api/audit/erase", erase.clone()).await;
    assert_eq!(status, 409, "what is still needed is not erased");
    let body = json!({"request_id": id, "decision": "approve", "reason": "the zanzibar files"});
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), body).await;
    server.until_status(&run, "completed").await;
    assert!(inbox(&server, &id).await.matches("zanzibar").count() >= 2, "what was asked and why it was approved");
    let (_, page) = server.get("/api/audit").await;
    assert!(page.to_string().matches("zanzibar").count() >= 3, "{page}");
    let (status, _) = server.post(&server.approver, "/api/audit/erase", erase.clone()).await;
    assert_eq!(status, 403);
    let silent = json!({"run_id": run, "why": " "});
    assert_eq!(server.post(&server.operator, "/api/audit/erase", silent).await.0, 400);
    let (status, erased) = server.post(&server.operator, "/api/audit/erase", erase).await;
    assert_eq!(status, 200, "{erased}");
    assert!(erased["events"].as_u64() >= Some(5), "{erased}");
    let told = inbox(&server, &id).await;
    assert!(!told.contains("zanzibar"), "nor is it told to whoever follows from the beginning: {told}");
    for path in [format!("/api/runs/{run}"), format!("/api/runs/{run}/events"), "/api/audit".into()] {
        let (status, body) = server.get(&path).await;
        assert_eq!((status, body.to_string().contains("zanzibar")), (200, false), "{body}");
        assert!(body.to_string().contains("(erased)"), "{body}");
    }
    for format in ["csv", "json", "jsonl"] {
        let (status, body) = server.get(&format!("/api/audit/export?format={format}")).await;
        assert_eq!((status, body.to_string().contains("zanzibar")), (200, false), "{body}");
    }
    let report = server.verified().await;
    assert_eq!(report["whole"], true, "{report}");
    server.sound().await;
    if let Some(postgres) = &server.postgres {
        let left = postgres.query("SELECT count(*) FROM events WHERE events::text LIKE '%zanzibar%'").unwrap();
        assert_eq!(left, "0");
        return;
    }
    for name in ["data/countersign.db", "data/countersign.db-wal"] {
        let bytes = std::fs::read(server.path(name)).unwrap_or_default();
        assert!(!bytes.windows(8).any(|some| some == b"zanzibar"), "{name}: no trace of it");
    }
}

fn zanzibar() -> Vec<Value> {
    vec![json!([{"tool": "bash", "args": {"command": "echo zanzibar"}}]), json!("it said zanzibar")]
}

#[tokio::test]
async fn what_was_written_is_erased_without_a_trace_and_the_record_holds() {
    erases_what_was_written(Server::new(zanzibar(), "")).await;
}

#[tokio::test]
async fn what_was_written_is_erased_on_postgres() {
    erases_what_was_written(Server::on_postgres(zanzibar(), "", None)).await;
}

#[tokio::test]
async fn what_was_written_too_long_ago_is_erased_by_itself() {
    let mut server = Server::new(zanzibar(), "audit: { keep_texts: 1ms }\n");
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let waits = server.run().await;
    let body = json!({"request_id": id, "decision": "approve"});
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), body).await;
    server.until_status(&run, "completed").await;
    server.stop();
    server.start(None);
    server.until(&format!("/api/runs/{run}"), |run| run["output"] == "(erased)").await;
    let (_, open) = server.get(&format!("/api/runs/{waits}")).await;
    assert_eq!(open["input"], "do it", "a run that has not ended needs what was written");
    server.sound().await;
}
