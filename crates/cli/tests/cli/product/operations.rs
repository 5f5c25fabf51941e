//! For whoever watches over the server: whether it is ready, its numbers, its limits, its log.

use super::reader::inbox;
use super::server::{Server, one_call};
use countersign_testkit::Postgres;
use reqwest::Method;
use serde_json::{Value, json};

/// The number that a line of the metrics ends with.
fn number(metrics: &str, line: &str) -> f64 {
    let found = metrics.lines().find_map(|one| one.strip_prefix(line)).unwrap_or_else(|| panic!("{line}: {metrics}"));
    found.trim().parse().unwrap()
}

async fn counts(postgres: Option<Postgres>) {
    let server = Server::logging(postgres, one_call(), "");
    let _reader = inbox(&server).await;
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    let metrics = server.get("/metrics").await.1;
    let metrics = metrics.as_str().unwrap();
    for (line, expected) in [
        ("countersign_calls_judged_total{verdict=\"ask\"}", 1.0),
        ("countersign_questions_asked_total", 1.0),
        ("countersign_questions_open", 1.0),
        ("countersign_runs_total{status=\"started\"}", 1.0),
        ("countersign_runs_live{status=\"waiting\"}", 1.0),
        ("countersign_streams{of=\"inbox\"}", 1.0),
    ] {
        assert!((number(metrics, line) - expected).abs() < 0.5, "{line}: {metrics}");
    }
    let path = format!("/api/interactions/{id}/respond");
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
    server.until_status(&run, "completed").await;
    let metrics = server.get("/metrics").await.1;
    let metrics = metrics.as_str().unwrap();
    for (line, expected) in [
        ("countersign_calls_judged_total{verdict=\"allow\"}", 1.0),
        ("countersign_questions_settled_total{status=\"answered\"}", 1.0),
        ("countersign_questions_open", 0.0),
        ("countersign_answer_seconds_count", 1.0),
        ("countersign_runs_total{status=\"completed\"}", 1.0),
        ("countersign_runs_live{status=\"waiting\"}", 0.0),
        (
            "countersign_http_requests_total{route=\"/api/interactions/{id}/respond\",method=\"POST\",status=\"200\"}",
            1.0,
        ),
    ] {
        assert!((number(metrics, line) - expected).abs() < 0.5, "{line}: {metrics}");
    }
    assert!(number(metrics, "countersign_store_save_seconds_count") > 2.0);
    for hidden in ["kim", "root", "echo", &run, &id, &server.operator] {
        assert!(!metrics.contains(hidden), "{hidden}: {metrics}");
    }
    assert_eq!(server.get("/readyz").await.0, 200);
}

#[tokio::test]
async fn the_numbers_say_what_happened_and_name_nobody_on_sqlite() {
    counts(None).await;
}

#[tokio::test]
async fn the_numbers_say_what_happened_and_name_nobody_on_postgres() {
    counts(Some(Postgres::for_test())).await;
}

/// A database that can only be read is one that nothing can be saved in.
#[tokio::test]
async fn a_server_that_cannot_write_its_database_says_that_it_is_not_ready() {
    let server = Server::on_postgres(one_call(), "", None);
    server.until("/readyz", |ready| ready == "ready\n").await;
    let database = server.postgres.as_ref().unwrap();
    let name = database.url().rsplit('/').next().unwrap().to_owned();
    database.query(&format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = on")).unwrap();
    database
        .query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        .unwrap();
    let troubled = loop {
        let (status, told) = server.try_send("", Method::GET, "/readyz", None).await.unwrap();
        if status == 503 && told["checks"]["database"].to_string().contains("only be read") {
            break told;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    assert_eq!(troubled["code"], "NOT_READY", "{troubled}");
}

#[tokio::test]
async fn who_sends_too_much_is_told_to_wait_and_nobody_else_is() {
    let server = Server::new(one_call(), "server: { rate_limit: { per_second: 1, burst: 5 } }");
    let request = || server.http().get(format!("{}/api/me", server.base)).bearer_auth(&server.approver).send();
    let refused = loop {
        let response = request().await.unwrap();
        if response.status() != 200 {
            break response;
        }
    };
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(refused.json::<Value>().await.unwrap()["code"], "RATE_LIMITED");
    assert_eq!(server.get("/api/me").await.0, 200);
}

/// What a person wrote, what a call is made with and what proves who somebody is stands in no line of the log.
#[tokio::test]
async fn the_log_holds_ids_and_neither_arguments_nor_tokens() {
    let planted = "planted-needle-4711";
    let turns = vec![
        json!([{"tool": "bash", "args": {"command": format!("echo {planted}; exit 3")}}]),
        json!([{"tool": "file_read", "args": {"file_path": format!("/{planted}")}}]),
        json!(planted),
    ];
    let server =
        Server::logging(None, turns, "policy: { rules: [ { name: r, priority: 1, tool: file_read, effect: allow } ] }");
    let body = json!({"agent": "worker", "input": planted, "user_id": "kim"});
    let (_, run) = server.post(&server.operator, "/api/runs", body).await;
    let run = run["id"].as_str().unwrap().to_owned();
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/interactions/{id}/respond");
    for wrong in [json!({"decision": planted}), json!({"text": planted}), json!({planted: 1})] {
        assert_eq!(server.post(&server.approver, &path, wrong).await.0, 400);
    }
    let forged = format!("cs_user_{planted}");
    assert_eq!(server.post(&forged, &path, json!({})).await.0, 401);
    let answer = json!({"decision": "approve", "reason": planted});
    assert_eq!(server.post(&server.approver, &path, answer).await.0, 200);
    server.until_status(&run, "completed").await;
    // Something that is logged at all: a run whose model does not answer.
    server.model.refuse(planted);
    let failed = server.run().await;
    server.until(&format!("/api/runs/{failed}"), |run| run["status"] == "failed").await;
    let log = std::fs::read_to_string(server.path("log")).unwrap();
    for secret in [planted, &server.approver, &server.operator, "sk-hidden"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}
