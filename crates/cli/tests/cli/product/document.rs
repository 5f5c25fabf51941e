//! The API keeps to its own OpenAPI document: Schemathesis makes requests of it that fit and that do not, against a real
//! server with real things in it.

use super::server::{Server, one_call};
use countersign_testkit::seed;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// What every answer is held against.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance,unsupported_method,allow_header_conformance,missing_required_header,ignored_auth,negative_data_rejection";

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the seed and what was tried are read in its output")]
async fn no_answer_is_one_that_the_document_does_not_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tools = Command::new(root.join("scripts/tools")).arg("schemathesis").status().unwrap();
    assert!(tools.success(), "scripts/tools schemathesis");
    let server = Server::new(one_call(), "");
    let config = server.path("schemathesis.toml");
    std::fs::write(&config, things(&server).await).unwrap();
    // Half an hour in the full number of tests.
    let seconds = if std::env::var_os("COUNTERSIGN_FULL").is_some() { "1800" } else { "45" };
    let seed = seed() % (1 << 32);
    println!("seed {seed}, {seconds} seconds");
    let folder = installed(&root);
    let ran = Command::new("python3")
        .arg(folder.join("bin/schemathesis"))
        .env("PYTHONPATH", &folder)
        .env("NO_PROXY", "127.0.0.1")
        .current_dir(server.path("work"))
        .arg("--config-file")
        .arg(&config)
        .args(["run", &format!("{}/api/openapi.json", server.base), "--no-color", "--warnings", "off"])
        // It never ends.
        .args(["--exclude-path", "/interactions/stream"])
        .args(["--header", &format!("Authorization: Bearer {}", server.operator)])
        .args(["--max-time", seconds, "--seed", &seed.to_string(), "--checks", CHECKS])
        .args(["--request-timeout", "60", "--suppress-health-check", "all", "--generation-database", "none"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    println!("{said}");
    assert!(ran.status.success(), "seed {seed}: the document and the answers differ\n{said}");
    assert_eq!(server.get("/readyz").await.0, 200);
    server.sound().await;
}

/// The folder that `scripts/tools` made.
fn installed(root: &Path) -> std::path::PathBuf {
    let folders = std::fs::read_dir(root.join("target/tools")).unwrap().map(|entry| entry.unwrap().path());
    let mut folders = folders.filter(|path| path.join("bin/schemathesis").exists());
    folders.next().expect("scripts/tools installed it")
}

/// Things of every kind, and which of them requests are about.
async fn things(server: &Server) -> String {
    let mut runs = vec![];
    for _ in 0..3 {
        runs.push(server.run().await);
    }
    let questions = server.open(3).await;
    let ids: Vec<_> = questions.iter().map(|asked| asked["id"].as_str().unwrap().to_owned()).collect();
    let (status, answer) = server
        .post(&server.approver, &format!("/api/interactions/{}/respond", ids[0]), json!({"decision": "approve"}))
        .await;
    assert_eq!(status, 200, "{answer}");
    let (status, given) =
        server.post(&server.operator, "/api/permissions/kim/allow", json!({"resource": "bash(ls)"})).await;
    assert_eq!(status, 200, "{given}");
    let (_, page) = server.get("/api/sessions").await;
    let session = page["items"][0]["id"].as_str().unwrap().to_owned();
    let (_, document) = server.get("/api/openapi.json").await;
    let mut config = String::new();
    for path in document["paths"].as_object().unwrap().keys() {
        let (name, values) = match path.split('/').nth(1).unwrap() {
            "runs" | "jobs" => ("id", runs.clone()),
            "interactions" => ("id", ids.clone()),
            "sessions" => ("id", vec![session.clone()]),
            "permissions" => ("user_id", vec!["kim".to_owned(), "root".to_owned()]),
            _ => continue,
        };
        if path.contains(&format!("{{{name}}}")) {
            let values = json!(values);
            config +=
                &format!("[[operations]]\ninclude-path = {path:?}\nparameters = {{ \"path.{name}\" = {values} }}\n\n");
        }
    }
    config
}
