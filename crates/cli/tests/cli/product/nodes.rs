//! Several processes on one PostgreSQL database: whatever one of them does counts for all.

use super::reader::Reader;
use super::server::{Server, count, one_call};
use crate::program::countersign;
use countersign_testkit::Postgres;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Another process beside a server, on its database and with its configuration.
struct Node {
    child: Child,
    /// What it said when it was ready.
    said: String,
}

impl Node {
    fn start(server: &Server, arguments: &[&str]) -> Self {
        let mut program = server.program();
        program.args(arguments).arg("--config").arg(server.path("countersign.yaml"));
        // Where nobody else on the machine sees it.
        program.env("COUNTERSIGN_DB", server.db());
        let mut child = program.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
        Self { child, said: said.trim().to_owned() }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn a_call_waits_in_postgres_across_a_kill_and_runs_once() {
    let mut server = Server::on_postgres(one_call(), "", None);
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    server.kill();
    server.start(None);
    let path = format!("/api/interactions/{id}/respond");
    let approve = json!({"request_id": id, "decision": "approve"});
    assert_eq!(server.post(&server.approver, &path, approve.clone()).await.0, 200);
    let done = server.until_status(&run, "completed").await;
    assert_eq!(done["output"], "all done");
    let (status, again) = server.post(&server.approver, &path, approve).await;
    assert_eq!((status, &again["repeated"]), (200, &json!(true)));
    assert_eq!(server.counted(), 1);
    assert_eq!(count(&server.events(&run).await, "tool_started"), 1);
}

#[tokio::test]
async fn what_is_answered_on_one_node_is_seen_on_another() {
    let server = Server::on_postgres(one_call(), "", None);
    let other = Node::start(&server, &["serve", "--listen", "127.0.0.1:0"]);
    let base = other.said.strip_prefix("listening on ").unwrap().to_owned();
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;
    let stream = server.stream(&run, 0).await;
    let path = format!("{base}/api/interactions/{id}/respond");
    let answer = Client::builder().no_proxy().build().unwrap().post(path).bearer_auth(&server.approver);
    let answered = answer.json(&json!({"request_id": id, "decision": "approve"})).send().await.unwrap();
    assert_eq!(answered.status(), 200, "{}", answered.json::<Value>().await.unwrap());
    // It ends with the run, whichever node went on with that.
    let text = stream.text().await.unwrap();
    assert!(text.contains("event: run_completed"), "{text}");
    assert_eq!(server.counted(), 1);
}

#[tokio::test]
async fn a_program_that_waits_at_one_node_hears_what_was_answered_at_another() {
    let server = Server::on_postgres(vec![], "", None);
    let other = Node::start(&server, &["serve", "--listen", "127.0.0.1:0"]);
    let base = other.said.strip_prefix("listening on ").unwrap().to_owned();
    let agent = server.token(&["--kind", "agent", "--name", "builder", "--for", "kim"]);
    let http = Client::builder().no_proxy().build().unwrap();
    let ask = async |base: &str, wait: &str| {
        let body = json!({"tool": "send", "args": {"to": "ann"}, "idempotency_key": "k1", "wait": wait});
        let asked = http.post(format!("{base}/api/tool-calls")).bearer_auth(&agent).json(&body).send().await.unwrap();
        (asked.status().as_u16(), asked.json::<Value>().await.unwrap())
    };
    let (status, call) = ask(&server.base, "0s").await;
    assert_eq!((status, &call["decision"]), (201, &json!("pending")), "{call}");
    let path = format!("/api/interactions/{}/respond", call["interaction_id"].as_str().unwrap());
    let answer = async {
        let request = http.post(format!("{base}{path}")).bearer_auth(&server.approver);
        request.json(&json!({"decision": "approve"})).send().await.unwrap().status().as_u16()
    };
    let ((here, waited), (there, attached), answered) =
        tokio::join!(ask(&server.base, "60s"), ask(&base, "60s"), answer);
    assert_eq!((here, there, answered), (200, 200, 200));
    for told in [&waited, &attached] {
        assert_eq!((&told["decision"], &told["id"]), (&json!("allow"), &call["id"]), "{told}");
    }
    assert_eq!(count(&server.events(call["run_id"].as_str().unwrap()).await, "tool_started"), 1);
}

#[tokio::test]
async fn what_is_changed_in_the_policy_on_one_node_counts_on_another() {
    let server = Server::on_postgres(one_call(), "policy: { default: ask }", None);
    let other = Node::start(&server, &["serve", "--listen", "127.0.0.1:0"]);
    let base = other.said.strip_prefix("listening on ").unwrap().to_owned();
    let http = Client::builder().no_proxy().build().unwrap();
    let check = json!({"tool": "bash", "args": {"command": "make"}});
    let verdict = async || {
        let asked = http.post(format!("{base}/api/policy/check")).bearer_auth(&server.operator).json(&check);
        asked.send().await.unwrap().json::<Value>().await.unwrap()["verdict"].clone()
    };
    assert_eq!(verdict().await, "ask");
    for (effect, expected) in [("deny", "deny"), ("allow", "allow"), ("require_approval", "ask")] {
        let rule = json!({"tool": "bash", "effect": effect});
        let (status, made) =
            server.try_send(&server.operator, Method::PUT, "/api/rules/all", Some(&rule)).await.unwrap();
        assert_eq!(status, 200, "{made}");
        // It is asked again and again, and not for ever.
        let mut seen = Value::Null;
        for _ in 0..200 {
            seen = verdict().await;
            if seen == expected {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(seen, expected);
    }
    // Of two nodes that have seen the same policy, one changes it.
    let put = |base: &str, version: &str| {
        let request = http.put(format!("{base}/api/rules/all")).bearer_auth(&server.operator);
        request.header("if-match", version).json(&json!({"tool": "bash", "effect": "deny"})).send()
    };
    let (here, there) = tokio::join!(put(&server.base, "\"3\""), put(&base, "\"3\""));
    let mut statuses = [here.unwrap().status().as_u16(), there.unwrap().status().as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
}

#[tokio::test]
async fn the_inbox_of_one_node_tells_what_happens_on_another_and_either_takes_up_after_the_other() {
    let server = Server::on_postgres(one_call(), "", None);
    let other = Node::start(&server, &["serve", "--listen", "127.0.0.1:0"]);
    let base = other.said.strip_prefix("listening on ").unwrap();
    let mut there = Reader::inbox(server.http(), base, &server.operator, None).await.unwrap();
    there.until("ready").await;
    server.run().await;
    let asked = there.next().await.unwrap();
    let id = asked.data["data"]["interaction_request"]["id"].as_str().unwrap().to_owned();
    let mut here = Reader::inbox(server.http(), &server.base, &server.operator, asked.id).await.unwrap();
    here.until("ready").await;
    let path = format!("/api/interactions/{id}/respond");
    assert_eq!(server.post(&server.approver, &path, json!({"decision": "approve"})).await.0, 200);
    for event in ["interaction_response", "wait_completed"] {
        let told = there.next().await.unwrap();
        assert_eq!(told.event, event);
        assert_eq!(here.next().await.unwrap(), told, "the same on every node, id for id");
    }
}

#[tokio::test]
async fn two_nodes_remind_people_once_of_each_question() {
    let server = Server::on_postgres(one_call(), "hitl: { timeout: 12s }", None);
    let _other = Node::start(&server, &["serve", "--listen", "127.0.0.1:0"]);
    let mut runs = vec![];
    for _ in 0..6 {
        runs.push(server.run().await);
    }
    for run in &runs {
        // Nobody answers: all of the time passes.
        server.until_status(run, "completed").await;
        let events = server.events(run).await;
        assert_eq!(count(&events, "reminder"), 1, "{events:#?}");
    }
    let report = server.verified().await;
    assert_eq!(report["findings"], json!([]), "{report}");
}

#[tokio::test]
async fn a_worker_takes_up_the_runs_of_a_server_that_is_gone() {
    let mut server = Server::on_postgres(one_call(), "", Some("run_started.after_commit"));
    let worker = Node::start(&server, &["worker"]);
    let password = server.db().split([':', '@']).nth(2).unwrap().to_owned();
    assert!(worker.said.starts_with("working on postgres://postgres@127.0.0.1:"), "{}", worker.said);
    assert!(!worker.said.contains(&password));
    let body = json!({"agent": "worker", "input": "do it", "user_id": "kim"});
    assert_eq!(server.try_send(&server.operator, Method::POST, "/api/runs", Some(&body)).await, None, "it died of it");
    // It took the run when it saved it; as if that had been long ago.
    server.postgres.as_ref().unwrap().query("UPDATE runs SET lease_until = 0").unwrap();
    while server.model.times_asked(0) == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.start(None);
    let asked = server.open(1).await.remove(0);
    let (id, run) = (asked["id"].as_str().unwrap(), asked["run_id"].as_str().unwrap());
    server.post(&server.approver, &format!("/api/interactions/{id}/respond"), json!({"decision": "approve"})).await;
    server.until_status(run, "completed").await;
    assert_eq!((server.counted(), server.model.times_asked(0)), (1, 1));
}

#[test]
fn a_database_is_brought_along_once_and_it_is_said() {
    let database = Postgres::for_test();
    let migrate = || countersign(&["migrate", "--db", &database.url()], "");
    let first = migrate();
    assert!(first.code == 0 && first.stdout.starts_with("applied 0001_runs\n"), "{} {}", first.stdout, first.stderr);
    let second = migrate().stdout;
    assert!(second.starts_with("postgres://postgres@127.0.0.1:") && second.contains(" has schema "), "{second}");
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite://{}", folder.path().join("x.db").display());
    let embedded = countersign(&["migrate", "--db", &file], "").stdout;
    assert_eq!(embedded.lines().count(), first.stdout.lines().count(), "they are twins: {embedded}");
}

#[test]
fn a_database_that_cannot_be_used_is_refused_without_its_password() {
    let database = Postgres::for_test();
    let url = database.url();
    let password = url.split([':', '@']).nth(2).unwrap();
    for (command, url, expected) in [
        ("serve", url.replace(password, "s3cret"), "does not take this password for `postgres`"),
        (
            "migrate",
            "postgres://u:s3cret@127.0.0.1:1/x".into(),
            "cannot reach the database `postgres://u@127.0.0.1:1/x`",
        ),
        ("serve", "postgres://u:s3@cret@db/x".into(), "write the one in the password as `%40`"),
        ("worker", "sqlite://x.db".into(), "is a file, which only one process works on"),
        ("serve", "mysql://u:s3cret@db/x".into(), "expected a database as `sqlite://PATH` or `postgres://"),
    ] {
        let home = tempfile::tempdir().unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_countersign"));
        let ran = program.arg(command).env("COUNTERSIGN_DB", &url).env("HOME", home.path()).output().unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(said.contains(expected) && !said.contains("cret"), "{said}");
    }
}
