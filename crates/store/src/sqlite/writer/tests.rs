//! The writer, with operations that wait, fail and break things.

use super::*;
use crate::failure::of_sqlite;
use countersign_domain::RunId;
use std::time::Duration;
use tempfile::TempDir;

const CONFLICT: StoreError = StoreError::Conflict(RunId::new(uuid::Uuid::nil()));

fn writer() -> (Writer, TempDir) {
    writer_with_patience(Duration::ZERO)
}

fn writer_with_patience(patience: Duration) -> (Writer, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let db = Connection::open(folder.path().join("x.db")).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
        CREATE TABLE t (x INTEGER PRIMARY KEY, y TEXT);
        CREATE TABLE child (x INTEGER REFERENCES t (x) DEFERRABLE INITIALLY DEFERRED)",
    )
    .unwrap();
    db.busy_timeout(patience).unwrap();
    let place = Place { path: folder.path().join("x.db"), patience, folder: None };
    (Writer::start(db, place).unwrap(), folder)
}

fn insert(db: &Connection, x: i64, y: &str) -> Result<(), StoreError> {
    db.execute("INSERT INTO t VALUES (?1, ?2)", (x, y)).map(|_| ()).map_err(of_sqlite("t", x))
}

async fn count(writer: &Writer) -> i64 {
    let sql = "SELECT count(*) FROM t";
    writer.write(move |db| db.query_row(sql, [], |row| row.get(0)).map_err(of_sqlite("t", ""))).await.unwrap()
}

#[tokio::test]
async fn one_that_fails_undoes_nobody_elses_work() {
    let (writer, _folder) = writer();
    let busy = writer.write(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Ok(())
    });
    let fails = writer.write(|db| insert(db, 1, "half").and(Err::<(), _>(CONFLICT)));
    let (busy, one, fails, two) = tokio::join!(
        busy,
        writer.write(|db| insert(db, 2, "whole")),
        fails,
        writer.write(|db| insert(db, 3, "whole")),
    );
    assert!(busy.is_ok() && one.is_ok() && two.is_ok());
    assert!(matches!(fails, Err(StoreError::Conflict(_))));
    assert_eq!(count(&writer).await, 2);
}

/// Each operation of a group sees those before it, others see none of them yet, and nobody is told before all are on disk.
#[tokio::test]
async fn what_waits_is_committed_together() {
    let (writer, folder) = writer();
    let path = folder.path().join("x.db");
    let seen_by = |db: &Connection| db.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap();
    let busy = writer.write(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Ok(())
    });
    let looks = writer.write(move |db| Ok((seen_by(db), seen_by(&Connection::open(&path).unwrap()))));
    let (_, one, two, looks) =
        tokio::join!(busy, writer.write(|db| insert(db, 1, "")), writer.write(|db| insert(db, 2, "")), looks);
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(looks.unwrap(), (2, 0));
    assert_eq!(count(&writer).await, 2);
}

/// A constraint that is only checked at the commit stands in for a disk that fails there.
#[tokio::test]
async fn a_commit_that_fails_is_unavailable_to_all_and_the_next_write_works() {
    let (writer, _folder) = writer();
    let busy = writer.write(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Ok(())
    });
    let orphan = "INSERT INTO child VALUES (99)";
    let (_, whole, breaks) = tokio::join!(
        busy,
        writer.write(|db| insert(db, 1, "lost")),
        writer.write(move |db| db.execute_batch(orphan).map_err(of_sqlite("child", 99))),
    );
    for told in [whole, breaks] {
        assert!(matches!(told, Err(StoreError::Unavailable(_))), "{told:?}");
    }
    writer.write(|db| insert(db, 1, "kept")).await.unwrap();
    assert_eq!(count(&writer).await, 1);
}

#[tokio::test]
async fn a_full_disk_is_told_of_and_the_next_write_works() {
    let (writer, _folder) = writer();
    let limit = |pages: i64| {
        move |db: &Connection| {
            db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).map_err(of_sqlite("t", ""))
        }
    };
    writer.write(limit(8)).await.unwrap();
    let long = "x".repeat(100_000);
    let full = writer.write(move |db| insert(db, 1, &long)).await;
    assert!(matches!(full, Err(StoreError::Full(_))), "{full:?}");
    writer.write(|db| insert(db, 1, "short")).await.unwrap();
    writer.write(limit(1_000_000)).await.unwrap();
    let long = "x".repeat(100_000);
    writer.write(move |db| insert(db, 2, &long)).await.unwrap();
    assert_eq!(count(&writer).await, 2);
}

#[tokio::test]
async fn a_transaction_that_is_gone_loses_the_whole_group_and_says_so() {
    let (writer, _folder) = writer();
    let busy = writer.write(|_| {
        std::thread::sleep(Duration::from_millis(100));
        Ok(())
    });
    let (_, before, breaks, after) = tokio::join!(
        busy,
        writer.write(|db| insert(db, 1, "lost")),
        writer.write(|db| db.execute_batch("ROLLBACK").map_err(of_sqlite("t", ""))),
        writer.write(|db| insert(db, 2, "lost")),
    );
    for told in [before, breaks, after] {
        assert!(matches!(told, Err(StoreError::Unavailable(_))), "{told:?}");
    }
    assert_eq!(count(&writer).await, 0);
}

