//! What only an embedded database has: a file, other processes, and sudden ends.

use crate::fixture::{Tale, answered, at, done, person};
use countersign_domain::interaction::Decision;
use countersign_domain::run::Run;
use countersign_domain::secret::Key;
use countersign_domain::{Digest, RunId};
use countersign_runtime::ports::{InteractionFilter, NewToken, RunFilter, Store, StoreError, TokenEntry, TokenForm};
use countersign_store::{OpenError, Sqlite};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Set for a process that a test starts of itself; names the file to work on.
const CHILD: &str = "COUNTERSIGN_STORE_TEST_CHILD";

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("countersign.db");
    (folder, path)
}

/// This program once more, running only `test`.
fn child(test: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--include-ignored"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn after_opening_again_all_is_there() {
    let (_folder, path) = folder();
    let store = Sqlite::open(&path).unwrap();
    let (mut tale, open) = Tale::waiting(&store, at(0), 2).await;
    tale.then(&store, answered(open[0], Decision::Approve, "bob"), at(1)).await.unwrap();
    let claim = store.claim(Duration::from_hours(1), &[], 1).await.unwrap()[0];
    let (summary, events) = (store.run(tale.run.id).await.unwrap(), store.events(tale.run.id, 0, 100).await.unwrap());
    drop(store);
    let store = Sqlite::open(&path).unwrap();
    assert_eq!(store.run(tale.run.id).await.unwrap(), summary);
    assert_eq!(store.events(tale.run.id, 0, 100).await.unwrap(), events);
    assert_eq!(store.load(tale.run.id).await.unwrap(), Some(tale.run.clone()));
    assert_eq!(store.interaction(open[1]).await.unwrap().as_ref(), tale.run.interaction(open[1]));
    assert_eq!(store.claim(Duration::from_secs(1), &[], 1).await.unwrap(), vec![], "the lease is remembered");
    assert_eq!(store.release_all().await.unwrap(), 1);
    assert_eq!(store.claim(Duration::from_secs(1), &[], 1).await.unwrap()[0].fence, claim.fence + 1);
}

