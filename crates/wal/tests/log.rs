//! The log of a real database, as it is written through this file system and as it is without it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use countersign_testdisk::{Disk, Entry, Trouble};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use tempfile::TempDir;

fn open(path: &Path) -> Connection {
    let db = countersign_wal::open(path, OpenFlags::default()).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    db.pragma_update(None, "synchronous", "FULL").unwrap();
    db
}

fn filled(db: &Connection) {
    db.execute_batch("CREATE TABLE t (x INTEGER PRIMARY KEY, y BLOB)").unwrap();
}

fn add(db: &Connection, rows: u32) -> rusqlite::Result<()> {
    let sql = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
        INSERT INTO t (y) SELECT randomblob(3000) FROM n";
    db.execute(sql, [rows]).map(drop)
}

fn count(db: &Connection) -> u32 {
    db.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
}

fn is_whole(db: &Connection) -> bool {
    db.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0)).unwrap() == "ok"
}

/// A database on a disk that is watched.
fn watched() -> (TempDir, Disk, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::over(folder.path()).unwrap();
    let db = open(&folder.path().join("x.db"));
    filled(&db);
    (folder, disk, db)
}

/// How many writes each flush was for, of those that came after so many entries.
fn writes_to_flushes(disk: &Disk, after: usize) -> Vec<usize> {
    let (mut all, mut writes) = (vec![], 0);
    for entry in &disk.record()[after..] {
        match entry {
            Entry::Wrote { .. } => writes += 1,
            Entry::Synced { .. } => all.push(std::mem::take(&mut writes)),
            _ => {}
        }
    }
    all
}

#[test]
fn what_a_commit_adds_is_one_write_and_one_flush() {
    let (_folder, disk, db) = watched();
    let before = disk.record().len();
    add(&db, 5).unwrap();
    assert_eq!(writes_to_flushes(&disk, before), [1]);
    assert_eq!(count(&db), 5);
}

#[test]
fn others_see_what_was_committed_however_it_is_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let db = open(&path);
    filled(&db);
    // Nothing is flushed with a commit here.
    db.pragma_update(None, "synchronous", "OFF").unwrap();
    let other = Connection::open(&path).unwrap();
    for rows in 1..=20 {
        add(&db, 1).unwrap();
        assert_eq!((count(&other), count(&db)), (rows, rows));
    }
    assert!(is_whole(&other));
}

#[test]
fn a_transaction_that_is_larger_than_its_memory_is_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let db = open(&path);
    filled(&db);
    // So small a cache that without more ado pages would go to the log in the middle of the transaction.
    db.pragma_update(None, "cache_size", 10).unwrap();
    db.execute_batch("BEGIN").unwrap();
    for _ in 0..20 {
        add(&db, 50).unwrap();
        db.execute("UPDATE t SET y = randomblob(2500) WHERE x % 3 = 0", []).unwrap();
    }
    assert_eq!(count(&db), 1_000);
    let other = Connection::open(&path).unwrap();
    assert_eq!(count(&other), 0);
    db.execute_batch("ROLLBACK").unwrap();
    assert_eq!(count(&db), 0);
    add(&db, 400).unwrap();
    db.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
    add(&db, 1).unwrap();
    drop(db);
    assert_eq!(count(&other), 401);
    assert!(is_whole(&other));
}

#[test]
fn nothing_of_a_transaction_that_was_taken_back_is_written_over_what_others_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let db = open(&path);
    filled(&db);
    add(&db, 100).unwrap();
    db.pragma_update(None, "cache_size", 10).unwrap();
    let other = open(&path);
    for rows in 101..=140 {
        // Everything is in the file, so nothing is looked for in the log meanwhile.
        other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        db.execute_batch("BEGIN IMMEDIATE").unwrap();
        add(&db, 10 + rows % 20).unwrap();
        db.execute_batch("ROLLBACK").unwrap();
        add(&other, 1).unwrap();
        assert_eq!((count(&db), count(&other)), (rows, rows));
        assert!(is_whole(&db) && is_whole(&other));
        assert!(is_whole(&Connection::open(&path).unwrap()));
    }
    drop((db, other));
    let again = Connection::open(&path).unwrap();
    assert_eq!(count(&again), 140);
    assert!(is_whole(&again));
}

#[test]
fn a_disk_that_is_full_is_told_and_nothing_else_is_lost() {
    let (folder, disk, db) = watched();
    add(&db, 3).unwrap();
    disk.fails(Trouble::Full, ..);
    let error = add(&db, 5).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::DiskFull));
    disk.recovers();
    assert_eq!(count(&db), 3);
    add(&db, 2).unwrap();
    drop(db);
    let again = open(&folder.path().join("x.db"));
    assert_eq!(count(&again), 5);
    assert!(is_whole(&again));
}

#[test]
fn a_file_that_cannot_be_opened_is_no_more_than_that() {
    let folder = tempfile::tempdir().unwrap();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let missing = folder.path().join("missing.db");
    let error = countersign_wal::open(&missing, flags).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::CannotOpen));
}
