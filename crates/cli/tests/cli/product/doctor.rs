//! `countersign doctor`: finds what is wrong, says what to do, shows no secret and changes nothing.

use super::server::Server;
use countersign_domain::Digest;
use countersign_domain::audit::SignerKey;
use countersign_testkit::{Postgres, change_file};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;

const IDS: [&str; 11] = [
    "config",
    "database",
    "schema",
    "audit_key",
    "checkpoints",
    "clock",
    "disk",
    "sandbox",
    "listen",
    "models",
    "page",
];

/// What stands in a call that waits, so that something is sealed.
const SECRET: &str = "hunter2hunter2";

/// What it says as JSON, and its exit code.
struct Told {
    code: i32,
    document: Value,
    all: String,
}

impl Told {
    fn of(&self, id: &str) -> &Value {
        let checks = self.document["checks"].as_array().unwrap();
        checks.iter().find(|check| check["id"] == id).unwrap_or_else(|| panic!("{id}: {}", self.all))
    }

    fn status(&self, id: &str) -> &str {
        self.of(id)["status"].as_str().unwrap()
    }

    /// The ids of all that failed.
    fn failed(&self) -> Vec<&str> {
        IDS.into_iter().filter(|id| self.status(id) == "failed").collect()
    }
}

/// Asks it of `db`, with the server's configuration.
fn asked(server: &Server, db: &str, more: &[&str]) -> Told {
    asked_with(server, &["--db", db, "--listen", "127.0.0.1:0"], more)
}

fn asked_with(server: &Server, places: &[&str], more: &[&str]) -> Told {
    let config = server.path("countersign.yaml");
    let mut command = server.program();
    command.args(["doctor", "--json", "--config"]).arg(config).args(places).args(more);
    told(&command.output().unwrap())
}

fn told(output: &Output) -> Told {
    let all = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_str(&all).unwrap_or_else(|error| panic!("{error}: {all}"));
    let shape = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let ids: Vec<_> = document["checks"].as_array().unwrap().iter().map(|check| check["id"].clone()).collect();
    assert_eq!(ids, IDS, "{all}");
    for check in document["checks"].as_array().unwrap() {
        assert_eq!(shape(check), ["details", "hint", "id", "status", "text"], "{all}");
        assert!(["ok", "warning", "failed"].contains(&check["status"].as_str().unwrap()), "{all}");
        assert!(check["text"].is_string() && check["details"].is_array(), "{all}");
    }
    assert_eq!(shape(&document), ["checks", "status", "version"], "{all}");
    let told = Told { code: output.status.code().unwrap(), document, all };
    assert_eq!(told.code, i32::from(!told.failed().is_empty()), "{}", told.all);
    assert_eq!(told.document["status"] == "failed", told.code == 1, "{}", told.all);
    for hidden in [SECRET, "sk-hidden"] {
        assert!(!told.all.contains(hidden), "{hidden}: {}", told.all);
    }
    told
}

/// Every file below `folder`, with a digest of what is in it. What readers of a database share while they read is no part of it.
fn files(folder: &Path) -> BTreeMap<String, Digest> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let shared = path.extension().is_some_and(|ending| ending == "db-shm");
            let held = if shared { vec![] } else { std::fs::read(&path).unwrap() };
            found.insert(path.display().to_string(), Digest::of(&held));
        }
    }
    found
}

/// A server in whose database something is signed and something is sealed.
async fn lived(postgres: Option<Postgres>) -> Server {
    let turns = vec![json!([{"tool": "bash", "args": {"command": format!("PASSWORD={SECRET} ls")}}])];
    let server = match postgres {
        Some(_) => Server::on_postgres(turns, "", None),
        None => Server::new(turns, ""),
    };
    server.run().await;
    server.open(1).await;
    server
        .until("/api/audit/verify", |report| report["waiting"] == 0 && report["checkpoints"].as_u64() > Some(0))
        .await;
    server
}

async fn healthy(postgres: Option<Postgres>) {
    let mut server = lived(postgres).await;
    let address = server.base.strip_prefix("http://").unwrap().to_owned();
    let running = asked_with(&server, &["--db", &server.db(), "--listen", &address], &[]);
    assert_eq!(running.failed(), Vec::<&str>::new(), "{}", running.all);
    assert!(running.of("listen")["text"].as_str().unwrap().contains("a Countersign"), "{}", running.all);
    server.stop();
    let before = files(&server.path(""));
    let stopped = asked(&server, &server.db(), &[]);
    assert_eq!(files(&server.path("")), before, "something was changed, made or removed");
    for id in ["database", "schema", "audit_key", "checkpoints", "clock", "listen", "models"] {
        assert_eq!(stopped.status(id), "ok", "{id}: {}", stopped.all);
    }
    assert!(stopped.of("checkpoints")["text"].as_str().unwrap().contains("signed by this key"), "{}", stopped.all);
    let plain = server.program().args(["doctor", "--listen", "127.0.0.1:0", "--db", &server.db()]).output().unwrap();
    let plain = String::from_utf8(plain.stdout).unwrap();
    for id in IDS {
        assert_eq!(plain.lines().filter(|line| line.split_whitespace().nth(1) == Some(id)).count(), 1, "{id}: {plain}");
    }
}

