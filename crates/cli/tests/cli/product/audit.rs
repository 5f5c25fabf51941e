//! The record, through its doors: it is whole, it says what happened, and whoever changes it is found out.

use super::server::{Server, one_call};
use countersign_domain::audit::export::{Exported, push_entry};
use countersign_domain::audit::{Checkpoint, Entry, SignerKey, Stream};
use reqwest::Method;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
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
    let nowhere = server.path("nowhere.db");
    let nothing = audit(&server, &["verify", "--key", key.trim(), "--db", nowhere.to_str().unwrap()]);
    assert_eq!((nothing.status.code(), nowhere.exists()), (Some(2), false), "{}", text(&nothing));
    proves_a_part(&server, key.trim());
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

/// One run of the log, to somebody who is to see nothing of the others.
fn proves_a_part(server: &Server, key: &str) {
    let (path, db) = (server.path("part.jsonl"), server.db());
    let part = path.to_str().unwrap();
    let exported = audit(server, &["export", "--format", "jsonl", "--status", "rejected", "-o", part, "--db", &db]);
    assert!(exported.status.success(), "{}", text(&exported));
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    assert!(lines[0].starts_with(r#"{"part_of":"#) && lines[1].starts_with(r#"{"checkpoint":"#), "{whole}");
    let of: std::collections::BTreeSet<String> = lines[2..]
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .inspect(|line| assert_ne!(line["proof"], json!([]), "{line}"))
        .map(|line| line["entry"]["of"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(of.len(), 1, "one run and nothing else: {of:?}");
    let run = of.first().unwrap();
    let again = audit(server, &["export", "--format", "jsonl", "--run", run, "--db", &db]);
    assert_eq!(String::from_utf8(again.stdout).unwrap(), whole, "by its id it is the same");
    let verify = || audit(server, &["verify", "--export", part, "--key", key]);
    let held = verify();
    assert_eq!(held.status.code(), Some(0), "{}", text(&held));
    let proof = lines[5].split_once(r#""proof":[""#).unwrap().1.split_once('"').unwrap().0;
    for (changed, told) in [
        (whole.replacen("because", "be cause", 1), ""),
        (whole.replacen(&format!("{}\n", lines[5]), "", 1), "entries are missing"),
        (whole.replacen(proof, &"0".repeat(64), 1), "its proof does not lead to the root"),
        (whole.replacen(r#""seq":3"#, r#""seq":4"#, 1), "leaf was made of"),
        (whole.replacen(&format!("{}\n", lines[1]), "", 1), "proves nothing"),
        (format!("{whole}{}\n", unproven(lines[lines.len() - 1])), "it has no proof"),
    ] {
        if changed != whole {
            std::fs::write(&path, changed).unwrap();
            let output = verify();
            assert!(output.status.code() == Some(1) && text(&output).contains(told), "{told}: {}", text(&output));
        }
    }
    let all = audit(server, &["export", "--format", "jsonl", "--proofs", "-o", part, "--db", &db]);
    assert!(all.status.success(), "{}", text(&all));
    let held = verify();
    assert_eq!(held.status.code(), Some(0), "{}", text(&held));
}

/// Something that somebody wrote behind the end of the log: like this line, of another run, and without its proof.
fn unproven(line: &str) -> String {
    let Ok(Exported::Entry { entry, .. }) = Exported::read(line) else { panic!("{line}") };
    let (mut forged, entry) = (String::new(), Entry { of: Stream::House, kind: "policy_changed".into(), ..entry });
    push_entry(1_000_000, &entry, entry.leaf(), None, &mut forged);
    forged.trim_end().to_owned()
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
        (
            "UPDATE events SET texts = NULL, salt = NULL, commitment = randomblob(32) WHERE type = 'run_started'",
            "leaf was made of",
        ),
        ("DELETE FROM events WHERE type = 'interaction_response'", ""),
        (
            "INSERT INTO events SELECT run, seq + 100, at, step, type, data, texts, salt, commitment, leaf FROM events
            WHERE run > 0",
            "beside the log",
        ),
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
    // Without a checkpoint nothing is proven.
    restore();
    countersign_testkit::change_file(&path, &format!("{without_triggers} DELETE FROM checkpoints"));
    std::fs::remove_file(server.path("data/countersign.db.checkpoints")).unwrap();
    let (code, report) = verified(&server, &[]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report["findings"].to_string().contains("proves nothing"), "{report}");
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
    server.until("/api/audit/verify", |report| report["checkpoints"] != 0).await;
    for (token, path, expected) in [
        (&server.approver, "/api/audit", 200),
        (&server.approver, "/api/audit/export?format=csv", 403),
        (&server.approver, "/api/audit/verify", 403),
        (&agent, "/api/audit", 403),
        (&agent, "/api/audit/export?format=jsonl", 403),
        (&server.operator, "/api/audit/verify", 200),
        (&server.operator, "/api/audit/export?format=xml", 400),
        (&server.operator, "/api/audit?since=yesterday", 400),
        (&server.operator, "/api/audit/export?format=jsonl&user_id=kim", 200),
        (&server.operator, "/api/audit/export?format=jsonl&run_id=run_x", 400),
    ] {
        let (status, body) = server.try_send(token, Method::GET, path, None).await.unwrap();
        assert_eq!(status, expected, "{path}: {body}");
    }
}

/// A run that somebody started with a token and approved in a browser, a call of a program outside, tokens of the command
/// line: each entry says through which door.
async fn says_through_which_door(mut server: Server) {
    let run = server.run().await;
    let id = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let base = server.base.clone();
    let sign_in = server.http().post(format!("{base}/api/sign-in")).json(&json!({"token": server.approver}));
    let response = sign_in.send().await.unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let answer = server.http().post(format!("{base}/api/interactions/{id}/respond")).header("cookie", &cookie);
    let answer = answer.header("origin", &base).json(&json!({"decision": "approve"}));
    assert_eq!(answer.send().await.unwrap().status(), 200);
    server.until_status(&run, "completed").await;
    let agent = server.token(&["--kind", "agent", "--name", "coder", "--for", "dana"]);
    let body = json!({"tool": "bash", "args": {"command": "ls"}});
    let (status, outside) = server.post(&agent, "/api/tool-calls", body).await;
    assert_eq!(status, 201, "{outside}");
    let page = server.get("/api/audit").await.1;
    let call = |user: &str| {
        let mut calls = page["items"].as_array().unwrap().iter();
        calls.find(|call| call["user_id"] == user).unwrap_or_else(|| panic!("{page}"))
    };
    let (kims, danas) = (call("kim"), call("dana"));
    assert_eq!((&kims["door"], &kims["started_by"]["door"]), (&json!("runtime"), &json!("api")), "{kims}");
    assert_eq!(kims["answers"][0]["by"]["door"], "page", "{kims}");
    assert_eq!(danas["door"], "api", "{danas}");
    server.until("/api/audit/verify", |report| report["waiting"] == 0).await;
    server.stop();
    let table = audit(&server, &["export", "--format", "csv", "--db", &server.db()]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("user,agent,door,started_by") && table.contains("kim,worker,runtime,"), "{table}");
    let log = audit(&server, &["export", "--format", "jsonl", "--db", &server.db()]);
    let log = String::from_utf8(log.stdout).unwrap();
    let entries = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let made: Vec<_> = entries.filter(|entry| entry["entry"]["kind"] == "token_made").collect();
    let mut doors: Vec<_> = made.iter().map(|entry| entry["entry"]["data"]["by"]["door"].as_str()).collect();
    doors.dedup();
    assert_eq!(doors, [Some("terminal"), Some("page"), Some("terminal")], "tokens, a session, a token: {made:?}");
}

#[tokio::test]
async fn an_entry_says_through_which_door() {
    says_through_which_door(Server::new(one_call(), "")).await;
}

#[tokio::test]
async fn an_entry_says_through_which_door_on_postgres() {
    says_through_which_door(Server::on_postgres(one_call(), "", None)).await;
}

/// Checkpoints that were posted to an address of a test's own.
fn posted() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/checkpoints", listener.local_addr().unwrap());
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = String::new();
            let mut bytes = [0; 1_024];
            while !request.ends_with("=\n") {
                let read = stream.read(&mut bytes).unwrap();
                request.push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
            stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").unwrap();
            let _ = tell.send(request.split_once("\r\n\r\n").unwrap().1.to_owned());
        }
    });
    (address, told)
}

#[tokio::test]
async fn checkpoints_are_posted_to_whoever_keeps_them() {
    let (address, told) = posted();
    let server = Server::new(one_call(), &format!("audit: {{ webhook: \"{address}\" }}\n"));
    let note = told.recv_timeout(std::time::Duration::from_mins(1)).unwrap();
    let key = String::from_utf8(audit(&server, &["key", "--db", &server.db()]).stdout).unwrap();
    let opened = Checkpoint::open(&note, &[key.trim().parse().unwrap()]).unwrap();
    assert!(opened.size() > 0);
    let kept = std::fs::read_to_string(server.path("data/countersign.db.checkpoints")).unwrap();
    assert!(kept.contains(note.trim()), "{kept}");
}

#[tokio::test]
async fn a_log_that_was_changed_is_not_signed_any_more() {
    let mut server = lived(Server::new(one_call(), "")).await;
    let kept = server.path("data/countersign.db.checkpoints");
    let notes = || std::fs::read_to_string(&kept).unwrap().matches("— countersign-").count();
    let before = notes();
    server.start(None);
    server.run().await;
    server.open(1).await;
    server.stop();
    assert_eq!(notes(), before + 1, "what happened since is signed when the server stops");
    let forged =
        "DROP TRIGGER events_are_never_changed; UPDATE events SET leaf = randomblob(32) WHERE run = 0 AND seq = 1";
    countersign_testkit::change_file(&server.path("data/countersign.db"), forged);
    server.start(None);
    server.run().await;
    server.open(2).await;
    server.stop();
    assert_eq!(notes(), before + 1, "nobody signs for that");
}
