//! The disk against `SQLite` itself: what it records is what was done, and what it refuses is refused.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use countersign_testdisk::{Disk, Entry, Image, Loss, Platter, Trouble};
use rusqlite::{Connection, ErrorCode};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    (folder, path)
}

fn open(path: &Path, journal: &str) -> Connection {
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "journal_mode", journal).unwrap();
    db.pragma_update(None, "synchronous", "FULL").unwrap();
    db.execute_batch("CREATE TABLE IF NOT EXISTS t (x TEXT)").unwrap();
    db
}

fn insert(db: &Connection, length: usize) -> rusqlite::Result<usize> {
    db.execute("INSERT INTO t VALUES (?1)", ["x".repeat(length)])
}

fn image(record: &[Entry], loss: Loss) -> Image {
    let mut platter = Platter::new(record, 1);
    platter.turn_to(record.len());
    platter.image(loss)
}

/// All files but the index of the log.
fn there(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| !path.to_str().unwrap().ends_with("-shm"));
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn the_record_makes_the_files_that_are_there() {
    for journal in ["WAL", "DELETE", "TRUNCATE", "PERSIST"] {
        let (folder, path) = folder();
        let disk = Disk::over(folder.path()).unwrap();
        let db = open(&path, journal);
        for n in 0..200 {
            insert(&db, n * 40).unwrap();
            if n % 50 == 20 {
                db.execute_batch("DELETE FROM t WHERE length(x) % 3 = 0; VACUUM").unwrap();
            }
            if n % 50 == 40 {
                assert_eq!(image(&disk.record(), Loss::Nothing).files, there(folder.path()), "{journal}");
            }
        }
        drop(db);
        assert_eq!(disk.open_files(), 0);
        assert_eq!(image(&disk.record(), Loss::Nothing).files, there(folder.path()), "{journal}");
    }
}

#[test]
fn a_commit_is_on_the_disk_and_what_is_not_committed_is_not() {
    let (folder, path) = folder();
    let disk = Disk::over(folder.path()).unwrap();
    let db = open(&path, "WAL");
    insert(&db, 1).unwrap();
    db.execute_batch("BEGIN; INSERT INTO t VALUES ('open')").unwrap();
    let (again, path) = self::folder();
    image(&disk.record(), Loss::Everything).write_to(again.path()).unwrap();
    let rows: i64 = Connection::open(path).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}

#[test]
fn a_disk_that_forgets_loses_what_it_said_it_had() {
    let (folder, path) = folder();
    let disk = Disk::that_forgets(folder.path(), "").unwrap();
    insert(&open(&path, "WAL"), 1).unwrap();
    assert_eq!(image(&disk.record(), Loss::Everything).files, BTreeMap::new());
}

#[test]
fn other_files_are_not_watched() {
    let ((watched, _), (_folder, path)) = (folder(), folder());
    let disk = Disk::over(watched.path()).unwrap();
    disk.fails(Trouble::Broken, ..);
    insert(&open(&path, "WAL"), 1).unwrap();
    assert_eq!((disk.record(), disk.changes()), (vec![], 0));
}

#[test]
fn trouble_comes_when_it_is_told_to_and_goes() {
    let (folder, path) = folder();
    let disk = Disk::over(folder.path()).unwrap();
    let db = open(&path, "WAL");
    let refused = |told: Trouble| {
        disk.fails(told, ..);
        let code = insert(&db, 10_000).unwrap_err().sqlite_error_code();
        disk.recovers();
        insert(&db, 10_000).unwrap();
        code.unwrap()
    };
    assert_eq!(refused(Trouble::Full), ErrorCode::DiskFull);
    assert_eq!(refused(Trouble::Broken), ErrorCode::SystemIoFailure);
    assert_eq!(refused(Trouble::ReadOnly), ErrorCode::SystemIoFailure);
    disk.fails(Trouble::Broken, 1..2);
    let outcomes: Vec<_> = (0..3).map(|_| insert(&db, 1).is_ok()).collect();
    assert_eq!(outcomes, [false, true, true]);
    let rows: i64 = db.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 5);
    disk.fails(Trouble::ReadOnly, ..);
    let late = Connection::open(&path).unwrap();
    assert_eq!(insert(&late, 1).unwrap_err().sqlite_error_code(), Some(ErrorCode::ReadOnly));
    assert_eq!(image(&disk.record(), Loss::Nothing).files, there(folder.path()));
}