#[tokio::test]
async fn a_healthy_server_is_found_healthy_and_left_as_it_was_on_sqlite() {
    healthy(None).await;
}

#[tokio::test]
async fn a_healthy_server_is_found_healthy_and_left_as_it_was_on_postgres() {
    healthy(Some(Postgres::for_test())).await;
}

async fn other_schema(postgres: Option<Postgres>) {
    let mut server = lived(postgres).await;
    server.stop();
    let change = |sql: &str| match &server.postgres {
        Some(database) => drop(database.query(sql).unwrap()),
        None => change_file(&server.path("data/countersign.db"), sql),
    };
    change("INSERT INTO migrations (number, name, checksum, applied_at) VALUES (9999, 'later', 'x', 0)");
    let newer = asked(&server, &server.db(), &[]);
    assert_eq!((newer.status("database"), newer.failed()), ("ok", vec!["schema"]), "{}", newer.all);
    assert!(newer.of("schema")["text"].as_str().unwrap().contains("9999"), "{}", newer.all);
    change("UPDATE migrations SET checksum = 'y' WHERE number = 2");
    change("DELETE FROM migrations WHERE number = 9999");
    let other = asked(&server, &server.db(), &[]);
    assert_eq!(other.failed(), ["schema"], "{}", other.all);
}

#[tokio::test]
async fn a_newer_or_another_schema_is_said_on_sqlite() {
    other_schema(None).await;
}

#[tokio::test]
async fn a_newer_or_another_schema_is_said_on_postgres() {
    other_schema(Some(Postgres::for_test())).await;
}

/// The database is left at its schema: only those that work on it bring it to another.
#[tokio::test]
async fn an_older_schema_is_said_and_not_changed() {
    let mut server = Server::on_postgres(vec![], "", None);
    server.stop();
    let database = server.postgres.as_ref().unwrap();
    let last = || database.query("SELECT max(number) FROM migrations").unwrap().trim().to_owned();
    let newest: i64 = last().parse().unwrap();
    database.query(&format!("DELETE FROM migrations WHERE number = {newest}")).unwrap();
    let older = asked(&server, &server.db(), &[]);
    assert_eq!(older.status("schema"), "warning", "{}", older.all);
    assert_eq!(last(), (newest - 1).to_string());
}

#[tokio::test]
async fn the_wrong_key_a_missing_one_and_an_open_one_are_told_apart() {
    use std::os::unix::fs::PermissionsExt;
    let mut server = lived(None).await;
    server.stop();
    let (key, checkpoints) = (server.path("data/countersign.db.key"), server.path("data/countersign.db.checkpoints"));
    let right = std::fs::read(&key).unwrap();
    let allow = |mode: u32| std::fs::set_permissions(&key, PermissionsExt::from_mode(mode)).unwrap();
    allow(0o644);
    assert_eq!(asked(&server, &server.db(), &[]).status("audit_key"), "warning");
    allow(0o600);

    let other = SignerKey::new("other", [9; 32]).unwrap();
    std::fs::write(&key, other.secret_text()).unwrap();
    let wrong = asked(&server, &server.db(), &[]);
    assert_eq!(wrong.failed(), ["audit_key", "checkpoints"], "{}", wrong.all);
    assert!(!wrong.all.contains(&other.secret_text()), "{}", wrong.all);

    std::fs::remove_file(&key).unwrap();
    let missing = asked(&server, &server.db(), &[]);
    assert_eq!(missing.failed(), ["audit_key"], "{}", missing.all);
    assert!(!key.exists(), "none is made");

    std::fs::write(&key, "no key at all").unwrap();
    assert_eq!(asked(&server, &server.db(), &[]).failed(), ["audit_key"]);
    std::fs::write(&key, right).unwrap();
    allow(0o600);
    assert_eq!(asked(&server, &server.db(), &[]).failed(), Vec::<&str>::new());
    std::fs::remove_file(&checkpoints).unwrap();
    assert_eq!(asked(&server, &server.db(), &[]).status("checkpoints"), "warning");
    assert!(!checkpoints.exists());
}

/// What is sealed tells the wrong key too, where nothing was signed.
#[tokio::test]
async fn a_key_that_opens_nothing_is_wrong_also_where_nothing_was_signed() {
    let mut server = lived(None).await;
    server.stop();
    let change = |sql: &str| change_file(&server.path("data/countersign.db"), sql);
    change("DROP TRIGGER checkpoints_are_never_removed; DELETE FROM checkpoints");
    std::fs::remove_file(server.path("data/countersign.db.checkpoints")).unwrap();
    assert_eq!(asked(&server, &server.db(), &[]).failed(), Vec::<&str>::new());
    let other = SignerKey::new("other", [9; 32]).unwrap();
    std::fs::write(server.path("data/countersign.db.key"), other.secret_text()).unwrap();
    let wrong = asked(&server, &server.db(), &[]);
    assert_eq!(wrong.failed(), ["audit_key"], "{}", wrong.all);
}

