//! Disks that are full or cannot be written: people are told, nothing is lost, and work goes on by itself.

use super::server::{Server, count, one_call};
use crate::program::countersign;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

#[tokio::test]
async fn a_full_disk_is_told_of_and_work_goes_on_when_there_is_room() {
    let Some(server) = Server::on_small_disk(one_call()) else { return };
    let run = server.run().await;
    let asked = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    server.until_status(&run, "waiting").await;

    let ballast = fill(&server);
    let approve = json!({"decision": "approve"});
    let answer = format!("/api/interactions/{asked}/respond");
    let (status, problem) = server.post(&server.approver, &answer, approve.clone()).await;
    assert_eq!((status, problem["code"].as_str()), (503, Some("DISK_FULL")), "{problem}");
    assert_eq!(server.get(&format!("/api/runs/{run}")).await.1["status"], "waiting");

    std::fs::remove_file(&ballast).unwrap();
    let (status, answered) = server.post(&server.approver, &answer, approve).await;
    assert_eq!(status, 200, "{answered}");
    server.until_status(&run, "completed").await;
    assert_eq!(server.counted(), 1);
    server.sound().await;
}

/// What a tool did is not forgotten, and not done again, because there was no room to say so.
#[tokio::test]
async fn a_tool_that_ends_while_the_disk_is_full_has_run_once() {
    let call =
        json!([{"tool": "bash", "args": {"command": "until [ -e full ]; do sleep 0.1; done; echo ran >> count"}}]);
    let Some(server) = Server::on_small_disk(vec![call, json!("all done")]) else { return };
    let run = server.run().await;
    let asked = server.open(1).await[0]["id"].as_str().unwrap().to_owned();
    let answer = format!("/api/interactions/{asked}/respond");
    assert_eq!(server.post(&server.approver, &answer, json!({"decision": "approve"})).await.0, 200);
    server
        .until(&format!("/api/runs/{run}/events"), |page| count(page["items"].as_array().unwrap(), "tool_started") == 1)
        .await;

    let ballast = fill(&server);
    std::fs::write(server.path("work/full"), "").unwrap();
    while server.counted() == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(server.get(&format!("/api/runs/{run}")).await.1["status"], "running");

    std::fs::remove_file(&ballast).unwrap();
    server.until_status(&run, "completed").await;
    let events = server.events(&run).await;
    assert_eq!((count(&events, "tool_started"), count(&events, "tool_finished"), server.counted()), (1, 1, 1));
    server.sound().await;
}

/// Fills the disk to the last page with a file, and names it.
fn fill(server: &Server) -> PathBuf {
    let ballast = server.seen_by_server("ballast");
    let mut file = OpenOptions::new().create(true).append(true).open(&ballast).unwrap();
    while file.write_all(&[1; 4_096]).is_ok() {}
    ballast
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    // Nobody can make anything there, whoever they are.
    let ran = countersign(&["serve", "--db", "sqlite:///dev/null/countersign/x.db"], "");
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("cannot make the folder `/dev/null/countersign`"), "{}", ran.stderr);
}

#[test]
fn a_database_that_every_command_may_read_is_refused() {
    let ran = countersign(&["serve", "--db", "sqlite:///opt/countersign/x.db"], "");
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("commands of agents may read `/opt/countersign/x.db`"), "{}", ran.stderr);
    assert!(!std::path::Path::new("/opt/countersign").exists(), "nothing was made");
}
