//! For whoever watches over the server: whether it is ready, its numbers, its limits, its log.

use super::reader::{Reader, inbox};
use super::server::{Server, one_call};
use countersign_testkit::Postgres;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

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
    // What is open is looked up once a second.
    let is_told = |metrics: &Value| metrics.as_str().unwrap().contains("countersign_questions_open 0\n");
    let metrics = server.until("/metrics", is_told).await;
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

/// What waits for a report, a signal or a time waits for no person.
#[tokio::test]
async fn what_waits_for_no_person_is_no_open_question() {
    let server = Server::new(vec![], "policy: { rules: [ { name: all, priority: 1, tool: query, effect: allow } ] }");
    let (status, call) = server.post(&server.operator, "/api/tool-calls", json!({"tool": "query", "args": {}})).await;
    assert_eq!((status, &call["decision"]), (201, &json!("allow")), "{call}");
    let waits = |metrics: &Value| metrics.as_str().unwrap().contains("countersign_runs_live{status=\"waiting\"} 1\n");
    let metrics = server.until("/metrics", waits).await;
    assert!(metrics.as_str().unwrap().contains("countersign_questions_open 0\n"), "{metrics}");
    let (_, asked) =
        server.post(&server.operator, "/api/tool-calls", json!({"tool": "bash", "args": {"command": "make"}})).await;
    assert_eq!(asked["decision"], "pending", "{asked}");
    let asks = |metrics: &Value| metrics.as_str().unwrap().contains("countersign_questions_open 1\n");
    server.until("/metrics", asks).await;
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

/// However many ask, and however slow the database is: one looks, and what it finds holds for a second.
#[tokio::test]
async fn many_who_ask_at_once_make_one_look() {
    let mut server = Server::on_postgres(one_call(), "", None);
    let database = server.postgres.take().unwrap();
    let looks = async |of: &str| {
        let metrics = server.get("/metrics").await.1;
        number(metrics.as_str().unwrap(), &format!("countersign_database_looks_total{{of=\"{of}\"}}"))
    };
    server.until("/readyz", |ready| ready == "ready\n").await;
    let (before, began) = (looks("ready").await, tokio::time::Instant::now());
    // Nobody can write what is looked at for readiness, for a while.
    let slow = "BEGIN; LOCK TABLE log_head IN EXCLUSIVE MODE; SELECT pg_sleep(2); COMMIT";
    let held = std::thread::spawn(move || database.query(slow).map(|_| database));
    let asking = (0..60).map(|_| server.try_send("", Method::GET, "/readyz", None));
    let answers = futures_util::future::join_all(asking).await;
    let _database = held.join().unwrap().unwrap();
    assert!(answers.iter().all(Option::is_some));
    let most = 2.0 + began.elapsed().as_secs_f64();
    let made = looks("ready").await - before;
    assert!(made <= most, "{made} looks, at most {most} could be needed");

    let (before, began) = (looks("standing").await, tokio::time::Instant::now());
    let asking = (0..60).map(|_| server.try_send("", Method::GET, "/metrics", None));
    futures_util::future::join_all(asking).await;
    let most = 2.0 + began.elapsed().as_secs_f64();
    let made = looks("standing").await - before;
    assert!(made <= most, "{made} looks, at most {most} could be needed");
}

#[tokio::test]
async fn who_has_too_many_streams_open_gets_no_other_and_nobody_else_is_kept_out() {
    let server = Server::new(one_call(), "server: { max_streams: 2 }");
    let stream = async |token: &str| {
        let request = server.http().get(format!("{}/api/interactions/stream", server.base)).bearer_auth(token);
        request.send().await.unwrap()
    };
    let (first, _second) = (stream(&server.approver).await, stream(&server.approver).await);
    assert_eq!(first.status(), 200);
    let refused = stream(&server.approver).await;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refused.json::<Value>().await.unwrap()["code"], "TOO_MANY_STREAMS");
    assert_eq!(stream(&server.operator).await.status(), 200);
    // A run that its starter cannot follow is not even made.
    let body = json!({"agent": "worker", "input": "do it"});
    let start = server.http().post(format!("{}/api/runs", server.base)).bearer_auth(&server.approver);
    let start = start.header("accept", "text/event-stream").json(&body).send().await.unwrap();
    assert_eq!(start.status(), 429);
    assert_eq!(server.get("/api/runs").await.1["items"], json!([]));
    drop(first);
    while stream(&server.approver).await.status() != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// What is long is read and kept in shorter pieces, and nothing is missed between them.
#[tokio::test]
async fn long_questions_are_told_one_after_the_other_and_none_is_missed() {
    const MANY: usize = 12;
    let long = "long ".repeat(40_000);
    let call = json!([{"tool": "file_write", "args": {"file_path": "x", "content": long}}]);
    let server = Server::new(vec![call, json!("done")], "");
    for many in 1..=MANY {
        server.run().await;
        server.open(many).await;
    }
    let mut reader = Reader::inbox(server.http(), &server.base, &server.operator, Some(0)).await.unwrap();
    let (mut asked, mut last) = (BTreeSet::new(), 0);
    while asked.len() < MANY {
        let told = reader.next().await.unwrap();
        assert!(told.id.unwrap() >= last, "{:?} after {last}", told.id);
        last = told.id.unwrap();
        if told.event == "interaction_request" {
            let id = told.data["data"]["interaction_request"]["id"].as_str().unwrap().to_owned();
            assert!(asked.insert(id), "each is told once");
        }
    }
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
    // A run whose model does not answer.
    server.model.refuse(planted);
    let failed = server.run().await;
    server.until(&format!("/api/runs/{failed}"), |run| run["status"] == "failed").await;
    // A log with nothing in it would hold no secret either.
    let read = || std::fs::read_to_string(server.path("log")).unwrap();
    let logged = async |line: &str| {
        server.signal("-HUP");
        while !read().contains(line) {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    logged("the configuration was read anew").await;
    server.rewrite("agents:", "agentz:");
    logged("the configuration before stays in force").await;
    let log = read();
    assert!(log.contains("the configuration was read anew") && log.contains("stays in force"), "{log}");
    for secret in [planted, &server.approver, &server.operator, "sk-hidden"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}