/// A database that was put back from an old copy is behind what was signed.
#[tokio::test]
async fn a_database_that_is_behind_its_checkpoints_is_found() {
    let mut server = lived(None).await;
    server.stop();
    change_file(
        &server.path("data/countersign.db"),
        "DROP TRIGGER checkpoints_are_never_removed; DELETE FROM checkpoints",
    );
    assert_eq!(asked(&server, &server.db(), &[]).failed(), ["checkpoints"]);
}

#[tokio::test]
async fn a_bad_configuration_is_told_with_its_line() {
    let server = Server::new(vec![], "");
    server.rewrite("agents:", "agentz:");
    let bad = asked(&server, &server.db(), &[]);
    assert_eq!(bad.failed(), ["config"], "{}", bad.all);
    assert!(bad.of("config")["details"][0].as_str().unwrap().contains("countersign.yaml:3:1"), "{}", bad.all);
    assert_eq!(bad.status("database"), "warning", "it is not known which one it is");
    server.rewrite("agentz:", "agents:");
    server.rewrite("model: fake,", "model: fak,");
    let bad = asked(&server, &server.db(), &[]);
    assert_eq!(bad.failed(), ["config"], "{}", bad.all);
    assert!(bad.all.contains("did you mean `fake`?"), "{}", bad.all);
    assert_eq!(bad.status("database"), "ok", "{}", bad.all);
}

/// The server's own configuration holds a key in clear text, which is odd but works.
#[tokio::test]
async fn what_is_odd_and_a_key_that_is_not_set_are_told_by_name() {
    let server = Server::new(vec![], "");
    let odd = asked(&server, &server.db(), &[]);
    assert_eq!((odd.status("config"), odd.status("models")), ("warning", "ok"), "{}", odd.all);
    assert!(odd.of("config")["details"][0].as_str().unwrap().contains("countersign.yaml:2:"), "{}", odd.all);
    server.rewrite("\"sk-hidden\"", "\"${COUNTERSIGN_TEST_KEY}\"");
    let unset = asked(&server, &server.db(), &[]);
    assert_eq!(unset.failed(), ["config", "models"], "{}", unset.all);
    assert!(unset.of("models").to_string().contains("COUNTERSIGN_TEST_KEY"), "{}", unset.all);
    let mut command = server.program();
    command.args(["doctor", "--json", "--listen", "127.0.0.1:0", "--db", &server.db(), "--config"]);
    command.arg(server.path("countersign.yaml")).env("COUNTERSIGN_TEST_KEY", SECRET);
    let set = told(&command.output().unwrap());
    assert_eq!((set.status("config"), set.status("models")), ("ok", "ok"), "{}", set.all);
    assert!(set.of("models").to_string().contains("COUNTERSIGN_TEST_KEY"), "{}", set.all);
}

#[tokio::test]
async fn a_database_that_is_not_there_is_told_without_its_password_and_not_made() {
    let server = Server::new(vec![], "");
    let file = server.path("nowhere/none.db");
    let none = asked(&server, file.to_str().unwrap(), &[]);
    assert_eq!((none.status("database"), none.failed()), ("warning", vec![]), "{}", none.all);
    assert!(!file.parent().unwrap().exists(), "it is not made");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let unreachable = asked(&server, &format!("postgres://kim:{SECRET}@127.0.0.1:{port}/none"), &[]);
    assert_eq!(unreachable.failed(), ["database"], "{}", unreachable.all);
    assert!(unreachable.all.contains(&format!("postgres://kim@127.0.0.1:{port}/none")), "{}", unreachable.all);
    std::fs::write(server.path("notes.txt"), "this is no database, however long it may be".repeat(50)).unwrap();
    let foreign = asked(&server, server.path("notes.txt").to_str().unwrap(), &[]);
    assert_eq!(foreign.failed(), ["database"], "{}", foreign.all);
}

#[tokio::test]
async fn an_address_that_another_program_listens_on_is_told() {
    let server = Server::new(vec![], "");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in taken.incoming().flatten() {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        }
    });
    let told = asked_with(&server, &["--db", &server.db(), "--listen", &address], &[]);
    assert_eq!(told.failed(), ["listen"], "{}", told.all);
    let told = asked_with(&server, &["--db", &server.db(), "--listen", "nonsense"], &[]);
    assert_eq!(told.failed(), ["listen"], "{}", told.all);
}

#[tokio::test]
async fn a_disk_with_hardly_any_room_is_told() {
    let Some(server) = Server::on_small_disk(vec![]) else { return };
    let told = asked(&server, &server.db(), &[]);
    assert_eq!(told.failed(), ["disk"], "{}", told.all);
}