#[tokio::test]
async fn the_file_is_for_its_owners_eyes_only() {
    let (_folder, path) = folder();
    let store = Sqlite::open(&path).unwrap();
    Tale::begin(&store, at(0)).await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap().path();
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn what_is_no_database_is_refused_and_left_alone() {
    let (folder, _) = folder();
    let path = folder.path().join("notes.txt");
    let notes = "not a database, but long enough to look at. ".repeat(50);
    std::fs::write(&path, &notes).unwrap();
    let error = Sqlite::open(&path).unwrap_err();
    assert!(matches!(error, OpenError::Database { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), notes);
    assert!(matches!(Sqlite::open(path.join("x.db")).unwrap_err(), OpenError::File { .. }));
}

#[tokio::test]
async fn events_are_only_ever_added() {
    let (_folder, path) = folder();
    let store = Sqlite::open(&path).unwrap();
    Tale::begin(&store, at(0)).await;
    let other = Connection::open(&path).unwrap();
    for change in ["UPDATE events SET data = '{}'", "DELETE FROM events"] {
        let error = other.execute(change, []).unwrap_err().to_string();
        assert_eq!(error, "events are only ever added");
    }
}

#[tokio::test]
async fn a_locked_file_is_unavailable_and_the_next_write_works() {
    let (_folder, path) = folder();
    let store = Sqlite::open_with_patience(&path, Duration::from_millis(50)).unwrap();
    let mut tale = Tale::begin(&store, at(0)).await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let locked = tale.then(&store, done(), at(1)).await;
    assert!(matches!(locked, Err(StoreError::Unavailable(_))), "{locked:?}");
    assert_eq!(store.load(tale.run.id).await.unwrap().as_ref(), Some(&tale.run), "reading goes on");
    other.execute_batch("ROLLBACK").unwrap();
    tale.then(&store, done(), at(1)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_that_have_the_file_open_share_it() {
    let (_folder, path) = folder();
    let (server, tool) = (Sqlite::open(&path).unwrap(), Sqlite::open(&path).unwrap());
    let writes = async |store: &Sqlite| {
        for n in 0..40 {
            Tale::begin(store, at(n)).await;
        }
    };
    tokio::join!(writes(&server), writes(&tool));
    assert_eq!(server.runs(RunFilter { after: None, limit: 100, ..Default::default() }).await.unwrap().items.len(), 80);
    let claims = tokio::join!(server.claim(Duration::from_secs(9), &[], 1), tool.claim(Duration::from_secs(9), &[], 1));
    assert_ne!(claims.0.unwrap()[0].run, claims.1.unwrap()[0].run);
}

#[test]
fn eight_processes_open_a_fresh_file_at_once() {
    for _ in 0..4 {
        let (folder, path) = folder();
        let start = || {
            let mut child = child("sqlite::opens_a_file_and_keeps_a_token", &path);
            let mut said = BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            while !line.contains("ready") {
                line.clear();
                assert_ne!(said.read_line(&mut line).unwrap(), 0, "the child ended before it began");
            }
            (child, said)
        };
        let children: Vec<_> = (0..8).map(|_| start()).collect();
        std::fs::write(folder.path().join("go"), "").unwrap();
        for (mut child, mut said) in children {
            let mut rest = String::new();
            said.read_to_string(&mut rest).unwrap();
            assert!(child.wait().unwrap().success(), "{rest}");
        }
        let db = Connection::open(&path).unwrap();
        let count = |table: &str| -> i64 {
            db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!((count("tokens"), count("migrations")), (8, 14));
    }
}

#[tokio::test]
#[ignore = "what a process does that another test starts"]
async fn opens_a_file_and_keeps_a_token() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let path = PathBuf::from(path);
    let go = path.ancestors().nth(2).unwrap().join("go");
    writeln!(std::io::stdout(), "ready").unwrap();
    while !go.exists() {
        std::thread::yield_now();
    }
    let store = Sqlite::open(path).unwrap();
    let id = format!("t{}", std::process::id());
    let hash = Digest::of(id.as_bytes());
    let (form, principal) = (TokenForm::Token, person("ann"));
    let entry = TokenEntry { id, form, principal, parent: None, created_at: at(0), expires_at: None, ended_at: None };
    store.add_token(NewToken { entry, hash, by: None, receipt: None }).await.unwrap();
}

/// Whatever was acknowledged before the writer was killed is there, and nothing is half there.
#[tokio::test]
async fn a_killed_writer_loses_nothing_that_it_acknowledged() {
    for acknowledged in [1, 40, 150, 400] {
        let (_folder, path) = folder();
        let mut child = child("sqlite::saves_until_it_is_killed", &path);
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen: BTreeMap<RunId, u64> = BTreeMap::new();
        let mut note = |line: &str| {
            // A line that is cut off, or is not ours, says nothing.
            let Some(rest) = line.strip_prefix("saved ").and_then(|rest| rest.strip_suffix('.')) else { return 0 };
            let (run, seq) = rest.split_once(' ').unwrap();
            seen.insert(run.parse().unwrap(), seq.parse().unwrap());
            1
        };
        let mut count = 0;
        while count < acknowledged {
            count += note(&said.next().expect("the child goes on").unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What it still said before it died was acknowledged too.
        for line in said.map_while(Result::ok) {
            note(&line);
        }
        check_after_kill(&path, &seen).await;
    }
}

async fn check_after_kill(path: &Path, acknowledged: &BTreeMap<RunId, u64>) {
    let store = Sqlite::open(path).unwrap();
    for (run, seq) in acknowledged {
        let loaded = store.load(*run).await.unwrap().expect("an acknowledged run");
        assert!(loaded.seq >= *seq, "{run} was acknowledged at {seq} and is at {}", loaded.seq);
    }
    let mut after = None;
    loop {
        let page = store.runs(RunFilter { after, limit: 100, ..Default::default() }).await.unwrap();
        for summary in page.items {
            let events = store.events(summary.id, 0, 1_000).await.unwrap();
            let run = Run::fold(events).unwrap();
            assert_eq!((run.seq, run.updated_at), (summary.seq, summary.updated_at), "{}", run.id);
            let filter = InteractionFilter { run: Some(run.id), limit: 100, ..Default::default() };
            let stored = store.interactions(filter).await.unwrap().items;
            let stored: BTreeMap<_, _> = stored.into_iter().map(|asked| (asked.id, Box::new(asked))).collect();
            assert_eq!(stored, run.interactions);
        }
        let Some(next) = page.next else { break };
        after = Some(next.parse().unwrap());
    }
    // It works on.
    Tale::waiting(&store, at(9), 1).await;
    let db = Connection::open(path).unwrap();
    let sound: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "what a process does that another test starts"]
async fn saves_until_it_is_killed() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let store = Sqlite::open(path).unwrap();
    let savers = (0..8).map(|_| tokio::spawn(save_for_ever(store.clone())));
    for saver in savers.collect::<Vec<_>>() {
        saver.await.unwrap();
    }
}

async fn save_for_ever(store: Sqlite) {
    loop {
        let (mut tale, open) = Tale::waiting(&store, at(0), 3).await;
        acknowledge(&tale.run);
        for id in open {
            tale.then(&store, answered(id, Decision::Approve, "bob"), at(1)).await.unwrap();
            acknowledge(&tale.run);
        }
    }
}

fn acknowledge(run: &Run) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "saved {} {}.", run.id, run.seq).unwrap();
    out.flush().unwrap();
}

#[tokio::test]
async fn no_secret_is_in_the_file_or_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("countersign.db");
    let store = Sqlite::open(&path).unwrap();
    crate::secrets::a_run_that_has_ended_has_no_secrets_left(&store).await;
    crate::secrets::whoever_works_on_a_run_has_its_secrets_and_nobody_sees_them(&store).await;
    for file in ["countersign.db", "countersign.db-wal"] {
        let bytes = std::fs::read(folder.path().join(file)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for secret in crate::secrets::PLANTED {
            assert!(!text.contains(secret), "{secret} in {file}");
        }
    }
}

#[tokio::test]
async fn a_run_whose_key_is_gone_can_be_looked_at_only() {
    let store = Sqlite::temporary().unwrap();
    crate::secrets::under_another_key(&store, &store.clone().sealing(Key::new([9; 32]))).await;
}

#[tokio::test]
async fn what_is_at_hand_may_be_old() {
    let store = Sqlite::temporary().unwrap();
    crate::lately::what_is_at_hand_may_be_old(&store, &store.clone().sealing(Key::new([9; 32]))).await;
}

#[tokio::test]
async fn after_an_hour_a_run_is_not_at_hand_any_more() {
    let store = Sqlite::temporary().unwrap();
    let (_, sooner) = Tale::waiting(&store, at(0), 1).await;
    let (later, asks) = Tale::waiting(&store, at(0), 1).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_mins(59)).await;
    assert!(store.asking_lately(sooner[0]).is_some());
    tokio::time::advance(Duration::from_mins(2)).await;
    assert_eq!(store.asking_lately(asks[0]), None);
    tokio::time::resume();
    assert_eq!(store.asking(asks[0]).await.unwrap().map(|asking| asking.run), Some(later.run), "it can be looked up");
}
