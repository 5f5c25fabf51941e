//! Many who follow the inbox at once, while many questions are answered and the server is killed in the middle: each of them
//! checks that it missed nothing and was told nothing twice.
//!
//! 1,000 streams and 1,000 questions, 200 answers a second, with `COUNTERSIGN_FULL=1`; else a small part of it.

use super::reader::Reader;
use super::server::Server;
use futures_util::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

/// How many follow, and how many questions there are.
fn load() -> (usize, usize) {
    if std::env::var_os("COUNTERSIGN_FULL").is_some() { (1_000, 1_000) } else { (60, 60) }
}

/// The time between two answers: 200 a second.
const PACE: Duration = Duration::from_millis(5);
/// Lets one token open as many streams, and one agent ask as many questions.
const MANY: &str = "server: { max_streams: 2000 }\nhitl: { max_open_per_agent: 2000 }";
/// What a server may need at the most.
const MOST_MEMORY: u64 = 512 * 1024;

/// An event: its run and its place in it.
type Seen = (String, u64);

/// Follows the inbox through breaks, until every one of `many` questions is settled. Gives what it was told, in order.
async fn follows(
    http: Client,
    token: String,
    mut base: watch::Receiver<String>,
    open: watch::Sender<usize>,
    many: usize,
) -> Vec<Seen> {
    let (mut told, mut last, mut settled) = (vec![], None, 0);
    while settled < many {
        let address = base.borrow_and_update().clone();
        let Ok(mut reader) = Reader::inbox(&http, &address, &token, last).await else {
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        while settled < many
            && let Some(event) = reader.next().await
        {
            assert!(event.id > last || event.event == "ready", "ids rise: {event:?} after {last:?}");
            last = event.id;
            if event.event == "ready" {
                open.send_modify(|open| *open += usize::from(told.is_empty()));
                continue;
            }
            settled += usize::from(event.event == "wait_completed");
            told.push((event.data["run_id"].as_str().unwrap().to_owned(), event.data["seq"].as_u64().unwrap()));
        }
    }
    told
}

/// What there is to be told of these runs.
async fn to_be_told(server: &Server, runs: &[String]) -> BTreeSet<Seen> {
    let mut all = BTreeSet::new();
    for run in runs {
        let of_inbox = |event: &&Value| {
            ["interaction_request", "interaction_response", "wait_completed"].contains(&event["type"].as_str().unwrap())
        };
        let events = server.events(run).await;
        all.extend(events.iter().filter(of_inbox).map(|event| (run.clone(), event["seq"].as_u64().unwrap())));
    }
    all
}

/// The most memory that the server has needed, in KiB.
fn memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.as_ref().unwrap().id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

async fn answer(server: &Server, asked: &[Value]) {
    let began = Instant::now();
    let answers = asked.iter().enumerate().map(|(n, asked)| async move {
        sleep_until(began + PACE * u32::try_from(n).unwrap()).await;
        let path = format!("/api/interactions/{}/respond", asked["id"].as_str().unwrap());
        let (status, told) = server.post(&server.approver, &path, json!({"text": "blue"})).await;
        assert_eq!(status, 200, "{told}");
    });
    join_all(answers).await;
}

#[tokio::test]
async fn whoever_follows_the_inbox_is_told_everything_once_also_when_the_server_is_killed() {
    let (readers, questions) = load();
    let turns = vec![json!([{"tool": "ask_user", "args": {"title": "Which colour?", "type": "input"}}]), json!("done")];
    let mut server = Server::new(turns, MANY);
    let (base, address) = watch::channel(server.base.clone());
    let (open, mut opened) = watch::channel(0);
    let following: Vec<_> = (0..readers)
        .map(|_| {
            let http = Client::builder().no_proxy().build().unwrap();
            tokio::spawn(follows(http, server.operator.clone(), address.clone(), open.clone(), questions))
        })
        .collect();
    opened.wait_for(|open| *open == readers).await.unwrap();
    let runs = join_all((0..questions).map(|_| server.run())).await;
    let mut asked = vec![];
    for run in &runs {
        let path = format!("/api/interactions?run_id={run}");
        asked.push(server.until(&path, |page| page["items"][0]["id"].is_string()).await["items"][0].clone());
    }
    let (first, second) = asked.split_at(questions / 2);
    answer(&server, first).await;
    assert!(memory(&server) < MOST_MEMORY, "{} KiB", memory(&server));
    server.kill();
    server.start(None);
    base.send_replace(server.base.clone());
    answer(&server, second).await;
    let expected = to_be_told(&server, &runs).await;
    assert_eq!(expected.len(), 3 * questions);
    for reader in following {
        let told = reader.await.unwrap();
        assert_eq!(told.len(), expected.len(), "nothing is told twice, and nothing missed");
        assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), expected);
    }
    assert!(memory(&server) < MOST_MEMORY, "{} KiB", memory(&server));
}