#[tokio::test]
async fn what_was_queued_is_done_after_the_last_handle_is_gone() {
    let (writer, folder) = writer();
    let slow = writer.clone();
    let slow = tokio::spawn(async move {
        slow.write(|_| {
            std::thread::sleep(Duration::from_millis(100));
            Ok(())
        })
        .await
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    let last = tokio::spawn(async move { writer.write(|db| insert(db, 1, "queued")).await });
    tokio::time::sleep(Duration::from_millis(20)).await;
    last.abort();
    slow.await.unwrap().unwrap();
    let db = Connection::open(folder.path().join("x.db")).unwrap();
    for _ in 0..100 {
        let rows: i64 = db.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        if rows == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the queued write was never done");
}

/// Whether it was this thread that did it.
async fn writes_here(writer: &Writer) -> bool {
    let done_by = writer.write_short(|_| Ok(std::thread::current().id())).await.unwrap();
    done_by == std::thread::current().id()
}

/// A writer whose disk was seen to be quick.
fn quick_writer(patience: Duration) -> (Writer, TempDir) {
    let (writer, folder) = writer_with_patience(patience);
    writer.desk.flushes.took(Duration::ZERO);
    (writer, folder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_alone_to_a_quick_disk_writes_right_away() {
    let (writer, _folder) = quick_writer(Duration::ZERO);
    assert!(writes_here(&writer).await);
    let fails = writer.write_short(|db| insert(db, 1, "half").and(Err::<(), _>(CONFLICT))).await;
    assert!(matches!(fails, Err(StoreError::Conflict(_))));
    let breaks =
        writer.write_short(|db| db.execute_batch("INSERT INTO child VALUES (99)").map_err(of_sqlite("child", 99)));
    assert!(matches!(breaks.await, Err(StoreError::Unavailable(_))));
    assert_eq!(count(&writer).await, 0);
    writer.write_short(|db| insert(db, 2, "whole")).await.unwrap();
    assert_eq!(count(&writer).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_disk_keeps_nobody_from_their_other_tasks() {
    let (writer, _folder) = quick_writer(Duration::ZERO);
    writer.desk.flushes.took(Duration::from_secs(1));
    assert!(!writes_here(&writer).await);
}

/// On a runtime with one thread nobody else could come meanwhile, and nothing would ever be committed together.
#[tokio::test]
async fn where_there_is_one_thread_it_does_not_wait_for_the_disk() {
    let (writer, _folder) = quick_writer(Duration::ZERO);
    assert!(!writes_here(&writer).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_another_process_writes_the_thread_waits_for_it() {
    let (writer, folder) = quick_writer(Duration::from_mins(1));
    let other = Connection::open(folder.path().join("x.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let write = writer.write_short(|db| insert(db, 1, "late").map(|()| std::thread::current().id()));
    tokio::pin!(write);
    // It comes back at once, and has not written yet.
    assert!(now(&mut write).is_none());
    other.execute_batch("COMMIT").unwrap();
    assert_ne!(write.await.unwrap(), std::thread::current().id());
}

/// What it gives when it is asked once.
fn now<F: Future>(future: &mut std::pin::Pin<&mut F>) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}

/// As many pages as are carried over at a time, and who writes after them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_log_is_carried_over_by_the_thread() {
    let (writer, folder) = quick_writer(Duration::ZERO);
    let long = "x".repeat(4096 * LOG_PAGES.unsigned_abs() as usize);
    writer.write_short(move |db| insert(db, 1, &long)).await.unwrap();
    assert!(writer.desk.log_is_long());
    writer.write_short(|db| insert(db, 2, "")).await.unwrap();
    // The thread has answered before it carries the log over.
    let wal = folder.path().join("x.db-wal");
    for number in 3..500 {
        if !writer.desk.log_is_long() {
            let length = std::fs::metadata(&wal).unwrap().len();
            writer.write_short(move |db| insert(db, number, "")).await.unwrap();
            assert_eq!(std::fs::metadata(&wal).unwrap().len(), length, "the log is not written over");
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the log stays long");
}

/// What flushes nothing says nothing about the disk.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_of_nothing_do_not_make_a_disk_quick() {
    let (writer, _folder) = writer();
    for _ in 0..64 {
        writer.write(|_| Ok(())).await.unwrap();
    }
    assert!(!writes_here(&writer).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_let_in_before_the_thread() {
    let (writer, _folder) = quick_writer(Duration::ZERO);
    writer.desk.is_wanted.store(true, Ordering::Relaxed);
    assert!(!writes_here(&writer).await);
    // It has been in since, and goes.
    for _ in 0..500 {
        if writes_here(&writer).await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("nobody is let in after the thread");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_panics_leaves_no_transaction_open() {
    let (writer, folder) = quick_writer(Duration::ZERO);
    let broken = writer.clone();
    let panicked = tokio::spawn(async move {
        broken.write_short(|db| insert(db, 1, "half").map(|()| assert!(db.is_autocommit(), "it breaks here"))).await
    });
    assert!(panicked.await.is_err());
    assert!(matches!(writer.write(|db| insert(db, 2, "late")).await, Err(StoreError::Unavailable(_))));
    let other = Connection::open(folder.path().join("x.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; INSERT INTO t VALUES (3, ''); COMMIT").unwrap();
    let rows: i64 = other.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}
